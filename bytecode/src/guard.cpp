// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/plan.hpp"

#include <algorithm>

namespace xlazy::bc {

namespace {

bool whole(const Program& program, std::uint32_t view) noexcept {
    if (repeats_elements(program, view)) return false;
    std::int64_t count = 1;
    for (const Dim& dim : program.dims_of(program.views[view])) count *= dim.extent;
    return count == program.bases[program.views[view].base].size;
}

bool dense(const Program& program, std::uint32_t view) noexcept {
    const std::span<const Dim> dims = program.dims_of(program.views[view]);
    std::int64_t step = 1;
    for (std::size_t i = dims.size(); i-- > 0; step *= dims[i].extent) {
        if (dims[i].extent != 1 && dims[i].stride != step) return false;
    }
    return program.views[view].offset == 0 && step == program.bases[program.views[view].base].size;
}

bool same_order(const Program& program, std::uint32_t view_a, std::uint32_t view_b) noexcept {
    const View& a = program.views[view_a];
    const View& b = program.views[view_b];
    return a.offset == b.offset && same_window(program.dims_of(a), program.dims_of(b)) && whole(program, view_a) &&
           whole(program, view_b);
}

}  // namespace

Relation guard_relation(const Program& program, std::uint32_t view_a, std::uint32_t view_b) noexcept {
    if (view_b == Guard::kWholeBase) return whole(program, view_a) ? Relation::Identical : Relation::Overlap;
    if (view_b == Guard::kDense) return dense(program, view_a) ? Relation::Identical : Relation::Overlap;
    if (program.views[view_a].base == program.views[view_b].base) return relation(program, view_a, view_b);
    return same_order(program, view_a, view_b) ? Relation::Identical : Relation::Disjoint;
}

bool guard_holds(const Guard& guard, const Program& program) noexcept {
    if (guard_relation(program, guard.view_a, guard.view_b) == guard.relation) return true;
    // Whatever is said of a view without elements is true.
    if (guard.view_b == Guard::kWholeBase) return false;
    return interval_of(program, guard.view_a).empty() ||
           (guard.view_b != Guard::kDense && interval_of(program, guard.view_b).empty());
}

bool scalar_guards_hold(const Plan& plan, const Program& program) noexcept {
    return std::ranges::all_of(plan.scalar_guards,
                               [&](const ScalarGuard& guard) { return guard_holds(guard, program); });
}

bool guards_hold(const Plan& plan, const Program& program) {
    return scalar_guards_hold(plan, program) &&
           std::ranges::all_of(plan.guards, [&](const Guard& guard) { return guard_holds(guard, program); }) &&
           std::ranges::all_of(plan.spreads, [&](const Spread& spread) { return spread_holds(spread, program); }) &&
           std::ranges::all_of(plan.regions, [&](const Region& region) { return region_holds(region, plan, program); });
}

}  // namespace xlazy::bc
