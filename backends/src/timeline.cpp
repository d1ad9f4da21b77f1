// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/backends/timeline.hpp"

#include <utility>

namespace xlazy::be {
namespace {

constinit thread_local std::string_view work_name;

}  // namespace

namespace detail {
constinit std::atomic<TimelineSink> timeline_sink{nullptr};
}

void set_timeline(TimelineSink sink) noexcept { detail::timeline_sink.store(sink, std::memory_order_relaxed); }

WorkName::WorkName(std::string_view name) noexcept : outer_(std::exchange(work_name, name)) {}
WorkName::~WorkName() { work_name = outer_; }

void SharedWork::take_name() noexcept { name_ = work_name.empty() ? "kernel" : work_name; }

}  // namespace xlazy::be
