// SPDX-License-Identifier: BSD-3-Clause
// Runs a program with a time limit, and folders for its files. Never a shell.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace xlazy::be::jit {

struct Command {
    std::vector<std::string> arguments;  ///< the first is the program's path
    std::string directory;               ///< where it runs, and its TMPDIR
    std::chrono::milliseconds limit{0};
    std::stop_token stop{};
    int input = -1;  ///< a descriptor; -1: nothing to read
};

struct CommandResult {
    enum class End : unsigned char {
        exited,
        unknown,  ///< the program ended, somebody else took its status
        signalled,
        timed_out,
        stopped,
        not_started
    };
    End end = End::not_started;
    int code = 0;        ///< exit status, signal, or errno
    std::string output;  ///< the beginning of what it wrote to standard output and error
};
/// Runs it in its own process group, without our file descriptors; the whole group is killed when
/// the limit is over.
CommandResult run_command(const Command& command);

/// A new private directory, removed with the object.
class TemporaryDirectory {
public:
    /// @param parent empty: TMPDIR, else /tmp
    explicit TemporaryDirectory(const std::string& parent);
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    /// Empty where it could not be made; see `why`.
    const std::string& path() const noexcept { return path_; }
    const std::string& why() const noexcept { return why_; }

private:
    std::string path_, why_;
    int lock_ = -1;  // tells others that the owner lives
};

/// Removes the directories of processes that were killed.
void remove_left_behind(const std::string& parent);

}  // namespace xlazy::be::jit
