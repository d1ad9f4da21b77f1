// SPDX-License-Identifier: BSD-3-Clause
// The text and loops over its functions; the file that includes it defines XLAZY_LOOPS_NAME.
#include "maths/one_value.hpp"

#include <cstring>

#define __device__

namespace xlazy::test {
namespace {

double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
template <class To, class From>
To same_bits(From a) {
    To to;
    std::memcpy(&to, &a, sizeof to);
    return to;
}
long long __double_as_longlong(double a) { return same_bits<long long>(a); }
double __longlong_as_double(long long a) { return same_bits<double>(a); }
int __float_as_int(float a) { return same_bits<int>(a); }
float __int_as_float(int a) { return same_bits<float>(a); }
int __clzll(long long a) { return __builtin_clzll(static_cast<unsigned long long>(a)); }
unsigned long __umul64hi(unsigned long a, unsigned long b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<unsigned long>((static_cast<Wide>(a) * b) >> 64);
}

#include "math/dialect_cuda.inc"
// The dialect comes first.
#include "math/all.inc"

template <class T, class F>
void loop(const void* pa, const void* pb, void* pout, std::int64_t n, F f) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(pout);
    for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
}

template <class T, class R, class F>
void complex_loop(const void* pa, const void* pb, void* pout, std::int64_t n, F f) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    R* out = static_cast<R*>(pout);
    for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
}

}  // namespace

OneValueFn XLAZY_LOOPS_NAME(bc::Op op, bc::DType type) noexcept {
#define XLAZY_CALL_1(id, type) xl_##id##_##type(a)
#define XLAZY_CALL_2(id, type) xl_##id##_##type(a, b)
#define XLAZY_MATHS(id, arity, file)                                                                                 \
    if (op == bc::Op::id && type == bc::DType::f64)                                                                  \
        return [](const void* pa, const void* pb, void* out, std::int64_t n) {                                       \
            loop<double>(pa, pb, out, n,                                                                             \
                         [](double a, [[maybe_unused]] double b) -> double { return XLAZY_CALL_##arity(id, f64); }); \
        };                                                                                                           \
    if (op == bc::Op::id && type == bc::DType::f32)                                                                  \
        return [](const void* pa, const void* pb, void* out, std::int64_t n) {                                       \
            loop<float>(pa, pb, out, n,                                                                              \
                        [](float a, [[maybe_unused]] float b) -> float { return XLAZY_CALL_##arity(id, f32); });     \
        };
#define XLAZY_COMPLEX_MATHS(id, arity, result)                                                                       \
    if (op == bc::Op::id && type == bc::DType::c128)                                                                 \
        return [](const void* pa, const void* pb, void* out, std::int64_t n) {                                       \
            complex_loop<xl_c128, XLAZY_PART_##result(xl_c128, double)>(                                             \
                pa, pb, out, n, [](xl_c128 a, [[maybe_unused]] xl_c128 b) { return XLAZY_CALL_##arity(id, c128); }); \
        };                                                                                                           \
    if (op == bc::Op::id && type == bc::DType::c64)                                                                  \
        return [](const void* pa, const void* pb, void* out, std::int64_t n) {                                       \
            complex_loop<xl_c64, XLAZY_PART_##result(xl_c64, float)>(                                                \
                pa, pb, out, n, [](xl_c64 a, [[maybe_unused]] xl_c64 b) { return XLAZY_CALL_##arity(id, c64); });    \
        };
#define XLAZY_PART_complex(number, part) number
#define XLAZY_PART_real(number, part) part
#include "math/functions.def"
    return nullptr;
}

}  // namespace xlazy::test
