// SPDX-License-Identifier: BSD-3-Clause
// Which elements of an array a failed statement spoils, and which of them overwriting heals.
#include "element_box.hpp"
#include "runtime/array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

namespace {

using namespace test;
using xlazy::deferred_error;
using xlazy::rt::ElementBox;
using Ints = std::vector<std::int32_t>;

constexpr std::size_t kRows = 6, kColumns = 8, kSize = kRows * kColumns;

/// An array without any value, its error already thrown.
class Parts : public testing::Test {
protected:
    Parts() { fail(bad, a); }
    static void fail(const Window& target, const Window& source) {
        assign(target, Op::div, source, 0);
        EXPECT_THROW(xlazy::flush(), deferred_error);
    }
    static Window row(const Array<std::int32_t>& array, std::int64_t number, std::size_t count = 1) {
        return array.all().slice(0, number, count);
    }
    static Window column(const Array<std::int32_t>& array, std::int64_t number, std::size_t count = 1) {
        return array.all().slice(1, number, count);
    }
    static const void* element(const Array<std::int32_t>& array, std::size_t at) {
        return xlazy::rt::base_read_element(array.base(), at, here::current());
    }
    static bool readable(const Array<std::int32_t>& array, std::size_t at) {
        try {
            element(array, at);
            return true;
        } catch (const deferred_error&) {
            return false;
        }
    }
    static std::int32_t value(const Array<std::int32_t>& array, std::size_t at) {
        return static_cast<const std::int32_t*>(element(array, at))[at];
    }

