// SPDX-License-Identifier: BSD-3-Clause
// BLAS and LAPACK of this machine, found when they are needed first: who uses no linear algebra does not load them.
#pragma once

#include <complex>
#include <cstddef>

namespace xlazy::be {

/// The library's routines for one element type. Names and arguments are LAPACK's own, with Fortran's lengths of
/// strings.
template <class T>
struct Lapack {
    using Real = decltype(std::abs(T()));
    using Int = const int*;
    using Flag = const char*;
    using Length = std::size_t;

    void (*gemm)(Flag, Flag, Int m, Int n, Int k, const T* alpha, const T* a, Int lda, const T* b, Int ldb,
                 const T* beta, T* c, Int ldc, Length, Length);
    void (*gesv)(Int n, Int rhs, T* a, Int lda, int* pivots, T* b, Int ldb, int* info);
    void (*getrf)(Int m, Int n, T* a, Int lda, int* pivots, int* info);
    void (*getri)(Int n, T* a, Int lda, Int pivots, T* work, Int lwork, int* info);
    void (*potrf)(Flag, Int n, T* a, Int lda, int* info, Length);
    void (*geqrf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, int* info);
    void (*orgqr)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork, int* info);
    /// Where T is complex they take real work space, too: before the integers, or before `info`.
    void (*gesdd)();
    void (*geev)(Flag, Flag, Int n, T* a, Int lda, T* re, T* im, T* left, Int ldl, T* right, Int ldr, T* work,
                 Int lwork, int* info, Length, Length);  ///< null for complex numbers
    void (*evd)();
    void (*gelsd)();
};

/// @throws std::runtime_error if the machine has no such library
template <class T>
const Lapack<T>& lapack();

/// Threads for the library's own loops, as far as it can be told.
void set_lapack_threads(int threads) noexcept;

}  // namespace xlazy::be
