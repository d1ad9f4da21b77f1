// SPDX-License-Identifier: BSD-3-Clause
// XLAZY_TRACE=chrome:FILE: what the library did when, and on which thread, in Chrome's trace event format (an array of
// events; "Trace Event Format", Google, 2016), which Perfetto and chrome://tracing open.
#pragma once

#include "failure.hpp"
#include "xlazy/backends/timeline.hpp"

#include <memory>
#include <string>

namespace xlazy::rt {

/// Most events that a file gets; then a message tells, and the rest is left out.
inline constexpr std::uint64_t kMostEvents = 1'000'000;

/// Spans go to the file from now on. A file that cannot be written gets a warning.
void open_timeline(const std::string& file) noexcept;
/// The file is complete; nothing more is written. At the end of the process.
void close_timeline() noexcept;
/// In a child after fork(): the file is the parent's.
void leave_timeline() noexcept;

/// When the statement that is recorded began.
inline void begin_statement_span(Queue& queue) noexcept {
    if (be::timeline() != nullptr) queue.span_began = be::timeline_now();
}
void write_statement_span(const Queue& queue, bc::OriginId line) noexcept;
inline void end_statement_span(const Queue& queue, bc::OriginId line) noexcept {
    if (be::timeline() != nullptr) write_statement_span(queue, line);
}

/// When a batch was planned and run.
struct BatchTimes {
    std::uint64_t begin, planned, end;
};
/// To be called before the queue is released. @param known the plan is that of an earlier batch
void write_batch_spans(const Queue& queue, const bc::Plan& plan, FlushInfo flush, BatchTimes times, bool known);

/// Kernels of the plan that run, from construction to destruction.
class KernelSpan {
public:
    KernelSpan(const bc::Program& program, const bc::Plan& plan, std::uint32_t first, std::uint32_t end) {
        if (be::timeline() != nullptr) begin(program, plan, first, end);
    }
    ~KernelSpan() {
        if (told_) tell();
    }
    KernelSpan(const KernelSpan&) = delete;
    KernelSpan& operator=(const KernelSpan&) = delete;

private:
    void begin(const bc::Program& program, const bc::Plan& plan, std::uint32_t first, std::uint32_t end) noexcept;
    void tell() noexcept;

    struct Told {
        std::string name;
        std::int64_t kernel, kernels, elements, operations;
        be::WorkName work{name};  ///< of the threads that help
        std::uint64_t began = be::timeline_now();
    };
    std::unique_ptr<Told> told_;
};

}  // namespace xlazy::rt
