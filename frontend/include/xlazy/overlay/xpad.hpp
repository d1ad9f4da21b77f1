// SPDX-License-Identifier: BSD-3-Clause
// pad: computed by xtensor.
#pragma once

#include "xlazy/detail/fallback.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xpad.hpp>
#include "xlazy/detail/stock_end.hpp"

#define XLAZY_PAD(widths)                                                                                              \
    namespace xlazy::detail::stock {                                                                                   \
    template <class E, class S, class V>                                                                               \
    auto pad(E&& e, widths pad_width, xt::pad_mode mode, V value) {                                                    \
        return xt::pad(std::forward<E>(e), pad_width, mode, value);                                                    \
    }                                                                                                                  \
    }                                                                                                                  \
    namespace xlazy::detail::overloads {                                                                               \
    using namespace xt;                                                                                                \
    template <class E, class S = typename std::decay_t<E>::size_type, class V = typename std::decay_t<E>::value_type>  \
        requires lazy<std::decay_t<E>>                                                                                 \
    inline auto pad(E&& e, widths pad_width, pad_mode mode = pad_mode::constant, V constant_value = 0) {               \
        return fall_back_to("pad",                                                                                     \
                            [&] { return stock::pad<E, S, V>(std::forward<E>(e), pad_width, mode, constant_value); }); \
    }                                                                                                                  \
    }
XLAZY_PAD(const std::vector<std::vector<S>>&)
XLAZY_PAD(const std::vector<S>&)
XLAZY_PAD(S)
#undef XLAZY_PAD

namespace xt {
using xlazy::detail::overloads::pad;
}
