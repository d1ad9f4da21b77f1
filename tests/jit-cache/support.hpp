// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "xlazy/jit-cache/cache.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

namespace xlazy::jc {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A folder of the test, removed with the object.
struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "jit-cache-test-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() {
        std::error_code error;
        fs::remove_all(path, error);
    }
    std::string operator/(std::string_view name) const { return (path / name).string(); }
};

inline Bytes bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

inline Key key_of(std::string_view source, std::string_view isa = "avx2") {
    return {std::string(kKernel), std::string(source), "-O2\n", std::string(isa)};
}

inline Entry entry_of(std::string_view source, std::string_view compiler = "gcc 12", std::size_t bytes = 1000) {
    return {key_of(source), std::string(compiler), 1'700'000'000, Bytes(bytes, std::byte{0x90})};
}

inline std::shared_ptr<Directory> open_new(const std::string& path) {
    Directory::Opened opened = Directory::open(path, true);
    EXPECT_NE(opened.directory, nullptr) << opened.why;
    return opened.directory;
}

/// The file of an entry below a cache's directory.
inline fs::path file_of(const fs::path& cache, const Entry& entry) {
    const std::string name = file_name(entry.key, entry.compiler);
    return cache / name.substr(0, 2) / name;
}

inline std::string contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void overwrite(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text << std::flush;
}

/// Files that are neither entries nor the lock.
inline std::size_t debris(const fs::path& cache) {
    std::size_t count = 0;
    for (const auto& item : fs::recursive_directory_iterator(cache)) {
        const std::string name = item.path().filename().string();
        count += item.is_regular_file() && !is_file_name(name) && name != "xlazy-lock" ? 1 : 0;
    }
    return count;
}

/// Starts a process that ends with what `body` returns; nothing of the test framework runs in it.
inline pid_t start_process(const std::function<int()>& body) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) _exit(body());
    return child;
}

/// @return exit status, or minus the signal
inline int wait_for(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// What a body returns that could not do what it was to do here.
inline constexpr int kNotPossible = 77;

/// A mount table of our own: for a child process. @return false: the system does not let us
inline bool own_mounts() {
    const uid_t user = getuid();
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        overwrite("/proc/self/setgroups", "deny");
        overwrite("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
    }
    return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

/// A small file system at `path`, for a child process after own_mounts().
inline bool mount_small(const std::string& path, const char* options, unsigned long flags = 0) {
    fs::create_directories(path);
    return mount("tmpfs", path.c_str(), "tmpfs", flags, options) == 0;
}

#define XLAZY_EXPECT_CHILD(...)                                                                             \
    do {                                                                                                    \
        const int status_of_child = ::xlazy::jc::wait_for(::xlazy::jc::start_process(__VA_ARGS__));         \
        if (status_of_child == ::xlazy::jc::kNotPossible) GTEST_SKIP() << "the system does not allow this"; \
        EXPECT_EQ(status_of_child, 0) << "number of the expectation that failed";                           \
    } while (false)

}  // namespace xlazy::jc
