// SPDX-License-Identifier: BSD-3-Clause
// arange and linspace. (zeros, ones, full and broadcast are xtensor's, and recorded as they are.)
#pragma once

#include "xlazy/detail/generator.hpp"

namespace xlazy::detail {
namespace stock {

template <class T, class S>
auto arange(T start, T stop, S step) noexcept {
    return xt::arange<T, S>(start, stop, step);
}
template <class T>
auto linspace(T start, T stop, std::size_t count, bool endpoint) noexcept {
    return xt::linspace<T>(start, stop, count, endpoint);
}

}  // namespace stock

namespace overloads {

template <class T, class S = T>
requires(is_recorded<T>&& is_recorded<S>) inline auto arange(T start, T stop, S step = 1) noexcept {
    auto stock = stock::arange(start, stop, step);
    return make_generator<decltype(stock)>::from(std::move(stock), start, stop, step, false);
}
template <class T>
requires is_recorded<T>
inline auto arange(T stop) noexcept { return arange<T>(T(0), stop, T(1)); }
template <class T>
requires is_recorded<T>
inline auto linspace(T start, T stop, std::size_t num_samples = 50, bool endpoint = true) noexcept {
    using V = std::common_type_t<T, double>;
    const V intervals = std::fmax(V(1), static_cast<V>(num_samples - (endpoint ? 1 : 0)));
    auto stock = stock::linspace(start, stop, num_samples, endpoint);
    return make_generator<decltype(stock)>::from(std::move(stock), V(start), V(stop), V(stop - start) / intervals,
                                                 endpoint);
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::arange;
using xlazy::detail::overloads::linspace;
}  // namespace xt
