// SPDX-License-Identifier: BSD-3-Clause
// index_view and filtration, which are recorded; filter, the index_view of the elements where a condition holds.
#pragma once

#include "xlazy/detail/chosen.hpp"
#include "xlazy/detail/indexed.hpp"
#include "xlazy/detail/wrappers.hpp"
#include "xlazy/overlay/xoperation.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xindex_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {
namespace stock {

template <class E, class I>
auto index_view(E&& e, I&& indices) noexcept {
    return xt::index_view(std::forward<E>(e), std::forward<I>(indices));
}
}  // namespace stock

namespace overloads {
using namespace xt;

template <class E, class C>
    requires(viewed<std::decay_t<E>>::ok && recorded_value<std::decay_t<E>> &&
             !std::is_const_v<std::remove_reference_t<E>>)
inline auto filtration(E&& e, C&& condition) noexcept {
    return chosen_elements<xclosure_t<E>, const_xclosure_t<C>>(std::forward<E>(e), std::forward<C>(condition));
}
template <class E, class I>
    requires lazy<std::decay_t<E>>
inline auto index_view(E&& e, I&& indices) {
    return index_elements<E, std::decay_t<I>>(std::forward<E>(e), std::forward<I>(indices));
}
// For every expression: xtensor's own calls to_array, which is ambiguous with std::to_array in C++20.
template <class E, std::size_t L>
    requires(sizeof(E) != 0)
inline auto index_view(E&& e, const xindex (&indices)[L]) {
    std::array<xindex, L> list;
    std::copy(indices, indices + L, list.begin());
    if constexpr (lazy<std::decay_t<E>>)
        return index_elements<E, std::array<xindex, L>>(std::forward<E>(e), std::move(list));
    else
        return stock::index_view(std::forward<E>(e), std::move(list));
}
template <layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E, class O>
    requires(lazy<std::decay_t<E>> || lazy<std::decay_t<O>>)
inline auto filter(E&& e, O&& condition) {
    if (!std::equal(e.shape().begin(), e.shape().end(), condition.shape().begin(), condition.shape().end()))
        throw_other_shape("filter", plain_shape(e), plain_shape(condition));
    auto indices = argwhere<L>(condition);
    if constexpr (lazy<std::decay_t<E>>)
        return overloads::index_view(std::forward<E>(e), std::move(indices));
    else
        return stock::index_view(std::forward<E>(e), std::move(indices));
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::filter;
using xlazy::detail::overloads::filtration;
using xlazy::detail::overloads::index_view;
}  // namespace xt
