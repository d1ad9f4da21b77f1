// SPDX-License-Identifier: BSD-3-Clause
// dynamic_view: works on the elements, not in the queue.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xdynamic_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {
namespace stock {

template <class E>
auto dynamic_view(E&& e, const xt::xdynamic_slice_vector& slices) {
    return xt::dynamic_view(std::forward<E>(e), slices);
}

}  // namespace stock

namespace overloads {

template <class E>
    requires lazy<std::decay_t<E>>
inline auto dynamic_view(E&& e, const xt::xdynamic_slice_vector& slices) {
    return located([&] { return make_lazy_view(stock::dynamic_view(std::forward<E>(e), slices)); });
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::dynamic_view;
}
