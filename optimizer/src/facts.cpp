// SPDX-License-Identifier: BSD-3-Clause
#include "facts.hpp"

#include <algorithm>
#include <tuple>

namespace xlazy::opt {

namespace {

/// Sorts by `key` and drops repetitions.
template <class T, class Key>
void make_unique(std::vector<T>& guards, Key key) {
    std::ranges::sort(guards, {}, key);
    guards.erase(std::unique(guards.begin(), guards.end()), guards.end());
    guards.shrink_to_fit();
}

}  // namespace

void Facts::log(std::uint32_t view_a, std::uint32_t view_b, Relation relation) {
    guards_.push_back({std::min(view_a, view_b), std::max(view_a, view_b), relation});
}

Relation Facts::hazard(std::uint32_t write, std::uint32_t other) {
    if (program_.views[write].base != program_.views[other].base) return Relation::Disjoint;
    if (write == other) return Relation::Identical;  // no legal batch writes a view that repeats elements
    if (far_apart(write, other)) return Relation::Disjoint;
    const Relation relation = bc::relation(program_, write, other);
    log(write, other, relation);
    return relation;
}

void Facts::count_views() {
    view_count_.assign(program_.bases.size(), 0);
    for (const bc::View& view : program_.views) ++view_count_[view.base];
    group_.assign(program_.views.size(), 0);
    place_in_spreads_.assign(program_.bases.size(), kNowhere);
}

bool Facts::far_apart(std::uint32_t view_a, std::uint32_t view_b) {
    if (!in_other_groups(view_a, view_b)) return false;
    spreads_[place_in_spreads_[program_.views[view_a].base]].relied_on = true;
    return true;
}

bool Facts::looks_disjoint(std::uint32_t view_a, std::uint32_t view_b) {
    return in_other_groups(view_a, view_b) || bc::relation(program_, view_a, view_b) == Relation::Disjoint;
}

bool Facts::in_other_groups(std::uint32_t view_a, std::uint32_t view_b) {
    if (view_count_.empty()) count_views();
    const std::uint32_t base = program_.views[view_a].base;
    if (view_count_[base] < kManyViews) return false;
    if (place_in_spreads_[base] == kNowhere) {
        place_in_spreads_[base] = static_cast<std::uint32_t>(spreads_.size());
        Views& views = spreads_.emplace_back();
        std::vector<std::uint32_t> all;
        for (std::uint32_t view = 0; view < program_.views.size(); ++view) {
            if (program_.views[view].base == base) all.push_back(view);
        }
        views.spread = bc::spread_of(program_, base, std::move(all));
        for (std::size_t i = 0; i < views.spread.views.size(); ++i) {
            group_[views.spread.views[i]] = views.spread.groups[i];
        }
    }
    return group_[view_a] != group_[view_b];
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

bool Facts::scalar_is(std::uint32_t slot, bc::ScalarFact fact) {
    const bool is = bc::fact_holds(program_.scalars[slot], fact);
    if (is) scalar_guards_.push_back({slot, fact, 0});
    return is;
}

bool Facts::same_scalar(std::uint32_t slot_a, std::uint32_t slot_b) {
    if (slot_a == slot_b) return true;
    const bool same = bc::same_scalar(program_.scalars[slot_a], program_.scalars[slot_b]);
    if (same) scalar_guards_.push_back({std::min(slot_a, slot_b), std::nullopt, std::max(slot_a, slot_b)});
    return same;
}

bool Facts::same_order(std::uint32_t view_a, std::uint32_t view_b) {
    const bool same = bc::guard_relation(program_, view_a, view_b) == Relation::Identical;
    if (same) log(view_a, view_b, Relation::Identical);
    return same;
}

bool Facts::dense(std::uint32_t view) {
    const bool dense = bc::guard_relation(program_, view, bc::Guard::kDense) == Relation::Identical;
    if (dense) log(view, bc::Guard::kDense, Relation::Identical);
    return dense;
}

void Facts::give_guards(bc::Plan& plan) {
    make_unique(guards_, [](const bc::Guard& guard) { return std::tuple(guard.view_a, guard.view_b); });
    make_unique(scalar_guards_,
                [](const bc::ScalarGuard& guard) { return std::tuple(guard.slot, guard.fact, guard.same_as); });
    plan.guards = std::move(guards_);
    plan.scalar_guards = std::move(scalar_guards_);
    for (Views& views : spreads_) {
        if (views.relied_on) plan.spreads.push_back(std::move(views.spread));
    }
    std::ranges::sort(plan.spreads, {}, &bc::Spread::base);
}

}  // namespace xlazy::opt
