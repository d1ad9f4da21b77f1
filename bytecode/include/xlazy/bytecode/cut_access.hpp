// SPDX-License-Identifier: BSD-3-Clause
// Memory that a kernel reads or writes, with the axis along which the kernel is cut.
#pragma once

#include "xlazy/bytecode/plan.hpp"

namespace xlazy::bc {

/// What one micro-op touches, seen from the axis along which its kernel is cut.
struct CutAccess {
    static constexpr int kNone = -1;

    Storage storage;
    std::int64_t offset = 0;
    std::vector<Dim> dims;
    int place = kNone;  ///< of the kernel's axis in `dims`, whatever its stride; kNone: the window does not have it
    bool writes = false;
    bool reduces = false;
    std::uint32_t view = ~0u;  ///< of the batch; none for scratch
    std::int64_t element_size = 1;

    /// It has another element for every index of the axis.
    bool steps() const noexcept {
        const auto at = static_cast<std::size_t>(place);
        return place != kNone && dims[at].extent > 1 && dims[at].stride != 0;
    }
    /// Elements from one index of the axis to the next; it has the axis.
    std::int64_t stride() const noexcept { return dims[static_cast<std::size_t>(place)].stride; }
    /// What one index of the axis shows lies between two multiples of the stride, and strides are positive.
    bool outermost() const noexcept;
    /// The same window of the same memory?
    bool same_elements(const CutAccess& other) const noexcept;
    /// Lowest and highest element of one index of the axis, relative to the offset.
    std::pair<std::int64_t, std::int64_t> row_span() const noexcept;
};

/// Does the micro-op touch memory?
bool touches_memory(const MicroOp& op) noexcept;
/// Of such a micro-op.
CutAccess cut_access_of(const Program& program, const Plan& plan, const Kernel& kernel, const MicroOp& op,
                        unsigned axis);

}  // namespace xlazy::bc
