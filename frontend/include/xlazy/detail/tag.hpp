// SPDX-License-Identifier: BSD-3-Clause
// The expression tag, the names of our classes, and how they are held inside an expression: by value, because they are
// trees of shared cells. So an expression in `auto` cannot dangle, and later assignments to its operands show through.
#pragma once

#include "xlazy/bytecode/dtype.hpp"
#include "xlazy/detail/here.hpp"

#include <xtl/xclosure.hpp>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xexpression.hpp>
#include <xtensor/xtensor_forward.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy {

template <class T, xt::layout_type L = XTENSOR_DEFAULT_LAYOUT, class A = XTENSOR_DEFAULT_ALLOCATOR(T),
          class SA = std::allocator<std::size_t>>
class xarray;

template <class T, std::size_t N, xt::layout_type L = XTENSOR_DEFAULT_LAYOUT, class A = XTENSOR_DEFAULT_ALLOCATOR(T)>
class xtensor;

namespace detail {

/// Tag of expressions that have an array of ours among their operands.
struct lazy_tag {};

/// What xtensor calls an extension base: it carries the tag.
struct lazy_base {
    using expression_tag = lazy_tag;
};

// Wrappers. Each has exactly one type parameter and derives from it: the only shape of a derived class that xtensor's
// is_crtp_base_of recognises as an expression.
template <class C>
class shared_array;  ///< the container C; copies share its cell
template <class B>
class lazy_view;  ///< a view with assignments that know the user's line
template <class B>
class lazy_function;  ///< an xfunction whose reading entry points may throw
template <class B>
class lazy_reducer;  ///< an xreducer whose scalar value is recorded

/// Which type holds an E inside an expression.
template <class E>
struct holder {
    static constexpr bool known = false;
    using type = E;
};
template <class T>
struct known_holder {
    static constexpr bool known = true;
    using type = T;
};
template <class T, xt::layout_type L, class A, class SA>
struct holder<xarray<T, L, A, SA>> : known_holder<shared_array<xarray<T, L, A, SA>>> {};
template <class T, std::size_t N, xt::layout_type L, class A>
struct holder<xtensor<T, N, L, A>> : known_holder<shared_array<xtensor<T, N, L, A>>> {};
template <class C>
struct holder<shared_array<C>> : known_holder<shared_array<C>> {};
template <class B>
struct holder<lazy_view<B>> : known_holder<B> {};
template <class B>
struct holder<lazy_reducer<B>> : known_holder<B> {};
// Sliced to an xfunction it would meet that class's greedy constructor.
template <class B>
struct holder<lazy_function<B>> : known_holder<lazy_function<B>> {};

template <class E>
concept lazy = requires { typename E::expression_tag; } && std::is_same_v<typename E::expression_tag, lazy_tag>;

template <class E>
concept held_by_value = lazy<E> || holder<E>::known;

template <class S>
concept has_holder = holder<std::decay_t<S>>::known;

template <class S>
using held = typename holder<std::decay_t<S>>::type;

/// Do two expressions stand for the same elements?
template <class E>
bool same_place(const E& a, const E& b);

/// What an iterator over the slices of an H keeps of it: two iterators are compared by the place, not by the elements.
template <class H>
class placed : public H {
public:
    template <class E>
        requires(!std::is_same_v<E, placed> && std::is_constructible_v<H, const E&>)
    placed(const E& e) : H(e) {}

    friend bool operator==(const placed& a, const placed& b) { return same_place<H>(a, b); }
};

template <class S>
using held_as = std::conditional_t<std::is_const_v<std::remove_reference_t<S>>, const held<S>, held<S>>;

/// Element types that the bytecode computes with.
template <class T>
inline constexpr bool is_recorded = bc::info(bc::dtype_of<T>()).enabled;

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

/// Types whose values can become operands: the bytecode's, and others that C++ converts to them.
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || is_complex<T>;

/// As C++ converts elements: complex numbers do not become real ones.
template <class From, class To>
inline constexpr bool converts_to = is_number<From> && is_number<To> && (is_complex<To> || !is_complex<From>);

template <class T>
struct part {
    using type = T;
};
template <class T>
struct part<std::complex<T>> {
    using type = T;
};
/// Type of the parts of a complex number; other types stay.
template <class T>
using part_type = typename part<T>::type;

/// The value in another type, as C++ converts it.
template <class To, class From>
constexpr To convert_number(const From& value) {
    if constexpr (is_complex<To> && !is_complex<From>)
        return To(static_cast<part_type<To>>(value));
    else
        return static_cast<To>(value);
}

template <class E>
concept recorded_value = requires { typename E::value_type; } && is_recorded<typename E::value_type>;

}  // namespace detail
}  // namespace xlazy

namespace xtl {

// Views, noalias and axis iterators take xtl's closures.
template <class S>
    requires xlazy::detail::has_holder<S>
struct closure_type<S> {
    using underlying_type = xlazy::detail::held_as<S>;
    using type = underlying_type;
};
template <class S>
    requires xlazy::detail::has_holder<S>
struct const_closure_type<S> {
    using underlying_type = xlazy::detail::held<S>;
    using type = underlying_type;
};
// The pointer closures are never const: xt::xaxis_iterator makes them mutable members.
template <class S>
    requires xlazy::detail::has_holder<S>
struct ptr_closure_type<S> {
    using underlying_type = xlazy::detail::held<S>;
    using type = xlazy::detail::placed<underlying_type>;
};
template <class S>
    requires xlazy::detail::has_holder<S>
struct const_ptr_closure_type<S> {
    using underlying_type = xlazy::detail::held<S>;
    using type = underlying_type;
};

}  // namespace xtl

namespace xt {

template <class E>
struct xclosure<E, std::enable_if_t<xlazy::detail::held_by_value<std::decay_t<E>>>> {
    using type = xlazy::detail::held_as<E>;
};
template <class E>
struct const_xclosure<E, std::enable_if_t<xlazy::detail::held_by_value<std::decay_t<E>>>> {
    using type = xlazy::detail::held<E>;
};

namespace extension {

// Optional values are not recorded.
template <>
struct expression_tag_and<xlazy::detail::lazy_tag, xoptional_expression_tag> {
    using type = xoptional_expression_tag;
};
template <>
struct expression_tag_and<xoptional_expression_tag, xlazy::detail::lazy_tag> {
    using type = xoptional_expression_tag;
};

}  // namespace extension
}  // namespace xt
