// SPDX-License-Identifier: BSD-3-Clause
// Which op of the bytecode an element function of xtensor is, and in which type its operands meet.
#pragma once

#include "xlazy/bytecode/op.hpp"
#include "xlazy/detail/tag.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xmath.hpp>
#include <xtensor/xoperation.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

using bc::Op;

enum class meeting : unsigned char {
    none,       ///< not recorded: xtensor evaluates it
    result,     ///< operands are converted to the result type; where it is a part of a complex number, to the latter
    common,     ///< operands are converted to their common type, the result is bool
    truth,      ///< operands are converted to bool
    select,     ///< the first operand to bool, the others to the result type
    convert,    ///< the function is a conversion to its result type
    classify,   ///< the operand's own type, or double for integers; the result is bool
    composite,  ///< several ops: lowered by a specialisation of `composite_function`
};

template <class F>
struct opcode {
    static constexpr meeting how = meeting::none;
};

template <meeting How, Op Code = Op::copy>
struct opcode_as {
    static constexpr meeting how = How;
    static constexpr Op code = Code;
};

#define XLAZY_OPCODE(function, how, op) \
    template <>                         \
    struct opcode<function> : opcode_as<meeting::how, Op::op> {}

XLAZY_OPCODE(xt::detail::identity, convert, cast);
XLAZY_OPCODE(xt::detail::negate, result, neg);
XLAZY_OPCODE(xt::detail::plus, result, add);
XLAZY_OPCODE(xt::detail::minus, result, sub);
XLAZY_OPCODE(xt::detail::multiplies, result, mul);
XLAZY_OPCODE(xt::detail::divides, result, div);
XLAZY_OPCODE(xt::detail::modulus, result, mod);
XLAZY_OPCODE(xt::detail::bitwise_and, result, bit_and);
XLAZY_OPCODE(xt::detail::bitwise_or, result, bit_or);
XLAZY_OPCODE(xt::detail::bitwise_xor, result, bit_xor);
XLAZY_OPCODE(xt::detail::bitwise_not, result, bit_not);
XLAZY_OPCODE(xt::detail::left_shift, result, shl);
XLAZY_OPCODE(xt::detail::right_shift, result, shr);
XLAZY_OPCODE(xt::detail::logical_and, truth, logical_and);
XLAZY_OPCODE(xt::detail::logical_or, truth, logical_or);
XLAZY_OPCODE(xt::detail::logical_not, truth, logical_not);
XLAZY_OPCODE(xt::detail::less, common, lt);
XLAZY_OPCODE(xt::detail::less_equal, common, le);
XLAZY_OPCODE(xt::detail::greater, common, gt);
XLAZY_OPCODE(xt::detail::greater_equal, common, ge);
XLAZY_OPCODE(xt::detail::equal_to, common, eq);
XLAZY_OPCODE(xt::detail::not_equal_to, common, ne);
XLAZY_OPCODE(xt::detail::conditional_ternary, select, select);

XLAZY_OPCODE(xt::math::isnan_fun, classify, isnan);
XLAZY_OPCODE(xt::math::isinf_fun, classify, isinf);
XLAZY_OPCODE(xt::math::isfinite_fun, classify, isfinite);
XLAZY_OPCODE(xt::math::abs_fun, result, abs);
template <class T>
struct opcode<xt::math::minimum<T>> : opcode_as<meeting::result, Op::min> {};
template <class T>
struct opcode<xt::math::maximum<T>> : opcode_as<meeting::result, Op::max> {};

#define XLAZY_MATHS(function) XLAZY_OPCODE(xt::math::function##_fun, result, function)
XLAZY_OPCODE(xt::math::fabs_fun, result, abs);
XLAZY_OPCODE(xt::math::nearbyint_fun, result, rint);
XLAZY_MATHS(sqrt);
XLAZY_MATHS(floor);
XLAZY_MATHS(ceil);
XLAZY_MATHS(trunc);
XLAZY_MATHS(round);
XLAZY_MATHS(rint);
XLAZY_MATHS(fmax);
XLAZY_MATHS(fmin);
XLAZY_MATHS(fdim);
XLAZY_MATHS(fma);
XLAZY_MATHS(fmod);
XLAZY_MATHS(remainder);
XLAZY_MATHS(hypot);
XLAZY_MATHS(exp);
XLAZY_MATHS(exp2);
XLAZY_MATHS(expm1);
XLAZY_MATHS(log);
XLAZY_MATHS(log2);
XLAZY_MATHS(log10);
XLAZY_MATHS(log1p);
XLAZY_MATHS(pow);
XLAZY_MATHS(cbrt);
XLAZY_MATHS(sin);
XLAZY_MATHS(cos);
XLAZY_MATHS(tan);
XLAZY_MATHS(asin);
XLAZY_MATHS(acos);
XLAZY_MATHS(atan);
XLAZY_MATHS(atan2);
XLAZY_MATHS(sinh);
XLAZY_MATHS(cosh);
XLAZY_MATHS(tanh);
XLAZY_MATHS(asinh);
XLAZY_MATHS(acosh);
XLAZY_MATHS(atanh);
XLAZY_MATHS(erf);
XLAZY_MATHS(erfc);
XLAZY_MATHS(tgamma);
XLAZY_MATHS(lgamma);
#undef XLAZY_MATHS
#undef XLAZY_OPCODE

