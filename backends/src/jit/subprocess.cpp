// SPDX-License-Identifier: BSD-3-Clause
#include "jit/subprocess.hpp"

#include "xlazy/jit-cache/directory.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

namespace xlazy::be::jit {

namespace {

using Clock = std::chrono::steady_clock;
using Descriptor = jc::Descriptor;

constexpr std::size_t kKeptOutput = std::size_t{16} << 10;
constexpr std::chrono::milliseconds kLook{10};
constexpr std::chrono::seconds kAfterKill{5};

// Variables that change what compilers do, or put our own libraries' guests into them.
constexpr std::array<std::string_view, 7> kDropped{"TMPDIR=",
                                                   "LC_ALL=",
                                                   "LANGUAGE=",
                                                   "LD_PRELOAD=",
                                                   "CCC_OVERRIDE_OPTIONS=",
                                                   "DEPENDENCIES_OUTPUT=",
                                                   "SUNPRO_DEPENDENCIES="};

std::vector<std::string> environment_for(const std::string& directory) {
    std::vector<std::string> result{"TMPDIR=" + directory, "LC_ALL=C", "CCACHE_DISABLE=1"};
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        bool dropped = false;
        for (const std::string_view name : kDropped) dropped = dropped || text.starts_with(name);
        if (!dropped) result.emplace_back(text);
    }
    return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

struct Pipe {
    Descriptor read, write;
};

// Neither end is one of the three standard descriptors, which the program may have closed.
int open_pipe(Pipe& result) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    const Descriptor first(ends[0]), second(ends[1]);
    result.read = Descriptor(fcntl(first.number(), F_DUPFD_CLOEXEC, 3));
    if (!result.read) return errno;
    result.write = Descriptor(fcntl(second.number(), F_DUPFD_CLOEXEC, 3));
    return result.write ? 0 : errno;
}

struct SpawnSettings {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    SpawnSettings() {
        posix_spawn_file_actions_init(&files);
        posix_spawnattr_init(&attributes);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
};

int start(const Command& command, const Descriptor& output, pid_t& child) {
    SpawnSettings settings;
    if (command.input < 0) {
        posix_spawn_file_actions_addopen(&settings.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    } else {
        posix_spawn_file_actions_adddup2(&settings.files, command.input, STDIN_FILENO);
    }
    posix_spawn_file_actions_adddup2(&settings.files, output.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&settings.files, output.number(), STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&settings.files, STDERR_FILENO + 1);
    posix_spawn_file_actions_addchdir_np(&settings.files, command.directory.c_str());
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGCHLD, SIGPIPE, SIGXFSZ}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigmask(&settings.attributes, &none);
    posix_spawnattr_setsigdefault(&settings.attributes, &defaults);
    posix_spawnattr_setpgroup(&settings.attributes, 0);
    posix_spawnattr_setflags(&settings.attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<std::string> arguments = command.arguments, environment = environment_for(command.directory);
    return posix_spawn(&child, command.arguments.front().c_str(), &settings.files, &settings.attributes,
                       pointers_to(arguments).data(), pointers_to(environment).data());
}

// Takes what is in the pipe, keeping its beginning. @return false at its end
bool drain(const Descriptor& pipe, std::string& output) {
    std::array<char, 4096> buffer;
    while (true) {
        const ssize_t got = ::read(pipe.number(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN;
        if (got == 0) return false;
        const std::size_t room = kKeptOutput - std::min(kKeptOutput, output.size());
        output.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    }
}

// @return whether the child has ended
bool reap(pid_t child, CommandResult& result) {
    int status = 0;
    pid_t got;
    while ((got = waitpid(child, &status, WNOHANG)) < 0 && errno == EINTR) {
    }
    if (got == 0) return false;
    if (got < 0) {
        result.end = CommandResult::End::unknown;  // SIGCHLD is ignored, or the program waits for all its children
    } else if (WIFEXITED(status)) {
        result.end = CommandResult::End::exited;
        result.code = WEXITSTATUS(status);
    } else {
        result.end = CommandResult::End::signalled;
        result.code = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    return true;
}

void kill_group(pid_t child) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    CommandResult ignored;
    const Clock::time_point end = Clock::now() + kAfterKill;
    while (!reap(child, ignored) && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

constexpr std::string_view kPrefix = "xlazy-jit-";

std::string place_for_temporaries(const std::string& chosen) {
    const char* const variable = std::getenv("TMPDIR");
    const std::string place = !chosen.empty() ? chosen : variable != nullptr && *variable != '\0' ? variable : "/tmp";
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(place, error);
    return error ? place : absolute.string();
}

}  // namespace

CommandResult run_command(const Command& command) {
    CommandResult result;
    Pipe pipe;
    if ((result.code = open_pipe(pipe)) != 0) return result;
    fcntl(pipe.read.number(), F_SETFL, O_NONBLOCK);
    pid_t child = 0;
    if ((result.code = start(command, pipe.write, child)) != 0) return result;
    pipe.write.close();
    const Clock::time_point end = Clock::now() + command.limit;
    bool open = true;
    // The output may stay open when the program has ended, in the hands of a server that it started.
    while (!reap(child, result)) {
        if (command.stop.stop_requested() || Clock::now() >= end) {
            kill_group(child);
            result.end = command.stop.stop_requested() ? CommandResult::End::stopped : CommandResult::End::timed_out;
            return result;
        }
        if (!open) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        pollfd waiting{pipe.read.number(), POLLIN, 0};
        poll(&waiting, 1, static_cast<int>(kLook.count()));
        open = drain(pipe.read, result.output);
    }
    if (open) drain(pipe.read, result.output);
    return result;
}

TemporaryDirectory::TemporaryDirectory(const std::string& parent) {
    const std::string place = place_for_temporaries(parent);
    std::string path = fmt::format("{}/{}XXXXXX", place, kPrefix);
    if (mkdtemp(path.data()) == nullptr) {
        why_ = fmt::format("no temporary directory in {}: {}", place, std::generic_category().message(errno));
        return;
    }
    path_ = path;
    lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
    if (lock_ >= 0) close(lock_);
}

void remove_left_behind(const std::string& parent) {
    constexpr std::time_t kYoung = 60;  // owners of younger ones may not have locked them yet
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(place_for_temporaries(parent), error)) {
        const std::string path = entry.path().string();
        if (!entry.path().filename().string().starts_with(kPrefix)) continue;
        const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
        struct stat status;
        if (!folder || fstat(folder.number(), &status) != 0 || status.st_uid != geteuid() ||
            std::time(nullptr) - status.st_mtim.tv_sec < kYoung || flock(folder.number(), LOCK_EX | LOCK_NB) != 0) {
            continue;
        }
        std::filesystem::remove_all(path, error);
    }
}

}  // namespace xlazy::be::jit
