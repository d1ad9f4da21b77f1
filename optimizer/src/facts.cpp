// SPDX-License-Identifier: BSD-3-Clause
#include "facts.hpp"

#include <algorithm>
#include <tuple>

namespace xlazy::opt {

Relation Facts::ask(std::uint32_t view_a, std::uint32_t view_b) {
    if (view_a > view_b) std::swap(view_a, view_b);
    const Relation answer = bc::guard_relation(program_, view_a, view_b);
    guards_.push_back({view_a, view_b, answer});
    return answer;
}

Relation Facts::hazard(std::uint32_t write, std::uint32_t other) {
    if (program_.views[write].base != program_.views[other].base) return Relation::Disjoint;
    if (write == other) return Relation::Identical;  // no legal batch writes a view that repeats elements
    return ask(write, other);
}

bool Facts::same_read(std::uint32_t view_a, std::uint32_t view_b) {
    if (view_a == view_b) return true;
    const bc::View& a = program_.views[view_a];
    const bc::View& b = program_.views[view_b];
    // Cheap, and enough for most: views that agree everywhere agree at the first index.
    if (a.base != b.base || a.offset != b.offset) return false;
    if (bc::guard_relation(program_, view_a, view_b) != Relation::Identical) return false;
    ask(view_a, view_b);
    return true;
}

bool Facts::covers_base(std::uint32_t view) {
    const Relation answer = bc::guard_relation(program_, view, bc::Guard::kWholeBase);
    guards_.push_back({view, bc::Guard::kWholeBase, answer});
    return answer == Relation::Identical;
}

std::vector<bc::Guard> Facts::take_guards() {
    const auto key = [](const bc::Guard& guard) { return std::tuple(guard.view_a, guard.view_b); };
    std::sort(guards_.begin(), guards_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    guards_.erase(std::unique(guards_.begin(), guards_.end()), guards_.end());
    return std::move(guards_);
}

}  // namespace xlazy::opt
