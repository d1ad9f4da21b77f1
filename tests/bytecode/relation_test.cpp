// SPDX-License-Identifier: BSD-3-Clause
// How views lie to each other, against looking at every element.
#include "xlazy/bytecode/structure.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace xlazy::bc {
namespace {

/// The same numbers on every machine.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::int64_t below(std::int64_t n) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(n));
    }
    std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }

private:
    std::uint64_t state_;
};

struct Window {
    std::int64_t offset = 0;
    std::vector<Dim> dims;
};

/// The positions of all elements, row-major.
std::vector<std::int64_t> elements(const Window& window) {
    std::vector<std::int64_t> at{window.offset};
    for (const Dim& dim : window.dims) {
        std::vector<std::int64_t> next;
        for (const std::int64_t from : at) {
            for (std::int64_t i = 0; i < dim.extent; ++i) next.push_back(from + i * dim.stride);
        }
        at = std::move(next);
    }
    return at;
}

std::vector<std::int64_t> shape_without_leading_ones(const Window& window) {
    std::vector<std::int64_t> shape;
    for (const Dim& dim : window.dims) {
        if (!shape.empty() || dim.extent != 1) shape.push_back(dim.extent);
    }
    return shape;
}

Relation truth(const Window& a, const Window& b) {
    const std::vector<std::int64_t> in_a = elements(a);
    const std::vector<std::int64_t> in_b = elements(b);
    const std::set<std::int64_t> set_a(in_a.begin(), in_a.end());
    if (std::ranges::none_of(in_b, [&](std::int64_t at) { return set_a.contains(at); })) return Relation::Disjoint;
    const bool same =
        in_a == in_b && set_a.size() == in_a.size() && shape_without_leading_ones(a) == shape_without_leading_ones(b);
    return same ? Relation::Identical : Relation::Overlap;
}

Relation relation_of(const Window& a, const Window& b) {
    Program program;
    program.bases.push_back({DType::f64, true, true, 1 << 20});
    program.add_view(0, a.offset, a.dims);
    program.add_view(0, b.offset, b.dims);
    EXPECT_EQ(relation(program, 0, 1), relation(program, 1, 0));
    return relation(program, 0, 1);
}

std::string text(const Window& window) {
    std::string result = fmt::format("+{}", window.offset);
    for (const Dim& dim : window.dims) result += fmt::format(" {}:{}", dim.extent, dim.stride);
    return result;
}

/// A slice of a row-major array of this shape: parts, steps, both directions, transposed, integers, new axes.
Window slice(Dice& dice, const std::vector<std::int64_t>& shape) {
    Window window;
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const std::int64_t extent = shape[axis];
        const std::int64_t kind = dice.below(6);
        const std::int64_t step = kind < 3 ? 1 : dice.between(1, 3);
        const std::int64_t start = kind == 0 ? 0 : dice.below(extent);
        const std::int64_t count = kind == 0 ? extent : 1 + dice.below((extent - 1 - start) / step + 1);
        if (kind == 4) window.offset += start * stride;
        else if (kind == 5) {
            window.offset += (start + (count - 1) * step) * stride;
            window.dims.insert(window.dims.begin(), {count, -step * stride});
        } else {
            window.offset += start * stride;
            window.dims.insert(window.dims.begin(), {count, step * stride});
        }
        if (dice.below(8) == 0) window.dims.insert(window.dims.begin(), {1, dice.below(3)});
        stride *= extent;
    }
    if (dice.below(4) == 0) std::ranges::reverse(window.dims);
    return window;
}

std::vector<std::int64_t> random_shape(Dice& dice) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(dice.between(1, 4)));
    for (std::int64_t& extent : shape) extent = dice.between(1, 7);
    return shape;
}

TEST(RelationOfViews, SlicesOfOneArrayAreExact) {
    Dice dice(1);
    int counts[3] = {};
    for (int i = 0; i < 40000; ++i) {
        const std::vector<std::int64_t> shape = random_shape(dice);
        const Window a = slice(dice, shape);
        const Window b = dice.below(8) == 0 ? a : slice(dice, shape);
        const Relation expected = truth(a, b);
        ++counts[static_cast<int>(expected)];
        ASSERT_EQ(relation_of(a, b), expected) << text(a) << " | " << text(b);
    }
    for (const int count : counts) EXPECT_GT(count, 2000);
}

TEST(RelationOfViews, AnyStridesAreNeverWrong) {
    Dice dice(2);
    int unsure = 0;
    constexpr int kPairs = 40000;
    for (int i = 0; i < kPairs; ++i) {
        Window windows[2];
        for (Window& window : windows) {
            window.offset = 200 + dice.below(40);
            window.dims.resize(static_cast<std::size_t>(dice.below(4)));
            for (Dim& dim : window.dims) dim = {dice.between(0, 5), dice.between(-9, 9)};
        }
        if (dice.below(4) == 0) windows[1].dims = windows[0].dims;
        const Relation expected = truth(windows[0], windows[1]);
        const Relation found = relation_of(windows[0], windows[1]);
        if (found == expected) continue;
        ASSERT_EQ(found, Relation::Overlap) << text(windows[0]) << " | " << text(windows[1]);
        ++unsure;
    }
    EXPECT_LT(unsure, kPairs / 100);
}

