// SPDX-License-Identifier: BSD-3-Clause
#include "element_set.hpp"

#include <algorithm>
#include <bit>

namespace xlazy::opt {

std::int64_t ElementSet::count_in(const bc::Program& program, std::uint32_t view) const {
    std::int64_t count = 0;
    bc::for_each_run(program, view, [&](std::int64_t first, std::int64_t length) {
        each_word(words_, first_, {first, length}, [&](Word word, Word mask) { count += std::popcount(word & mask); });
    });
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
