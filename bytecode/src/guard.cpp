// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/plan.hpp"

#include <algorithm>

namespace xlazy::bc {

Relation guard_relation(const Program& program, std::uint32_t view_a, std::uint32_t view_b) noexcept {
    if (view_b != Guard::kWholeBase) return relation(program, view_a, view_b);
    if (repeats_elements(program, view_a)) return Relation::Overlap;
    const View& view = program.views[view_a];
    std::int64_t count = 1;
    for (const Dim& dim : program.dims_of(view)) count *= dim.extent;
    return count == program.bases[view.base].size ? Relation::Identical : Relation::Overlap;
}

bool guard_holds(const Guard& guard, const Program& program) noexcept {
    if (guard_relation(program, guard.view_a, guard.view_b) == guard.relation) return true;
    // Whatever is said of a view without elements is true.
    return guard.view_b != Guard::kWholeBase &&
           (interval_of(program, guard.view_a).empty() || interval_of(program, guard.view_b).empty());
}

bool scalar_guards_hold(const Plan& plan, const Program& program) noexcept {
    return std::ranges::all_of(plan.scalar_guards,
                               [&](const ScalarGuard& guard) { return guard_holds(guard, program); });
}

bool guards_hold(const Plan& plan, const Program& program) noexcept {
    return scalar_guards_hold(plan, program) &&
           std::ranges::all_of(plan.guards, [&](const Guard& guard) { return guard_holds(guard, program); }) &&
           std::ranges::all_of(plan.spreads, [&](const Spread& spread) { return spread_holds(spread, program); });
}

}  // namespace xlazy::bc
