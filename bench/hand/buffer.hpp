// SPDX-License-Identifier: BSD-3-Clause
// Arrays of the hand-written loops: aligned, on huge pages, each page first touched by the thread that will use it.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace xlazy_bench {

template <class T>
class Buffer {
public:
    explicit Buffer(std::size_t size) : size_(size) {
        constexpr std::size_t kHugePage = std::size_t{2} << 20;
        const std::size_t bytes = (size * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
        void* const memory = std::aligned_alloc(kHugePage, bytes);
        if (memory == nullptr) throw std::bad_alloc();
        madvise(memory, bytes, MADV_HUGEPAGE);
        data_.reset(static_cast<T*>(memory));
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < size; ++i) data_.get()[i] = T(0);
    }
    explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < values.size(); ++i) data_.get()[i] = values[i];
    }
    T* data() const noexcept { return data_.get(); }
    std::size_t size() const noexcept { return size_; }
    T& operator[](std::size_t i) const noexcept { return data_.get()[i]; }

private:
    struct Free {
        void operator()(T* p) const noexcept { std::free(p); }
    };
    std::size_t size_;
    std::unique_ptr<T, Free> data_;
};

/// Copies past the caches where the destination's alignment allows it.
template <class T>
inline void stream(T* to, const T* from, std::size_t count) noexcept {
    std::size_t i = 0;
#if defined(__SSE2__)
#if defined(__AVX512F__)
    using Vector = __m512i;
    const auto store = [](T* p, const T* q) {
        _mm512_stream_si512(reinterpret_cast<Vector*>(p), _mm512_loadu_si512(q));
    };
#elif defined(__AVX__)
    using Vector = __m256i;
    const auto store = [](T* p, const T* q) {
        _mm256_stream_si256(reinterpret_cast<Vector*>(p), _mm256_loadu_si256(reinterpret_cast<const Vector*>(q)));
    };
#else
    using Vector = __m128i;
    const auto store = [](T* p, const T* q) {
        _mm_stream_si128(reinterpret_cast<Vector*>(p), _mm_loadu_si128(reinterpret_cast<const Vector*>(q)));
    };
#endif
    constexpr std::size_t kStep = sizeof(Vector) / sizeof(T);
    for (; i < count && reinterpret_cast<std::size_t>(to + i) % sizeof(Vector) != 0; ++i) to[i] = from[i];
    for (; i + kStep <= count; i += kStep) store(to + i, from + i);
#endif
    for (; i < count; ++i) to[i] = from[i];
}

/// Makes streamed values visible to other threads.
inline void stream_fence() noexcept {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/// out[i] = f(i) on all threads; `kStream`: past the caches, by way of a block in the first-level cache.
template <bool kStream, class T, class F>
inline void for_all(T* __restrict out, std::size_t count, F f) {
    if constexpr (!kStream) {
#pragma omp parallel for simd schedule(static)
        for (std::size_t i = 0; i < count; ++i) out[i] = f(i);
    } else {
        constexpr std::size_t kBlock = 1024;
#pragma omp parallel
        {
            alignas(64) T block[kBlock];
#pragma omp for schedule(static)
            for (std::size_t first = 0; first < count; first += kBlock) {
                const std::size_t n = count - first < kBlock ? count - first : kBlock;
#pragma omp simd
                for (std::size_t i = 0; i < n; ++i) block[i] = f(first + i);
                stream(out + first, block, n);
            }
            stream_fence();
        }
    }
}

}  // namespace xlazy_bench
