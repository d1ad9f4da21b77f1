// SPDX-License-Identifier: BSD-3-Clause
// Sorting, and positions of extremes: computed by xtensor.
#pragma once

#include "xlazy/detail/fallback.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xsort.hpp>
#include "xlazy/detail/stock_end.hpp"

// xtensor's traits name its two aliases, our arrays are other classes.
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
template <class T, std::size_t N, layout_type L, class A>
struct argfunc_result_type<xlazy::xtensor<T, N, L, A>> {
    using type = xlazy::xtensor<std::size_t, N - 1>;
};

}  // namespace xt::detail

XLAZY_FALLBACK(sort, template <class E>, lazy<E>, (const xexpression<E>& e, placeholders::xtuph t), (e, t))
XLAZY_FALLBACK(sort, template <class E>, lazy<E>, (const xexpression<E>& e, std::ptrdiff_t axis = -1), (e, axis))
XLAZY_FALLBACK(argsort, template <class E>, lazy<E>, (const xexpression<E>& e, placeholders::xtuph t), (e, t))
XLAZY_FALLBACK(argsort, template <class E>, lazy<E>, (const xexpression<E>& e, std::ptrdiff_t axis = -1), (e, axis))
XLAZY_FALLBACK(unique, template <class E>, lazy<E>, (const xexpression<E>& e), (e))

namespace xlazy::detail::stock {

template <xt::layout_type L, class E, class... A>
auto argmin(const xt::xexpression<E>& e, A... axis) {
    return xt::argmin<L>(e, axis...);
}
template <xt::layout_type L, class E, class... A>
auto argmax(const xt::xexpression<E>& e, A... axis) {
    return xt::argmax<L>(e, axis...);
}

}  // namespace xlazy::detail::stock

namespace xlazy::detail::overloads {
using namespace xt;

template <layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>
    requires lazy<E>
inline auto argmin(const xexpression<E>& e) {
    return fall_back_to("argmin", [&] { return stock::argmin<L>(e); });
}
template <layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>
    requires lazy<E>
inline auto argmin(const xexpression<E>& e, std::ptrdiff_t axis) {
    return fall_back_to("argmin", [&] { return stock::argmin<L>(e, axis); });
}
template <layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>
    requires lazy<E>
inline auto argmax(const xexpression<E>& e) {
    return fall_back_to("argmax", [&] { return stock::argmax<L>(e); });
}
template <layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>
    requires lazy<E>
inline auto argmax(const xexpression<E>& e, std::ptrdiff_t axis) {
    return fall_back_to("argmax", [&] {
        auto result = stock::argmax<L>(e, axis);
        // Of one dimension xtensor gives the position of the minimum.
        if (e.derived_cast().dimension() == 1) *result.begin() = stock::argmax<L>(e)();
        return result;
    });
}

}  // namespace xlazy::detail::overloads

namespace xt {
using xlazy::detail::overloads::argmax;
using xlazy::detail::overloads::argmin;
using xlazy::detail::overloads::argsort;
using xlazy::detail::overloads::sort;
using xlazy::detail::overloads::unique;
}  // namespace xt
