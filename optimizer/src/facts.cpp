// SPDX-License-Identifier: BSD-3-Clause
#include "facts.hpp"

#include <algorithm>
#include <tuple>

namespace xlazy::opt {

void Facts::log(std::uint32_t view_a, std::uint32_t view_b, Relation relation) {
    guards_.push_back({std::min(view_a, view_b), std::max(view_a, view_b), relation});
}

Relation Facts::hazard(std::uint32_t write, std::uint32_t other) {
    if (program_.views[write].base != program_.views[other].base) return Relation::Disjoint;
    if (write == other) return Relation::Identical;  // no legal batch writes a view that repeats elements
    const Relation relation = bc::relation(program_, write, other);
    log(write, other, relation);
    return relation;
}

bool Facts::looks_same(std::uint32_t view_a, std::uint32_t view_b) const noexcept {
    if (view_a == view_b) return true;
    const bc::View& a = program_.views[view_a];
    const bc::View& b = program_.views[view_b];
    // Cheap, and enough for most: views that agree everywhere agree at the first index.
    if (a.base != b.base || a.offset != b.offset) return false;
    return bc::relation(program_, view_a, view_b) == Relation::Identical;
}

bool Facts::same_read(std::uint32_t view_a, std::uint32_t view_b) {
    const bool same = looks_same(view_a, view_b);
    if (same && view_a != view_b) log(view_a, view_b, Relation::Identical);
    return same;
}

bool Facts::covers_base(std::uint32_t view) {
    const Relation answer = bc::guard_relation(program_, view, bc::Guard::kWholeBase);
    log(view, bc::Guard::kWholeBase, answer);
    return answer == Relation::Identical;
}

std::vector<bc::Guard> Facts::take_guards() {
    const auto key = [](const bc::Guard& guard) { return std::tuple(guard.view_a, guard.view_b); };
    std::sort(guards_.begin(), guards_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    guards_.erase(std::unique(guards_.begin(), guards_.end()), guards_.end());
    return std::move(guards_);
}

}  // namespace xlazy::opt
