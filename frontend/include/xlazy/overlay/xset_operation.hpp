// SPDX-License-Identifier: BSD-3-Clause
// Searching in sorted arrays and in sets, as library calls.
#pragma once

#include "xlazy/overlay/xsort.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xset_operation.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// Both are recorded, and their elements are compared without a conversion.
template <class A, class B>
concept comparable = lazy<std::decay_t<A>> && lazy<std::decay_t<B>> && has_positions<std::decay_t<A>> &&
                     std::is_same_v<typename std::decay_t<A>::value_type, typename std::decay_t<B>::value_type>;

template <class R, class E>
using array_like = std::conditional_t<xt::get_rank<E>::value == SIZE_MAX, xarray<R>,
                                      xtensor<R, xt::get_rank<E>::value == SIZE_MAX ? 1 : xt::get_rank<E>::value>>;

/// A library call on two operands; its result has the shape of one of them.
template <class R, class Shaped, class A, class B>
array_like<R, Shaped> searched(Op op, const A& a, const B& b, bool first_has_shape, std::size_t axis) {
    return located([&] {
        using T = typename A::value_type;
        leaves evaluated;
        const window x = operand_window<T>(a, evaluated), y = operand_window<T>(b, evaluated);
        const window& shape = first_has_shape ? x : y;
        rt::Statement statement(rt::LineScope::current());
        const Value first = statement.load(x.ref());
        const Value second = statement.load(y.ref());
        return new_array<array_like<R, Shaped>>(
            statement, statement.call(op, bc::dtype_of<R>(), shape.rank, shape.extents, {first, second}, axis));
    });
}

namespace overloads {
using namespace xt;

// The heads are those of xtensor's functions, so that the constraint makes ours the better ones.
template <class E1, class E2>
    requires comparable<E1, E2>
inline auto searchsorted(E1&& a, E2&& v, bool right = true) {
    return searched<std::size_t, std::decay_t<E2>>(Op::searchsorted, a, v, false, right ? 0 : 1);
}
template <class E, class F, class = void>
    requires comparable<E, F>
inline auto isin(E&& element, F&& test_elements) noexcept(false) {
    return searched<bool, std::decay_t<E>>(Op::isin, element, test_elements, true, 0);
}
template <class E, class F, class = void>
    requires comparable<E, F>
inline auto in1d(E&& element, F&& test_elements) noexcept(false) {
    return searched<bool, std::decay_t<E>>(Op::isin, element, test_elements, true, 0);
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::in1d;
using xlazy::detail::overloads::isin;
using xlazy::detail::overloads::searchsorted;
}  // namespace xt
