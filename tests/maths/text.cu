// SPDX-License-Identifier: BSD-3-Clause
// Every function of the maths library in a kernel.
#include "dialect_cuda.inc"
// The dialect comes first.
#include "all.inc"

#define XLAZY_CALL_1(id, type) xl_##id##_##type(a[i])
#define XLAZY_CALL_2(id, type) xl_##id##_##type(a[i], b[i])
#define XLAZY_MATHS(id, arity, file)                                                                   \
    extern "C" __global__ void id##_of_doubles(const double* a, const double* b, double* out) {        \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
        out[i] = XLAZY_CALL_##arity(id, f64);                                                          \
    }                                                                                                  \
    extern "C" __global__ void id##_of_floats(const float* a, const float* b, float* out) {            \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
        out[i] = XLAZY_CALL_##arity(id, f32);                                                          \
    }
#include "functions.def"
