// SPDX-License-Identifier: BSD-3-Clause
#include "jit/compiler.hpp"

#include "jit/identified_compiler.hpp"
#include "jit/subprocess.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <system_error>
#include <utility>

namespace xlazy::be::jit {

namespace {

using End = CommandResult::End;

constexpr std::chrono::milliseconds kVersionLimit{5'000};
// Those of C++ first: they compile C as well, but not the other way round everywhere.
constexpr std::array<const char*, 6> kUsual{"c++", "g++", "clang++", "cc", "gcc", "clang"};

bool is_program(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

// @return empty: not found
std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        std::error_code error;
        return is_program(name) ? std::filesystem::absolute(name, error).string() : std::string();
    }
    const char* const variable = std::getenv("PATH");
    std::string_view folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    while (!folders.empty()) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
        // What lies in the present directory is not to be run by its name.
        std::string path = fmt::format("{}/{}", folder, name);
        if (folder.starts_with('/') && is_program(path)) return path;
    }
    return {};
}

// Something that starts a compiler stays as it is when the compiler changes.
bool starts_another(const std::string& path) {
    std::array<char, 2> start{};
    std::ifstream(path, std::ios::binary).read(start.data(), start.size());
    std::error_code error;
    const std::string name = std::filesystem::canonical(path, error).filename().string();
    return (start[0] == '#' && start[1] == '!') || name == "ccache" || name == "sccache" || name == "distcc" ||
           name == "icecc";
}

std::string first_line(const std::string& text) {
    constexpr std::size_t kMost = 300;
    return text.substr(0, std::min(text.find('\n'), kMost));
}

std::string describe(const CommandResult& result, std::chrono::milliseconds limit) {
    switch (result.end) {
        case End::exited: return fmt::format("ended with status {}", result.code);
        case End::unknown: return "ended without a status and without an object file";
        case End::signalled: return fmt::format("was killed by signal {} ({})", result.code, strsignal(result.code));
        case End::timed_out: return fmt::format("did not end within {} ms", limit.count());
        case End::stopped: return "was stopped";
        case End::not_started: break;
    }
    return fmt::format("could not be started: {}", std::generic_category().message(result.code));
}

jc::Bytes read_file(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    if (static_cast<std::uint64_t>(status.st_size) > jc::kMaxEntryBytes) return {};
    jc::Bytes bytes(static_cast<std::size_t>(status.st_size));
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file ? bytes : jc::Bytes();
}

class SubprocessCompiler final : public IdentifiedCompiler {
public:
    SubprocessCompiler(std::string path, const CompilerOptions& options)
        : IdentifiedCompiler(options), path_(std::move(path)) {}

    std::string name() const override { return path_; }
    std::string version(std::stop_token stop) override;
    CompileResult compile(const CompileRequest& request) override;

private:
    std::string stamp() const override { return stamp_of(path_); }
    bool is_wrapper() const override { return starts_another(path_); }

    const std::string path_;
    std::once_flag swept_;
};

std::string SubprocessCompiler::version(std::stop_token stop) {
    const TemporaryDirectory folder(options_.temporary_directory);
    if (folder.path().empty()) return {};
    const CommandResult result =
        run_command({{path_, "--version"}, folder.path(), std::min(kVersionLimit, options_.limit), stop});
    const bool good = (result.end == End::exited && result.code == 0) || result.end == End::unknown;
    return good ? first_line(result.output) : std::string();
}

CompileResult SubprocessCompiler::compile(const CompileRequest& request) {
    CompileResult result;
    result.compiler = identity(request.stop);
    std::call_once(swept_, [&] { remove_left_behind(options_.temporary_directory); });
    const TemporaryDirectory folder(options_.temporary_directory);
    if (folder.path().empty()) {
        result.error = folder.why();
        return result;
    }
    // Names without a directory: whatever characters its path has, no compiler sees them.
    const std::string source = "kernel.c", object = "kernel.o";
    {
        std::ofstream file(folder.path() + "/" + source, std::ios::binary);
        file << request.source << std::flush;
        if (!file) {
            result.error = fmt::format("cannot write to {}", folder.path());
            return result;
        }
    }
    Command command{{path_}, folder.path(), options_.limit, request.stop};
    command.arguments.insert(command.arguments.end(), request.flags.begin(), request.flags.end());
    for (const std::string& argument : {std::string("-c"), std::string("-o"), object, source}) {
        command.arguments.push_back(argument);
    }
    const CommandResult run = run_command(command);
    if ((run.end == End::exited && run.code == 0) || run.end == End::unknown) {
        result.object = read_file(folder.path() + "/" + object);
        if (result.object.empty()) result.error = fmt::format("{} made no object file", path_);
    } else {
        result.error = fmt::format("{} {}", path_, describe(run, options_.limit));
        result.stopped = run.end == End::stopped;
        result.timed_out = run.end == End::timed_out;
    }
    if (!result.error.empty() && !run.output.empty()) result.error += fmt::format(": {}", first_line(run.output));
    return result;
}

}  // namespace

CompilerChoice choose_compiler(const CompilerOptions& options) {
    const auto chosen = [&](const std::string& path, std::string reason) {
        return CompilerChoice{std::make_unique<SubprocessCompiler>(path, options), std::move(reason)};
    };
    if (options.program == kResident) return choose_resident(options);
    if (!options.program.empty()) {
        const std::string path = find_program(options.program);
        if (path.empty()) return {nullptr, fmt::format("XLAZY_CXX names no program: {}", options.program)};
        return chosen(path, fmt::format("{}, by XLAZY_CXX", path));
    }
    for (const char* const name : kUsual) {
        const std::string path = find_program(name);
        if (!path.empty())
            return chosen(path, fmt::format("{}, the first of {} in PATH", path, fmt::join(kUsual, ", ")));
    }
    std::string none = fmt::format("none of {} is in PATH", fmt::join(kUsual, ", "));
    CompilerChoice resident = choose_resident(options);
    if (resident.compiler != nullptr) return {std::move(resident.compiler), resident.reason + ", since " + none};
    return {nullptr, std::move(none)};
}

}  // namespace xlazy::be::jit
