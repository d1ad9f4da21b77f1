// SPDX-License-Identifier: BSD-3-Clause
// Runs a program and catches what it says.
#pragma once

#include <cstdio>
#include <string>

namespace test {

struct Result {
    std::string output;
    int status;
};

/// Runs a command with the variables ("A=1 B=2") set; both its outputs are caught.
inline Result run_command(const std::string& program, const std::string& variables) {
    const std::string command = variables + " timeout 120 " + program + " 2>&1";
    std::FILE* const pipe = popen(command.c_str(), "r");
    Result result{"", 0};
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) result.output.append(buffer, count);
    result.status = pclose(pipe);
    return result;
}

inline std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace test
