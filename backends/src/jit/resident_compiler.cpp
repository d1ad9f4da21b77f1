// SPDX-License-Identifier: BSD-3-Clause
#include "jit/resident_compiler.hpp"

#include "jit/identified_compiler.hpp"
#include "jit/subprocess.hpp"
#include "xlazy/jit-cache/directory.hpp"

#include <dlfcn.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

namespace xlazy::be::jit {

namespace {

using Clock = std::chrono::steady_clock;

// In the tree that this library is in, or the program that holds it. @return empty: not there
std::string find_resident() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&find_resident), &here) == 0 || here.dli_fname == nullptr) return {};
    std::error_code error;
    std::filesystem::path folder = std::filesystem::canonical(here.dli_fname, error).parent_path();
    constexpr int kLevels = 3;  // PREFIX/lib/x86_64-linux-gnu
    for (int level = 0; !error && level < kLevels && folder.has_relative_path(); ++level) {
        folder = folder.parent_path();
        std::string file = (folder / kResidentProgram).string();
        if (access(file.c_str(), X_OK) == 0) return file;
    }
    return {};
}

/// The socket to the process, with a time limit for all that is said over it.
class Conversation {
public:
    enum class End : unsigned char { none, closed, timed_out, stopped };

    Conversation(const jc::Descriptor& socket, std::chrono::milliseconds limit, const std::stop_token& stop)
        : socket_(socket.number()), end_of_time_(Clock::now() + limit), stop_(stop) {}

    End end() const { return end_; }
    bool put(const void* bytes, std::size_t count) {
        const auto* next = static_cast<const char*>(bytes);
        while (count != 0 && wait(POLLOUT)) {
            const ssize_t put = send(socket_, next, count, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (!advance(put)) break;
            if (put > 0) next += put, count -= static_cast<std::size_t>(put);
        }
        return count == 0;
    }
    bool put(std::uint64_t number) { return put(&number, sizeof number); }
    bool put(std::string_view text) { return put(std::uint64_t{text.size()}) && put(text.data(), text.size()); }
    bool get(void* bytes, std::size_t count) {
        auto* next = static_cast<char*>(bytes);
        while (count != 0 && wait(POLLIN)) {
            const ssize_t got = recv(socket_, next, count, MSG_DONTWAIT);
            if (got == 0) end_ = End::closed;
            if (got == 0 || !advance(got)) break;
            if (got > 0) next += got, count -= static_cast<std::size_t>(got);
        }
        return count == 0;
    }
    bool get(std::uint64_t& number) { return get(&number, sizeof number); }

private:
    bool advance(ssize_t count) {
        if (count >= 0 || errno == EINTR || errno == EAGAIN) return true;
        end_ = End::closed;
        return false;
    }
    bool wait(short events) {
        constexpr int kLookMilliseconds = 10;
        while (end_ == End::none) {
            pollfd waiting{socket_, events, 0};
            if (poll(&waiting, 1, kLookMilliseconds) > 0) return true;
            if (stop_.stop_requested()) end_ = End::stopped;
            if (Clock::now() >= end_of_time_) end_ = End::timed_out;
        }
        return false;
    }

    int socket_;
    Clock::time_point end_of_time_;
    const std::stop_token& stop_;
    End end_ = End::none;
};

class ResidentCompiler final : public IdentifiedCompiler {
public:
    ResidentCompiler(std::string path, const CompilerOptions& options)
        : IdentifiedCompiler(options), path_(std::move(path)) {}
    ~ResidentCompiler() override { dismiss(); }

    std::string name() const override { return path_; }
    std::string version(std::stop_token stop) override {
        const CommandResult said = run_command({{path_, "--version"}, "/", options_.limit, stop});
        return said.code == 0 ? said.output.substr(0, said.output.find('\n')) : std::string();
    }
    CompileResult compile(const CompileRequest& request) override;

private:
    std::string stamp() const override { return fmt::format("{} {}", stamp_of(path_), stamp_of(XLAZY_CLANG_LIBRARY)); }
    bool is_wrapper() const override { return false; }
    bool engage(std::string& why);
    void dismiss();
    bool ask(Conversation& conversation, const CompileRequest& request, CompileResult& result);

    const std::string path_;
    std::mutex compiling_;  ///< one at a time
    jc::Descriptor socket_;
    pid_t process_ = 0, owner_ = 0;
};

// Starts it, unless it runs. A child of fork() has one of its own.
bool ResidentCompiler::engage(std::string& why) {
    if (socket_ && owner_ == getpid()) return true;
    socket_.close();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        why = "no socket";
        return false;
    }
    socket_ = jc::Descriptor(ends[0]);
    jc::Descriptor other(ends[1]);
    Command command{{path_, "--serve"}, "/", options_.limit, {}};
    command.input = other.number();
    const CommandResult started = run_command(command);
    other.close();
    std::uint64_t process = 0;
    Conversation hello(socket_, options_.limit, command.stop);
    if (started.code != 0 || !hello.get(process)) {
        socket_.close();
        why = "does not start";
        return false;
    }
    process_ = static_cast<pid_t>(process);
    owner_ = getpid();
    return true;
}

// As long as the other end is open, the number is that process's.
void ResidentCompiler::dismiss() {
    char byte;
    const bool there = socket_ && (recv(socket_.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0 || errno == EAGAIN);
    if (there && owner_ == getpid()) kill(process_, SIGKILL);
    socket_.close();
}

bool ResidentCompiler::ask(Conversation& conversation, const CompileRequest& request, CompileResult& result) {
    bool sent = conversation.put(std::uint64_t{request.flags.size() + 1});
    for (const std::string& flag : request.flags) sent = sent && conversation.put(std::string_view(flag));
    std::uint64_t good = 0, count = 0;
    if (!sent || !conversation.put(request.source) || !conversation.get(good) || !conversation.get(count) ||
        count > jc::kMaxEntryBytes) {
        return false;
    }
    jc::Bytes bytes(count);
    if (!conversation.get(bytes.data(), count)) return false;
    if (good == 1) {
        result.object = std::move(bytes);
    } else {
        constexpr std::size_t kMost = 300;
        const std::string_view said(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        result.error = fmt::format("{}: {}", path_, said.substr(0, std::min(said.find('\n'), kMost)));
    }
    return true;
}

CompileResult ResidentCompiler::compile(const CompileRequest& request) {
    CompileResult result;
    result.compiler = identity(request.stop);
    const std::scoped_lock lock(compiling_);
    std::string why;
    if (!engage(why)) {
        result.error = fmt::format("{}: {}", path_, why);
        return result;
    }
    Conversation conversation(socket_, options_.limit, request.stop);
    if (ask(conversation, request, result)) return result;
    // Whatever it is doing, nobody waits for it; the next kernel starts another one.
    dismiss();
    result.timed_out = conversation.end() == Conversation::End::timed_out;
    result.stopped = conversation.end() == Conversation::End::stopped;
    result.error = fmt::format("{} {}", path_,
                               result.timed_out ? "did not answer in time"
                               : result.stopped ? "was stopped"
                                                : "ended as it compiled");
    return result;
}

}  // namespace

CompilerChoice choose_resident(const CompilerOptions& options) {
    const std::string path = find_resident();
    if (path.empty()) return {nullptr, fmt::format("{} is not there", kResidentProgram)};
    return {std::make_unique<ResidentCompiler>(path, options), fmt::format("{}, which stays", path)};
}

}  // namespace xlazy::be::jit
