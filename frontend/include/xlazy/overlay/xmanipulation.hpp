// SPDX-License-Identifier: BSD-3-Clause
// ravel and flatten as windows; roll, computed by xtensor. (Views such as flip and squeeze call strided_view, which is
// ours.)
#pragma once

#include "xlazy/detail/fallback.hpp"
#include "xlazy/overlay/xstrided_view.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xmanipulation.hpp>
#include "xlazy/detail/stock_end.hpp"

XLAZY_FALLBACK(roll, template <class E>, lazy<std::decay_t<E>>, (E && e, std::ptrdiff_t shift),
               (std::forward<E>(e), shift))
XLAZY_FALLBACK(roll, template <class E>, lazy<std::decay_t<E>>, (E && e, std::ptrdiff_t shift, std::ptrdiff_t axis),
               (std::forward<E>(e), shift, axis))

namespace xlazy::detail::overloads {

template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>
    requires lazy<std::decay_t<E>>
inline auto ravel(E&& e) {
    const std::array<std::size_t, 1> shape = {e.size()};
    return reshape_view<L>(std::forward<E>(e), shape);
}
template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>
    requires lazy<std::decay_t<E>>
inline auto flatten(E&& e) {
    return overloads::ravel<L>(std::forward<E>(e));
}

}  // namespace xlazy::detail::overloads

namespace xt {
using xlazy::detail::overloads::flatten;
using xlazy::detail::overloads::ravel;
using xlazy::detail::overloads::roll;
}  // namespace xt
