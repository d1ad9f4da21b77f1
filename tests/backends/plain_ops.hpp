// SPDX-License-Identifier: BSD-3-Clause
// The ops once more, in ordinary C++, to compare with. Integers are computed in 128 bits and cut off.
#pragma once

#include "backends/test_kernel.hpp"
#include "philox.hpp"

namespace xlazy::test {

/// What stands in the manual for conversions of floats to integers.
template <class R, class T>
R plain_cast(T a) {
    if constexpr (std::is_integral_v<R> && !std::is_same_v<R, bool> && std::is_floating_point_v<T>) {
        const auto wide = static_cast<long double>(a);
        const bool fits = std::trunc(wide) >= static_cast<long double>(std::numeric_limits<R>::min()) &&
                          std::trunc(wide) <= static_cast<long double>(std::numeric_limits<R>::max());
        return fits ? static_cast<R>(wide) : std::numeric_limits<R>::min();
    } else if constexpr (is_complex<T> && std::is_same_v<R, bool>) {
        return a != T(0);
    } else if constexpr (is_complex<T> && !is_complex<R>) {
        return plain_cast<R>(a.real());
    } else if constexpr (is_complex<R> && !is_complex<T>) {
        return R(static_cast<typename R::value_type>(a));
    } else {
        return static_cast<R>(a);
    }
}

__extension__ typedef __int128 WideInteger;

template <class T>
T plain_integer(Op op, T ta, T tb) {
    const auto a = static_cast<WideInteger>(ta), b = static_cast<WideInteger>(tb);
    constexpr int bits = 8 * sizeof(T);
    switch (op) {
        case Op::add: return static_cast<T>(a + b);
        case Op::sub: return static_cast<T>(a - b);
        case Op::mul: return static_cast<T>(a * b);
        case Op::div: return static_cast<T>(b == 0 ? 0 : a / b);
        case Op::mod: return static_cast<T>(b == 0 ? 0 : a % b);
        case Op::neg: return static_cast<T>(-a);
        case Op::abs: return static_cast<T>(a < 0 ? -a : a);
        case Op::bit_and: return static_cast<T>(ta & tb);
        case Op::bit_or: return static_cast<T>(ta | tb);
        case Op::bit_xor: return static_cast<T>(ta ^ tb);
        case Op::bit_not: return static_cast<T>(~ta);
        case Op::shl: return static_cast<T>(b < 0 || b >= bits ? 0 : a * (WideInteger{1} << static_cast<int>(b)));
        case Op::shr: return static_cast<T>(b < 0 || b >= bits ? (a < 0 ? -1 : 0) : a >> static_cast<int>(b));
        case Op::sign: return static_cast<T>(a > 0 ? 1 : a < 0 ? -1 : 0);
        default: ADD_FAILURE() << "no plain form of " << bc::name_of(op); return T{};
    }
}

/// Functions for which the C library gives the value, in a type with more digits for f32.
template <class W>
W plain_function(Op op, W a, W b) {
    switch (op) {
        case Op::hypot: return std::hypot(a, b);
        case Op::exp: return std::exp(a);
        case Op::exp2: return std::exp2(a);
        case Op::expm1: return std::expm1(a);
        case Op::log: return std::log(a);
        case Op::log2: return std::log2(a);
        case Op::log10: return std::log10(a);
        case Op::log1p: return std::log1p(a);
        case Op::pow: return std::pow(a, b);
        case Op::cbrt: return std::cbrt(a);
        case Op::sin: return std::sin(a);
        case Op::cos: return std::cos(a);
        case Op::tan: return std::tan(a);
        case Op::asin: return std::asin(a);
        case Op::acos: return std::acos(a);
        case Op::atan: return std::atan(a);
        case Op::atan2: return std::atan2(a, b);
        case Op::sinh: return std::sinh(a);
        case Op::cosh: return std::cosh(a);
        case Op::tanh: return std::tanh(a);
        case Op::asinh: return std::asinh(a);
        case Op::acosh: return std::acosh(a);
        case Op::atanh: return std::atanh(a);
        case Op::erf: return std::erf(a);
        case Op::erfc: return std::erfc(a);
        case Op::tgamma: return std::tgamma(a);
        case Op::lgamma: return std::lgamma(a);
        default: ADD_FAILURE() << "no plain form of " << bc::name_of(op); return W{};
    }
}

template <class T>
T plain_float(Op op, T a, T b, T c = T(0)) {
    switch (op) {
        case Op::add: return a + b;
        case Op::sub: return a - b;
        case Op::mul: return a * b;
        case Op::div: return a / b;
        case Op::neg: return -a;
        case Op::abs: return std::abs(a);
        case Op::sqrt: return std::sqrt(a);
        case Op::floor: return std::floor(a);
        case Op::ceil: return std::ceil(a);
        case Op::trunc: return std::trunc(a);
        case Op::round: return std::round(a);
        case Op::rint: return std::nearbyint(a);
        case Op::fmax: return std::fmax(a, b);
        case Op::fmin: return std::fmin(a, b);
        case Op::fma: return std::fma(a, b, c);
        case Op::fdim: return std::fdim(a, b);
        case Op::sign: return std::isnan(a) ? a : a == 0 ? std::copysign(T(0), a) : std::copysign(T(1), a);
        case Op::fmod: return std::fmod(a, b);
        case Op::remainder: return std::remainder(a, b);
        default: break;
    }
    if constexpr (std::is_same_v<T, float>)
        return static_cast<float>(plain_function<double>(op, a, b));
    else
        return static_cast<T>(plain_function<T>(op, a, b));
}

/// std::complex, whose products and quotients are those of the compiler's runtime library.
template <class T>
std::complex<T> plain_complex(Op op, std::complex<T> a, std::complex<T> b) {
    switch (op) {
        case Op::add: return a + b;
        case Op::sub: return a - b;
        case Op::mul: return a * b;
        case Op::div: return a / b;
        case Op::neg: return -a;
        case Op::abs: return std::abs(a);
        case Op::sign: return plain_float(Op::sign, a.real() != 0 ? a.real() : a.imag(), T(0));
        case Op::real: return a.real();
        case Op::imag: return a.imag();
        case Op::conj: return std::conj(a);
        case Op::norm: return std::norm(a);
        case Op::arg: return std::arg(a);
        case Op::sqrt: return std::sqrt(a);
        case Op::exp: return std::exp(a);
        case Op::log: return std::log(a);
        case Op::log10: return std::log10(a);
        case Op::pow: return b == T(2) ? a * a : std::pow(a, b);
        case Op::sin: return std::sin(a);
        case Op::cos: return std::cos(a);
        case Op::tan: return std::tan(a);
        case Op::asin: return std::asin(a);
        case Op::acos: return std::acos(a);
        case Op::atan: return std::atan(a);
        case Op::sinh: return std::sinh(a);
        case Op::cosh: return std::cosh(a);
        case Op::tanh: return std::tanh(a);
        case Op::asinh: return std::asinh(a);
        case Op::acosh: return std::acosh(a);
        case Op::atanh: return std::atanh(a);
        default: ADD_FAILURE() << "no plain form of " << bc::name_of(op); return {};
    }
}

template <class R, class T>
R with_parts(T real, T imaginary) {
    return {static_cast<typename R::value_type>(real), static_cast<typename R::value_type>(imaginary)};
}

template <class R, class T>
R plain_complex_value(Op op, bool mask, T a, T b) {
    const auto any = [&](bool (*test)(typename T::value_type)) { return test(a.real()) || test(a.imag()); };
    switch (op) {
        case Op::copy:
        case Op::cast: return plain_cast<R>(a);
        case Op::select: return plain_cast<R>(mask ? a : b);
        case Op::eq: return plain_cast<R>(a == b);
        case Op::ne: return plain_cast<R>(a != b);
        case Op::isnan: return plain_cast<R>(any(std::isnan));
        case Op::isinf: return plain_cast<R>(any(std::isinf));
        case Op::isfinite: return plain_cast<R>(std::isfinite(a.real()) && std::isfinite(a.imag()));
        default: break;
    }
    if (bc::maths_of(op, bc::dtype_of<T>()) == bc::Maths::Exact) return plain_cast<R>(plain_complex(op, a, b));
    // The C library's own functions may be some units off: more digits.
    using W = std::conditional_t<std::is_same_v<T, std::complex<float>>, double, long double>;
    if (op == Op::pow && b == T(2)) return plain_cast<R>(a * a);
    const std::complex<W> value = plain_complex(op, std::complex<W>(a), std::complex<W>(b));
    if constexpr (is_complex<R>)
        return with_parts<R>(value.real(), value.imag());
    else
        return static_cast<R>(value.real());
}

template <class R, class T>
R plain_real_value(Op op, bool mask, T a, T b, T c) {
    switch (op) {
        case Op::copy: return static_cast<R>(a);
        case Op::cast: return plain_cast<R>(a);
        case Op::select: return static_cast<R>(mask ? a : b);
        case Op::clip: return static_cast<R>(a < b ? b : c < a ? c : a);
        case Op::philox:
        case Op::philox_high:
            return static_cast<R>(plain_philox(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b),
                                               static_cast<std::uint64_t>(c))[op == Op::philox ? 0 : 1]);
        case Op::min: return static_cast<R>(a < b ? a : b);
        case Op::max: return static_cast<R>(a > b ? a : b);
        case Op::lt: return static_cast<R>(a < b);
        case Op::le: return static_cast<R>(a <= b);
        case Op::gt: return static_cast<R>(a > b);
        case Op::ge: return static_cast<R>(a >= b);
        case Op::eq: return static_cast<R>(a == b);
        case Op::ne: return static_cast<R>(a != b);
        case Op::logical_and: return static_cast<R>(a && b);
        case Op::logical_or: return static_cast<R>(a || b);
        case Op::logical_not: return static_cast<R>(!a);
        default: break;
    }
    if constexpr (std::is_floating_point_v<T>) {
        switch (op) {
            case Op::isnan: return static_cast<R>(std::isnan(a));
            case Op::isinf: return static_cast<R>(std::isinf(a));
            case Op::isfinite: return static_cast<R>(std::isfinite(a));
            default: return static_cast<R>(plain_float(op, a, b, c));
        }
    } else if constexpr (std::is_same_v<T, bool>) {
        if (op == Op::bit_and) return static_cast<R>(a && b);
        if (op == Op::bit_or) return static_cast<R>(a || b);
        return static_cast<R>(a != b);  // bit_xor
    } else {
        return static_cast<R>(plain_integer(op, a, b));
    }
}

