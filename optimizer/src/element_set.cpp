// SPDX-License-Identifier: BSD-3-Clause
#include "element_set.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace xlazy::opt {

ViewRuns::ViewRuns(const bc::Program& program, std::uint32_t view) {
    const bc::Interval interval = bc::interval_of(program, view);
    done_ = interval.empty();
    if (done_) return;
    run_ = {interval.first, 1};
    // The same elements, walked upwards and without axes that lead nowhere.
    for (const bc::Dim& dim : program.dims_of(program.views[view])) {
        if (dim.extent > 1 && dim.stride != 0) axes_[count_++] = {dim.extent, std::abs(dim.stride), 0};
    }
    std::sort(axes_, axes_ + count_, [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
    while (count_ != 0 && axes_[count_ - 1].stride <= run_.count) {
        const Axis& inner = axes_[--count_];
        run_.count += (inner.extent - 1) * inner.stride;
    }
}

bool ViewRuns::next(Run& run) noexcept {
    if (done_) return false;
    run = run_;
    done_ = true;
    for (unsigned i = count_; i-- > 0;) {
        Axis& axis = axes_[i];
        if (++axis.at < axis.extent) {
            run_.first += axis.stride;
            done_ = false;
            break;
        }
        run_.first -= (axis.extent - 1) * axis.stride;
        axis.at = 0;
    }
    return true;
}

std::int64_t ElementSet::count_in(const bc::Program& program, std::uint32_t view) const {
    std::int64_t count = 0;
    ViewRuns runs(program, view);
    for (Run run; runs.next(run);) {
        each_word(words_, first_, run, [&](Word word, Word mask) { count += std::popcount(word & mask); });
    }
    return count;
}

std::int64_t ElementSet::count() const noexcept {
    std::int64_t count = 0;
    for (const Word word : words_) count += std::popcount(word);
    return count;
}

std::int64_t elements_shown(const bc::Program& program, const std::vector<std::uint32_t>& views) {
    bc::Interval all{0, -1};
    for (const std::uint32_t view : views) {
        const bc::Interval one = bc::interval_of(program, view);
        if (one.empty()) continue;
        all = all.empty() ? one : bc::Interval{std::min(all.first, one.first), std::max(all.last, one.last)};
    }
    if (all.empty()) return 0;
    if (views.size() == 1 && !bc::repeats_elements(program, views[0])) {
        std::int64_t count = 1;
        for (const bc::Dim& dim : program.dims_of(program.views[views[0]])) count *= dim.extent;
        return count;
    }
    ElementSet shown(all.first, all.last - all.first + 1);
    for (const std::uint32_t view : views) shown.add(program, view);
    return shown.count();
}

}  // namespace xlazy::opt
