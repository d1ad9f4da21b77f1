// SPDX-License-Identifier: BSD-3-Clause
// All kernels that were looked up, by what their code depends on.
#pragma once

#include "jit/tiers.hpp"

#include <mutex>
#include <unordered_map>

namespace xlazy::be::jit {

/// Everything of a kernel that its code depends on, but for how its operands lie.
std::string signature_of(const bc::Kernel& kernel);

class Variants {
public:
    /// As find_variant.
    Variant& find(const bc::Kernel& kernel, std::span<const AccessForm> accesses, Folding scanning, bool looks, Isa isa,
                  const bc::Program* program = nullptr);
    /// Those that hold for `f`.
    template <class F>
    std::vector<Variant*> those(F&& f) {
        const std::lock_guard guard(mutex_);
        std::vector<Variant*> result;
        for (auto& [key, family] : families_) {
            for (auto& variant : family) {
                if (f(*variant)) result.push_back(variant.get());
            }
        }
        return result;
    }
    /// Calls f for all; the caller holds the mutex.
    template <class F>
    void each_locked(F&& f) {
        for (auto& [key, family] : families_) {
            for (auto& variant : family) f(*variant);
        }
    }
    std::mutex& mutex() noexcept { return mutex_; }

private:
    using Family = std::vector<std::unique_ptr<Variant>>;
    std::mutex mutex_;
    std::unordered_map<std::string, Family> families_;
};

}  // namespace xlazy::be::jit
