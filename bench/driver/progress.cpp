// SPDX-License-Identifier: BSD-3-Clause
#include "driver/progress.hpp"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace xlazy_bench {
namespace {

constexpr std::size_t kBar = 24;

std::size_t columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string left_text(double seconds) {
    return seconds < 90 ? fmt::format("about {:.0f} s left", seconds)
                        : fmt::format("about {:.0f} min left", seconds / 60);
}

}  // namespace

std::string progress_line(std::size_t done, std::size_t all, double elapsed, const std::string& what,
                          std::size_t width) {
    const std::size_t filled = all == 0 ? kBar : std::min(kBar, kBar * done / all);
    std::string line =
        '[' + std::string(filled, '#') + std::string(kBar - filled, '-') + fmt::format("] {}/{} {}", done, all, what);
    if (done > 0 && done < all)
        line += ", " + left_text(elapsed / static_cast<double>(done) * static_cast<double>(all - done));
    if (line.size() > width) line.resize(width);
    return line;
}

Progress::Progress(std::size_t all) : all_(all), terminal_(isatty(STDERR_FILENO) == 1) {}
Progress::~Progress() { clear(); }

void Progress::say(const std::string& what) const {
    if (!terminal_) return;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    std::fprintf(stderr, "\r\033[K%s", progress_line(done_, all_, elapsed.count(), what, columns() - 1).c_str());
    std::fflush(stderr);
}

void Progress::clear() const {
    if (!terminal_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
}

}  // namespace xlazy_bench
