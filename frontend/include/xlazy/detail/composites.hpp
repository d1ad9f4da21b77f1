// SPDX-License-Identifier: BSD-3-Clause
// Element functions of several ops.
#pragma once

#include "xlazy/detail/lowering.hpp"

namespace xlazy::detail {

/// All operands in the result's type, which is no bool.
template <class R>
struct composite_in_result {
    using first = R;
    using second = R;
    using third = R;
    static constexpr DType kType = bc::dtype_of<R>();
    static constexpr bool native = !std::is_same_v<R, bool>;
    static Value multiply(rt::Statement& s, Value a, Value b) { return s.apply(Op::mul, kType, a, b); }
};

template <class R, class A>
struct composite_function<square_function, R, A> : composite_in_result<R> {
    template <class E>
    static Value run(const E&, rt::Statement& s, Value x) {
        return composite_function::multiply(s, x, x);
    }
};
template <class R, class A>
struct composite_function<cube_function, R, A> : composite_in_result<R> {
    template <class E>
    static Value run(const E&, rt::Statement& s, Value x) {
        return composite_function::multiply(s, composite_function::multiply(s, x, x), x);
    }
};

/// a^N by squaring. `narrow` is the type of a, to which xtensor converts on the way.
Value record_power(rt::Statement& statement, Value a, std::size_t exponent, DType narrow, DType result);

template <std::size_t N, class R, class A>
struct composite_function<xt::detail::lambda_adapt<xt::detail::pow_impl<N>>, R, A> {
    using first = A;
    static constexpr bool native = true;
    template <class E>
    static Value run(const E&, rt::Statement& s, Value x) {
        return record_power(s, x, N, bc::dtype_of<A>(), bc::dtype_of<R>());
    }
};

/// v < low ? low : (high < v ? high : v), each comparison in the type `below`, or `above`, and the result in `result`.
Value record_clip(rt::Statement& statement, Value v, Value low, Value high, DType below, DType above, DType inner,
                  DType result);

template <class A, class B>
using comparison_type = typename operand_types<xt::detail::less, bool, A, B>::meet;

template <class R, class A, class B, class C>
struct composite_function<xt::math::clamp_fun, R, A, B, C> {
    using first = A;
    using second = B;
    using third = C;
    static constexpr bool native = bc::accepts(Op::lt, bc::dtype_of<R>());
    template <class E>
    static Value run(const E&, rt::Statement& s, Value v, Value low, Value high) {
        return record_clip(s, v, low, high, bc::dtype_of<comparison_type<A, B>>(),
                           bc::dtype_of<comparison_type<C, A>>(), bc::dtype_of<std::common_type_t<C, A>>(),
                           bc::dtype_of<R>());
    }
};

/// a * PI / 180, and a * 180 / PI.
template <class R, class A>
struct composite_function<xt::math::deg2rad, R, A> : composite_in_result<R> {
    template <class E>
    static Value run(const E&, rt::Statement& s, Value x) {
        const Value scaled = composite_function::multiply(s, x, s.scalar(xt::numeric_constants<R>::PI));
        return s.apply(Op::div, composite_function::kType, scaled, s.scalar(R(180)));
    }
};
template <class R, class A>
struct composite_function<xt::math::rad2deg, R, A> : composite_in_result<R> {
    template <class E>
    static Value run(const E&, rt::Statement& s, Value x) {
        const Value scaled = composite_function::multiply(s, x, s.scalar(R(180)));
        return s.apply(Op::div, composite_function::kType, scaled, s.scalar(xt::numeric_constants<R>::PI));
    }
};

/// The op sign is for numbers; of a bool it is the bool.
template <class R, class A>
struct composite_function<xt::math::sign_fun, R, A> {
    using first = R;
    static constexpr bool native = true;
    template <class E>
    static Value run(const E&, rt::Statement& s, Value x) {
        if constexpr (std::is_same_v<R, bool>)
            return x;
        else
            return s.apply(Op::sign, bc::dtype_of<R>(), x);
    }
};

/// Elements that are no numbers become 0, infinite ones the largest finite ones.
Value record_nan_to_num(rt::Statement& statement, Value x, Value lowest, Value largest);

template <class R, class A>
struct composite_function<xt::detail::nan_to_num_functor, R, A> {
    using first = R;
    static constexpr bool native = std::is_arithmetic_v<A>;
    template <class E>
    static Value run(const E&, rt::Statement& s, Value x) {
        if constexpr (std::is_integral_v<R>) {
            return x;
        } else {
            using limits = std::numeric_limits<R>;
            return record_nan_to_num(s, x, s.scalar(limits::lowest()), s.scalar(limits::max()));
        }
    }
};

/// xt::isclose's function object, whose parameters can be read.
struct closeness {
    using result_type = bool;
    closeness(double relative, double absolute, bool equal) noexcept
        : rtol(relative), atol(absolute), equal_nan(equal) {}

    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
        return xt::detail::isclose(rtol, atol, equal_nan)(a, b);
    }

    double rtol;
    double atol;
    bool equal_nan;
};
template <>
struct opcode<closeness> : opcode_as<meeting::composite> {};

Value record_isclose(rt::Statement& statement, Value a, Value b, const closeness& how);

template <class A, class B>
struct composite_function<closeness, bool, A, B> {
    using first = xtl::promote_type_t<A, B, double>;
    using second = first;
    static constexpr bool native = is_recorded<first>;
    template <class E>
    static Value run(const E& e, rt::Statement& s, Value a, Value b) {
        return record_isclose(s, a, b, e.functor());
    }
};

}  // namespace xlazy::detail
