// SPDX-License-Identifier: BSD-3-Clause
// roll: computed by xtensor. (Views such as flip and squeeze call strided_view, which is ours.)
#pragma once

#include "xlazy/detail/fallback.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xmanipulation.hpp>
#include "xlazy/detail/stock_end.hpp"

XLAZY_FALLBACK(roll, template <class E>, lazy<std::decay_t<E>>, (E && e, std::ptrdiff_t shift),
               (std::forward<E>(e), shift))
XLAZY_FALLBACK(roll, template <class E>, lazy<std::decay_t<E>>, (E && e, std::ptrdiff_t shift, std::ptrdiff_t axis),
               (std::forward<E>(e), shift, axis))

namespace xt {
using xlazy::detail::overloads::roll;
}
