// SPDX-License-Identifier: BSD-3-Clause
#include "function_moves.hpp"

#include "xlazy/bytecode/structure.hpp"

#include <algorithm>
#include <numeric>

namespace xlazy::rt {
namespace {

using bc::Program;

bool shows_whole(const Program& batch, std::uint32_t view) {
    const bc::View& v = batch.views[view];
    std::int64_t count = 1;
    for (const bc::Dim& dim : batch.dims_of(v)) {
        if (dim.extent > 1 && dim.stride < 0) return false;
        count *= dim.extent;
    }
    return v.offset == 0 && count == batch.bases[v.base].size && count > 0 && !bc::repeats_elements(batch, view);
}

bool is_whole_copy(const Program& batch, const bc::Instruction& instruction) {
    if (instruction.op != bc::Op::copy || instruction.flags != 0 || instruction.type != instruction.result)
        return false;
    if (!instruction.out.is_view() || !instruction.in[0].is_view()) return false;
    const std::uint32_t to = instruction.out.index(), from = instruction.in[0].index();
    const bool same = std::ranges::equal(batch.dims_of(batch.views[to]), batch.dims_of(batch.views[from]),
                                         [](const bc::Dim& a, const bc::Dim& b) {
                                             return a.extent == b.extent && (a.extent == 1 || a.stride == b.stride);
                                         });
    return same && batch.views[to].base != batch.views[from].base && shows_whole(batch, to) && shows_whole(batch, from);
}

bool movable(bc::Role role) noexcept { return role == bc::Role::Local || role == bc::Role::State; }

}  // namespace

Moves take_moves(bc::Segment& segment, const std::vector<bc::Variable>& variables) {
    Program& batch = segment.batch;
    std::size_t end = batch.instructions.size();
    while (end > 0 && is_whole_copy(batch, batch.instructions[end - 1])) --end;
    if (end == 0 || end == batch.instructions.size()) return {};
    // Whose value each base has in the end.
    std::vector<std::uint32_t> value(batch.bases.size());
    std::iota(value.begin(), value.end(), 0u);
    for (std::size_t i = end; i < batch.instructions.size(); ++i) {
        const bc::Instruction& copy = batch.instructions[i];
        value[batch.views[copy.out.index()].base] = value[batch.views[copy.in[0].index()].base];
    }
    std::vector<std::uint32_t> taker(batch.bases.size(), bc::kNoIndex);
    for (std::uint32_t b = 0; b < value.size(); ++b) {
        if (!batch.bases[b].live) continue;
        const bool moves = value[b] != b;
        if (taker[value[b]] != bc::kNoIndex) return {};
        if (moves &&
            (!movable(variables[segment.variables[b]].role) || !movable(variables[segment.variables[value[b]]].role)))
            return {};
        taker[value[b]] = b;
    }
    Moves moves;
    for (std::uint32_t b = 0; b < value.size(); ++b) {
        if (taker[value[b]] == b && value[b] != b) moves.push_back({segment.variables[b], segment.variables[value[b]]});
        // Who gives its memory away and gets nobody's value takes what is left at the end of the chain.
        if (taker[b] == bc::kNoIndex || taker[b] == b) continue;
        batch.bases[b].live = true;
        if (taker[value[b]] == b && value[b] != b) continue;
        std::uint32_t last = taker[b];
        while (taker[last] != bc::kNoIndex && taker[last] != last) last = taker[last];
        moves.push_back({segment.variables[b], segment.variables[last]});
    }
    if (moves.empty()) return {};
    batch.instructions.resize(end);
    batch.origins.resize(end);
    return moves;
}

}  // namespace xlazy::rt
