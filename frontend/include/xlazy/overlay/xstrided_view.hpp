// SPDX-License-Identifier: BSD-3-Clause
// strided_view with slices. (transpose, squeeze and the like return xtensor's class, which is recorded as it is.)
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

}  // namespace stock

namespace overloads {

template <class E>
    requires lazy<std::decay_t<E>>
inline auto strided_view(E&& e, const xt::xstrided_slice_vector& slices) {
    return make_lazy_view(stock::strided_view(std::forward<E>(e), slices));
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::strided_view;
}
