// SPDX-License-Identifier: BSD-3-Clause
// Counters that threads share. While the process has one thread, as glibc tells (and libstdc++'s shared_ptr makes use
// of), counting needs no locked instruction, of which a statement on small arrays would have a dozen.
#pragma once

#include <atomic>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace xlazy::bc {

/// No other thread can be running. Once false, it may stay so for ever.
inline bool single_threaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

/// Adds. @return the old value
template <class T>
T count_up(std::atomic<T>& counter, T by = 1) noexcept {
    if (!single_threaded()) return counter.fetch_add(by, std::memory_order_relaxed);
    const T old = counter.load(std::memory_order_relaxed);
    counter.store(old + by, std::memory_order_relaxed);
    return old;
}

/// Subtracts; what other threads did before they subtracted is seen by the one that reaches 0. @return the old value
template <class T>
T count_down(std::atomic<T>& counter, T by = 1) noexcept {
    if (!single_threaded()) return counter.fetch_sub(by, std::memory_order_acq_rel);
    const T old = counter.load(std::memory_order_relaxed);
    counter.store(old - by, std::memory_order_relaxed);
    return old;
}

}  // namespace xlazy::bc
