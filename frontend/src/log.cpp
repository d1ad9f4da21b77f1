// SPDX-License-Identifier: BSD-3-Clause
#include "log.hpp"

#include "xlazy/deferred_error.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <system_error>

namespace xlazy::rt {
namespace {

struct Log {
    std::mutex mutex;
    int file = STDERR_FILENO;
    std::function<void(std::string_view)> sink;

    static Log& instance() {
        static Log* const log = [] {
            pthread_atfork([] { instance().mutex.lock(); }, [] { instance().mutex.unlock(); },
                           [] { instance().mutex.unlock(); });
            return new Log;
        }();
        return *log;
    }
};

void write_all(int file, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

void log(std::string_view message) noexcept {
    try {
        Log& log = Log::instance();
        const std::lock_guard lock(log.mutex);
        if (log.sink) return log.sink(message);
        std::string text = "xlazy: ";
        text += message;
        text += '\n';
        write_all(log.file, text);
    } catch (...) {
        // Logging is no reason to fail.
    }
}

void log_error(const std::exception& error) noexcept {
    try {
        bool colours = false;
        {
            Log& log = Log::instance();
            const std::lock_guard lock(log.mutex);
            const char* const no = std::getenv("NO_COLOR");  // see no-color.org
            const char* const terminal = std::getenv("TERM");
            colours = !log.sink && (no == nullptr || *no == '\0') && terminal != nullptr &&
                      std::string_view(terminal) != "dumb" && ::isatty(log.file) == 1;
        }
        const auto* const deferred = dynamic_cast<const deferred_error*>(&error);
        log("error: " + (colours && deferred != nullptr ? deferred->coloured() : std::string(error.what())));
    } catch (...) {
        log("error: out of memory for the message of an error");
    }
}

void open_log(const std::string& name) noexcept {
    Log& log_file = Log::instance();
    if (name.empty() || name == "stderr") return;
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        try {
            const std::string reason = std::generic_category().message(errno);
            log("warning: XLAZY_LOG: cannot write to \"" + name + "\": " + reason + "; stderr is used");
        } catch (const std::exception&) {
            log("warning: XLAZY_LOG: cannot write to that file; stderr is used");
        }
        return;
    }
    const std::lock_guard lock(log_file.mutex);
    if (log_file.file != STDERR_FILENO) ::close(log_file.file);
    log_file.file = file;
}

void set_log_sink(std::function<void(std::string_view)> sink) {
    Log& log = Log::instance();
    const std::lock_guard lock(log.mutex);
    log.sink = std::move(sink);
}

}  // namespace xlazy::rt
