// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/plan.hpp"

#include <algorithm>
#include <cstdlib>

namespace xlazy::bc {

namespace {

/// Does every element of the view occur once? True if, sorted by stride, every axis steps over all that lies inside it:
/// sufficient, and exact for views of row-major or column-major arrays.
bool injective(std::span<const Dim> dims) noexcept {
    Dim sorted[kMaxRank];
    unsigned count = 0;
    for (const Dim& dim : dims) {
        if (dim.extent == 0) return true;
        if (dim.extent > 1) sorted[count++] = {dim.extent, std::abs(dim.stride)};
    }
    std::sort(sorted, sorted + count, [](const Dim& a, const Dim& b) { return a.stride < b.stride; });
    std::int64_t reach = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (sorted[i].stride <= reach) return false;
        reach += (sorted[i].extent - 1) * sorted[i].stride;
    }
    return true;
}

}  // namespace

Relation guard_relation(const Program& program, std::uint32_t view_a, std::uint32_t view_b) noexcept {
    if (view_a != view_b && view_b != Guard::kWholeBase) return relation(program, view_a, view_b);
    const View& view = program.views[view_a];
    const std::span<const Dim> dims = program.dims_of(view);
    if (!injective(dims)) return Relation::Overlap;
    if (view_b == view_a) return Relation::Identical;
    std::int64_t count = 1;
    for (const Dim& dim : dims) count *= dim.extent;
    return count == program.bases[view.base].size ? Relation::Identical : Relation::Overlap;
}

}  // namespace xlazy::bc