TEST(RelationOfViews, EqualStridesOfAnyKindAreExact) {
    Dice dice(3);
    for (int i = 0; i < 40000; ++i) {
        std::vector<std::int64_t> strides(static_cast<std::size_t>(dice.between(1, 4)));
        std::int64_t next = 1;
        for (std::int64_t& stride : strides) {
            stride = next * dice.between(1, 3);
            next = stride * dice.between(2, 6);
        }
        Window windows[2];
        for (Window& window : windows) {
            window.offset = 4000 + dice.below(next);
            for (const std::int64_t stride : strides) {
                window.dims.insert(window.dims.begin(), {dice.between(1, 5), dice.below(4) == 0 ? -stride : stride});
            }
        }
        const Relation expected = truth(windows[0], windows[1]);
        const Relation found = relation_of(windows[0], windows[1]);
        ASSERT_EQ(found == Relation::Disjoint, expected == Relation::Disjoint)
            << text(windows[0]) << " | " << text(windows[1]);
    }
}

TEST(RelationOfViews, TheCasesThatProgramsHave) {
    const Window whole{0, {{10, 10}, {10, 1}}};
    const Window row3{30, {{10, 1}}};
    const Window row4{40, {{10, 1}}};
    EXPECT_EQ(relation_of(row3, row4), Relation::Disjoint);
    EXPECT_EQ(relation_of(row3, whole), Relation::Overlap);
    EXPECT_EQ(relation_of(whole, whole), Relation::Identical);
    // b[3:5, 0:2] and b[3:5, 2:4]
    EXPECT_EQ(relation_of({30, {{2, 10}, {2, 1}}}, {32, {{2, 10}, {2, 1}}}), Relation::Disjoint);
    // the arms of a stencil
    EXPECT_EQ(relation_of({11, {{8, 10}, {8, 1}}}, {12, {{8, 10}, {8, 1}}}), Relation::Overlap);
    // even and odd elements, and backwards
    EXPECT_EQ(relation_of({0, {{50, 2}}}, {1, {{50, 2}}}), Relation::Disjoint);
    EXPECT_EQ(relation_of({0, {{50, 2}}}, {99, {{50, -2}}}), Relation::Disjoint);
    EXPECT_EQ(relation_of({0, {{50, 2}}}, {98, {{50, -2}}}), Relation::Overlap);
    // a column as (10,1) and as (10): they differ once they are broadcast
    EXPECT_EQ(relation_of({0, {{10, 10}, {1, 0}}}, {0, {{10, 10}}}), Relation::Overlap);
    EXPECT_EQ(relation_of({0, {{1, 0}, {10, 10}}}, {0, {{10, 10}}}), Relation::Identical);
    // what repeats elements is not identical to itself, nor to what it repeats
    EXPECT_EQ(relation_of({0, {{5, 0}, {10, 1}}}, {0, {{5, 0}, {10, 1}}}), Relation::Overlap);
    EXPECT_EQ(relation_of({0, {{5, 0}, {10, 1}}}, {0, {{10, 1}}}), Relation::Overlap);
    EXPECT_EQ(relation_of({0, {{3, 1}, {3, 1}}}, {0, {{3, 1}, {3, 1}}}), Relation::Overlap);
    // nothing in common with nothing
    EXPECT_EQ(relation_of({0, {{0, 1}}}, {0, {{0, 1}}}), Relation::Disjoint);
    EXPECT_EQ(relation_of({7, {}}, {7, {}}), Relation::Identical);
    EXPECT_EQ(relation_of({7, {}}, {8, {}}), Relation::Disjoint);
}

TEST(RelationOfViews, OtherBasesAreDisjoint) {
    Program program;
    program.bases.assign(2, {DType::f64, true, true, 10});
    const Dim dims[] = {{10, 1}};
    program.add_view(0, 0, dims);
    program.add_view(1, 0, dims);
    EXPECT_EQ(relation(program, 0, 1), Relation::Disjoint);
}

/// Deep views of one array: the search must stay short.
TEST(RelationOfViews, SixteenAxes) {
    Window even, odd;
    std::int64_t stride = 2;
    for (int i = 0; i < 16; ++i) {
        even.dims.insert(even.dims.begin(), {2, stride});
        stride *= 2;
    }
    odd = even;
    odd.offset = 1;
    EXPECT_EQ(relation_of(even, even), Relation::Identical);
    EXPECT_EQ(relation_of(even, odd), Relation::Disjoint);
    odd.offset = 2;
    EXPECT_EQ(relation_of(even, odd), Relation::Overlap);
}

TEST(RelationOfViews, IntervalsAndRepeats) {
    Program program;
    program.bases.push_back({DType::f64, true, true, 100});
    const Dim dims[] = {{3, -10}, {4, 2}};
    const std::uint32_t view = program.add_view(0, 50, dims);
    EXPECT_EQ(interval_of(program, view).first, 30);
    EXPECT_EQ(interval_of(program, view).last, 56);
    EXPECT_FALSE(repeats_elements(program, view));
    const Dim none[] = {{3, 0}, {0, 1}};
    const std::uint32_t empty = program.add_view(0, 50, none);
    EXPECT_TRUE(interval_of(program, empty).empty());
    EXPECT_FALSE(repeats_elements(program, empty));
    const Dim again[] = {{3, 0}, {2, 1}};
    EXPECT_TRUE(repeats_elements(program, program.add_view(0, 50, again)));
}

}  // namespace
}  // namespace xlazy::bc
