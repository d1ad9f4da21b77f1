// SPDX-License-Identifier: BSD-3-Clause
// The process's counters.
#pragma once

#include "queue.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace xlazy::rt {

struct Counters {
    std::atomic<std::uint64_t> flushes[static_cast<std::size_t>(Reason::count_)] = {};
    std::atomic<std::uint64_t> plans_hit{0};
    std::atomic<std::uint64_t> plans_missed{0};
    std::atomic<std::uint64_t> kernels_run{0};
    std::atomic<std::uint64_t> plan_nanoseconds{0};
    std::atomic<std::uint64_t> run_nanoseconds{0};
    std::atomic<std::uint64_t> bytes_contracted{0};
    std::atomic<std::uint64_t> deferred_errors{0};
    std::mutex fallback_mutex;
    std::map<std::string, std::uint64_t> fallbacks;
};
Counters& counters() noexcept;

inline void count(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) noexcept {
    counter.fetch_add(by, std::memory_order_relaxed);
}

inline std::uint64_t nanoseconds_now() noexcept {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

// Reading the clock costs as much as recording an operation, so one statement in kRecordSample is timed for all. A
// prime: loops of the user's and the queue's limit have other periods.
inline constexpr std::uint64_t kRecordSample = 61;
inline std::uint64_t record_clock(const Queue& queue) noexcept {
    return queue.statements_recorded % kRecordSample == 0 ? nanoseconds_now() : 0;
}
inline void finish_record_clock(Queue& queue) noexcept {
    if (queue.record_started == 0) return;
    queue.record_nanoseconds += kRecordSample * (nanoseconds_now() - queue.record_started);
}

/// Key of a reason in the statistics and traces, what it says in messages, and what to do about it (may be empty).
std::string_view key_of(Reason reason) noexcept;
std::string_view doing(Reason reason) noexcept;
std::string_view advice(Reason reason) noexcept;

}  // namespace xlazy::rt