template <class R, class T>
R plain_value(Op op, bool mask, T a, T b, T c) {
    if constexpr (is_complex<T>)
        return plain_complex_value<R>(op, mask, a, b);
    else if constexpr (is_complex<R>)
        return op == Op::make_complex ? with_parts<R>(a, b) : plain_cast<R>(a);
    else
        return plain_real_value<R>(op, mask, a, b, c);
}

/// Numbers between a and b, counted in steps of the type.
template <class T>
double steps_between(T a, T b) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    const auto position = [](T x) {
        Bits bits;
        std::memcpy(&bits, &x, sizeof x);
        return bits < 0 ? -static_cast<double>(bits & std::numeric_limits<Bits>::max()) : static_cast<double>(bits);
    };
    // Differences of a few steps are exact: the subtraction is done in integers where the signs agree.
    if (std::signbit(a) == std::signbit(b)) {
        Bits x, y;
        std::memcpy(&x, &a, sizeof a);
        std::memcpy(&y, &b, sizeof b);
        return std::abs(static_cast<double>(x - y));
    }
    return std::abs(position(a) - position(b));
}

/// As many steps apart as the maths library and the reference may be.
template <class T>
bool few_steps(T value, T expected) {
    if (expected != expected || value != value) return expected != expected && value != value;
    return steps_between(value, expected) <= 4;
}

/// Exact ops: the same value. Functions of the maths library: within 4 units in the last place; powers of complex
/// numbers, whose logarithm is rounded, in relation to the whole number. The sign of an infinite or zero part is free
/// where the other part is a NaN.
template <class R>
bool close_enough(Op op, DType type, R value, R expected) {
    if (bc::maths_of(op, type) == bc::Maths::Exact) return same_value(value, expected);
    if constexpr (std::is_floating_point_v<R>) {
        return few_steps(value, expected);
    } else if constexpr (is_complex<R>) {
        using T = typename R::value_type;
        const T re = value.real(), im = value.imag(), x = expected.real(), y = expected.imag();
        if (re != re && x != x) return (im != im && y != y) || std::abs(im) == std::abs(y);
        if (im != im && y != y) return std::abs(re) == std::abs(x);
        if (op != Op::pow || !std::isfinite(std::abs(expected))) return few_steps(re, x) && few_steps(im, y);
        return std::abs(value - expected) <= 2000 * std::numeric_limits<T>::epsilon() * std::abs(expected);
    }
    return false;
}

}  // namespace xlazy::test
