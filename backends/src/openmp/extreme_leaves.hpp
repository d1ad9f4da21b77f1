// SPDX-License-Identifier: BSD-3-Clause
// The place of the smallest element is found by two kernels: one for its value, one for the first index that has it.
// Whoever kept what the leaves of the first one have come to knows the leaf where the second one finds something first,
// and spares it all others.
#pragma once

#include "xlazy/backends/backend.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace xlazy::be {

/// What the leaves of a reduction to one number, amin or amax, have come to.
class ExtremeLeaves {
public:
    /// Of a kernel whose next one may make use of them, else nothing.
    static std::optional<ExtremeLeaves> wanted(const bc::Kernel& kernel, const Bindings& bindings);

    /// Where the leaves are to be copied to: [leaves] of `element_size()` bytes.
    std::byte* reserve(std::int64_t leaves);
    std::size_t element_size() const noexcept { return bc::size_of(type_); }

    /// The leaf with the first element that the kernel finds. @return nothing if it may have to look at all leaves, as
    /// any kernel but the one that runs next
    std::optional<std::int64_t> first_leaf(const bc::Kernel& kernel, const Bindings& bindings) const noexcept;

private:
    const bc::Plan* plan_ = nullptr;
    const bc::Program* program_ = nullptr;
    std::size_t next_ = 0;  ///< number of the kernel that looks for the place
    const void* extreme_ = nullptr;
    bc::DType type_{};
    bool or_nan_ = false;  ///< NaNs are found, too
    std::vector<std::byte> leaves_;
};

}  // namespace xlazy::be
