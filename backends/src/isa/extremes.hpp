// SPDX-License-Identifier: BSD-3-Clause
// The combine steps of amin and amax for whole vectors of floats, as instructions: the machine's minimum is that of the
// rule unless its first operand is a NaN.
#pragma once

#include "isa/loops.hpp"
#include "isa/vectors.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace xlazy::be {
inline namespace XLAZY_ISA {

#if defined(__AVX512F__)
#define XLAZY_EXTREME(id, op, T, registers, suffix)                                                           \
    template <>                                                                                               \
    [[gnu::always_inline]] inline Vector<T> Element<bc::Op::id>::combine(Vector<T> a, Vector<T> b) {          \
        const auto x = (registers)a, y = (registers)b;                                                        \
        return (Vector<T>)_mm512_mask_##op##_##suffix(y, _mm512_cmp_##suffix##_mask(y, y, _CMP_ORD_Q), y, x); \
    }
XLAZY_EXTREME(amin, min, double, __m512d, pd)
XLAZY_EXTREME(amax, max, double, __m512d, pd)
XLAZY_EXTREME(amin, min, float, __m512, ps)
XLAZY_EXTREME(amax, max, float, __m512, ps)
#undef XLAZY_EXTREME
#elif defined(__AVX2__)
#define XLAZY_EXTREME(id, op, T, registers, suffix)                                                  \
    template <>                                                                                      \
    [[gnu::always_inline]] inline Vector<T> Element<bc::Op::id>::combine(Vector<T> a, Vector<T> b) { \
        const auto x = (registers)a, y = (registers)b;                                               \
        return (Vector<T>)_mm256_blendv_##suffix(_mm256_##op##_##suffix(y, x), y,                    \
                                                 _mm256_cmp_##suffix(y, y, _CMP_UNORD_Q));           \
    }
XLAZY_EXTREME(amin, min, double, __m256d, pd)
XLAZY_EXTREME(amax, max, double, __m256d, pd)
XLAZY_EXTREME(amin, min, float, __m256, ps)
XLAZY_EXTREME(amax, max, float, __m256, ps)
#undef XLAZY_EXTREME
#endif

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
