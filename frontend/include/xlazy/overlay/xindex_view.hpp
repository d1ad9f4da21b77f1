// SPDX-License-Identifier: BSD-3-Clause
// index_view, filter, filtration. They work on the elements, not in the queue.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xindex_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {
namespace stock {

template <class E, class I>
auto index_view(E&& e, I&& indices) noexcept {
    return xt::index_view(std::forward<E>(e), std::forward<I>(indices));
}
template <xt::layout_type L, class E, class O>
auto filter(E&& e, O&& condition) {
    return xt::filter<L>(std::forward<E>(e), std::forward<O>(condition));
}
template <class E, class C>
auto filtration(E&& e, C&& condition) {
    return xt::filtration(std::forward<E>(e), std::forward<C>(condition));
}

}  // namespace stock

/// The condition's values, computed by one recorded statement.
template <class O>
decltype(auto) evaluated_condition(O&& condition) {
    using E = std::decay_t<O>;
    if constexpr (lazy<E> && !is_array<E>)
        return evaluated_copy(condition, rt::LineScope::current());
    else
        return std::forward<O>(condition);
}

namespace overloads {
using namespace xt;

template <class E, class I>
    requires lazy<std::decay_t<E>>
inline auto index_view(E&& e, I&& indices) noexcept {
    return make_lazy_view(stock::index_view(std::forward<E>(e), std::forward<I>(indices)));
}
// For every expression: xtensor's own calls to_array, which is ambiguous with std::to_array in C++20.
template <class E, std::size_t L>
    requires(sizeof(E) != 0)
inline auto index_view(E&& e, const xindex (&indices)[L]) noexcept {
    std::array<xindex, L> list;
    std::copy(indices, indices + L, list.begin());
    auto view = stock::index_view(std::forward<E>(e), std::move(list));
    if constexpr (lazy<std::decay_t<E>>)
        return make_lazy_view(std::move(view));
    else
        return view;
}
template <layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E, class O>
    requires(lazy<std::decay_t<E>> || lazy<std::decay_t<O>>)
inline auto filter(E&& e, O&& condition) {
    rt::fall_back("filter", rt::LineScope::current());
    rt::InsideXtensor inside;
    auto view = stock::filter<L>(std::forward<E>(e), evaluated_condition(std::forward<O>(condition)));
    if constexpr (lazy<std::decay_t<E>>)
        return make_lazy_view(std::move(view));
    else
        return view;
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::filter;
using xlazy::detail::overloads::index_view;
}  // namespace xt
