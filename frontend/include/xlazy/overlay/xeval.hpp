// SPDX-License-Identifier: BSD-3-Clause
// eval with the user's line. Our wrappers are more special than xtensor's `T&&`, so a further parameter does no harm.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xeval.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail::overloads {

#define XLAZY_EVAL(wrapper)                                       \
    template <class B>                                            \
    auto eval(wrapper<B>& e, here line = here::current()) {       \
        return evaluated_copy(e, line);                           \
    }                                                             \
    template <class B>                                            \
    auto eval(const wrapper<B>& e, here line = here::current()) { \
        return evaluated_copy(e, line);                           \
    }                                                             \
    template <class B>                                            \
    auto eval(wrapper<B>&& e, here line = here::current()) {      \
        return evaluated_copy(e, line);                           \
    }
XLAZY_EVAL(lazy_function)
XLAZY_EVAL(lazy_reducer)
XLAZY_EVAL(lazy_view)
#undef XLAZY_EVAL

}  // namespace xlazy::detail::overloads

namespace xt {
using xlazy::detail::overloads::eval;
}
