// SPDX-License-Identifier: BSD-3-Clause
// real and imag of complex arrays, read and assigned; conj, norm, arg.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xcomplex.hpp>
#include <xtensor/xoffset_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

template <>
struct opcode<xt::math::arg_fun> : opcode_as<meeting::result, Op::arg> {};
template <>
struct opcode<xt::math::norm_fun> : opcode_as<meeting::composite> {};
template <>
struct opcode<xt::math::conj_impl_fun> : opcode_as<meeting::composite> {};

template <class R, class A>
struct composite_function<xt::math::norm_fun, R, A> {
    using first = std::conditional_t<is_complex<A>, A, R>;
    static constexpr bool native = is_recorded<first>;
    template <class E>
    static Value run(const E&, rt::Statement& s, Value x) {
        constexpr DType kResult = bc::dtype_of<R>();
        return is_complex<A> ? s.apply(Op::norm, kResult, x) : s.apply(Op::mul, kResult, x, x);
    }
};

/// Of a real number it is the complex number with imaginary part +0.
template <class R, class A>
struct composite_function<xt::math::conj_impl_fun, R, A> {
    using first = R;
    static constexpr bool native = true;
    template <class E>
    static Value run(const E&, rt::Statement& s, Value x) {
        return is_complex<A> ? s.apply(Op::conj, bc::dtype_of<R>(), x) : x;
    }
};

/// What xt::real and xt::imag make: a view of the parts at byte I of elements of type std::complex<M>.
template <class CT, class M, std::size_t I>
using part_view = xt::xfunctor_view<xt::detail::offset_forwarder<M, I>, CT>;

template <class CT, class M, std::size_t I>
struct lowering<part_view<CT, M, I>> {
    using E = part_view<CT, M, I>;
    using operand = std::decay_t<CT>;
    using C = std::complex<M>;
    static constexpr bool native = is_recorded<M> && std::is_same_v<typename operand::value_type, C>;
    static constexpr bool has_leaves = needs_preparation<operand>;
    static constexpr bool can_fail = false;
    static constexpr bool operand_can_fail = any_failure<operand>;

    static void prepare(const E& e, leaves& evaluated) { prepare_as<C>(e.expression(), evaluated); }
    static Value run(const E& e, recording& r) {
        recording inner{r.statement, r.evaluated};
        return r.statement.apply(I == 0 ? Op::real : Op::imag, bc::dtype_of<M>(), lower_as<C>(e.expression(), inner));
    }
};

template <class CT, class M, std::size_t I>
struct part_target<part_view<CT, M, I>> {
    using operand = std::decay_t<CT>;
    static constexpr bool ok = viewed<operand>::ok && std::is_same_v<typename operand::value_type, std::complex<M>>;
    static constexpr bool imaginary = I != 0;
};

template <class CT, class M, std::size_t I>
inline constexpr bool reads_arrays<part_view<CT, M, I>> = reads_arrays<std::decay_t<CT>>;

template <class E>
concept lazy_complex = lazy<E> && is_complex<typename E::value_type>;

namespace overloads {

template <class E>
    requires lazy_complex<std::decay_t<E>>
inline decltype(auto) real(E&& e) noexcept {
    using M = part_type<typename std::decay_t<E>::value_type>;
    return make_lazy_view(xt::xoffset_view<xt::xclosure_t<E>, M, 0>(std::forward<E>(e)));
}
template <class E>
    requires lazy_complex<std::decay_t<E>>
inline decltype(auto) imag(E&& e) noexcept {
    using M = part_type<typename std::decay_t<E>::value_type>;
    return make_lazy_view(xt::xoffset_view<xt::xclosure_t<E>, M, sizeof(M)>(std::forward<E>(e)));
}

// xtensor's make the xfunction themselves, which passes over our class.
template <class E>
    requires lazy<std::decay_t<E>>
inline auto conj(E&& e) noexcept {
    return xt::detail::make_xfunction<xt::math::conj_impl_fun>(std::forward<E>(e));
}
template <class E>
    requires lazy<std::decay_t<E>>
inline auto norm(E&& e) noexcept {
    return xt::detail::make_xfunction<xt::math::norm_fun>(std::forward<E>(e));
}
template <class E>
    requires lazy<std::decay_t<E>>
inline auto arg(E&& e) noexcept {
    return xt::detail::make_xfunction<xt::math::arg_fun>(std::forward<E>(e));
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {

template <class F, class E>
    requires xlazy::detail::lazy<E>
struct xfunctor_view_temporary_type<F, E> {
    using type = typename detail::xlazy_for_shape<typename E::shape_type>::template type<typename F::value_type,
                                                                                         E::static_layout>;
};

using xlazy::detail::overloads::arg;
using xlazy::detail::overloads::conj;
using xlazy::detail::overloads::imag;
using xlazy::detail::overloads::norm;
using xlazy::detail::overloads::real;

}  // namespace xt
