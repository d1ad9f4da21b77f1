// SPDX-License-Identifier: BSD-3-Clause
// The public containers, with the constructors of xtensor's, and the class that holds one inside an expression.
#pragma once

#include "xlazy/detail/container.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy {
namespace detail {

template <class>
concept never = false;

}  // namespace detail

// Constructors and assignments that both containers have. A copy assignment that is never viable lets plain copies go
// through copied, which knows the line; a move assignment that takes nothing but the class itself leaves every other
// source to rhs too.
#define XLAZY_CONTAINER_MEMBERS(self)                                                                     \
public:                                                                                                   \
    using typename base::const_reference;                                                                 \
    using typename base::shape_type;                                                                      \
    using typename base::storage_type;                                                                    \
    using typename base::strides_type;                                                                    \
    using typename base::value_type;                                                                      \
                                                                                                          \
    self() = default;                                                                                     \
    self(const self& other, here line = here::current()) : base(detail::without_value()) {                \
        rt::LineScope scope(line);                                                                        \
        detail::copy_array(*this, other);                                                                 \
    }                                                                                                     \
    self(self&&) noexcept = default;                                                                      \
    ~self() = default;                                                                                    \
    explicit self(const shape_type& shape, xt::layout_type layout = L) { this->resize(shape, layout); }   \
    explicit self(const shape_type& shape, const_reference value, xt::layout_type layout = L,             \
                  here line = here::current()) {                                                          \
        this->resize(shape, layout);                                                                      \
        this->fill(value, line);                                                                          \
    }                                                                                                     \
    explicit self(const shape_type& shape, const strides_type& strides) { this->resize(shape, strides); } \
    explicit self(const shape_type& shape, const strides_type& strides, const_reference value,            \
                  here line = here::current()) {                                                          \
        this->resize(shape, strides);                                                                     \
        this->fill(value, line);                                                                          \
    }                                                                                                     \
    explicit self(storage_type&& storage, shape_type&& shape, strides_type&& strides) {                   \
        auto& c = this->own();                                                                            \
        c.shape = std::move(shape);                                                                       \
        c.strides = std::move(strides);                                                                   \
        xt::resize_container(c.backstrides, c.strides.size());                                            \
        xt::adapt_strides(c.shape, c.strides, c.backstrides);                                             \
        c.storage = std::move(storage);                                                                   \
    }                                                                                                     \
    template <class S = shape_type>                                                                       \
    static self from_shape(S&& shape) {                                                                   \
        return self(xtl::forward_sequence<shape_type, S>(shape));                                         \
    }                                                                                                     \
    template <class E>                                                                                    \
    self(const xt::xexpression<E>& e, here line = here::current()) : base(detail::without_value()) {      \
        rt::LineScope scope(line);                                                                        \
        detail::assign_to<detail::assignment::set>(*this, e.derived_cast());                              \
    }                                                                                                     \
                                                                                                          \
    self& operator=(const self&)                                                                          \
        requires detail::never<value_type>;                                                               \
    template <std::same_as<self> X>                                                                       \
    self& operator=(X&& other) noexcept {                                                                 \
        this->take(std::move(other));                                                                     \
        return *this;                                                                                     \
    }                                                                                                     \
    self& operator=(detail::copied<self> from) { return from.run(*this); }                                \
    self& operator=(detail::rhs<self, detail::assignment::set> e) { return e.run(*this); }                \
                                                                                                          \
    friend void swap(self& a, self& b) noexcept { a.swap_arrays(b); }                                     \
                                                                                                          \
protected:                                                                                                \
    self(detail::share_cell, typename base::cell_type* cell) noexcept : base(detail::share_cell(), cell) {}

/// A dense array whose rank is known at run time: xt::xarray with recorded statements.
template <class T, xt::layout_type L, class A, class SA>
class xarray : public detail::container<xarray<T, L, A, SA>> {
    using base = detail::container<xarray>;
    XLAZY_CONTAINER_MEMBERS(xarray)

public:
    static constexpr bool takes_value = true;  ///< `array = value` makes it an array of rank 0, as in xtensor

