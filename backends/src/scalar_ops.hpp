// SPDX-License-Identifier: BSD-3-Clause
// The helpers that the op table's expressions name, for one element. Integers wrap, no operand is undefined behaviour.
#pragma once

#include "complex.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// Arithmetic on integers is done in this type: unsigned, so that it wraps, and no narrower than int, whose promotion
/// would bring signed overflow back.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;

template <class T>
constexpr T wrap_add(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    else
        return a + b;
}
template <class T>
constexpr T wrap_sub(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
    else
        return a - b;
}
template <class T>
constexpr T wrap_mul(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    else
        return a * b;
}
template <class T>
constexpr T wrap_neg(T a) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
    else
        return -a;
}
/// Integer division by zero gives 0; that it failed is the caller's to see.
template <class T>
constexpr T wrap_div(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == T(-1)) return wrap_neg(a);
        }
        return static_cast<T>(a / b);
    } else {
        return a / b;
    }
}
template <class T>
constexpr T wrap_mod(T a, T b) {
    static_assert(std::is_integral_v<T>);
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return 0;
    }
    return static_cast<T>(a % b);
}
template <class T>
constexpr T wrap_abs(T a) {
    if constexpr (std::is_floating_point_v<T>)
        return absolute(a);
    else if constexpr (std::is_unsigned_v<T>)
        return a;
    else
        return a < 0 ? wrap_neg(a) : a;
}

/// A count that is negative or not below the number of bits shifts all bits out.
template <class T>
inline constexpr T kBits = static_cast<T>(sizeof(T) * 8);
template <class T>
constexpr T shift_left(T a, T b) {
    using Unsigned = std::make_unsigned_t<T>;
    const bool fits = static_cast<Unsigned>(b) < kBits<Unsigned>;
    const auto shifted = static_cast<T>(static_cast<Wrapping<T>>(a) << (fits ? b : T(0)));
    return fits ? shifted : T(0);
}
template <class T>
constexpr T shift_right(T a, T b) {
    using Unsigned = std::make_unsigned_t<T>;
    const bool fits = static_cast<Unsigned>(b) < kBits<Unsigned>;
    const auto shifted = static_cast<T>(a >> (fits ? b : T(kBits<T> - 1)));
    return fits || std::is_signed_v<T> ? shifted : T(0);
}

template <class T>
constexpr T bit_and_(T a, T b) {
    return static_cast<T>(a & b);
}
template <class T>
constexpr T bit_or_(T a, T b) {
    return static_cast<T>(a | b);
}
template <class T>
constexpr T bit_xor_(T a, T b) {
    return static_cast<T>(a ^ b);
}
template <class T>
constexpr T bit_not_(T a) {
    return static_cast<T>(~a);
}

/// Philox4x32-10. Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC'11,
/// doi:10.1145/2063384.2063405. Words are kept in 64 bits, so that the loops multiply without conversions.
struct PhiloxBlock {
    std::uint64_t word[4];
};
constexpr PhiloxBlock philox_block(std::uint64_t low, std::uint64_t high, std::uint64_t key) {
    constexpr std::uint64_t word = 0xffffffff;
    std::uint64_t x = low & word, y = low >> 32, z = high & word, w = high >> 32;
    std::uint64_t first = key & word, second = key >> 32;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p = x * 0xD2511F53u, q = z * 0xCD9E8D57u;
        x = (q >> 32) ^ y ^ first;
        y = q & word;
        z = (p >> 32) ^ w ^ second;
        w = p & word;
        first = (first + 0x9E3779B9u) & word;
        second = (second + 0xBB67AE85u) & word;
    }
    return {{x, y, z, w}};
}
constexpr std::uint64_t philox_low(std::uint64_t low, std::uint64_t high, std::uint64_t key) {
    const PhiloxBlock block = philox_block(low, high, key);
    return block.word[0] | block.word[1] << 32;
}
constexpr std::uint64_t philox_high_(std::uint64_t low, std::uint64_t high, std::uint64_t key) {
    const PhiloxBlock block = philox_block(low, high, key);
    return block.word[2] | block.word[3] << 32;
}

