// SPDX-License-Identifier: BSD-3-Clause
// arange, linspace and eye. (zeros, ones, full and broadcast are xtensor's, and recorded as they are.)
#pragma once

#include "xlazy/detail/generator.hpp"

namespace xlazy::detail {

/// The number of elements of arange, as xtensor computes it.
template <class T, class S>
std::size_t arange_count(T start, T stop, S step) noexcept {
    if constexpr (!std::is_integral_v<T> || !std::is_integral_v<S>) {
        return static_cast<std::size_t>(std::ceil((stop - start) / step));
    } else if constexpr (std::is_unsigned_v<S>) {
        return stop <= start ? 0 : static_cast<std::size_t>((stop - start + step - S(1)) / step);
    } else {
        if ((stop - start) / step <= 0) return 0;
        return stop > start ? static_cast<std::size_t>((stop - start + step - S(1)) / step)
                            : static_cast<std::size_t>((start - stop - step - S(1)) / -step);
    }
}

namespace overloads {

template <class T, class S = T>
    requires(is_recorded<T> && is_recorded<S> && std::is_arithmetic_v<T> && std::is_arithmetic_v<S>)
inline auto arange(T start, T stop, S step = 1) noexcept {
    return make_progression<T, T, S>(start, stop, step, arange_count(start, stop, step), false);
}
template <class T>
    requires(is_recorded<T> && std::is_arithmetic_v<T>)
inline auto arange(T stop) noexcept {
    return overloads::arange<T>(T(0), stop, T(1));
}
template <class T>
    requires(is_recorded<T> && std::is_arithmetic_v<T>)
inline auto linspace(T start, T stop, std::size_t num_samples = 50, bool endpoint = true) noexcept {
    using V = std::common_type_t<T, double>;
    const V step = V(stop - start) / std::fmax(V(1), V(num_samples - (endpoint ? 1 : 0)));
    return make_progression<V, T, V>(V(start), V(stop), step, num_samples, endpoint);
}

template <class T = bool>
    requires is_recorded<T>
inline auto eye(const std::vector<std::size_t>& shape, int k = 0) {
    return xt::detail::make_xgenerator(diagonal<T>(k), shape);
}
template <class T = bool>
    requires is_recorded<T>
inline auto eye(std::size_t n, int k = 0) {
    return overloads::eye<T>(std::vector<std::size_t>{n, n}, k);
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::arange;
using xlazy::detail::overloads::eye;
using xlazy::detail::overloads::linspace;
}  // namespace xt
