// SPDX-License-Identifier: BSD-3-Clause
#include "driver/files.hpp"

#include "driver/report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace xlazy_bench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const char* option, const std::string& what) {
    throw std::invalid_argument(std::string(option) + ": " + what);
}

std::string content(const char* option, const std::string& file) {
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) refuse(option, "cannot read " + file + ": it is a folder");
    errno = 0;
    if (!std::ifstream(file)) refuse(option, "cannot read " + file + ": " + std::strerror(errno));
    return read_file(file);
}

/// @param check throws std::runtime_error with the reason
std::string checked(const char* option, const std::string& file, void (*check)(const std::string&), const char* maker) {
    if (file.empty()) return {};
    std::string text = content(option, file);
    try {
        check(text);
    } catch (const std::runtime_error& e) {
        refuse(option, file + " is not a result of " + maker + " --json: " + e.what());
    }
    return text;
}

void require_writable(const char* option, const std::string& file) {
    if (file.empty()) return;
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) refuse(option, "cannot write " + file + ": it is a folder");
    const fs::path parent = fs::path(file).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    const bool there = fs::exists(file, ignored);
    if (!there && fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
        refuse(option, "cannot write " + file + ": " + folder + " is not a folder");
    if (access(there ? file.c_str() : folder.c_str(), there ? W_OK : W_OK | X_OK) != 0)
        refuse(option, "cannot write " + file + ": " + std::strerror(errno));
}

}  // namespace

Files look_at_files(const Options& options) {
    require_writable("--json", options.json);
    require_writable("--report", options.report);
    return {checked("--from", options.from, check_results, "xlazy-bench"),
            checked("--others", options.others, check_others, "bench/others.py"),
            checked("--baseline", options.baseline, check_results, "xlazy-bench")};
}

}  // namespace xlazy_bench
