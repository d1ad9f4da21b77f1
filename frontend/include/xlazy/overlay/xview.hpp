// SPDX-License-Identifier: BSD-3-Clause
// view, row, col. Overloads like these stand beside xtensor's with identical heads and one more constraint; they are
// brought into xt by using-declarations, since g++ 12 does not mangle constraints and would make one symbol of both.
#pragma once

#include "xlazy/detail/core.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xview.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

template <class T>
inline constexpr bool is_newaxis = false;
template <class T>
inline constexpr bool is_newaxis<xt::xnewaxis<T>> = true;

/// Adds what one slice makes of the parent's next axis.
template <class S>
void add_slice(window& w, const window& parent, std::size_t& axis, const S& slice) {
    if constexpr (xtl::is_integral<S>::value) {
        w.offset += static_cast<std::int64_t>(slice) * parent.strides[axis++];
    } else if constexpr (is_newaxis<S>) {
        w.add(1, 0);
    } else {
        const auto size = static_cast<std::int64_t>(slice.size());
        const std::ptrdiff_t stride = parent.strides[axis++];
        if (size > 0) w.offset += static_cast<std::int64_t>(slice(0)) * stride;
        w.add(size > 0 ? static_cast<std::size_t>(size) : 0, static_cast<std::ptrdiff_t>(slice.step_size()) * stride);
    }
}

struct compose_slices {
    // From the slices: xtensor's own strides and offset are cached, and wrong for some views with new axes.
    template <class V>
    static window compose(const V& view, const window& p) {
        window w{p.base, p.offset, 0, {}, {}};
        std::size_t axis = 0;
        std::apply([&](const auto&... slice) { (add_slice(w, p, axis, slice), ...); }, view.slices());
        for (; axis < p.rank; ++axis) w.add(p.extents[axis], p.strides[axis]);
        w.check();
        return w;
    }
};

template <class CT, class... S>
struct viewed<xt::xview<CT, S...>> {
    using view_type = xt::xview<CT, S...>;
    using parent = std::decay_t<CT>;
    static constexpr bool ok = viewed<parent>::ok && view_type::is_strided_view;

    static window get(const view_type& view) {
        return compose_slices::compose(view, viewed<parent>::get(view.expression()));
    }
};

template <class S>
inline constexpr bool is_strided_slice = xt::detail::is_strided_slice_impl<std::decay_t<S>>::value;

template <class CT, class... S>
    requires(!viewed<xt::xview<CT, S...>>::ok && (is_strided_slice<S> && ...))
struct lowering<xt::xview<CT, S...>> : view_of_expression<xt::xview<CT, S...>, compose_slices> {};

struct compose_picks {
    template <class V>
    static picked_window compose(const V& view, const window& p) {
        picked_window all{{p.base, p.offset, 0, {}, {}}, {}};
        std::size_t axis = 0;
        std::apply([&](const auto&... slice) { (add(all, p, axis, slice), ...); }, view.slices());
        for (; axis < p.rank; ++axis) all.frame.add(p.extents[axis], p.strides[axis]);
        return all;
    }

private:
    template <class S>
    static void add(picked_window& all, const window& parent, std::size_t& axis, const S& slice) {
        if constexpr (xt::detail::is_strided_slice_impl<S>::value) {
            add_slice(all.frame, parent, axis, slice);
        } else {
            const auto size = static_cast<std::size_t>(slice.size());
            auto& picked = all.picked.emplace_back(picked_window::axis{all.frame.rank, {}});
            for (std::size_t i = 0; i < size; ++i) {
                picked.places.push_back(static_cast<std::ptrdiff_t>(slice(static_cast<typename S::size_type>(i))) *
                                        parent.strides[axis]);
            }
            ++axis;
            all.frame.add(size, 0);
        }
    }
};

template <class CT, class... S>
    requires(!(is_strided_slice<S> && ...))
struct lowering<xt::xview<CT, S...>> : picks_of_expression<xt::xview<CT, S...>, compose_picks> {};

template <class CT, class... S>
    requires(!(is_strided_slice<S> && ...))
struct picked_view<xt::xview<CT, S...>> {
    using parent = std::decay_t<CT>;
    static constexpr bool ok = viewed<parent>::ok;
    static picked_window get(const xt::xview<CT, S...>& view) {
        return compose_picks::compose(view, viewed<parent>::get(view.expression()));
    }
};

template <class CT, class... S>
inline constexpr bool reads_arrays<xt::xview<CT, S...>> = reads_arrays<std::decay_t<CT>>;

namespace overloads {

template <class E, class... S>
    requires lazy<std::decay_t<E>>
inline auto view(E&& e, S&&... slices) {
    return make_lazy_view(xt::detail::make_view_impl(std::forward<E>(e), std::make_index_sequence<sizeof...(S)>(),
                                                     std::forward<S>(slices)...));
}
template <class E>
    requires lazy<std::decay_t<E>>
inline auto row(E&& e, std::ptrdiff_t index) {
    return make_lazy_view(xt::detail::row_impl::make(std::forward<E>(e), index));
}
template <class E>
    requires lazy<std::decay_t<E>>
inline auto col(E&& e, std::ptrdiff_t index) {
    return make_lazy_view(xt::detail::column_impl::make(std::forward<E>(e), index));
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {

/// What a view of ours is evaluated to.
template <class E, class... SL>
    requires xlazy::detail::lazy<E>
struct view_temporary_type<E, SL...> {
    template <class S>
    struct array {
        using type = xlazy::xarray<typename E::value_type, layout_remove_any(E::static_layout)>;
    };
    template <class I, std::size_t N>
    struct array<std::array<I, N>> {
        using type = xlazy::xtensor<typename E::value_type, N + newaxis_count<SL...>() - integral_count<SL...>(),
                                    layout_remove_any(E::static_layout)>;
    };
    using type = typename array<typename E::shape_type>::type;
};

/// As xtensor's, which takes the view's operand for a reference: its steppers over a constant one that is held by value
/// would not fit the view.
template <class CT, class... S>
    requires(std::is_const_v<CT> && xlazy::detail::held_by_value<std::remove_const_t<CT>>)
struct xiterable_inner_types<xview<CT, S...>> {
    using xexpression_type = std::decay_t<CT>;
    static constexpr bool is_strided_view = detail::is_strided_view<xexpression_type, S...>::value;
    static constexpr bool is_contiguous_view = detail::is_contiguous_view<xexpression_type, S...>::value;
    using inner_shape_type =
        std::conditional_t<is_contiguous_view, typename detail::get_contigous_shape_type<xexpression_type, S...>::type,
                           typename xview_shape_type<typename xexpression_type::shape_type, S...>::type>;
    using stepper = std::conditional_t<is_strided_view, xstepper<xview<CT, S...>>, xview_stepper<true, CT, S...>>;
    using const_stepper =
        std::conditional_t<is_strided_view, xstepper<const xview<CT, S...>>, xview_stepper<true, CT, S...>>;
};

using xlazy::detail::overloads::col;
using xlazy::detail::overloads::row;
using xlazy::detail::overloads::view;
}  // namespace xt
