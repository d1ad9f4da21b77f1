// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/plan.hpp"

#include <algorithm>
#include <cstdlib>

namespace xlazy::bc {

void for_each_run(const Program& program, std::uint32_t view,
                  const std::function<void(std::int64_t first, std::int64_t count)>& f) {
    const Interval interval = interval_of(program, view);
    if (interval.empty()) return;
    Dim axes[kMaxRank];
    unsigned rank = 0;
    for (const Dim& dim : program.dims_of(program.views[view])) {
        if (dim.extent > 1 && dim.stride != 0) axes[rank++] = {dim.extent, std::abs(dim.stride)};
    }
    // Where no element repeats, each stride passes over all that the smaller ones reach: in this order, memory ascends.
    std::sort(axes, axes + rank, [](const Dim& a, const Dim& b) { return a.stride > b.stride; });
    std::int64_t run = 1;
    for (; rank > 0 && axes[rank - 1].stride <= run; --rank) run += (axes[rank - 1].extent - 1) * axes[rank - 1].stride;

    std::int64_t index[kMaxRank] = {};
    for (std::int64_t first = interval.first;;) {
        f(first, run);
        unsigned axis = rank;
        while (axis > 0 && index[axis - 1] + 1 == axes[axis - 1].extent) {
            --axis;
            first -= index[axis] * axes[axis].stride;
            index[axis] = 0;
        }
        if (axis == 0) return;
        ++index[axis - 1];
        first += axes[axis - 1].stride;
    }
}

void for_each_gap(const Program& program, std::uint32_t view,
                  const std::function<void(std::int64_t first, std::int64_t count)>& f) {
    std::int64_t behind = 0;
    for_each_run(program, view, [&](std::int64_t first, std::int64_t count) {
        if (first > behind) f(behind, first - behind);
        behind = first + count;
    });
    const std::int64_t size = program.bases[program.views[view].base].size;
    if (size > behind) f(behind, size - behind);
}

}  // namespace xlazy::bc