// xt::cast<T>: the nested functor cannot be deduced, so it is recognised by its result type.
template <class F>
    requires requires { typename F::result_type; } &&
             std::is_same_v<F, typename xt::detail::cast<typename F::result_type>::functor>
struct opcode<F> : opcode_as<meeting::convert, Op::cast> {};

// ---- functions of several ops, see composites.hpp

/// x * x and x * x * x: xtensor's own are lambdas, which have no name.
struct square_function {
    template <class T>
    constexpr auto operator()(T x) const {
        return x * x;
    }
};
struct cube_function {
    template <class T>
    constexpr auto operator()(T x) const {
        return x * x * x;
    }
};

#define XLAZY_COMPOSITE(function) \
    template <>                   \
    struct opcode<function> : opcode_as<meeting::composite> {}

XLAZY_COMPOSITE(square_function);
XLAZY_COMPOSITE(cube_function);
XLAZY_COMPOSITE(xt::math::clamp_fun);
XLAZY_COMPOSITE(xt::math::deg2rad);
XLAZY_COMPOSITE(xt::math::rad2deg);
XLAZY_COMPOSITE(xt::math::sign_fun);
XLAZY_COMPOSITE(xt::detail::nan_to_num_functor);
#undef XLAZY_COMPOSITE
template <std::size_t N>
struct opcode<xt::detail::lambda_adapt<xt::detail::pow_impl<N>>> : opcode_as<meeting::composite> {};

// ---- the types of the operands

template <Op Code>
inline constexpr bool is_arithmetic_op = Code == Op::add || Code == Op::sub || Code == Op::mul || Code == Op::div;

/// Types in which the operands of F with result R are computed with; those of A, B, C are what the program has.
template <class F, class R, class... V>
struct operand_types {};

template <class F, class R, class A>
struct operand_types<F, R, A> {
    static auto choose() {
        if constexpr (opcode<F>::how == meeting::truth)
            return std::type_identity<bool>();
        else if constexpr (opcode<F>::how == meeting::classify)
            return std::type_identity<std::conditional_t<std::is_integral_v<A>, double, A>>();
        else if constexpr (opcode<F>::how == meeting::result && is_complex<A> && !is_complex<R>)
            return std::type_identity<A>();
        else
            return std::type_identity<R>();
    }
    using first = typename decltype(choose())::type;
};

template <class F, class R, class A, class B>
struct operand_types<F, R, A, B> {
    /// As std::complex has it, arithmetic with a real number of its parts' type does not make that one complex.
    static constexpr bool is_mixed() {
        if constexpr (opcode<F>::how == meeting::result && is_complex<R>) {
            using P = part_type<R>;
            return is_arithmetic_op<opcode<F>::code> &&
                   ((std::is_same_v<A, R> && std::is_same_v<B, P>) || (std::is_same_v<A, P> && std::is_same_v<B, R>));
        } else {
            return false;
        }
    }
    static constexpr bool mixed = is_mixed();
    static auto choose() {
        if constexpr (opcode<F>::how == meeting::truth)
            return std::type_identity<bool>();
        else if constexpr (opcode<F>::how == meeting::common && is_number<A> && is_number<B> && !std::is_same_v<A, B>)
            return std::type_identity<decltype(xt::detail::plus()(A(), B()))>();
        else if constexpr (opcode<F>::how == meeting::common)
            return std::type_identity<A>();
        else
            return std::type_identity<R>();
    }
    using meet = typename decltype(choose())::type;
    using first = std::conditional_t<mixed, A, meet>;
    using second = std::conditional_t<mixed, B, meet>;
};

template <class F, class R, class A, class B, class C>
struct operand_types<F, R, A, B, C> {
    using first = std::conditional_t<opcode<F>::how == meeting::select, bool, R>;
    using second = R;
    using third = R;
};

}  // namespace xlazy::detail