    const Array<std::int32_t> a{{kRows, kColumns}, iota<std::int32_t>(kSize)};
    const Array<std::int32_t> bad{{kRows, kColumns}};
};

TEST_F(Parts, AHealedRow) {
    fill(row(bad, 2), 5);
    EXPECT_EQ(value(bad, 2 * kColumns), 5);
    EXPECT_EQ(value(bad, 3 * kColumns - 1), 5);
    EXPECT_FALSE(readable(bad, 2 * kColumns - 1));
    EXPECT_FALSE(readable(bad, 3 * kColumns));
    EXPECT_THROW(bad.read(2 * kColumns), deferred_error) << "the whole array is asked for";
    // Statements that read the row have their value, others have none.
    const Array<std::int32_t> copied({1, kColumns}), other({1, kColumns});
    copy(copied, row(bad, 2));
    copy(other, row(bad, 3));
    EXPECT_EQ(copied.values(), Ints(kColumns, 5));
    EXPECT_THROW(other.read(0), deferred_error);
    EXPECT_NO_THROW(xlazy::flush());
    for (std::size_t i = 0; i < kRows; ++i) fill(row(bad, static_cast<std::int64_t>(i)), 7);
    EXPECT_EQ(bad.values(), Ints(kSize, 7)) << "row by row it is healed as a whole";
}

TEST_F(Parts, ColumnsBlocksAndEveryOtherRow) {
    fill(column(bad, 3), 1);
    EXPECT_EQ(value(bad, 5 * kColumns + 3), 1);
    EXPECT_FALSE(readable(bad, 5 * kColumns + 2) || readable(bad, 5 * kColumns + 4));
    fill(row(bad, 1, 2).slice(1, 0, 2), 2);
    EXPECT_EQ(value(bad, kColumns + 1), 2);
    EXPECT_EQ(value(bad, 2 * kColumns), 2);
    EXPECT_FALSE(readable(bad, 0) || readable(bad, 3 * kColumns) || readable(bad, kColumns + 2));
    fill(bad.all().slice(0, 0, kRows / 2, 2), 3);
    EXPECT_EQ(value(bad, 4 * kColumns + 7), 3);
    EXPECT_FALSE(readable(bad, 3 * kColumns + 7));
    fill(bad.all().slice(0, 1, kRows / 2, 2), 4);
    EXPECT_EQ(bad.read(kColumns), 4);
}

TEST_F(Parts, AFailureSpoilsWhatItWouldHaveWritten) {
    const Array<std::int32_t> b({kRows, kColumns});
    fill(b, 1);
    assign(column(b, 2), Op::div, column(a, 2), 0);
    const int line = __LINE__ - 1;
    assign(row(b, 4), Op::add, row(a, 4), 1);
    EXPECT_THROW(xlazy::flush(), deferred_error);
    EXPECT_EQ(value(b, 4 * kColumns + 2), 4 * kColumns + 3) << "overwritten later";
    EXPECT_EQ(value(b, 3 * kColumns + 1), 1);
    EXPECT_FALSE(readable(b, 3 * kColumns + 2));
    // Two errors in one array: each element has its own.
    assign(row(b, 0), Op::mod, row(a, 0), 0);
    EXPECT_THROW(xlazy::flush(), deferred_error);
    try {
        element(b, 2);
    } catch (const deferred_error& error) {
        EXPECT_EQ(error.operation(), "mod");
    }
    try {
        element(b, kColumns + 2);
    } catch (const deferred_error& error) {
        EXPECT_EQ(error.operation(), "div");
        EXPECT_EQ(error.origins()[0].line, static_cast<unsigned>(line));
    }
}

TEST_F(Parts, TheSameInBothModes) {
    const auto readable_elements = [this](xlazy::mode mode) {
        const xlazy::mode_scope scope(mode);
        const Array<std::int32_t> b({kRows, kColumns});
        const auto attempt = [](auto statement) {
            try {
                statement();
            } catch (const deferred_error&) {
            }
        };
        fill(b, 1);
        attempt([&] { assign(b.all().slice(0, 1, 4), Op::div, a.all().slice(0, 1, 4), 0); });
        attempt([&] { copy(column(b, 3, 2), column(a, 1, 2)); });
        attempt([&] { copy(row(b, 0), row(b, 2)); });
        attempt([&] { copy(row(b, 5).slice(1, 0, 2), row(b, 1).slice(1, 3, 2)); });
        attempt([] { xlazy::flush(); });
        std::vector<bool> all(kSize);
        for (std::size_t i = 0; i < kSize; ++i) all[i] = readable(b, i);
        return all;
    };
    const std::vector<bool> lazy = readable_elements(xlazy::mode::lazy);
    EXPECT_EQ(lazy, readable_elements(xlazy::mode::eager));
    EXPECT_EQ(std::ranges::count(lazy, true), static_cast<std::ptrdiff_t>(2 * 4 + kColumns));
}

TEST_F(Parts, WritingAnElementThatHasAValue) {
    fill(row(bad, 2), 5);
    auto* const memory =
        static_cast<std::int32_t*>(xlazy::rt::base_write_element(bad.base(), 2 * kColumns + 1, here::current()));
    memory[2 * kColumns + 1] = 9;
    EXPECT_EQ(value(bad, 2 * kColumns + 1), 9);
    EXPECT_THROW(xlazy::rt::base_write_element(bad.base(), 0, here::current()), deferred_error);
}

/// More parts than are kept apart: everything between them counts, and nothing is healed wrongly.
TEST_F(Parts, ManyParts) {
    const std::size_t size = 1000;
    const Array<std::int32_t> source({size}, Ints(size, 1)), b({size});
    fill(b, 1);
    for (std::int64_t i = 0; i < 40; ++i)
        assign(b.all().slice(0, 20 * i + 5, 1), Op::div, source.all().slice(0, 0, 1), 0);
    EXPECT_THROW(xlazy::flush(), deferred_error);
    EXPECT_TRUE(readable(b, 0) && readable(b, 4) && readable(b, 900));
    for (std::size_t i = 0; i < 40; ++i) EXPECT_FALSE(readable(b, 20 * i + 5));
    fill(b, 2);
    EXPECT_EQ(b.values(), Ints(size, 2));
}

std::set<std::int64_t> elements_of(const ElementBox& box) {
    std::set<std::int64_t> all;
    for (std::int64_t i = 0; i < 400; ++i) {
        if (contains(box, i)) all.insert(i);
    }
    return all;
}

/// Boxes of random slices of a dense array against sets of their elements.
TEST(ElementBoxes, SubtractionIsThatOfSetsOrLeavesMore) {
    std::mt19937 random(7);
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
    int exact = 0, rounds = 3000;
    for (int round = 0; round < rounds; ++round) {
        const std::int64_t extents[] = {1 + below(4), 1 + below(6), 1 + below(7)};
        const std::int64_t strides[] = {extents[1] * extents[2], extents[2], 1};
        xlazy::bc::Program program;
        program.bases.push_back({xlazy::bc::DType::i32, true, true, strides[0] * extents[0]});
        std::set<std::int64_t> sets[2];
        std::uint32_t views[2];
        for (int side = 0; side < 2; ++side) {
            xlazy::bc::Dim dims[3];
            std::int64_t offset = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const std::int64_t first = below(extents[axis]), step = 1 + below(2);
                const std::int64_t count = 1 + below((extents[axis] - first - 1) / step + 1);
                const bool back = below(4) == 0;
                offset += (back ? first + (count - 1) * step : first) * strides[axis];
                dims[axis] = {count, (back ? -step : step) * strides[axis]};
            }
            for (std::int64_t i = 0; i < dims[0].extent * dims[1].extent * dims[2].extent; ++i) {
                const std::int64_t k = i % dims[2].extent, j = i / dims[2].extent % dims[1].extent;
                sets[side].insert(offset + k * dims[2].stride + j * dims[1].stride +
                                  i / dims[2].extent / dims[1].extent * dims[0].stride);
            }
            views[side] = program.add_view(0, offset, {dims, 3});
        }
        const ElementBox a = xlazy::rt::box_of(program, views[0]), b = xlazy::rt::box_of(program, views[1]);
        ASSERT_EQ(elements_of(a), sets[0]);
        std::vector<std::int64_t> common, difference;
        std::ranges::set_intersection(sets[0], sets[1], std::back_inserter(common));
        std::ranges::set_difference(sets[0], sets[1], std::back_inserter(difference));
        EXPECT_EQ(meet(a, b), !common.empty());
        std::vector<ElementBox> rest;
        subtract(a, b, rest);
        std::set<std::int64_t> left;
        for (const ElementBox& box : rest) left.merge(elements_of(box));
        EXPECT_TRUE(std::ranges::includes(left, difference));
        EXPECT_TRUE(std::ranges::includes(sets[0], left));
        exact += std::ranges::equal(left, difference) ? 1 : 0;
    }
    EXPECT_GT(exact, rounds * 6 / 10);
}

}  // namespace
