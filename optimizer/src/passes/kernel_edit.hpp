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

/// Takes away scratch that no kernel uses, and numbers the rest anew.
inline void drop_unused_scratch(bc::Plan& plan) {
    constexpr std::uint32_t kUnused = ~0u;
    std::vector<std::uint32_t> number(plan.scratch.size(), kUnused);
    std::vector<bc::Scratch> used;
    for (bc::Kernel& kernel : plan.kernels) {
        for (bc::MicroOp& op : kernel.ops) {
            if (op.kind != bc::MicroOp::Kind::LoadScratch && op.kind != bc::MicroOp::Kind::StoreScratch &&
                op.kind != bc::MicroOp::Kind::ReduceScratch) {
                continue;
            }
            if (number[op.index] == kUnused) {
                number[op.index] = static_cast<std::uint32_t>(used.size());
                used.push_back(plan.scratch[op.index]);
            }
            op.index = number[op.index];
        }
    }
    plan.scratch = std::move(used);
}

/// Takes away what makes values that nobody uses. An op that can fail stays.
inline void remove_unused_values(bc::Kernel& kernel) {
    using Kind = bc::MicroOp::Kind;
    std::vector<bool> wanted(kernel.ops.size(), false);
    for (std::size_t i = kernel.ops.size(); i-- > 0;) {
        const bc::MicroOp& op = kernel.ops[i];
        const bool load = op.kind == Kind::LoadView || op.kind == Kind::LoadScratch || op.kind == Kind::LoadScalar ||
                          op.kind == Kind::GatherView;
        if (!load && (op.kind != Kind::Compute || bc::can_fail(op.op, op.type))) wanted[i] = true;
        for (const bc::ValueId in : op.in) {
            if (wanted[i] && in != bc::kNoValue) wanted[in] = true;
        }
    }
    KernelEdit edit(kernel);
    for (std::size_t i = 0; i < edit.size(); ++i) {
        if (wanted[i]) edit.keep(i);
    }
}

}  // namespace xlazy::opt
