// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace xlazy::jc {

/// One line on a terminal that tells how far long work is, and goes when it is done.
class Progress {
public:
    Progress(std::string_view what, std::size_t total) : what_(what), total_(total) {}
    ~Progress() {
        if (shown_) fmt::print(stderr, "\r\033[K");
    }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void step() {
        ++done_;
        const Clock::time_point now = Clock::now();
        if (!terminal_ || now - last_ < kBetween) return;
        last_ = now;
        shown_ = true;
        if (total_ != 0) {
            fmt::print(stderr, "\r\033[K{} {} of {} ({} %)", what_, done_, total_, 100 * done_ / total_);
        } else {
            fmt::print(stderr, "\r\033[K{} {}", what_, done_);
        }
        std::fflush(stderr);
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kBetween{200};
    std::string_view what_;
    std::size_t total_, done_ = 0;
    Clock::time_point last_ = Clock::now();
    bool terminal_ = isatty(STDERR_FILENO) == 1, shown_ = false;
};

}  // namespace xlazy::jc
