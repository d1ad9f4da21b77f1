// SPDX-License-Identifier: BSD-3-Clause
// CUDA on the CPU, for generated kernels: their text is compiled as it stands behind this header, inside a namespace.
// A grid is a loop over blocks and threads. Where threads of a warp wait for each other, each is a coroutine, and goes
// on when all that are left have come to the same place.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include <setjmp.h>
#include <ucontext.h>

#define __device__
#define __global__

namespace emulation {

struct Index {
    unsigned x = 0;
};
inline Index block_index, block_size, grid_size, thread_index;

/// A thread of the warp that runs, on a stack of its own. Switching by setjmp costs no system call.
struct Thread {
    jmp_buf place;
    std::vector<char> stack;
    bool done = true;
    unsigned turn = 0;
};
struct Warp {
    jmp_buf scheduler;
    Thread threads[32];
    unsigned values[2][32];
    unsigned current = 0;
    void (*kernel)(const void*) = nullptr;
    const void* words = nullptr;
};
inline Warp warp;

inline void wait() {
    if (_setjmp(warp.threads[warp.current].place) == 0) _longjmp(warp.scheduler, 1);
}

/// Kernel after kernel.
inline void body() {
    for (;;) {
        warp.kernel(warp.words);
        warp.threads[warp.current].done = true;
        wait();
    }
}

inline void go_on(unsigned lane) {
    warp.current = lane;
    if (_setjmp(warp.scheduler) != 0) return;
    Thread& thread = warp.threads[lane];
    if (!thread.stack.empty()) _longjmp(thread.place, 1);
    thread.stack.resize(64 << 10);
    ucontext_t first;
    getcontext(&first);
    first.uc_stack.ss_sp = thread.stack.data();
    first.uc_stack.ss_size = thread.stack.size();
    makecontext(&first, body, 0);
    setcontext(&first);
}

/// The calling thread's value is there for the others when it comes back.
inline unsigned exchange(unsigned value, unsigned from) {
    const unsigned me = warp.current, turn = warp.threads[me].turn++ % 2;
    warp.values[turn][me] = value;
    wait();
    return warp.values[turn][from % 32];
}

inline void run_warp(unsigned first, unsigned count) {
    for (unsigned lane = 0; lane < count; ++lane) {
        warp.threads[lane].done = false;
        warp.threads[lane].turn = 0;
    }
    for (unsigned left = count; left > 0;) {
        for (unsigned lane = 0; lane < count; ++lane) {
            if (warp.threads[lane].done) continue;
            thread_index.x = first + lane;
            go_on(lane);
            if (warp.threads[lane].done) --left;
        }
    }
}

inline double from_bits(long long bits) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline float from_bits(int bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline long long to_bits(double value) {
    long long bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline int to_bits(float value) {
    int bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

}  // namespace emulation

#define blockIdx emulation::block_index
#define blockDim emulation::block_size
#define gridDim emulation::grid_size
#define threadIdx emulation::thread_index

inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
inline long long __double_as_longlong(double a) { return emulation::to_bits(a); }
inline double __longlong_as_double(long long a) { return emulation::from_bits(a); }
inline int __float_as_int(float a) { return emulation::to_bits(a); }
inline float __int_as_float(int a) { return emulation::from_bits(a); }
inline int __clzll(long long a) { return __builtin_clzll(static_cast<unsigned long long>(a)); }
inline unsigned long __umul64hi(unsigned long a, unsigned long b) {
    return static_cast<unsigned long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline unsigned atomicCAS(unsigned* p, unsigned expected, unsigned value) {
    const unsigned old = *p;
    if (old == expected) *p = value;
    return old;
}
inline unsigned atomicExch(unsigned* p, unsigned value) {
    const unsigned old = *p;
    *p = value;
    return old;
}
inline void __threadfence() {}
inline unsigned __shfl_down_sync(unsigned, unsigned value, unsigned distance) {
    const unsigned from = emulation::warp.current + distance;
    return emulation::exchange(value, from < 32 ? from : emulation::warp.current);
}
inline unsigned __shfl_sync(unsigned, unsigned value, unsigned lane) { return emulation::exchange(value, lane); }

#define XL_KERNEL(name, count)                                                               \
    XL_FN void name##_body(const xl_words<count>&);                                          \
    extern "C" void name(const void* words) { name##_body(*(const xl_words<count>*)words); } \
    XL_FN void name##_body(const xl_words<count>& g)
#define XL_KERNEL_BY_POINTER(name, count)                                                                \
    XL_FN void name##_body(const xl_words<count>&);                                                      \
    extern "C" void name(const void* pointer) { name##_body(**(const xl_words<count>* const*)pointer); } \
    XL_FN void name##_body(const xl_words<count>& g)

extern "C" inline __attribute__((used)) void emulation_launch(void (*kernel)(const void*), const void* words,
                                                              unsigned blocks, unsigned threads, bool by_warps) {
    using namespace emulation;
    block_size.x = threads;
    grid_size.x = blocks;
    for (block_index.x = 0; block_index.x < blocks; ++block_index.x) {
        if (!by_warps) {
            for (thread_index.x = 0; thread_index.x < threads; ++thread_index.x) kernel(words);
            continue;
        }
        warp.kernel = kernel;
        warp.words = words;
        for (unsigned first = 0; first < threads; first += 32)
            run_warp(first, threads - first < 32 ? threads - first : 32);
    }
}
