// SPDX-License-Identifier: BSD-3-Clause
// Loops over the maths library's functions, at the full width of the instruction set being compiled. The last elements
// go through the same function in a padded vector.
#pragma once

#include "complex.hpp"
#include "isa/kernel_table.hpp"
#include "maths/maths_functions.hpp"

#include <cstring>
#include <utility>

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

template <bc::Op>
struct OwnComplexMaths;
#define XLAZY_CALL_1(id)                                                      \
    template <>                                                               \
    struct OwnComplexMaths<bc::Op::id> {                                      \
        static auto call(math::xl_c128 a) { return math::xl_##id##_c128(a); } \
        static auto call(math::xl_c64 a) { return math::xl_##id##_c64(a); }   \
    };
#define XLAZY_CALL_2(id)                                                                          \
    template <>                                                                                   \
    struct OwnComplexMaths<bc::Op::id> {                                                          \
        static auto call(math::xl_c128 a, math::xl_c128 b) { return math::xl_##id##_c128(a, b); } \
        static auto call(math::xl_c64 a, math::xl_c64 b) { return math::xl_##id##_c64(a, b); }    \
    };
#define XLAZY_COMPLEX_MATHS(id, arity, result) XLAZY_CALL_##arity(id)
#include "math/functions.def"
#undef XLAZY_CALL_1
#undef XLAZY_CALL_2

template <class T>
struct MathsType {
    using Vector = std::conditional_t<sizeof(T) == 8, math::xl_f64, math::xl_f32>;
    static constexpr std::int64_t lanes = sizeof(Vector) / sizeof(T);
};
template <class P>
struct MathsType<Complex<P>> {
    using Vector = std::conditional_t<sizeof(P) == 8, math::xl_c128, math::xl_c64>;
    static constexpr std::int64_t lanes = MathsType<P>::lanes;
};
template <class T>
using MathsVector = typename MathsType<T>::Vector;

/// The even and the odd elements of two vectors, and two vectors' elements in turn.
template <class V, int... I>
V even_of(V a, V b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (2 * I)...);
}
template <class V, int... I>
V odd_of(V a, V b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (2 * I + 1)...);
}
template <int First, class V, int... I>
V in_turn(V a, V b, std::integer_sequence<int, I...>) {
    constexpr int lanes = sizeof...(I);
    return __builtin_shufflevector(a, b, (First + I / 2 + (I % 2) * lanes)...);
}

/// `count` elements; the lanes after them are 1.
template <class T>
MathsVector<T> load_lanes(const T* from, std::int64_t count) {
    if constexpr (is_complex<T>) {
        constexpr std::int64_t lanes = MathsType<T>::lanes;
        T part[lanes];
        if (count < lanes) {
            for (T& number : part) number = {1, 0};
            std::memcpy(part, from, static_cast<std::size_t>(count) * sizeof(T));
            from = part;
        }
        decltype(MathsVector<T>::re) low, high;
        std::memcpy(&low, from, sizeof low);
        std::memcpy(&high, from + lanes / 2, sizeof high);
        const std::make_integer_sequence<int, lanes> places;
        return {even_of(low, high, places), odd_of(low, high, places)};
    } else {
        MathsVector<T> v = math::xl_all(T(1));
        std::memcpy(&v, from, static_cast<std::size_t>(count) * sizeof(T));
        return v;
    }
}
template <class R>
void store_lanes(R* to, MathsVector<R> v, std::int64_t count) {
    if constexpr (is_complex<R>) {
        constexpr int lanes = MathsType<R>::lanes;
        const std::make_integer_sequence<int, lanes> places;
        const decltype(v.re) all[2] = {in_turn<0>(v.re, v.im, places), in_turn<lanes / 2>(v.re, v.im, places)};
        std::memcpy(to, all, static_cast<std::size_t>(count) * sizeof(R));
    } else {
        std::memcpy(to, &v, static_cast<std::size_t>(count) * sizeof(R));
    }
}
template <class T>
MathsVector<T> one_value(T a) {
    if constexpr (is_complex<T>)
        return {math::xl_all(a.re), math::xl_all(a.im)};
    else
        return math::xl_all(a);
}

template <bc::Op Op, class T, Form F>
void maths_loop(const void* pa, const void* pb, const void*, void* pout, std::int64_t n) {
    constexpr std::int64_t lanes = MathsType<T>::lanes;
    using Own = std::conditional_t<is_complex<T>, OwnComplexMaths<Op>, OwnMaths<Op>>;
    using R = KernelType<bc::CType<bc::result_of(Op, kDType<T>)>>;
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    R* out = static_cast<R*>(pout);
    const MathsVector<T> all_a = one_value(*a), all_b = one_value(*b);
    const auto values = [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
        const MathsVector<T> x = F == Form::sv ? all_a : load_lanes(a + i, count);
        if constexpr (bc::info(Op).arity == 1)
            store_lanes(out + i, Own::call(x), count);
        else
            store_lanes(out + i, Own::call(x, F == Form::vs ? all_b : load_lanes(b + i, count)), count);
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
