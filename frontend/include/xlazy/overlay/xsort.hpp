// SPDX-License-Identifier: BSD-3-Clause
// Result types of sorting functions: xtensor's traits name its two aliases, our arrays are other classes.
#pragma once

#include "xlazy/detail/array.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xsort.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xt::detail {

template <class VT, class T, layout_type L, class A, class SA>
struct rebind_value_type<VT, xlazy::xarray<T, L, A, SA>> {
    using type = xlazy::xarray<VT, L>;
};
template <class VT, class T, std::size_t N, layout_type L, class A>
struct rebind_value_type<VT, xlazy::xtensor<T, N, L, A>> {
    using type = xlazy::xtensor<VT, N, L>;
};
template <class VT, class T, layout_type L, class A, class SA>
struct flatten_rebind_value_type<VT, xlazy::xarray<T, L, A, SA>> {
    using type = xlazy::xarray<VT, L>;
};
template <class VT, class T, std::size_t N, layout_type L, class A>
struct flatten_rebind_value_type<VT, xlazy::xtensor<T, N, L, A>> {
    using type = xlazy::xtensor<VT, 1, L>;
};

}  // namespace xt::detail
