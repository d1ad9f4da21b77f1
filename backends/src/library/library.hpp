// SPDX-License-Identifier: BSD-3-Clause
// Library routines on whole arrays: what kernels of one library call run. Both back ends call the same ones.
#pragma once

#include "xlazy/backends/backend.hpp"

#include <complex>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace xlazy::be {

/// Memory of an operand or a result: a window of any strides.
struct ArrayWindow {
    std::byte* start = nullptr;
    bc::DType type = bc::DType::none;
    std::vector<bc::Dim> dims;

    std::int64_t count() const noexcept {
        std::int64_t count = 1;
        for (const bc::Dim& dim : dims) count *= dim.extent;
        return count;
    }
    bool is_dense() const noexcept;
};

/// One library call, its operands found.
struct LibraryCall {
    const bc::MicroOp& op;
    std::vector<ArrayWindow> in;      ///< a scalar is a window of rank 0
    std::vector<bc::Scalar> scalars;  ///< what they show
    ArrayWindow out;
    int threads = 1;
};

/// Copies the elements, in row-major order, to or from dense memory.
void gather(const ArrayWindow& from, std::byte* dense);
void scatter(const std::byte* dense, const ArrayWindow& to);

/// The elements in row-major order.
template <class T>
std::vector<T> elements_of(const ArrayWindow& window) {
    std::vector<T> values(static_cast<std::size_t>(window.count()));
    gather(window, reinterpret_cast<std::byte*>(values.data()));
    return values;
}

/// A result: dense memory, that of the window itself if it is dense.
template <class T>
class Result {
public:
    explicit Result(const ArrayWindow& to) : to_(to) {
        if (!to.is_dense()) values_.resize(static_cast<std::size_t>(to.count()));
    }
    ~Result() {
        if (!to_.is_dense()) scatter(reinterpret_cast<const std::byte*>(values_.data()), to_);
    }
    Result(const Result&) = delete;
    Result& operator=(const Result&) = delete;
    T* data() noexcept { return to_.is_dense() ? reinterpret_cast<T*>(to_.start) : values_.data(); }
    std::size_t size() const noexcept { return static_cast<std::size_t>(to_.count()); }

private:
    const ArrayWindow& to_;
    std::vector<T> values_;
};

/// Calls f(std::type_identity<T>) for the four types of linear algebra.
template <class F>
void with_inexact(bc::DType type, F&& f) {
    switch (type) {
        case bc::DType::f32: return f(std::type_identity<float>());
        case bc::DType::f64: return f(std::type_identity<double>());
        case bc::DType::c64: return f(std::type_identity<std::complex<float>>());
        case bc::DType::c128: return f(std::type_identity<std::complex<double>>());
        default: throw std::logic_error("linear algebra of a type that has none");
    }
}

/// Each returns false where the condition holds that the op's row names.
bool multiply_matrices(const LibraryCall& call);
bool factorise(const LibraryCall& call);  ///< solve, inverse, determinant, cholesky, qr
bool decompose(const LibraryCall& call);  ///< svd, eig, eigh, lstsq
bool search_and_sort(const LibraryCall& call);

/// Runs the kernel's library call. A routine that fails leaves zeros and a trap.
/// @throws std::runtime_error if there is no such library on this machine
void run_library_call(const bc::Kernel& kernel, const Bindings& bindings, int threads, Traps& traps);

}  // namespace xlazy::be
