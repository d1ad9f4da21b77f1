// SPDX-License-Identifier: BSD-3-Clause
// What happened when, and on which thread, for whoever asks. While nobody does, a place that could tell costs a load
// and a branch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

namespace xlazy::be {

/// A fact about a span.
struct SpanDetail {
    const char* name;
    std::string_view text{};  ///< null: `number` is the value
    std::int64_t number = 0;
};

/// Something that took time on the calling thread.
struct Span {
    const char* category;
    std::string_view name;
    std::uint64_t begin, end;  ///< nanoseconds of std::chrono::steady_clock
    std::span<const SpanDetail> details{};
};

/// Gets spans as they end, on the threads on which they were; does not throw.
using TimelineSink = void (*)(const Span& span) noexcept;

namespace detail {
/// See timeline().
extern std::atomic<TimelineSink> timeline_sink;
}  // namespace detail

/// Null: nobody asks.
inline TimelineSink timeline() noexcept { return detail::timeline_sink.load(std::memory_order_relaxed); }
/// For all threads; null ends it.
void set_timeline(TimelineSink sink) noexcept;

/// The clock of spans.
inline std::uint64_t timeline_now() noexcept {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

/// What the calling thread works at, until the object ends; the text must live as long.
class WorkName {
public:
    /// The outer name comes back when the object ends.
    explicit WorkName(std::string_view name) noexcept;
    ~WorkName();
    WorkName(const WorkName&) = delete;
    WorkName& operator=(const WorkName&) = delete;

private:
    std::string_view outer_;
};

/// Work that several threads are about to share; made by the one that hands it out.
class SharedWork {
public:
    /// Takes the calling thread's WorkName.
    SharedWork() noexcept : sink_(timeline()) {
        if (sink_ != nullptr) take_name();
    }

    /// One thread's part, from construction to destruction: a span of the category "part".
    class Part {
    public:
        /// On the thread that does the part.
        explicit Part(const SharedWork& work) noexcept
            : work_(work), begin_(work.sink_ != nullptr ? timeline_now() : 0) {}
        ~Part() {
            if (work_.sink_ != nullptr) work_.sink_({"part", work_.name_, begin_, timeline_now()});
        }
        Part(const Part&) = delete;
        Part& operator=(const Part&) = delete;

    private:
        const SharedWork& work_;
        std::uint64_t begin_;
    };

private:
    void take_name() noexcept;

    TimelineSink sink_;
    std::string_view name_{};
};

}  // namespace xlazy::be
