// SPDX-License-Identifier: BSD-3-Clause
// Which expressions are windows on a base, and where such a window lies.
#pragma once

#include "xlazy/detail/array.hpp"

#include <string>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xslice.hpp>
#include <xtensor/xstrided_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// "file:line: ", or nothing if the line is not known.
std::string place_text(here line);

/// A strided window, by value.
struct window {
    rt::Base* base;
    std::int64_t offset;
    std::size_t rank;
    std::size_t extents[bc::kMaxRank];
    std::ptrdiff_t strides[bc::kMaxRank];

    rt::ViewRef ref() const noexcept { return {base, offset, rank, extents, strides}; }
    void add(std::size_t extent, std::ptrdiff_t stride);
    /// xtensor does not check the slices of a view; outside its base the window would be another array's memory.
    /// @throws std::out_of_range
    void check() const;
};

/// Do the window's elements follow each other in memory, in this order?
bool is_dense_in(const window& w, xt::layout_type order) noexcept;
/// A dense window with a single axis.
window flattened(const window& w);

/// `viewed<E>::ok`: an E is a window; then `get` says which.
template <class E>
struct viewed {
    static constexpr bool ok = false;
};

template <class C>
struct viewed_array {
    static constexpr bool ok = C::recorded;
    static window get(const C& array) {
        const auto& c = array.used();
        window w{c.storage.base(), 0, 0, {}, {}};
        for (std::size_t i = 0; i < c.shape.size(); ++i) w.add(c.shape[i], c.strides[i]);
        return w;
    }
};
template <class C>
    requires is_array<C>
struct viewed<C> : viewed_array<C> {};
template <class C>
struct viewed<shared_array<C>> : viewed_array<C> {};
template <class B>
struct viewed<lazy_view<B>> : viewed<B> {};

/// The base of a window's array.
template <class E>
rt::Base* base_of(const E& e) {
    if constexpr (requires { e.used(); })
        return e.used().storage.base();
    else
        return base_of(e.expression());
}

/// The same as it is, before a default-constructed array has its value: for looking at an element in passing.
template <class E>
const rt::Base* peek_base_of(const E& e) noexcept {
    if constexpr (requires { e.used(); })
        return e.peek().storage.base();
    else
        return peek_base_of(e.expression());
}

/// Shape, strides and offset of an xstrided_view, on `base`.
template <class V>
window strided_window(const V& view, rt::Base* base) {
    window w{base, static_cast<std::int64_t>(view.data_offset()), 0, {}, {}};
    const auto& shape = view.shape();
    const auto& strides = view.strides();
    for (std::size_t i = 0; i < shape.size(); ++i) {
        w.add(static_cast<std::size_t>(shape[i]), static_cast<std::ptrdiff_t>(strides[i]));
    }
    w.check();
    return w;
}

template <class CT, class S, xt::layout_type L>
struct viewed<xt::xstrided_view<CT, S, L, xt::detail::inner_storage_getter<CT>>> {
    using parent = std::decay_t<CT>;
    static constexpr bool ok = viewed<parent>::ok;
    template <class V>
    static window get(const V& view) {
        return strided_window(view, base_of(view.expression()));
    }
};

/// reshape_view: strides as of a dense array in order L. It is a window if its array is dense in that order.
template <class E, xt::layout_type L>
inline constexpr bool is_dense = false;
template <class C, xt::layout_type L>
inline constexpr bool is_dense<shared_array<C>, L> = C::recorded && C::static_layout == L;

template <class CT, class S, xt::layout_type L, xt::layout_type Order>
    requires is_dense<std::decay_t<CT>, Order>
struct viewed<xt::xstrided_view<CT, S, L, xt::detail::flat_adaptor_getter<CT, Order>>> {
    static constexpr bool ok = true;
    template <class V>
    static window get(const V& view) {
        return strided_window(view, base_of(view.expression()));
    }
};

/// Runs `use` with the window; for arrays without a copy of the extents.
template <class E, class F>
decltype(auto) with_window(const E& e, F&& use) {
    if constexpr (requires { e.used(); }) {
        const auto& c = e.used();
        return use(rt::ViewRef{c.storage.base(), 0, c.shape.size(), c.shape.data(), c.strides.data()});
    } else {
        const window w = viewed<E>::get(e);
        return use(w.ref());
    }
}

}  // namespace xlazy::detail
