// SPDX-License-Identifier: BSD-3-Clause
// Quotients by one divisor, to the bit those of the division instruction, which takes several times as long as the
// multiplications here.
//
// If y is 1 / c rounded to nearest, q is less than a unit in the last place off x / c, and nothing overflows or
// underflows, then fma(x - q * c, y, q) is x / c rounded to nearest (Markstein, Computation of elementary functions on
// the IBM RISC System/6000, IBM J. Res. Dev. 34, 1990; Muller et al., Handbook of Floating-Point Arithmetic, chapter
// 4). The remainder x - q * c is exact. The first q is x times 1 / c in two parts, hence off by little more than half a
// unit.
#pragma once

#include "isa/loops.hpp"
#include "isa/vectors.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

#if defined(__FMA__)
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// The exponents of operands whose quotients, remainders and products stay far from the ends of the range.
template <class T>
struct SafeExponents {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    static constexpr int mantissa = sizeof(T) == 4 ? 23 : 52, bias = sizeof(T) == 4 ? 127 : 1023;
    static constexpr Bits magnitude = ~Bits{0} >> 1;
    static constexpr Bits lowest = static_cast<Bits>(bias - bias / 3) << mantissa;
    static constexpr Bits range = static_cast<Bits>(2 * (bias / 3)) << mantissa;

    static bool hold(T value) {
        Bits bits;
        std::memcpy(&bits, &value, sizeof bits);
        return (bits & magnitude) - lowest < range;
    }
    /// Of values[count], count a multiple of a vector's lanes.
    static bool hold(const T* values, std::int64_t count) {
        constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
        Vector<Bits> farthest{};
        for (std::int64_t i = 0; i < count; i += lanes) {
            Vector<Bits> bits;
            std::memcpy(&bits, values + i, sizeof bits);
            bits = (bits & magnitude) - lowest;
            farthest = bits > farthest ? bits : farthest;
        }
        Bits most = 0;
        for (std::int64_t lane = 0; lane < lanes; ++lane) most = farthest[lane] > most ? farthest[lane] : most;
        return most < range;
    }
};

/// out[i] <- a[i] / *b. Blocks with zeros, infinities, NaN or far exponents are divided as they are.
template <class T>
void divide_by_one(const void* pa, const void* pb, const void*, void* pout, std::int64_t n) {
    constexpr std::int64_t block = 16 * kVectorBytes / static_cast<int>(sizeof(T));
    const T* a = static_cast<const T*>(pa);
    T* out = static_cast<T*>(pout);
    const T c = *static_cast<const T*>(pb);
    const T y = T(1) / c, error = fused(-c, y, T(1)), rest = error * y;
    // A power of two has an exact reciprocal, and the product is the quotient, whatever the dividend.
    if (error == 0) return binary_loop<bc::Op::mul, T, T, Form::vs>(pa, &y, nullptr, pout, n);
    const bool fast = SafeExponents<T>::hold(c);
    for (; n >= block; a += block, out += block, n -= block) {
        if (!fast || !SafeExponents<T>::hold(a, block)) {
            binary_loop<bc::Op::div, T, T, Form::vs>(a, &c, nullptr, out, block);
            continue;
        }
        XLAZY_INDEPENDENT
        for (std::int64_t i = 0; i < block; ++i) {
            const T x = a[i], q = fused(x, y, x * rest);
            out[i] = fused(fused(-q, c, x), y, q);
        }
    }
    if (n > 0) binary_loop<bc::Op::div, T, T, Form::vs>(a, &c, nullptr, out, n);
}
#else
template <class T>
void divide_by_one(const void* a, const void* b, const void* c, void* out, std::int64_t n) {
    binary_loop<bc::Op::div, T, T, Form::vs>(a, b, c, out, n);
}
#endif

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
