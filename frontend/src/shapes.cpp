// SPDX-License-Identifier: BSD-3-Clause
#include "shapes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace xlazy::rt {
namespace {

Extents without_leading_ones(Extents shape) noexcept {
    while (!shape.empty() && shape.front() == 1) shape = shape.subspan(1);
    return shape;
}

}  // namespace

bool broadcast(Extents a, Extents b, Shape& result) noexcept {
    if (a.size() < b.size()) std::swap(a, b);
    result.rank = a.size();
    const std::size_t extra = a.size() - b.size();
    std::ranges::copy(a, result.extents);
    for (std::size_t i = 0; i < b.size(); ++i) {
        std::int64_t& extent = result.extents[extra + i];
        if (extent == b[i] || b[i] == 1) continue;
        if (extent != 1) return false;
        extent = b[i];
    }
    return true;
}

bool fits(Extents from, Extents to) noexcept {
    if (from.size() > to.size()) from = without_leading_ones(from);
    if (from.size() > to.size()) return false;
    const Extents tail = to.last(from.size());
    return std::ranges::equal(from, tail, [](std::int64_t a, std::int64_t b) { return a == b || a == 1; });
}

bool same_elements(Extents a, Extents b) noexcept {
    return std::ranges::equal(without_leading_ones(a), without_leading_ones(b));
}

std::string describe(bc::DType type, Extents shape) {
    return fmt::format("{}({})", bc::name_of(type), fmt::join(shape, ","));
}

}  // namespace xlazy::rt
