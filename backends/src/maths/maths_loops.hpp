// SPDX-License-Identifier: BSD-3-Clause
// Loops over the maths library's functions, at the full width of the instruction set being compiled. The last elements
// go through the same function in a padded vector.
#pragma once

#include "isa/kernel_table.hpp"
#include "maths/maths_functions.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

#if defined(__AVX512F__)
#define XL_LANES_F64 8
#define XL_LANES_F32 16
#elif defined(__AVX2__)
#define XL_LANES_F64 4
#define XL_LANES_F32 8
#else
#define XL_LANES_F64 2
#define XL_LANES_F32 4
#endif

namespace math {
#include "math/dialect_gnu.inc"
// A dialect comes first.
#include "math/all.inc"
}  // namespace math

template <bc::Op>
struct OwnMaths;
#define XLAZY_CALL_1(id)                                                            \
    template <>                                                                     \
    struct OwnMaths<bc::Op::id> {                                                   \
        static math::xl_f64 call(math::xl_f64 a) { return math::xl_##id##_f64(a); } \
        static math::xl_f32 call(math::xl_f32 a) { return math::xl_##id##_f32(a); } \
    };
#define XLAZY_CALL_2(id)                                                                               \
    template <>                                                                                        \
    struct OwnMaths<bc::Op::id> {                                                                      \
        static math::xl_f64 call(math::xl_f64 a, math::xl_f64 b) { return math::xl_##id##_f64(a, b); } \
        static math::xl_f32 call(math::xl_f32 a, math::xl_f32 b) { return math::xl_##id##_f32(a, b); } \
    };
#define XLAZY_MATHS(id, arity, file) XLAZY_CALL_##arity(id)
#include "math/functions.def"
#undef XLAZY_CALL_1
#undef XLAZY_CALL_2

template <class T>
using MathsVector = std::conditional_t<sizeof(T) == 8, math::xl_f64, math::xl_f32>;

/// `count` elements; the lanes after them are 1.
template <class T>
MathsVector<T> load_lanes(const T* from, std::int64_t count) {
    MathsVector<T> v = math::xl_all(T(1));
    std::memcpy(&v, from, static_cast<std::size_t>(count) * sizeof(T));
    return v;
}

template <bc::Op Op, class T, Form F>
void maths_loop(const void* pa, const void* pb, const void*, void* pout, std::int64_t n) {
    constexpr std::int64_t lanes = sizeof(MathsVector<T>) / sizeof(T);
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(pout);
    const MathsVector<T> all_a = math::xl_all(*a), all_b = math::xl_all(*b);
    const auto values = [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
        const MathsVector<T> x = F == Form::sv ? all_a : load_lanes(a + i, count);
        MathsVector<T> value;
        if constexpr (bc::info(Op).arity == 1)
            value = OwnMaths<Op>::call(x);
        else
            value = OwnMaths<Op>::call(x, F == Form::vs ? all_b : load_lanes(b + i, count));
        std::memcpy(out + i, &value, static_cast<std::size_t>(count) * sizeof(T));
    };
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) values(i, lanes);
    if (i < n) values(i, n - i);
}

#define XLAZY_LOOPS_1(id, T) \
    template void maths_loop<bc::Op::id, T, Form::vv>(const void*, const void*, const void*, void*, std::int64_t);
#define XLAZY_LOOPS_2(id, T)                                                                                       \
    XLAZY_LOOPS_1(id, T)                                                                                           \
    template void maths_loop<bc::Op::id, T, Form::vs>(const void*, const void*, const void*, void*, std::int64_t); \
    template void maths_loop<bc::Op::id, T, Form::sv>(const void*, const void*, const void*, void*, std::int64_t);

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
