// SPDX-License-Identifier: BSD-3-Clause
// The memory of the new versions that a kernel makes of some bases.
#pragma once

#include "executor.hpp"

namespace xlazy::rt {

class NewVersions {
public:
    /// Allocates; what a version has in common with the old one is copied. Memory that is missing is noted in
    /// `outcome`.
    NewVersions(Queue& queue, const bc::Plan& plan, std::uint32_t kernel, Outcome& outcome);
    ~NewVersions();
    NewVersions(const NewVersions&) = delete;
    NewVersions& operator=(const NewVersions&) = delete;

    /// As be::Bindings has it; null where memory is missing.
    std::span<void* const> memory() const noexcept { return memory_; }
    /// The kernel has run: the new versions become the bases' values. @throws be::DeviceError
    void take();

private:
    std::byte* old_memory(std::uint32_t base) const noexcept;
    void copy_back(const bc::Version& version, const std::byte* from) const;

    Queue& queue_;
    const bc::Kernel& kernel_;
    std::vector<void*> memory_;
    std::vector<bool> moves_;  ///< the new memory becomes the base's
};

}  // namespace xlazy::rt