    xarray(const value_type& value) { this->from_value(value); }
    xarray(xt::nested_initializer_list_t<value_type, 1> list, written_here at = written_here(here::current())) {
        this->from_list(list, at.line);
    }
    xarray(xt::nested_initializer_list_t<value_type, 2> list, written_here at = written_here(here::current())) {
        this->from_list(list, at.line);
    }
    xarray(xt::nested_initializer_list_t<value_type, 3> list, written_here at = written_here(here::current())) {
        this->from_list(list, at.line);
    }
    xarray(xt::nested_initializer_list_t<value_type, 4> list, written_here at = written_here(here::current())) {
        this->from_list(list, at.line);
    }
    xarray(xt::nested_initializer_list_t<value_type, 5> list, written_here at = written_here(here::current())) {
        this->from_list(list, at.line);
    }

    xarray& operator=(xt::nested_initializer_list_t<value_type, 1> list) {
        return *this = list.size() == 0 ? xarray() : xarray(list, written_here({}));
    }
    // Templates, so that `= {}` means the one above.
    template <class = void>
    xarray& operator=(xt::nested_initializer_list_t<value_type, 2> list) {
        return *this = xarray(list, written_here({}));
    }
    template <class = void>
    xarray& operator=(xt::nested_initializer_list_t<value_type, 3> list) {
        return *this = xarray(list, written_here({}));
    }
    template <class = void>
    xarray& operator=(xt::nested_initializer_list_t<value_type, 4> list) {
        return *this = xarray(list, written_here({}));
    }
    template <class = void>
    xarray& operator=(xt::nested_initializer_list_t<value_type, 5> list) {
        return *this = xarray(list, written_here({}));
    }
};

/// A dense array of rank N: xt::xtensor with recorded statements.
template <class T, std::size_t N, xt::layout_type L, class A>
class xtensor : public detail::container<xtensor<T, N, L, A>> {
    using base = detail::container<xtensor>;
    XLAZY_CONTAINER_MEMBERS(xtensor)

public:
    static constexpr bool takes_value = false;

    xtensor(xt::nested_initializer_list_t<value_type, N> list, written_here at = written_here(here::current())) {
        this->from_list(list, at.line);
    }
    xtensor& operator=(xt::nested_initializer_list_t<value_type, N> list)
        requires(N != 0)
    {
        return *this = xtensor(list, written_here({}));
    }
    /// The list of an array of rank 0 is its value. What is an expression, too, is none.
    template <class V>
        requires(N == 0 && std::is_convertible_v<V, value_type> && !xt::is_xexpression<std::decay_t<V>>::value)
    xtensor& operator=(const V& value) {
        return *this = xtensor(static_cast<value_type>(value), written_here({}));
    }
};

#undef XLAZY_CONTAINER_MEMBERS

namespace detail {

/// The array C as an expression holds it: another owner of its cell.
template <class C>
class shared_array : public C {
public:
    shared_array(const C& c) : C(share_cell(), c.share()) {}
    shared_array(C&& c) : C(share_cell(), c.share()) {}
    shared_array(const shared_array& other) : C(share_cell(), other.share()) {}
    // Nothing is taken: an expression that was moved from can still be used, as xtensor's, which hold references.
    shared_array(shared_array&& other) noexcept : C(share_cell(), other.share()) {}

    using C::operator=;
    shared_array& operator=(const shared_array& other) {
        C::operator=(static_cast<const C&>(other));
        return *this;
    }
};

template <class D>
inline constexpr bool is_array = false;
template <class T, xt::layout_type L, class A, class SA>
inline constexpr bool is_array<xarray<T, L, A, SA>> = true;
template <class T, std::size_t N, xt::layout_type L, class A>
inline constexpr bool is_array<xtensor<T, N, L, A>> = true;

}  // namespace detail
}  // namespace xlazy

// The general std::swap moves, and expressions and views kept in variables would follow the moved array. As with
// xtensor they stay with theirs.
namespace std {

template <class T, xt::layout_type L, class A, class SA>
void swap(xlazy::xarray<T, L, A, SA>& a, xlazy::xarray<T, L, A, SA>& b) noexcept {
    swap(a, b);  // the class's own
}
template <class T, std::size_t N, xt::layout_type L, class A>
void swap(xlazy::xtensor<T, N, L, A>& a, xlazy::xtensor<T, N, L, A>& b) noexcept {
    swap(a, b);
}

}  // namespace std

namespace xt {

template <class C>
struct xcontainer_inner_types<xlazy::detail::shared_array<C>> : xcontainer_inner_types<C> {};
template <class C>
struct xiterable_inner_types<xlazy::detail::shared_array<C>> : xiterable_inner_types<C> {};

}  // namespace xt
