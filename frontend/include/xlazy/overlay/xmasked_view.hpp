// SPDX-License-Identifier: BSD-3-Clause
// masked_view: assignments to it are recorded; its elements are xtensor's.
#pragma once

#include "xlazy/detail/chosen.hpp"
#include "xlazy/detail/wrappers.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xmasked_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

template <class T, class C>
struct chosen_part<lazy_view<xt::xmasked_view<T, C>>> {
    static constexpr bool ok = viewed<std::decay_t<T>>::ok;
    template <assignment O, class V>
    static void run(lazy_view<xt::xmasked_view<T, C>>& d, const V& value) {
        update_chosen<O>(d.value(), d.visible(), value);
    }
};

namespace overloads {

template <class CTD, class CTM>
    requires(lazy<std::decay_t<CTD>> || lazy<std::decay_t<CTM>>)
inline auto masked_view(CTD&& data, CTM&& mask) {
    using view = xt::xmasked_view<xt::xclosure_t<CTD>, xt::xclosure_t<CTM>>;
    return make_lazy_view(view(std::forward<CTD>(data), std::forward<CTM>(mask)));
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::masked_view;
}
