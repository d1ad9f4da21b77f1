// SPDX-License-Identifier: BSD-3-Clause
// Pointers that go from null (or a placeholder) to their value once, possibly by another thread, while the program
// reads elements in a loop. An atomic load would be done anew for every element, and no loop could be vectorised. So
// they are loaded as ordinary variables: whoever sees the old value takes a slow path that synchronises, whoever sees
// the new one reaches complete data, since the address itself is what he depends on. That a value goes away again under
// a reader is a race of the program's own. The thread sanitizer, which cannot know this, gets atomic loads.
#pragma once

#include <atomic>

#if defined(__SANITIZE_THREAD__)
#define XLAZY_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define XLAZY_THREAD_SANITIZER 1
#endif
#endif

// A function that only waits for data: the compiler may keep what it has loaded across the call. Clang takes the
// attribute to mean that nothing is thrown either.
#if defined(__GNUC__) && !defined(__clang__)
#define XLAZY_WAITS [[gnu::pure, gnu::cold, gnu::noinline]]
#else
#define XLAZY_WAITS [[gnu::cold, gnu::noinline]]
#endif

namespace xlazy::rt {

template <class T>
T* published(T* const& pointer) noexcept {
#ifdef XLAZY_THREAD_SANITIZER
    return __atomic_load_n(&pointer, __ATOMIC_ACQUIRE);
#else
    return pointer;
#endif
}

template <class T>
T* published(const std::atomic<T*>& pointer) noexcept {
#ifdef XLAZY_THREAD_SANITIZER
    return pointer.load(std::memory_order_acquire);
#else
    static_assert(sizeof(std::atomic<T*>) == sizeof(T*) && std::atomic<T*>::is_always_lock_free);
    return reinterpret_cast<T* const&>(pointer);
#endif
}

/// Marks a value as used, so that the call that waited for it is made even if the program ignores the value.
template <class T>
T* waited_for(T* pointer) noexcept {
    asm volatile("" : "+r"(pointer));
    return pointer;
}

}  // namespace xlazy::rt
