// SPDX-License-Identifier: BSD-3-Clause
// A bar for the terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace xlazy_bench {

/// "[######------] 12/40 b01: round 2 of 3, about 35 s left", at most `width` columns.
/// @param elapsed seconds for the `done` parts
std::string progress_line(std::size_t done, std::size_t all, double elapsed, const std::string& what,
                          std::size_t width);

/// One line of standard error that is rewritten; nothing where that is no terminal.
class Progress {
public:
    explicit Progress(std::size_t all);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void say(const std::string& what) const;
    /// A part is done.
    void step() { ++done_; }
    /// The line is free for something else.
    void clear() const;

private:
    std::size_t done_ = 0, all_;
    bool terminal_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace xlazy_bench
