// SPDX-License-Identifier: BSD-3-Clause
// How views of one base lie to each other. An element common to both is a solution of
//     first_a + sum i_k |s_k|  =  first_b + sum j_l |r_l|
// in integers, each i_k below its extent of a, each j_l below its extent of b. Terms with equal strides are merged,
// since i - j takes every value between its bounds.
#include "xlazy/bytecode/structure.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace xlazy::bc {
namespace {

/// stride * k, k from `low` to `high`
struct Term {
    std::int64_t stride, low, high;
};

class Equation {
public:
    explicit Equation(std::int64_t sum) noexcept : sum_(sum) {}

    /// sign +1 for the left side, -1 for the right side
    void add(std::span<const Dim> dims, int sign) noexcept {
        for (const Dim& dim : dims) {
            if (dim.extent <= 1 || dim.stride == 0) continue;
            const std::int64_t stride = std::abs(dim.stride);
            Term* const end = terms_ + count_;
            Term* const term = std::find_if(terms_, end, [&](const Term& t) { return t.stride == stride; });
            if (term == end) terms_[count_++] = {stride, 0, 0};
            (sign > 0 ? term->high : term->low) += sign * (dim.extent - 1);
        }
    }

    /// Is there a solution? Also true where the search is given up.
    bool maybe_solvable() noexcept {
        std::sort(terms_, terms_ + count_, [](const Term& a, const Term& b) { return a.stride > b.stride; });
        rest_[count_] = {0, 0, 0};
        for (unsigned i = count_; i-- > 0;) {
            rest_[i] = {std::gcd(terms_[i].stride, rest_[i + 1].stride),
                        rest_[i + 1].low + terms_[i].stride * terms_[i].low,
                        rest_[i + 1].high + terms_[i].stride * terms_[i].high};
        }
        budget_ = kBudget;
        return search(0, sum_);
    }

private:
    static constexpr int kBudget = 2048;

    bool search(unsigned level, std::int64_t sum) noexcept {
        if (level == count_) return sum == 0;
        const Term& rest = rest_[level];
        if (sum < rest.low || sum > rest.high || sum % rest.stride != 0) return false;
        if (--budget_ < 0) return true;
        // Only what the terms with smaller strides can make up for; one too many does no harm.
        const Term& term = terms_[level];
        const std::int64_t from = std::max(term.low, (sum - rest_[level + 1].high) / term.stride);
        const std::int64_t to = std::min(term.high, (sum - rest_[level + 1].low) / term.stride);
        for (std::int64_t k = from; k <= to; ++k) {
            if (search(level + 1, sum - k * term.stride)) return true;
        }
        return false;
    }

    std::int64_t sum_;
    Term terms_[2 * kMaxRank];
    Term rest_[2 * kMaxRank + 1];  ///< gcd of the strides, least and greatest sum of the terms from here on
    unsigned count_ = 0;
    int budget_ = 0;
};

Interval interval_of(std::int64_t offset, std::span<const Dim> dims) noexcept {
    Interval interval{offset, offset};
    for (const Dim& dim : dims) {
        if (dim.extent == 0) return {0, -1};
        (dim.stride < 0 ? interval.first : interval.last) += (dim.extent - 1) * dim.stride;
    }
    return interval;
}

/// Distinct indices, distinct elements: each stride passes over all that the smaller ones reach.
bool repeats_elements(std::span<const Dim> dims) noexcept {
    Dim walked[kMaxRank];
    unsigned count = 0;
    for (const Dim& dim : dims) {
        if (dim.extent == 0) return false;
        if (dim.extent > 1) walked[count++] = {dim.extent, std::abs(dim.stride)};
    }
    std::sort(walked, walked + count, [](const Dim& a, const Dim& b) { return a.stride < b.stride; });
    std::int64_t reach = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (walked[i].stride <= reach) return true;
        reach += (walked[i].extent - 1) * walked[i].stride;
    }
    return false;
}

}  // namespace

bool same_window(std::span<const Dim> a, std::span<const Dim> b) noexcept {
    if (a.size() < b.size()) std::swap(a, b);
    const std::size_t extra = a.size() - b.size();
    const auto same = [](const Dim& x, const Dim& y) {
        return x.extent == y.extent && (x.extent == 1 || x.stride == y.stride);
    };
    return std::all_of(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(extra),
                       [](const Dim& dim) { return dim.extent == 1; }) &&
           std::equal(b.begin(), b.end(), a.begin() + static_cast<std::ptrdiff_t>(extra), same);
}

Interval interval_of(const Program& program, std::uint32_t view) noexcept {
    return interval_of(program.views[view].offset, program.dims_of(program.views[view]));
}

bool repeats_elements(const Program& program, std::uint32_t view) noexcept {
    return repeats_elements(program.dims_of(program.views[view]));
}

bool windows_meet(std::int64_t offset_a, std::span<const Dim> a, std::int64_t offset_b,
                  std::span<const Dim> b) noexcept {
    const Interval in_a = interval_of(offset_a, a);
    const Interval in_b = interval_of(offset_b, b);
    if (in_a.empty() || in_b.empty() || in_a.last < in_b.first || in_b.last < in_a.first) return false;
    Equation equation(in_b.first - in_a.first);
    equation.add(a, +1);
    equation.add(b, -1);
    return equation.maybe_solvable();
}

Relation relation(const Program& program, std::uint32_t view_a, std::uint32_t view_b) noexcept {
    const View& a = program.views[view_a];
    const View& b = program.views[view_b];
    if (a.base != b.base) return Relation::Disjoint;
    const std::span<const Dim> dims_a = program.dims_of(a);
    const std::span<const Dim> dims_b = program.dims_of(b);
    const bool empty = interval_of(a.offset, dims_a).empty() || interval_of(b.offset, dims_b).empty();
    if (!empty && a.offset == b.offset && same_window(dims_a, dims_b)) {
        return repeats_elements(dims_a) ? Relation::Overlap : Relation::Identical;
    }
    return windows_meet(a.offset, dims_a, b.offset, dims_b) ? Relation::Overlap : Relation::Disjoint;
}

}  // namespace xlazy::bc
