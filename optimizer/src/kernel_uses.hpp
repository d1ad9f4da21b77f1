// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of a finished plan use, and why two of them are two.
#pragma once

#include "xlazy/optimizer/optimizer.hpp"

namespace xlazy::opt {

/// A kernel's micro-ops that touch memory, by what they do.
struct KernelUses {
    std::vector<const bc::MicroOp*> loads, stores, reductions;  ///< of views
    std::vector<const bc::MicroOp*> scratch_loads, scratch_stores, scratch_reductions;
    std::vector<const bc::MicroOp*> scans;
    explicit KernelUses(const bc::Kernel& kernel);
};

class WhyNotFused {
public:
    WhyNotFused(const bc::Program& program, const bc::Plan& plan, bool fusion_is_on);

    /// In words that name the user's lines. @param first comes before `second` in the plan
    std::string operator()(std::uint32_t first, std::uint32_t second) const;
    const KernelUses& uses(std::uint32_t kernel) const noexcept { return uses_[kernel]; }

private:
    std::string line_of(const bc::MicroOp& op) const;
    std::string line_of_kernel(std::uint32_t kernel) const;
    /// "heat.cpp:3"; where the other one has the same line, with the operation: "the add of heat.cpp:3".
    std::string place_of(const bc::MicroOp& op, const bc::MicroOp& other) const;
    /// How the elements of two views of one base lie to each other.
    std::string_view how_they_lie(const bc::MicroOp& one, const bc::MicroOp& other, std::uint32_t domain_of_one,
                                  std::uint32_t domain_of_other) const;
    std::string reduction(const KernelUses& a, const KernelUses& b) const;
    std::string other_indices(std::uint32_t first, std::uint32_t second) const;
    std::string shapes(std::uint32_t first, std::uint32_t second) const;
    std::string axes(const KernelUses& a, const KernelUses& b) const;
    std::string limits(std::uint32_t first, std::uint32_t second) const;
    std::string between(std::uint32_t first, std::uint32_t second) const;
    bool depends(const KernelUses& later, const KernelUses& earlier) const;

    const bc::Program& program_;
    const bc::Plan& plan_;
    bool fusion_is_on_;
    std::vector<KernelUses> uses_;
};

}  // namespace xlazy::opt