template <class T>
T square_root(T a) {
    if constexpr (std::is_same_v<T, float>)
        return __builtin_sqrtf(a);
    else
        return __builtin_sqrt(a);
}
template <class T>
T round_down(T a) {
    if constexpr (std::is_same_v<T, float>)
        return __builtin_floorf(a);
    else
        return __builtin_floor(a);
}
template <class T>
T round_up(T a) {
    if constexpr (std::is_same_v<T, float>)
        return __builtin_ceilf(a);
    else
        return __builtin_ceil(a);
}
template <class T>
T round_to_zero(T a) {
    if constexpr (std::is_same_v<T, float>)
        return __builtin_truncf(a);
    else
        return __builtin_trunc(a);
}
template <class T>
T round_half_even(T a) {
    if constexpr (std::is_same_v<T, float>)
        return __builtin_rintf(a);
    else
        return __builtin_rint(a);
}
/// std::round; written out, since compilers vectorise trunc but not round. a - trunc(a) is exact.
template <class T>
T round_half_away(T a) {
    const T whole = round_to_zero(a);
    return wrap_abs(a - whole) >= T(0.5) ? whole + copy_sign(T(1), a) : whole;
}

/// Of equal operands (+0 and -0) the second, as the C library's fmax and fmin on x86.
template <class T>
constexpr T float_max(T a, T b) {
    return b != b || a > b ? a : b;
}
template <class T>
constexpr T float_min(T a, T b) {
    return b != b || a < b ? a : b;
}
template <class T>
T fused_multiply_add(T a, T b, T c) {
    if constexpr (std::is_same_v<T, float>)
        return __builtin_fmaf(a, b, c);
    else
        return __builtin_fma(a, b, c);
}
template <class T>
constexpr T positive_difference(T a, T b) {
    return a <= b ? T(0) : a - b;
}

template <class T>
constexpr T sign_of(T a) {
    if constexpr (std::is_floating_point_v<T>)
        return a != a || a == 0 ? a : copy_sign(T(1), a);
    else if constexpr (std::is_unsigned_v<T>)
        return static_cast<T>(a != 0);
    else
        return static_cast<T>((a > 0) - (a < 0));
}
template <class T>
constexpr Complex<T> sign_of(Complex<T> a) {
    return {sign_of(a.re != 0 ? a.re : a.im), T(0)};
}

/// Combine steps of amin and amax: a NaN wins, of equal operands the first. Also for vectors (GNU vector extension).
template <class T>
constexpr T nan_min(T a, T b) {
    return ((b < a) | (b != b)) ? b : a;
}
template <class T>
constexpr T nan_max(T a, T b) {
    return ((b > a) | (b != b)) ? b : a;
}

/// C++'s conversion, defined where C++ leaves it undefined: floats that do not fit give the integer type's minimum. A
/// complex number converts by its real part.
template <class R, class T>
constexpr R convert(T a) {
    if constexpr (std::is_same_v<R, T>) {
        return a;
    } else if constexpr (is_complex<T> && std::is_same_v<R, bool>) {
        return (a.re != 0) | (a.im != 0);
    } else if constexpr (is_complex<T> && is_complex<R>) {
        return {static_cast<decltype(R::re)>(a.re), static_cast<decltype(R::im)>(a.im)};
    } else if constexpr (is_complex<T>) {
        return convert<R>(a.re);
    } else if constexpr (is_complex<R>) {
        return {convert<decltype(R::re)>(a), 0};
    } else if constexpr (std::is_same_v<R, bool>) {
        return a != T(0);
    } else if constexpr (std::is_integral_v<R> && std::is_floating_point_v<T>) {
        // Both bounds are powers of two, hence exact in T; between -2^k - 1 and -2^k lies nothing that truncates
        // wrongly, since it truncates to the minimum itself.
        constexpr T low = static_cast<T>(std::numeric_limits<R>::min());
        constexpr T high = static_cast<T>(std::numeric_limits<R>::max() / 2 + 1) * T(2);
        constexpr R minimum = std::numeric_limits<R>::min();
        return a >= low && a < high ? static_cast<R>(a) : minimum;
    } else {
        return static_cast<R>(a);
    }
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
