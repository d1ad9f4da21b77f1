// SPDX-License-Identifier: BSD-3-Clause
// xtensor-blas's functions for our arrays. They take the expression itself, and so come before its own, which take the
// base class and serve all the rest.
#pragma once

#include "xlazy/detail/linalg_norms.hpp"

namespace xlazy::detail::linalg_overloads {

template <class A, class B>
concept numbers = (lazy<A> || lazy<B>)&&linear::recorded_number<A> && linear::recorded_number<B>;
template <class A, class B>
concept inexact_numbers = (lazy<A> || lazy<B>)&&linear::inexact<A> && linear::inexact<B>;
template <class A>
concept inexact_array = lazy<A> && linear::inexact<A>;
template <class A>
concept real_array = lazy<A> && linear::real_inexact<A>;
template <class A>
concept number_array = lazy<A> && linear::recorded_number<A>;
template <class O>
concept enumerated = std::is_enum_v<O>;

template <class A, class B>
    requires numbers<A, B>
auto dot(const A& a, const B& b, here line = here::current()) {
    return linear::dot(a, b, line);
}
template <class A, class B>
    requires numbers<A, B>
auto vdot(const A& a, const B& b, here line = here::current()) {
    return linear::vdot(a, b, line);
}
template <class A, class B>
    requires numbers<A, B>
auto outer(const A& a, const B& b, here line = here::current()) {
    return linear::outer(a, b, line);
}
template <class A, class B>
    requires numbers<A, B>
auto kron(const A& a, const B& b, here line = here::current()) {
    return linear::kron(a, b, line);
}
template <class A, class B>
    requires numbers<A, B>
auto tensordot(const A& a, const B& b, std::size_t naxes = 2, here line = here::current()) {
    return linear::tensordot(a, b, naxes, line);
}
template <class A, class B>
    requires numbers<A, B>
auto tensordot(const A& a, const B& b, const std::vector<std::size_t>& ax_a, const std::vector<std::size_t>& ax_b,
               here line = here::current()) {
    return linear::tensordot(a, b, ax_a, ax_b, line);
}
template <class A, class B>
    requires inexact_numbers<A, B>
auto solve(const A& a, const B& b, here line = here::current()) {
    return linear::solve(a, b, line);
}
template <class A, class B>
    requires inexact_numbers<A, B>
auto lstsq(const A& a, const B& b, double rcond = -1.0, here line = here::current()) {
    return linear::lstsq(a, b, rcond, line);
}
template <inexact_array A>
auto inv(const A& a, here line = here::current()) {
    return linear::inv(a, line);
}
template <inexact_array A>
auto cholesky(const A& a, here line = here::current()) {
    return linear::cholesky(a, line);
}
template <inexact_array A>
auto det(const A& a, here line = here::current()) {
    return linear::det(a, line);
}
template <inexact_array A>
auto slogdet(const A& a, here line = here::current()) {
    return linear::slogdet(a, line);
}
template <inexact_array A>
auto svd(const A& a, bool full_matrices = true, bool compute_uv = true, here line = here::current()) {
    return linear::svd(a, full_matrices, compute_uv, line);
}
template <real_array A>
auto eig(const A& a, here line = here::current()) {
    return linear::eig(a, line);
}
template <real_array A>
auto eigvals(const A& a, here line = here::current()) {
    return linear::eigvals(a, line);
}
template <inexact_array A>
auto eigh(const A& a, char UPLO = 'L', here line = here::current()) {
    return linear::eigh(a, UPLO, line);
}
template <inexact_array A>
auto eigvalsh(const A& a, char UPLO = 'L', here line = here::current()) {
    return linear::eigvalsh(a, UPLO, line);
}
template <inexact_array A>
auto pinv(const A& a, double rcond = 1e-15, here line = here::current()) {
    return linear::pinv(a, rcond, line);
}
template <number_array A>
auto matrix_power(const A& a, long n, here line = here::current()) {
    return linear::matrix_power(a, n, line);
}
template <number_array A>
auto trace(const A& a, int offset = 0, int axis1 = 0, int axis2 = 1, here line = here::current()) {
    return linear::trace(a, offset, axis1, axis2, line);
}
template <inexact_array A>
int matrix_rank(const A& a, double tol = -1.0, here line = here::current()) {
    return linear::matrix_rank(a, tol, line);
}
template <inexact_array A>
auto norm(const A& a, int ord, here line = here::current()) {
    return linear::norm(a, ord, line);
}
template <inexact_array A, enumerated O>
auto norm(const A& a, O ord, here line = here::current()) {
    return linear::norm(a, static_cast<norm_order>(ord), line);
}
template <inexact_array A>
auto norm(const A& a, here line = here::current()) {
    return linear::norm(a, line);
}
template <inexact_array A>
auto qr(const A& a, here line = here::current()) {
    return linear::qr(a, qr_mode::reduced, line);
}
template <inexact_array A, enumerated O>
auto qr(const A& a, O mode, here line = here::current()) {
#ifdef XLINALG_HPP
    if (static_cast<qr_mode>(mode) == qr_mode::raw) {
        using array = xarray<linear::number_of<A>>;
        return fall_back_to("linalg::qr", [&] {
            const auto raw = xt::linalg::qr(static_cast<const xt::xexpression<A>&>(a), mode);
            return std::make_tuple(array(std::get<0>(raw)), array(std::get<1>(raw)));
        });
    }
#endif
    return linear::qr(a, static_cast<qr_mode>(mode), line);
}

}  // namespace xlazy::detail::linalg_overloads

#ifdef XLINALG_HPP
namespace xt::linalg {
#else
namespace xlazy::linalg {
/// As xtensor-blas's.
enum class normorder : unsigned char { frob, nuc, inf, neg_inf };
enum class qrmode : unsigned char { reduced, complete, r };
#endif
using xlazy::detail::linalg_overloads::cholesky;
using xlazy::detail::linalg_overloads::det;
using xlazy::detail::linalg_overloads::dot;
using xlazy::detail::linalg_overloads::eig;
using xlazy::detail::linalg_overloads::eigh;
using xlazy::detail::linalg_overloads::eigvals;
using xlazy::detail::linalg_overloads::eigvalsh;
using xlazy::detail::linalg_overloads::inv;
using xlazy::detail::linalg_overloads::kron;
using xlazy::detail::linalg_overloads::lstsq;
using xlazy::detail::linalg_overloads::matrix_power;
using xlazy::detail::linalg_overloads::matrix_rank;
using xlazy::detail::linalg_overloads::norm;
using xlazy::detail::linalg_overloads::outer;
using xlazy::detail::linalg_overloads::pinv;
using xlazy::detail::linalg_overloads::qr;
using xlazy::detail::linalg_overloads::slogdet;
using xlazy::detail::linalg_overloads::solve;
using xlazy::detail::linalg_overloads::svd;
using xlazy::detail::linalg_overloads::tensordot;
using xlazy::detail::linalg_overloads::trace;
using xlazy::detail::linalg_overloads::vdot;
#ifdef XLINALG_HPP
}  // namespace xt::linalg
#else
}  // namespace xlazy::linalg
#endif
