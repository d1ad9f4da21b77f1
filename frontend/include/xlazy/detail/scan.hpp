// SPDX-License-Identifier: BSD-3-Clause
// cumsum, cumprod and their nan-forms: an array of its own, recorded as one statement. Without an axis the operand is
// flattened: where it is no dense array, that takes a statement before.
#pragma once

#include "xlazy/detail/assign.hpp"
#include "xlazy/overlay/xreducer.hpp"

namespace xlazy::detail {

/// What xtensor's accumulate of an E makes: an array like E, else an xarray. Without an axis it has one dimension.
template <class E, class R>
struct scan_array {
    using type = xarray<R>;
    using flat_type = xarray<R>;
};
template <class T, xt::layout_type L, class A, class SA, class R>
struct scan_array<xarray<T, L, A, SA>, R> {
    using type = xarray<R, L>;
    using flat_type = xarray<R, L>;
};
template <class T, std::size_t N, xt::layout_type L, class A, class R>
struct scan_array<xtensor<T, N, L, A>, R> {
    using type = xtensor<R, N, L>;
    using flat_type = xtensor<R, 1, L>;
};

inline constexpr rt::Op kNotRecorded = rt::Op::copy;

/// The element type in which xtensor accumulates: F of a T, or of an element, and an element.
template <class F, class T, class V>
using scan_value =
    std::decay_t<decltype(F()(std::declval<std::conditional_t<std::is_void_v<T>, V, T>>(), std::declval<V>()))>;

template <rt::Op Code, class F, class T, class E>
inline constexpr bool can_scan = [] {
    if constexpr (Code == kNotRecorded || !is_number<value_of<E>>) {
        return false;
    } else {
        using R = scan_value<F, T, value_of<E>>;
        return lowerable_as<E, R> && bc::accepts(Code, bc::dtype_of<R>());
    }
}();

/// What the scan passes over is its identity.
template <class F, class R>
Value scan_operand(rt::Statement& statement, Value operand) {
    if constexpr (requires { reduction<F>::skips_nan; } && !std::is_integral_v<R>) {
        const R identity = reduction<F>::code == Op::prod ? R(1) : R(0);
        const Value missing = statement.apply(Op::isnan, DType::boolean, operand);
        return statement.apply(Op::select, bc::dtype_of<R>(), missing, statement.scalar(identity), operand);
    } else {
        return operand;
    }
}

/// Stores a value of the statement to a new array.
template <class D>
D new_array(rt::Statement& statement, Value value) {
    D result;
    renew_for(result, statement, value);
    store(statement, result, value);
    return result;
}

/// The elements of `e` as Ts: its own memory where it is a window on some, else recorded first.
template <class T, class E>
window operand_window(const E& e, leaves& evaluated) {
    if constexpr (viewed<E>::ok) {
        if constexpr (std::is_same_v<typename E::value_type, T>) return viewed<E>::get(e);
    }
    record_leaf<T, xt::layout_type::row_major>(e, evaluated);
    return evaluated.next();
}

/// @throws std::runtime_error with the user's line if there is no such axis
template <rt::Op Code, class F, class T, class E>
auto scan_along(const E& e, std::ptrdiff_t axis) {
    using R = scan_value<F, T, value_of<E>>;
    normalise_axes(&axis, 1, e.dimension());
    leaves evaluated;
    prepare_as<R>(e, evaluated);
    auto result = [&] {
        rt::Statement statement(rt::LineScope::current());
        recording r{statement, evaluated};
        const Value operand = scan_operand<F, R>(statement, lower_as<R>(e, r));
        return new_array<typename scan_array<E, R>::type>(
            statement, statement.scan(Code, operand, static_cast<std::size_t>(axis)));
    }();
    evaluated.end_statement();
    return result;
}

template <rt::Op Code, class F, class T, class E>
auto scan_along(const E& e) {
    using R = scan_value<F, T, value_of<E>>;
    constexpr xt::layout_type order = XTENSOR_DEFAULT_TRAVERSAL;
    const auto of = [&](const window& dense) {
        rt::Statement statement(rt::LineScope::current());
        const Value whole = statement.cast(statement.load(flattened(dense).ref()), bc::dtype_of<R>());
        const Value operand = scan_operand<F, R>(statement, whole);
        return new_array<typename scan_array<E, R>::flat_type>(statement, statement.scan(Code, operand, 0));
    };
    if constexpr (viewed<E>::ok) {
        const window whole = viewed<E>::get(e);
        if (is_dense_in(whole, order)) return of(whole);
    }
    leaves evaluated;
    record_leaf<R, order>(e, evaluated);
    return of(evaluated.next());
}

}  // namespace xlazy::detail
