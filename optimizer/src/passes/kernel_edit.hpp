// SPDX-License-Identifier: BSD-3-Clause
// Removing micro-ops from a kernel whose values are numbered by position.
#pragma once

#include "xlazy/bytecode/plan.hpp"

namespace xlazy::opt {

/// Copies a kernel's ops to their new places, one after the other, and renumbers their operands.
class KernelEdit {
public:
    explicit KernelEdit(bc::Kernel& kernel) : kernel_(kernel), value_(kernel.ops.size(), bc::kNoValue) {}
    ~KernelEdit() { kernel_.ops.resize(kept_); }
    KernelEdit(const KernelEdit&) = delete;
    KernelEdit& operator=(const KernelEdit&) = delete;

    std::size_t size() const noexcept { return value_.size(); }
    /// Op `i` with its operands' new numbers.
    bc::MicroOp renumbered(std::size_t i) const noexcept {
        bc::MicroOp op = kernel_.ops[i];
        for (bc::ValueId& in : op.in) {
            if (in != bc::kNoValue) in = value_[in];
        }
        return op;
    }
    /// Op `i` stays. To be called in order. @return its new number
    bc::ValueId keep(std::size_t i) noexcept {
        kernel_.ops[kept_] = renumbered(i);
        return value_[i] = static_cast<bc::ValueId>(kept_++);
    }
    /// Op `i` goes; what used it takes the value with this new number.
    void replace(std::size_t i, bc::ValueId value) noexcept { value_[i] = value; }

private:
    bc::Kernel& kernel_;
    std::vector<bc::ValueId> value_;  ///< the new number of each value
    std::size_t kept_ = 0;
};

}  // namespace xlazy::opt
