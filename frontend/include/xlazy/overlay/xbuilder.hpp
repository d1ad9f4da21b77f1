// SPDX-License-Identifier: BSD-3-Clause
// arange, linspace and eye; joined arrays, diagonals, triangles and grids. (zeros, ones, full and broadcast are
// xtensor's, and recorded as they are; hstack calls concatenate, and finds ours.)
#pragma once

#include "xlazy/detail/generator.hpp"
#include "xlazy/detail/made.hpp"

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

namespace stock {

template <class... CT>
auto concatenate(std::tuple<CT...>&& parts, std::size_t axis) {
    return xt::concatenate(std::move(parts), axis);
}
template <class... CT>
auto stack(std::tuple<CT...>&& parts, std::size_t axis) {
    return xt::stack(std::move(parts), axis);
}
template <class... CT>
auto vstack(std::tuple<CT...>&& parts) {
    return xt::vstack(std::move(parts));
}
template <class E>
auto diagonal(E&& e, int offset, std::size_t axis_1, std::size_t axis_2) {
    return xt::diagonal(std::forward<E>(e), offset, axis_1, axis_2);
}
template <class E>
auto diag(E&& e, int k) {
    return xt::diag(std::forward<E>(e), k);
}
template <class E>
auto tril(E&& e, int k) {
    return xt::tril(std::forward<E>(e), k);
}
template <class E>
auto triu(E&& e, int k) {
    return xt::triu(std::forward<E>(e), k);
}

}  // namespace stock

template <class... CT>
using joined_parts = joined<xtl::promote_type_t<typename std::decay_t<CT>::value_type...>, CT...>;

/// @throws std::runtime_error if the arrays cannot be joined along this axis, where xtensor would look behind the shape
template <class Parts>
void check_joined_axis(const Parts& parts, std::size_t axis, bool stacked) {
    if (axis >= std::get<0>(parts).dimension() + (stacked ? 1 : 0)) {
        throw_statement_error("there is no such axis to join arrays along");
    }
}

template <std::size_t... I, class... E>
auto made_grids(std::index_sequence<I...>, const E&... e) {
    const std::array<std::size_t, sizeof...(E)> shape = {static_cast<std::size_t>(e.shape()[0])...};
    return std::make_tuple(
        make_made(xt::detail::make_xgenerator(xt::detail::repeat_impl<xt::const_xclosure_t<E>>(e, I), shape),
                  grid<xt::const_xclosure_t<E>>{e, I})...);
}

namespace overloads {

template <class... CT>
    requires(lazy<std::decay_t<CT>> || ...)
inline auto concatenate(std::tuple<CT...>&& t, std::size_t axis = 0) {
    check_joined_axis(t, axis, false);
    joined_parts<CT...> parts{t, axis, false};
    return located([&] { return make_made(stock::concatenate(std::move(t), axis), std::move(parts)); });
}
template <class... CT>
    requires(lazy<std::decay_t<CT>> || ...)
inline auto stack(std::tuple<CT...>&& t, std::size_t axis = 0) {
    check_joined_axis(t, axis, true);
    joined_parts<CT...> parts{t, axis, true};
    return located([&] { return make_made(stock::stack(std::move(t), axis), std::move(parts)); });
}
template <class... CT>
    requires(lazy<std::decay_t<CT>> || ...)
inline auto vstack(std::tuple<CT...>&& t) {
    joined_parts<CT...> parts{t, 0, std::get<0>(t).dimension() == 1};
    return located([&] { return make_made(stock::vstack(std::move(t)), std::move(parts)); });
}
template <class... E>
    requires(lazy<std::decay_t<E>> || ...)
inline auto meshgrid(E&&... e) {
    return made_grids(std::make_index_sequence<sizeof...(E)>(), e...);
}

template <class E>
    requires lazy<std::decay_t<E>>
inline auto diagonal(E&& arr, int offset = 0, std::size_t axis_1 = 0, std::size_t axis_2 = 1) {
    diagonal_part<xt::xclosure_t<E>> part{arr, offset, axis_1, axis_2};
    return make_made(stock::diagonal(std::forward<E>(arr), offset, axis_1, axis_2), std::move(part));
}
template <class E>
    requires lazy<std::decay_t<E>>
inline auto diag(E&& arr, int k = 0) {
    diagonal_matrix<xt::xclosure_t<E>> matrix{arr, k};
    return make_made(stock::diag(std::forward<E>(arr), k), std::move(matrix));
}
template <class E>
    requires lazy<std::decay_t<E>>
inline auto tril(E&& arr, int k = 0) {
    triangle<xt::xclosure_t<E>> part{arr, k, true};
    return make_made(stock::tril(std::forward<E>(arr), k), std::move(part));
}
template <class E>
    requires lazy<std::decay_t<E>>
inline auto triu(E&& arr, int k = 0) {
    triangle<xt::xclosure_t<E>> part{arr, k, false};
    return make_made(stock::triu(std::forward<E>(arr), k), std::move(part));
}

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
    return xt::detail::make_xgenerator(detail::diagonal<T>(k), shape);
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
using xlazy::detail::overloads::concatenate;
using xlazy::detail::overloads::diag;
using xlazy::detail::overloads::diagonal;
using xlazy::detail::overloads::eye;
using xlazy::detail::overloads::linspace;
using xlazy::detail::overloads::meshgrid;
using xlazy::detail::overloads::stack;
using xlazy::detail::overloads::tril;
using xlazy::detail::overloads::triu;
using xlazy::detail::overloads::vstack;
}  // namespace xt
