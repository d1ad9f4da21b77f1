// SPDX-License-Identifier: BSD-3-Clause
// Compilers of kernel source, behind one interface.
#pragma once

#include "xlazy/jit-cache/entry.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace xlazy::be::jit {

struct CompileRequest {
    std::string_view source;             ///< one whole translation unit, header-free
    std::span<const std::string> flags;  ///< without -c, -o and the file, e.g. {"-x", "c", "-O2", "-fPIC"}
    std::stop_token stop{};              ///< ends the compiler; the result is a failure
};

struct CompileResult {
    jc::Bytes object;      ///< a relocatable object file; empty: failed
    std::string compiler;  ///< identity of what made it
    std::string error;     ///< one sentence with the first line that the compiler printed
    bool timed_out = false, stopped = false;
    explicit operator bool() const noexcept { return !object.empty(); }
};

/// Safe to use from any number of threads.
class Compiler {
public:
    virtual ~Compiler() = default;
    /// What the user knows it by, such as its path.
    virtual std::string name() const = 0;
    /// Changes when the compiler does: path, size, time of change and version. May run the compiler to find out.
    /// @param stop ends that run; the result is then of no use
    virtual std::string identity(std::stop_token stop) = 0;
    /// What it says of itself, one line. May run the compiler.
    virtual std::string version(std::stop_token stop) = 0;
    /// identity() in microseconds; nullopt where only a run would tell.
    virtual std::optional<std::string> known_identity() = 0;
    /// Takes some 100 ms of another process, and blocks. @throws std::bad_alloc
    virtual CompileResult compile(const CompileRequest& request) = 0;
    /// Around fork(), as KernelLibrary's.
    virtual void before_fork() = 0;
    virtual void after_fork() = 0;
};

struct CompilerOptions {
    std::string program;                      ///< XLAZY_CXX: a name or path; empty: the first usual one
    std::chrono::milliseconds limit{20'000};  ///< a compiler that takes longer is ended
    std::string temporary_directory;          ///< empty: TMPDIR, else /tmp
    /// Keep the version of a compiler, by what is seen of its file without running it.
    std::function<std::optional<std::string>(const std::string& stamp)> recall;
    std::function<void(const std::string& stamp, const std::string& version)> remember;
};

struct CompilerChoice {
    std::unique_ptr<Compiler> compiler;  ///< null: there is none
    std::string reason;                  ///< one sentence: which and why, or why none
};
/// Looks the program up in PATH; runs nothing.
CompilerChoice choose_compiler(const CompilerOptions& options);

}  // namespace xlazy::be::jit
