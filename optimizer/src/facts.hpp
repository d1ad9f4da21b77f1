// SPDX-License-Identifier: BSD-3-Clause
// The only way for the planner to look at geometry. What it was told becomes the plan's guards, so a plan is reused
// exactly for batches about which every answer is the same. Indices of domains, ranks, dtypes and liveness are
// structure: free to look at. Not logged is what only makes a plan better or worse: that two reads are not the same, or
// would be.
#pragma once

#include "xlazy/bytecode/plan.hpp"

namespace xlazy::opt {

using bc::Relation;

class Facts {
public:
    explicit Facts(const bc::Program& program) : program_(program) {}

    /// How what is written through `write` lies to what is read or written through `other`. Identical means: at every
    /// index the same element, and no other index has it; so a view that repeats elements is never Identical.
    Relation hazard(std::uint32_t write, std::uint32_t other);
    /// Two reads that give the same element at every index.
    bool same_read(std::uint32_t view_a, std::uint32_t view_b);
    /// The same, for weighing choices. The plan must be right whatever the answer is.
    bool looks_same(std::uint32_t view_a, std::uint32_t view_b) const noexcept;
    /// A write through the view leaves nothing of its base's old value.
    bool covers_base(std::uint32_t view);

    /// Everything asked so far, sorted, without repetitions.
    std::vector<bc::Guard> take_guards();

private:
    void log(std::uint32_t view_a, std::uint32_t view_b, Relation relation);

    const bc::Program& program_;
    std::vector<bc::Guard> guards_;
};

}  // namespace xlazy::opt
