// SPDX-License-Identifier: BSD-3-Clause
// Every function of the maths library in a kernel.
#include "dialect_cuda.inc"
// The dialect comes first.
#include "all.inc"

#define XLAZY_CALL_1(id, type) xl_##id##_##type(a[i])
#define XLAZY_CALL_2(id, type) xl_##id##_##type(a[i], b[i])
#define XLAZY_MATHS(id, arity, file)                                                            \
    extern "C" __global__ void id##_of_doubles(const double* a, const double* b, double* out) { \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                    \
        out[i] = XLAZY_CALL_##arity(id, f64);                                                   \
    }                                                                                           \
    extern "C" __global__ void id##_of_floats(const float* a, const float* b, float* out) {     \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                    \
        out[i] = XLAZY_CALL_##arity(id, f32);                                                   \
    }
#define XLAZY_PART_complex(number, part) number
#define XLAZY_PART_real(number, part) part
#define XLAZY_COMPLEX_MATHS(id, arity, result)                                            \
    extern "C" __global__ void id##_of_c128(const xl_c128* a, const xl_c128* b,           \
                                            XLAZY_PART_##result(xl_c128, double) * out) { \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                              \
        out[i] = XLAZY_CALL_##arity(id, c128);                                            \
    }                                                                                     \
    extern "C" __global__ void id##_of_c64(const xl_c64* a, const xl_c64* b,              \
                                           XLAZY_PART_##result(xl_c64, float) * out) {    \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                              \
        out[i] = XLAZY_CALL_##arity(id, c64);                                             \
    }
#include "functions.def"
