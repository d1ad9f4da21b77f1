// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices, and what Gauss, Cholesky and Householder find by elimination.
#include "library/column_matrix.hpp"
#include "library/lapack.hpp"

#include <algorithm>
#include <cmath>

namespace xlazy::be {
namespace {

/// An operand of a product as gemm takes it: its transpose lies in columns (N), or itself does (T). No copy is made
/// where elements lie side by side along one of the axes.
template <class T>
struct Factor {
    std::int64_t rows, columns;
    const T* data;
    const char* flag;
    int leading;
    std::vector<T> copy;

    Factor(const ArrayWindow& window, bool in_front) {
        const bool vector = window.dims.size() == 1;
        const bc::Dim first = vector && in_front ? bc::Dim{1, 0} : window.dims.front();
        const bc::Dim second = vector && !in_front ? bc::Dim{1, 0} : window.dims.back();
        rows = first.extent;
        columns = second.extent;
        data = reinterpret_cast<const T*>(window.start);
        const std::int64_t across = columns <= 1 ? 1 : second.stride;
        const std::int64_t down = rows <= 1 ? std::max<std::int64_t>(columns, 1) : first.stride;
        if (across == 1 && down >= std::max<std::int64_t>(columns, 1)) {
            flag = "N";
            leading = to_int(down);
        } else if (down == 1 && across >= std::max<std::int64_t>(rows, 1)) {
            flag = "T";
            leading = to_int(across);
        } else {
            copy = elements_of<T>(window);
            data = copy.data();
            flag = "N";
            leading = to_int(std::max<std::int64_t>(columns, 1));
        }
    }
};

template <class T>
void multiply_inexact(const LibraryCall& call) {
    const Factor<T> a(call.in[0], true), b(call.in[1], false);
    Result<T> result(call.out);
    std::fill_n(result.data(), result.size(), T(0));
    if (a.rows == 0 || b.columns == 0 || a.columns == 0) return;
    // In columns the result's transpose is computed: the one of b times the one of a.
    const int m = to_int(b.columns), n = to_int(a.rows), k = to_int(a.columns);
    const T one(1), zero(0);
    lapack<T>().gemm(b.flag, a.flag, &m, &n, &k, &one, b.data, &b.leading, a.data, &a.leading, &zero, result.data(), &m,
                     1, 1);
}

template <class T>
void multiply_integers(const LibraryCall& call) {
    using Wide = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
    const std::vector<T> a = elements_of<T>(call.in[0]), b = elements_of<T>(call.in[1]);
    Result<T> result(call.out);
    T* const to = result.data();
    std::fill_n(to, result.size(), T(0));
    const auto k = static_cast<std::size_t>(call.in[0].dims.back().extent);
    if (k == 0) return;
    const std::size_t columns = b.size() / k;
    for (std::size_t row = 0; row < a.size() / k; ++row) {
        for (std::size_t i = 0; i < k; ++i) {
            const Wide factor = static_cast<Wide>(a[row * k + i]);
            for (std::size_t column = 0; column < columns; ++column) {
                T& sum = to[row * columns + column];
                sum = static_cast<T>(static_cast<Wide>(sum) + factor * static_cast<Wide>(b[i * columns + column]));
            }
        }
    }
}

template <class T>
bool solve(const LibraryCall& call) {
    ColumnMatrix<T> a(call.in[0]), b(call.in[1]);
    std::vector<int> pivots(static_cast<std::size_t>(a.rows));
    int info = 0;
    if (a.rows != 0 && b.columns != 0)
        lapack<T>().gesv(&a.rows, &b.columns, a.data(), &a.leading, pivots.data(), b.data(), &b.leading, &info);
    Result<T> result(call.out);
    b.put(result.data());
    return info == 0;
}

template <class T>
bool invert(const LibraryCall& call) {
    ColumnMatrix<T> a(call.in[0]);
    std::vector<int> pivots(static_cast<std::size_t>(a.rows));
    int info = 0;
    if (a.rows != 0) {
        lapack<T>().getrf(&a.rows, &a.rows, a.data(), &a.leading, pivots.data(), &info);
        if (info == 0) {
            with_work<T>([&](T* work, const int* size, int* status) {
                lapack<T>().getri(&a.rows, a.data(), &a.leading, pivots.data(), work, size, status);
                info = *status;
            });
        }
    }
    Result<T> result(call.out);
    a.put(result.data());
    return info == 0;
}

template <class T>
bool find_determinant(const LibraryCall& call) {
    ColumnMatrix<T> a(call.in[0]);
    std::vector<int> pivots(static_cast<std::size_t>(a.rows));
    int info = 0;
    if (a.rows != 0) lapack<T>().getrf(&a.rows, &a.rows, a.data(), &a.leading, pivots.data(), &info);
    T sign(1), product(1);
    typename Lapack<T>::Real logarithm = 0;
    for (int i = 0; i < a.rows; ++i) {
        const T element = a.data()[static_cast<std::ptrdiff_t>(i) * a.leading + i];
        const auto magnitude = std::abs(element);
        if (pivots[static_cast<std::size_t>(i)] != i + 1) {
            sign = -sign;
            product = -product;
        }
        product *= element;
        sign *= magnitude == 0 ? T(0) : element / magnitude;
        logarithm += std::log(magnitude);
    }
    Result<T> result(call.out);
    result.data()[0] = call.op.axis == 0 ? product : sign;
    if (call.op.axis != 0) result.data()[1] = T(logarithm);
    return true;
}

template <class T>
bool find_cholesky(const LibraryCall& call) {
    ColumnMatrix<T> a(call.in[0]);
    int info = 0;
    if (a.rows != 0) lapack<T>().potrf("L", &a.rows, a.data(), &a.leading, &info, 1);
    for (int column = 1; column < a.columns; ++column) std::fill_n(&a.at(0, column), column, T(0));
    Result<T> result(call.out);
    a.put(result.data());
    return info == 0;
}

template <class T>
bool find_qr(const LibraryCall& call) {
    ColumnMatrix<T> a(call.in[0]);
    const int least = std::min(a.rows, a.columns), size = call.op.axis == 1 ? a.rows : least;
    std::vector<T> tau(static_cast<std::size_t>(std::max(least, 1)));
    Result<T> result(call.out);
    T* const r = result.data() + static_cast<std::ptrdiff_t>(a.rows) * size;
    if (least == 0) {
        std::fill_n(result.data(), result.size(), T(0));
        for (int i = 0; i < size; ++i) result.data()[static_cast<std::ptrdiff_t>(i) * size + i] = T(1);
        return true;
    }
    with_work<T>([&](T* work, const int* count, int* info) {
        lapack<T>().geqrf(&a.rows, &a.columns, a.data(), &a.leading, tau.data(), work, count, info);
    });
    for (int row = 0; row < size; ++row) {
        for (int column = 0; column < a.columns; ++column)
            r[static_cast<std::ptrdiff_t>(row) * a.columns + column] = row <= column ? a.at(row, column) : T(0);
    }
    ColumnMatrix<T> q(a.rows, size);
    for (int column = 0; column < least; ++column) std::copy_n(&a.at(0, column), a.rows, &q.at(0, column));
    with_work<T>([&](T* work, const int* count, int* info) {
        lapack<T>().orgqr(&q.rows, &q.columns, &least, q.data(), &q.leading, tau.data(), work, count, info);
    });
    q.put(result.data());
    return true;
}

}  // namespace

bool multiply_matrices(const LibraryCall& call) {
    if (bc::is_integer(call.op.type)) {
        switch (call.op.type) {
            case bc::DType::i8: multiply_integers<std::int8_t>(call); break;
            case bc::DType::i16: multiply_integers<std::int16_t>(call); break;
            case bc::DType::i32: multiply_integers<std::int32_t>(call); break;
            case bc::DType::i64: multiply_integers<std::int64_t>(call); break;
            case bc::DType::u8: multiply_integers<std::uint8_t>(call); break;
            case bc::DType::u16: multiply_integers<std::uint16_t>(call); break;
            case bc::DType::u32: multiply_integers<std::uint32_t>(call); break;
            default: multiply_integers<std::uint64_t>(call); break;
        }
        return true;
    }
    set_lapack_threads(call.threads);
    with_inexact(call.op.type, [&]<class T>(std::type_identity<T>) { multiply_inexact<T>(call); });
    return true;
}

bool factorise(const LibraryCall& call) {
    set_lapack_threads(call.threads);
    bool good = true;
    with_inexact(call.op.type, [&]<class T>(std::type_identity<T>) {
        switch (call.op.op) {
            case bc::Op::solve: good = solve<T>(call); break;
            case bc::Op::inverse: good = invert<T>(call); break;
            case bc::Op::determinant: good = find_determinant<T>(call); break;
            case bc::Op::cholesky: good = find_cholesky<T>(call); break;
            default: good = find_qr<T>(call); break;
        }
    });
    return good;
}

}  // namespace xlazy::be
