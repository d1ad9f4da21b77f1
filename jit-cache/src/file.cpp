// SPDX-License-Identifier: BSD-3-Clause
#include "file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>

namespace xlazy::jc {

namespace {

// A write beyond the process's limit on file sizes raises SIGXFSZ, which ends the process by default. It is sent to
// the writing thread, so it can be held back and taken away here.
class NoFileSizeSignal {
public:
    NoFileSizeSignal() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGXFSZ);
        held_ = pthread_sigmask(SIG_BLOCK, &set_, &before_) == 0 && sigismember(&before_, SIGXFSZ) == 0;
    }
    ~NoFileSizeSignal() {
        if (!held_) return;
        const timespec at_once{};
        while (sigtimedwait(&set_, nullptr, &at_once) < 0 && errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    NoFileSizeSignal(const NoFileSizeSignal&) = delete;
    NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

private:
    sigset_t set_, before_;
    bool held_ = false;
};

}  // namespace

int Descriptor::close() noexcept {
    if (number_ < 0) return 0;
    // After EINTR the descriptor is closed all the same.
    return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

int write_all(int file, std::span<const std::byte> bytes) noexcept {
    const NoFileSizeSignal guard;
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        if (written == 0) return EIO;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return 0;
}

int read_all(int file, std::size_t size, Bytes& bytes) {
    bytes.resize(size);
    std::size_t filled = 0;
    while (filled < size) {
        const ssize_t got = ::read(file, bytes.data() + filled, size - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return 0;
}

int for_each_name(int directory, const char* below, const std::function<void(const char*)>& visit) {
    Descriptor file(openat(directory, below, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) return errno;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(file.number()), closedir);
    if (stream == nullptr) return errno;
    file.release();
    errno = 0;
    while (const dirent* entry = readdir(stream.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") visit(entry->d_name);
        errno = 0;
    }
    return errno;
}

std::string error_text(std::string_view what, int error) {
    return fmt::format("{}: {}", what, std::generic_category().message(error));
}

}  // namespace xlazy::jc
