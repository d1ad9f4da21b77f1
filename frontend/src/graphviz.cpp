// SPDX-License-Identifier: BSD-3-Clause
#include "graphviz.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

extern char** environ;

namespace xlazy::rt {
namespace {

/// @return the program's exit status; -1 if there is none, or it could not be run
int run_dot(const std::string& from, const std::string& to) {
    std::string words[] = {"dot", "-Tsvg", "-o", to, from};
    char* arguments[std::size(words) + 1] = {};
    for (std::size_t i = 0; i < std::size(words); ++i) arguments[i] = words[i].data();
    pid_t child = 0;
    if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments, environ) != 0) return -1;
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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
    return status == -1 || status == 127
               ? fmt::format("Graphviz's program dot is not there; the picture's text is in {}", graph)
               : fmt::format("Graphviz's program dot failed (exit status {}); the picture's text is in {}", status,
                             graph);
}

}  // namespace xlazy::rt
