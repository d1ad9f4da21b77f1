// SPDX-License-Identifier: BSD-3-Clause
// Singular values, eigenvalues, least squares: what iterates and may not converge.
#include "library/column_matrix.hpp"
#include "library/lapack.hpp"

#include <cmath>

namespace xlazy::be {
namespace {

using Flag = const char*;
using Int = const int*;

template <class T>
bool all_finite(const ColumnMatrix<T>& matrix) {
    auto& m = const_cast<ColumnMatrix<T>&>(matrix);
    const auto count = static_cast<std::size_t>(m.leading) * static_cast<std::size_t>(m.columns);
    return std::all_of(m.data(), m.data() + count,
                       [](const T& x) { return std::isfinite(std::real(x)) && std::isfinite(std::imag(x)); });
}

template <class T>
inline constexpr bool kComplex = !std::is_floating_point_v<T>;

template <class T>
struct Singular {
    std::vector<typename Lapack<T>::Real> values;
    ColumnMatrix<T> u, v;
};

template <class T>
bool find_singular(ColumnMatrix<T>& a, int mode, Singular<T>& to) {
    using Real = typename Lapack<T>::Real;
    const int least = std::min(a.rows, a.columns), most = std::max(a.rows, a.columns);
    if (least == 0) {
        for (int i = 0; i < to.u.columns; ++i) to.u.at(i, i) = T(1);
        for (int i = 0; i < to.v.columns; ++i) to.v.at(i, i) = T(1);
        return true;
    }
    Flag const job = mode == 0 ? "N" : mode == 1 ? "S" : "A";
    std::vector<int> integers(8 * static_cast<std::size_t>(least));
    const auto n = static_cast<std::size_t>(least), m = static_cast<std::size_t>(most);
    std::vector<Real> reals(kComplex<T> ? 5 * n * n + 2 * m * n + 7 * n : 0);
    return with_work<T>([&](T* work, Int size, int* info) {
               if constexpr (kComplex<T>) {
                   const auto gesdd =
                       reinterpret_cast<void (*)(Flag, Int, Int, T*, Int, Real*, T*, Int, T*, Int, T*, Int, Real*, int*,
                                                 int*, std::size_t)>(lapack<T>().gesdd);
                   gesdd(job, &a.rows, &a.columns, a.data(), &a.leading, to.values.data(), to.u.data(), &to.u.leading,
                         to.v.data(), &to.v.leading, work, size, reals.data(), integers.data(), info, 1);
               } else {
                   const auto gesdd = reinterpret_cast<void (*)(Flag, Int, Int, T*, Int, Real*, T*, Int, T*, Int, T*,
                                                                Int, int*, int*, std::size_t)>(lapack<T>().gesdd);
                   gesdd(job, &a.rows, &a.columns, a.data(), &a.leading, to.values.data(), to.u.data(), &to.u.leading,
                         to.v.data(), &to.v.leading, work, size, integers.data(), info, 1);
               }
           }) == 0;
}

template <class T>
bool find_svd(const LibraryCall& call) {
    ColumnMatrix<T> a(call.in[0]);
    const int mode = call.op.axis, least = std::min(a.rows, a.columns);
    const int left = mode == 0 ? 0 : mode == 1 ? least : a.rows, right = mode == 0 ? 0 : mode == 1 ? least : a.columns;
    Singular<T> found{std::vector<typename Lapack<T>::Real>(static_cast<std::size_t>(least)),
                      ColumnMatrix<T>(mode == 0 ? 0 : a.rows, left), ColumnMatrix<T>(right, mode == 0 ? 0 : a.columns)};
    if (!all_finite(a) || !find_singular(a, mode, found)) return false;
    Result<T> result(call.out);
    T* to = found.u.put(result.data());
    for (const auto value : found.values) *to++ = T(value);
    found.v.put(to);
    return true;
}

template <class T>
bool find_eigenvalues(const LibraryCall& call) {
    ColumnMatrix<T> a(call.in[0]);
    if (!all_finite(a)) return false;
    const int n = a.rows, one = 1;
    const bool vectors = call.op.axis == 1;
    ColumnMatrix<T> right(vectors ? n : 0, vectors ? n : 0);
    std::vector<T> re(static_cast<std::size_t>(n)), im(static_cast<std::size_t>(n));
    const int info = n == 0 ? 0 : with_work<T>([&](T* work, Int size, int* status) {
        lapack<T>().geev("N", vectors ? "V" : "N", &n, a.data(), &a.leading, re.data(), im.data(), nullptr, &one,
                         right.data(), &right.leading, work, size, status, 1, 1);
    });
    if (info != 0) return false;
    Result<std::complex<T>> result(call.out);
    std::complex<T>* to = result.data();
    for (std::size_t i = 0; i < re.size(); ++i) *to++ = {re[i], im[i]};
    if (!vectors) return true;
    for (int row = 0; row < n; ++row) {
        for (int column = 0; column < n; ++column) {
            const T imaginary = im[static_cast<std::size_t>(column)];
            // Of a pair of conjugate vectors the real parts are one column, the imaginary ones the next.
            const bool second = imaginary < 0;
            const int pair = second ? column - 1 : column;
            *to++ = imaginary == 0 ? std::complex<T>(right.at(row, column), 0)
                                   : std::complex<T>(right.at(row, pair),
                                                     second ? -right.at(row, pair + 1) : right.at(row, pair + 1));
        }
    }
    return true;
}

template <class T>
bool find_self_adjoint(const LibraryCall& call) {
    using Real = typename Lapack<T>::Real;
    ColumnMatrix<T> a(call.in[0]);
    if (!all_finite(a)) return false;
    const int n = a.rows;
    std::vector<Real> values(static_cast<std::size_t>(n));
    Flag const job = call.op.axis == 1 ? "V" : "N";
    const int integer_size = 3 + 5 * n;
    std::vector<int> integers(static_cast<std::size_t>(integer_size));
    const auto count = static_cast<std::size_t>(n);
    std::vector<Real> reals(kComplex<T> ? 1 + 5 * count + 2 * count * count : 0);
    const int real_size = static_cast<int>(reals.size());
    const int info = n == 0 ? 0 : with_work<T>([&](T* work, Int size, int* status) {
        if constexpr (kComplex<T>) {
            const auto evd = reinterpret_cast<void (*)(Flag, Flag, Int, T*, Int, Real*, T*, Int, Real*, Int, int*, Int,
                                                       int*, std::size_t, std::size_t)>(lapack<T>().evd);
            evd(job, "L", &n, a.data(), &a.leading, values.data(), work, size, reals.data(), &real_size,
                integers.data(), &integer_size, status, 1, 1);
        } else {
            const auto evd = reinterpret_cast<void (*)(Flag, Flag, Int, T*, Int, Real*, T*, Int, int*, Int, int*,
                                                       std::size_t, std::size_t)>(lapack<T>().evd);
            evd(job, "L", &n, a.data(), &a.leading, values.data(), work, size, integers.data(), &integer_size, status,
                1, 1);
        }
    });
    if (info != 0) return false;
    Result<T> result(call.out);
    T* to = result.data();
    for (const Real value : values) *to++ = T(value);
    if (call.op.axis == 1) a.put(to);
    return true;
}

template <class T>
bool find_least_squares(const LibraryCall& call) {
    using Real = typename Lapack<T>::Real;
    ColumnMatrix<T> a(call.in[0]);
    ColumnMatrix<T> b(call.in[1], a.columns);
    if (!all_finite(a) || !all_finite(b)) return false;
    const int least = std::min(a.rows, a.columns);
    T given;
    std::memcpy(&given, call.in[2].start, sizeof given);
    const Real ratio = std::real(given);
    std::vector<Real> singular(static_cast<std::size_t>(least));
    // Divide and conquer halves blocks down to 25, so that 32 levels are enough.
    const auto n = static_cast<std::size_t>(std::max(least, 1));
    std::vector<int> integers(3 * n * 32 + 11 * n);
    std::vector<Real> reals;
    if (kComplex<T>) {
        const auto columns = static_cast<std::size_t>(b.columns);
        reals.resize(10 * n + 2 * n * 25 + 8 * n * 32 + 3 * 25 * columns +
                     std::max<std::size_t>(676, n * (1 + columns) + 2 * columns));
    }
    int rank = 0;
    const int info = least == 0 || b.columns == 0 ? 0 : with_work<T>([&](T* work, Int size, int* status) {
        if constexpr (kComplex<T>) {
            const auto gelsd = reinterpret_cast<void (*)(Int, Int, Int, T*, Int, T*, Int, Real*, const Real*, int*, T*,
                                                         Int, Real*, int*, int*)>(lapack<T>().gelsd);
            gelsd(&a.rows, &a.columns, &b.columns, a.data(), &a.leading, b.data(), &b.leading, singular.data(), &ratio,
                  &rank, work, size, reals.data(), integers.data(), status);
        } else {
            const auto gelsd = reinterpret_cast<void (*)(Int, Int, Int, T*, Int, T*, Int, Real*, const Real*, int*, T*,
                                                         Int, int*, int*)>(lapack<T>().gelsd);
            gelsd(&a.rows, &a.columns, &b.columns, a.data(), &a.leading, b.data(), &b.leading, singular.data(), &ratio,
                  &rank, work, size, integers.data(), status);
        }
    });
    if (info != 0) return false;
    Result<T> result(call.out);
    T* to = b.put(result.data(), a.columns);
    for (int column = 0; column < b.columns; ++column) {
        Real sum = 0;
        for (int row = a.columns; row < a.rows; ++row) sum += std::norm(b.at(row, column));
        *to++ = T(sum);
    }
    *to++ = T(static_cast<Real>(rank));
    for (const Real value : singular) *to++ = T(value);
    return true;
}

}  // namespace

bool decompose(const LibraryCall& call) {
    set_lapack_threads(call.threads);
    bool good = true;
    with_inexact(call.op.type, [&]<class T>(std::type_identity<T>) {
        switch (call.op.op) {
            case bc::Op::svd: good = find_svd<T>(call); break;
            case bc::Op::eigh: good = find_self_adjoint<T>(call); break;
            case bc::Op::lstsq: good = find_least_squares<T>(call); break;
            default:
                if constexpr (!kComplex<T>) good = find_eigenvalues<T>(call);
                break;
        }
    });
    return good;
}

}  // namespace xlazy::be
