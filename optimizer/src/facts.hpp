// SPDX-License-Identifier: BSD-3-Clause
// The only way for the planner to look at geometry. What it was told becomes the plan's guards, so a plan is reused
// exactly for batches about which every answer is the same. Indices of domains, ranks, dtypes and liveness are
// structure: free to look at. Not logged is what only makes a plan better or worse: that two reads are not the same, or
// would be. Scalars are data as well, and are asked about in the same way.
#pragma once

#include "xlazy/bytecode/plan.hpp"

#include <vector>

namespace xlazy::opt {

using bc::Relation;

/// From so many views of a base on, one look at all of them is cheaper than one at each pair.
inline constexpr std::size_t kManyViews = 16;

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
    /// Views of one base without a common element, for weighing choices.
    bool looks_disjoint(std::uint32_t view_a, std::uint32_t view_b);
    /// A write through the view leaves nothing of its base's old value.
    bool covers_base(std::uint32_t view);
    /// Is this so of the scalar? Only yes is written down: without the fact a plan is slower, not wrong.
    bool scalar_is(std::uint32_t slot, bc::ScalarFact fact);
    /// Do the two slots hold the same bits? Only yes is written down.
    bool same_scalar(std::uint32_t slot_a, std::uint32_t slot_b);
    /// Views of different bases that hold all elements of theirs in the same order. A no is not relied on.
    bool same_order(std::uint32_t view_a, std::uint32_t view_b);
    /// The view is all of its base in row-major order. A no is not relied on.
    bool dense(std::uint32_t view);

    /// Hands everything asked so far to the plan, sorted, without repetitions.
    void give_guards(bc::Plan& plan);

private:
    static constexpr std::uint32_t kNowhere = ~0u;

    /// What is known of all views of a base.
    struct Views {
        bc::Spread spread;
        bool relied_on = false;
    };

    void log(std::uint32_t view_a, std::uint32_t view_b, Relation relation);
    void count_views();
    /// Do their places alone tell that the views, of one base, have no element in common?
    bool in_other_groups(std::uint32_t view_a, std::uint32_t view_b);
    /// The same, and the plan relies on it.
    bool far_apart(std::uint32_t view_a, std::uint32_t view_b);

    const bc::Program& program_;
    std::vector<bc::Guard> guards_;
    std::vector<bc::ScalarGuard> scalar_guards_;
    std::vector<std::uint32_t> view_count_;  ///< by base; empty: not counted yet
    std::vector<std::uint32_t> group_;       ///< by view, of the bases in spreads_
    std::vector<Views> spreads_;
    std::vector<std::uint32_t> place_in_spreads_;  ///< by base; kNowhere: it is not there yet
};

}  // namespace xlazy::opt
