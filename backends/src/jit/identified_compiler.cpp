// SPDX-License-Identifier: BSD-3-Clause
#include "jit/identified_compiler.hpp"

#include <sys/stat.h>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace xlazy::be::jit {

namespace {

// A look at the file costs a third of loading a kernel; before something is compiled it is looked at anyway.
constexpr std::chrono::seconds kLookAgain{1};

}  // namespace

std::string stamp_of(const std::string& path) {
    std::error_code error;
    const std::string real = std::filesystem::canonical(path, error).string();
    struct stat status;
    if (error || stat(real.c_str(), &status) != 0) return {};
    return fmt::format("{} {} {}.{:09}", real, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::optional<std::string> IdentifiedCompiler::known_identity() {
    {
        const std::scoped_lock lock(mutex_);
        if (!identity_.empty() && Clock::now() - looked_ < kLookAgain) return identity_;
    }
    return look();
}

std::optional<std::string> IdentifiedCompiler::look() {
    const std::string now = stamp();
    {
        const std::scoped_lock lock(mutex_);
        looked_ = Clock::now();
        if (!identity_.empty() && now == stamp_) return identity_;
    }
    if (!options_.recall || is_wrapper()) return std::nullopt;
    const std::optional<std::string> version = options_.recall(now);
    if (!version) return std::nullopt;
    return set_identity(now, *version);
}

std::string IdentifiedCompiler::identity(std::stop_token stop) {
    if (auto known = look()) return *known;
    const std::string now = stamp(), said = version(stop);
    if (stop.stop_requested()) return {};
    if (options_.remember && !said.empty() && !is_wrapper()) options_.remember(now, said);
    return set_identity(now, said);
}

std::string IdentifiedCompiler::set_identity(const std::string& stamp, const std::string& version) {
    const std::scoped_lock lock(mutex_);
    stamp_ = stamp;
    identity_ = fmt::format("{} {}", stamp, version);
    return identity_;
}

}  // namespace xlazy::be::jit
