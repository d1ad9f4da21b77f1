// SPDX-License-Identifier: BSD-3-Clause
// Which of many views of one base can have elements in common, without a look at every pair: sorted by where they
// begin, views overlap only with those that have not ended yet. If all strides are multiples of g, a view's elements
// all leave the same rest when divided by g, so views with different rests are as good as views of different bases.
#include "xlazy/bytecode/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

namespace xlazy::bc {
namespace {

/// Where a view lies.
struct Place {
    std::int64_t rest;
    Interval interval;
    friend bool operator<(const Place& a, const Place& b) noexcept {
        return std::tie(a.rest, a.interval.first) < std::tie(b.rest, b.interval.first);
    }
};

class Places {
public:
    Places(const Program& program, const std::vector<std::uint32_t>& views) : program_(program) {
        for (const std::uint32_t view : views) {
            for (const Dim& dim : program.dims_of(program.views[view])) {
                if (dim.extent <= 1 || dim.stride == 0) continue;
                if (divisor_ == 0 || dim.stride % divisor_ != 0) divisor_ = std::gcd(divisor_, std::abs(dim.stride));
                if (divisor_ == 1) return;
            }
        }
    }
    Place of(std::uint32_t view) const noexcept {
        const std::int64_t offset = program_.views[view].offset;
        return {divisor_ > 1 ? offset % divisor_ : 0, interval_of(program_, view)};
    }

private:
    const Program& program_;
    std::int64_t divisor_ = 0;  ///< of all strides; 0: there is none
};

/// Goes through views in order and tells them apart.
class Sweep {
public:
    /// @param place  of a view that has elements
    /// @return whether the view overlaps with none before it
    bool passes(const Place& place) noexcept {
        const bool apart = !begun_ || place.rest != rest_ || place.interval.first > last_;
        last_ = apart ? place.interval.last : std::max(last_, place.interval.last);
        rest_ = place.rest;
        begun_ = true;
        return apart;
    }

private:
    bool begun_ = false;
    std::int64_t rest_ = 0, last_ = 0;
};

/// Views i of [0, count), in order: no two of different groups overlap. `place` and `group` are functions of i.
template <class PlaceOf, class GroupOf>
bool groups_are_apart(std::size_t count, PlaceOf place_of, GroupOf group_of) noexcept {
    Sweep sweep;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Place place = place_of(i);
        if (place.interval.empty()) continue;
        if (!sweep.passes(place) && group_of(i) != group) return false;
        group = group_of(i);
    }
    return true;
}

}  // namespace

Spread spread_of(const Program& program, std::uint32_t base, std::vector<std::uint32_t> views) {
    const Places places(program, views);
    std::vector<std::pair<Place, std::uint32_t>> order;
    order.reserve(views.size());
    for (const std::uint32_t view : views) order.emplace_back(places.of(view), view);
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first < b.first; });
    Spread spread{base, std::move(views), {}};
    spread.groups.reserve(order.size());
    Sweep sweep;
    std::uint32_t groups = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        spread.views[i] = order[i].second;
        // A view without elements begins no group: it may lie between two that overlap.
        const Place& place = order[i].first;
        if (!place.interval.empty() && sweep.passes(place)) ++groups;
        spread.groups.push_back(groups);
    }
    return spread;
}

bool spread_holds(const Spread& spread, const Program& program) noexcept {
    const Places places(program, spread.views);
    const std::size_t count = spread.views.size();
    bool sorted = true;
    Place previous{};
    for (std::size_t i = 0; i < count && sorted; ++i) {
        const Place place = places.of(spread.views[i]);
        sorted = i == 0 || !(place < previous);
        previous = place;
    }
    if (sorted) {
        return groups_are_apart(
            count, [&](std::size_t i) { return places.of(spread.views[i]); },
            [&](std::size_t i) { return spread.groups[i]; });
    }
    try {
        std::vector<std::pair<Place, std::uint32_t>> order;  // and the group
        order.reserve(count);
        for (std::size_t i = 0; i < count; ++i) order.emplace_back(places.of(spread.views[i]), spread.groups[i]);
        std::ranges::sort(order, [](const auto& a, const auto& b) { return a.first < b.first; });
        return groups_are_apart(
            count, [&](std::size_t i) { return order[i].first; }, [&](std::size_t i) { return order[i].second; });
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace xlazy::bc
