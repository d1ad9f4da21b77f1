// SPDX-License-Identifier: BSD-3-Clause
// What compilers share: an identity that is kept, and looked at again only when that is due.
#pragma once

#include "jit/compiler.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace xlazy::be::jit {

class IdentifiedCompiler : public Compiler {
public:
    std::optional<std::string> known_identity() override;
    std::string identity(std::stop_token stop) override;
    void before_fork() override { mutex_.lock(); }
    void after_fork() override { mutex_.unlock(); }

protected:
    explicit IdentifiedCompiler(CompilerOptions options) : options_(std::move(options)) {}

    const CompilerOptions options_;

private:
    using Clock = std::chrono::steady_clock;

    /// What is seen of its files without running it.
    virtual std::string stamp() const = 0;
    /// It starts another compiler, whose changes its own files do not show.
    virtual bool is_wrapper() const = 0;

    std::optional<std::string> look();
    std::string set_identity(const std::string& stamp, const std::string& version);

    std::mutex mutex_;
    std::string stamp_, identity_;
    Clock::time_point looked_;  ///< at the files, for the last time
};

/// Real path, size and time of change of a file; empty where it cannot be seen.
std::string stamp_of(const std::string& path);

/// XLAZY_CXX=resident
inline constexpr const char* kResident = "resident";
/// The program xlazy-clang, if it is part of the installation. Starts nothing.
CompilerChoice choose_resident(const CompilerOptions& options);

}  // namespace xlazy::be::jit
