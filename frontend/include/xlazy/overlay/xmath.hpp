// SPDX-License-Identifier: BSD-3-Clause
// Functions that xtensor builds of lambdas, which have no name that could be recorded.
#pragma once

#include "xlazy/detail/wrappers.hpp"

namespace xlazy::detail::overloads {

template <class E1>
    requires lazy<std::decay_t<E1>>
inline auto square(E1&& e1) noexcept {
    return xt::detail::make_xfunction<square_function>(std::forward<E1>(e1));
}
template <class E1>
    requires lazy<std::decay_t<E1>>
inline auto cube(E1&& e1) noexcept {
    return xt::detail::make_xfunction<cube_function>(std::forward<E1>(e1));
}

}  // namespace xlazy::detail::overloads

namespace xt {
using xlazy::detail::overloads::cube;
using xlazy::detail::overloads::square;
}  // namespace xt
