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

bool guards_hold(const Plan& plan, const Program& program) noexcept {
    return std::ranges::all_of(plan.guards, [&](const Guard& guard) {
        return guard_relation(program, guard.view_a, guard.view_b) == guard.relation;
    });
}

}  // namespace xlazy::bc
