// SPDX-License-Identifier: BSD-3-Clause
#include "graphviz.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

extern char** environ;

namespace xlazy::rt {
namespace {

using std::chrono::steady_clock;

/// Layout takes more than linear time, and the program waits for it.
constexpr std::chrono::seconds kLongestDrawing{10};
constexpr int kNotRun = -1, kTooLong = -2;

/// @return the program's exit status, kNotRun or kTooLong
int run_dot(const std::string& from, const std::string& to) {
    std::string words[] = {"dot", "-Tsvg", "-o", to, from};
    char* arguments[std::size(words) + 1] = {};
    for (std::size_t i = 0; i < std::size(words); ++i) arguments[i] = words[i].data();
    pid_t child = 0;
    if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments, environ) != 0) return kNotRun;
    const steady_clock::time_point end = steady_clock::now() + kLongestDrawing;
    for (bool killed = false;;) {
        int status = 0;
        const pid_t ended = waitpid(child, &status, killed ? 0 : WNOHANG);
        if (ended == child) return killed ? kTooLong : WIFEXITED(status) ? WEXITSTATUS(status) : kNotRun;
        if (ended < 0 && errno != EINTR) return kNotRun;
        if (!killed && steady_clock::now() > end) {
            ::kill(child, SIGKILL);
            killed = true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

}  // namespace

std::string write_file(const std::string& file, const std::string& text) {
    std::FILE* const out = std::fopen(file.c_str(), "we");
    bool good = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
    if (out != nullptr) good = std::fclose(out) == 0 && good;
    return good ? std::string() : fmt::format("{} cannot be written: {}", file, std::strerror(errno));
}

std::string draw_svg(const std::string& file, const std::string& dot_text) {
    const std::string graph = file + ".dot";
    const std::string problem = write_file(graph, dot_text);
    if (!problem.empty()) return problem;
    const int status = run_dot(graph, file);
    if (status == 0) {
        ::unlink(graph.c_str());
        return {};
    }
    if (status == kTooLong) {
        return fmt::format("the batch is too large to be drawn within {} seconds; the picture's text is in {}",
                           kLongestDrawing.count(), graph);
    }
    return status == kNotRun || status == 127
               ? fmt::format("Graphviz's program dot is not there; the picture's text is in {}", graph)
               : fmt::format("Graphviz's program dot failed (exit status {}); the picture's text is in {}", status,
                             graph);
}

}  // namespace xlazy::rt
