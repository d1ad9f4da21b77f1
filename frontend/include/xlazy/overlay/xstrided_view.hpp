// SPDX-License-Identifier: BSD-3-Clause
// strided_view, reshape_view. transpose, squeeze, flip and the like call them, and find ours.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xstrided_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {
namespace stock {

// Bound before our overload exists: a qualified name is looked up here, once.
template <class E>
auto strided_view(E&& e, const xt::xstrided_slice_vector& slices) {
    return xt::strided_view(std::forward<E>(e), slices);
}
template <xt::layout_type L, class E, class S, class X>
auto strided_view(E&& e, S&& shape, X&& strides, std::size_t offset, xt::layout_type layout) noexcept {
    return xt::strided_view<L>(std::forward<E>(e), std::forward<S>(shape), std::forward<X>(strides), offset, layout);
}
template <xt::layout_type L, class E, class S>
auto reshape_view(E&& e, S&& shape) {
    return xt::reshape_view<L>(std::forward<E>(e), std::forward<S>(shape));
}

}  // namespace stock

namespace overloads {

template <class E>
    requires lazy<std::decay_t<E>>
inline auto strided_view(E&& e, const xt::xstrided_slice_vector& slices) {
    return located([&] { return make_lazy_view(stock::strided_view(std::forward<E>(e), slices)); });
}
template <xt::layout_type L = xt::layout_type::dynamic, class E, class S, class X>
    requires lazy<std::decay_t<E>>
inline auto strided_view(E&& e, S&& shape, X&& strides, std::size_t offset = 0, xt::layout_type layout = L) noexcept {
    return make_lazy_view(
        stock::strided_view<L>(std::forward<E>(e), std::forward<S>(shape), std::forward<X>(strides), offset, layout));
}
template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E, class S>
    requires lazy<std::decay_t<E>>
inline auto reshape_view(E&& e, S&& shape) {
    return located([&] { return make_lazy_view(stock::reshape_view<L>(std::forward<E>(e), std::forward<S>(shape))); });
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::reshape_view;
using xlazy::detail::overloads::strided_view;
}  // namespace xt
