// SPDX-License-Identifier: BSD-3-Clause
// Two boxes lie on one grid if the strides of both, by size, divide each other. An element then is a number with one
// digit for each stride, and a box a range of each digit; what one box leaves of another is a few such boxes.
#include "element_box.hpp"

#include "xlazy/bytecode/structure.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

namespace xlazy::rt {
namespace {

/// Digits first, first + 1, ... first + count - 1.
struct Range {
    std::int64_t first, count;
    std::int64_t end() const noexcept { return first + count; }
};

constexpr unsigned kMostLevels = 2 * bc::kMaxRank + 1;

struct Grid {
    unsigned levels = 0;
    std::int64_t strides[kMostLevels];  ///< falling, each a multiple of the next
    /// How many values the digit of a level has.
    std::int64_t radix(unsigned level) const noexcept {
        return level == 0 ? std::numeric_limits<std::int64_t>::max() : strides[level - 1] / strides[level];
    }
};

/// A box as ranges of digits; `rest` is what no stride divides.
struct OnGrid {
    std::int64_t rest = 0;
    Range digits[kMostLevels];
};

std::optional<Grid> common_grid(const ElementBox& a, const ElementBox& b) noexcept {
    Grid grid;
    for (const ElementBox* box : {&a, &b}) {
        for (const bc::Dim& axis : box->dims()) grid.strides[grid.levels++] = axis.stride;
    }
    if (grid.levels == 0) grid.strides[grid.levels++] = 1;
    std::sort(grid.strides, grid.strides + grid.levels, std::greater<>());
    grid.levels = static_cast<unsigned>(std::unique(grid.strides, grid.strides + grid.levels) - grid.strides);
    for (unsigned i = 1; i < grid.levels; ++i) {
        if (grid.strides[i - 1] % grid.strides[i] != 0) return std::nullopt;
    }
    if (grid.levels > bc::kMaxRank) return std::nullopt;
    return grid;
}

/// Adds the box as pieces whose ranges stay within their digits. What reaches beyond a digit goes on in the next one,
/// as what is left of the digit's range, as whole ranges, and as the beginning of one. (A piece made at one level may
/// begin beyond the digit of the next: carried first.) @return false if it cannot be
/// said
bool put_on_grid(const ElementBox& box, const Grid& grid, std::vector<OnGrid>& pieces) {
    OnGrid all;
    all.rest = box.offset;
    for (unsigned i = 0; i < grid.levels; ++i) {
        all.digits[i] = {all.rest / grid.strides[i], 1};
        all.rest %= grid.strides[i];
    }
    for (const bc::Dim& axis : box.dims()) {
        const auto level = std::find(grid.strides, grid.strides + grid.levels, axis.stride) - grid.strides;
        all.digits[level].count = axis.extent;
    }
    pieces.assign(1, all);
    for (unsigned i = grid.levels; i-- > 1;) {
        const std::int64_t radix = grid.radix(i);
        for (std::size_t k = 0, count = pieces.size(); k < count; ++k) {
            const OnGrid piece = pieces[k];
            const Range next = piece.digits[i - 1];
            Range range = piece.digits[i];
            if (range.end() <= radix) continue;
            const std::int64_t carry = range.first / radix;
            range.first %= radix;
            if (range.end() <= radix) {
                pieces[k].digits[i] = range;
                pieces[k].digits[i - 1].first += carry;
                continue;
            }
            const std::int64_t begun = range.first == 0 ? 0 : radix - range.first;
            const std::int64_t whole = (range.count - begun) / radix, tail = (range.count - begun) % radix;
            if (whole > 0 && next.count != 1) return false;
            std::int64_t upper = next.first + carry;
            bool placed = false;
            const auto add = [&](Range digits, Range above) {
                OnGrid& part = placed ? pieces.emplace_back(piece) : pieces[k];
                part.digits[i] = digits;
                part.digits[i - 1] = above;
                placed = true;
            };
            if (begun > 0) add({range.first, begun}, {upper++, next.count});
            if (whole > 0) add({0, radix}, {upper, whole});
            if (tail > 0) add({0, tail}, {upper + whole, next.count});
        }
    }
    return true;
}

/// Axes of extent 1 go, those that follow each other are merged.
ElementBox normalised(std::int64_t offset, bc::Dim* axes, unsigned count) noexcept {
    std::sort(axes, axes + count, [](const bc::Dim& a, const bc::Dim& b) { return a.stride > b.stride; });
    ElementBox box;
    box.offset = offset;
    for (unsigned i = 0; i < count; ++i) {
        if (axes[i].extent == 1) continue;
        bc::Dim* const outer = box.rank == 0 ? nullptr : &box.axes[box.rank - 1];
        if (outer != nullptr && outer->stride == axes[i].stride * axes[i].extent)
            *outer = {outer->extent * axes[i].extent, axes[i].stride};
        else
            box.axes[box.rank++] = axes[i];
    }
    return box;
}

ElementBox from_grid(const OnGrid& box, const Grid& grid) noexcept {
    bc::Dim axes[kMostLevels];
    std::int64_t offset = box.rest;
    for (unsigned i = 0; i < grid.levels; ++i) {
        offset += box.digits[i].first * grid.strides[i];
        axes[i] = {box.digits[i].count, grid.strides[i]};
    }
    return normalised(offset, axes, grid.levels);
}

void subtract(OnGrid part, const OnGrid& gone, unsigned levels, std::vector<OnGrid>& rest) {
    const OnGrid whole = part;
    const std::size_t before = rest.size();
    bool common = part.rest == gone.rest;
    for (unsigned i = 0; i < levels && common; ++i) {
        const Range all = part.digits[i];
        const std::int64_t first = std::max(all.first, gone.digits[i].first);
        const std::int64_t end = std::min(all.end(), gone.digits[i].end());
        common = first < end;
        const auto leave = [&](std::int64_t begin, std::int64_t behind) {
            if (begin >= behind) return;
            part.digits[i] = {begin, behind - begin};
            rest.push_back(part);
        };
        if (!common) break;
        leave(all.first, first);
        leave(end, all.end());
        part.digits[i] = {first, end - first};
    }
    if (common) return;
    rest.resize(before);
    rest.push_back(whole);
}

}  // namespace

std::int64_t ElementBox::last() const noexcept {
    std::int64_t element = offset;
    for (const bc::Dim& axis : dims()) element += (axis.extent - 1) * axis.stride;
    return element;
}

bool operator==(const ElementBox& a, const ElementBox& b) noexcept {
    return a.offset == b.offset && a.empty == b.empty && std::ranges::equal(a.dims(), b.dims());
}

ElementBox interval_box(std::int64_t first, std::int64_t last) noexcept {
    ElementBox box;
    box.offset = first;
    box.empty = first > last;
    if (first < last) box.axes[box.rank++] = {last - first + 1, 1};
    return box;
}

ElementBox box_of(const bc::Program& program, std::uint32_t view) noexcept {
    const bc::Interval interval = bc::interval_of(program, view);
    if (interval.empty() || bc::repeats_elements(program, view)) return interval_box(interval.first, interval.last);
    bc::Dim axes[bc::kMaxRank];
    unsigned count = 0;
    for (const bc::Dim& dim : program.dims_of(program.views[view])) {
        if (dim.extent > 1) axes[count++] = {dim.extent, std::abs(dim.stride)};
    }
    return normalised(interval.first, axes, count);
}

bool contains(const ElementBox& box, std::int64_t element) noexcept {
    if (box.empty || element < box.offset) return false;
    element -= box.offset;
    for (const bc::Dim& axis : box.dims()) {
        const std::int64_t k = std::min(element / axis.stride, axis.extent - 1);
        element -= k * axis.stride;
    }
    return element == 0;
}

bool meet(const ElementBox& a, const ElementBox& b) noexcept {
    return !a.empty && !b.empty && bc::windows_meet(a.offset, a.dims(), b.offset, b.dims());
}

void subtract(const ElementBox& a, const ElementBox& b, std::vector<ElementBox>& rest) {
    if (a.empty || a == b) return;
    if (!meet(a, b)) return rest.push_back(a);
    const bool dense = b.rank == 0 || (b.rank == 1 && b.axes[0].stride == 1);
    if (dense && b.offset <= a.offset && a.last() <= b.last()) return;
    const std::optional<Grid> grid = common_grid(a, b);
    std::vector<OnGrid> left, taken, still_left;
    if (!grid || !put_on_grid(a, *grid, left) || !put_on_grid(b, *grid, taken)) return rest.push_back(a);
    for (const OnGrid& gone : taken) {
        still_left.clear();
        for (const OnGrid& part : left) subtract(part, gone, grid->levels, still_left);
        left.swap(still_left);
    }
    for (const OnGrid& part : left) rest.push_back(from_grid(part, *grid));
}

}  // namespace xlazy::rt
