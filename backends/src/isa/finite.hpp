// SPDX-License-Identifier: BSD-3-Clause
// Where are numbers that are not finite?
#pragma once

#include "isa/loops.hpp"
#include "isa/vectors.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// Index of the first NaN or infinity among values[n], n if there is none. A full exponent, increased by one, runs over
/// into the sign.
template <class T>
std::int64_t first_not_finite(const void* values, std::int64_t n) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int digits = sizeof(T) == 4 ? 23 : 52;
    constexpr Bits magnitude = ~Bits{0} >> 1, unit = Bits{1} << digits;
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T)), block = 16 * lanes;
    const T* at = static_cast<const T*>(values);
    std::int64_t begin = 0;
    for (; begin + block <= n; begin += block) {
        Vector<Bits> over{};
        for (std::int64_t i = 0; i < block; i += lanes) {
            Vector<Bits> bits;
            std::memcpy(&bits, at + begin + i, sizeof bits);
            over |= (bits & magnitude) + unit;
        }
        Bits any = 0;
        for (std::int64_t lane = 0; lane < lanes; ++lane) any |= over[lane];
        if ((any & ~magnitude) != 0) break;
    }
    for (; begin < n; ++begin) {
        Bits bits;
        std::memcpy(&bits, at + begin, sizeof bits);
        if ((((bits & magnitude) + unit) & ~magnitude) != 0) return begin;
    }
    return n;
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
