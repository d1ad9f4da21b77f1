// SPDX-License-Identifier: BSD-3-Clause
// Elements by their numbers: gathered and scattered in the queue, with what is out of range found late.
#include "runtime/array.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace {

using namespace test;
using Longs = std::vector<std::int64_t>;
using Ints = std::vector<std::int32_t>;
using xlazy::deferred_error;

template <class Action>
std::optional<deferred_error> caught(Action action) {
    try {
        action();
    } catch (const deferred_error& error) {
        return error;
    }
    return std::nullopt;
}

/// target <- the elements of a table with one axis
void pick(const Window& target, const Window& table, const Window& indices, here line = here::current()) {
    Statement s(line);
    const Value index = s.in_range(s.load(indices), static_cast<std::int64_t>(table.extents[0]), 0);
    s.store(target, s.gather(table, index));
}

/// The elements of a target with one axis <- values
void put(const Window& target, const Window& indices, const Window& values, here line = here::current()) {
    Statement s(line);
    const Value index = s.in_range(s.load(indices), static_cast<std::int64_t>(target.extents[0]), 0);
    s.scatter(target, s.load(values), index);
}

struct Indices : testing::Test {
    const Array<std::int32_t> table{{6}, {10, 11, 12, 13, 14, 15}};
    const Array<std::int64_t> some{{4}, {5, 0, 2, 2}}, wrong{{4}, {1, 6, -1, 0}};
    const Array<std::int32_t> target{{4}}, other{{4}};
};

TEST_F(Indices, Gather) {
    pick(target, table, some);
    assign(other, Op::add, target, 1);
    EXPECT_EQ(other.values(), (Ints{16, 11, 13, 13}));
    // Of any window, in row-major order: two columns, backwards.
    const Array<std::int32_t> grid({3, 4}, iota<std::int32_t>(12));
    Window part = grid.all().slice(1, 3, 2, -2);
    {
        Statement s(here::current());
        s.store(target.all(), s.gather(part, s.load(some.all())));
    }
    EXPECT_EQ(target.values(), (Ints{9, 3, 7, 7}));
    // A number of no element gives 0.
    {
        Statement s(here::current());
        s.store(target.all(), s.gather(table.all(), s.load(wrong.all())));
    }
    EXPECT_EQ(target.values(), (Ints{11, 0, 0, 10}));
}

TEST_F(Indices, ScatterLeavesTheRestAndTheLastOneWins) {
    const Array<std::int32_t> values({4}, {1, 2, 3, 4});
    put(table, some, values);
    EXPECT_EQ(table.values(), (Ints{2, 11, 4, 13, 14, 1}));
    // What was there before is part of the result, also of what the batch itself wrote.
    fill(table, 7);
    put(table, some, values);
    assign(table, Op::add, table, 1);
    EXPECT_EQ(table.values(), (Ints{3, 8, 5, 8, 8, 2}));
}

/// The right side is complete before the left one changes.
TEST_F(Indices, OfTheArrayItself) {
    const Array<std::int64_t> next({5}, {1, 2, 3, 4, 0});
    const Array<std::int32_t> ring({5}, {0, 10, 20, 30, 40});
    for (int i = 0; i < 3; ++i) pick(ring, ring, next);
    EXPECT_EQ(ring.values(), (Ints{30, 40, 0, 10, 20}));
    put(ring, next, ring);
    EXPECT_EQ(ring.values(), (Ints{20, 30, 40, 0, 10}));
    const Array<std::int64_t> own({5}, {1, 2, 3, 4, 0});
    pick(own, own, own);
    put(own, own, own);
    EXPECT_EQ(own.values(), (Longs{0, 1, 2, 3, 4}));
}

TEST_F(Indices, OneThatIsOutOfRangeIsNamed) {
    const auto expect = [&](const std::optional<deferred_error>& error, int line, const char* operation) {
        ASSERT_TRUE(error);
        const xlazy::error_report& report = error->report();
        EXPECT_EQ(error->kind(), xlazy::error_kind::out_of_range);
        EXPECT_EQ(report.origin.line, static_cast<unsigned>(line));
        EXPECT_EQ(report.operation, operation);
        EXPECT_EQ(report.element, Longs{1});
        EXPECT_EQ(report.cause.find("index 6 is out of bounds for axis 0 with size 6 in "), 0u) << report.cause;
        ASSERT_FALSE(report.operands.empty());
        EXPECT_EQ(report.operands[0].dtype, "i32");
        EXPECT_EQ(report.operands[0].shape, Longs{6});
    };
    for (const auto mode : {xlazy::mode::lazy, xlazy::mode::eager}) {
        const xlazy::mode_scope scope(mode);
        int line = 0;
        const auto gathered = caught([&] {
            line = __LINE__ + 1;
            pick(target, table, wrong);
            xlazy::flush();
        });
        expect(gathered, line, "gather");
        EXPECT_TRUE(caught([&] { target.read(0); })) << "no element of it has a value";
        const auto scattered = caught([&] {
            line = __LINE__ + 1;
            put(table, wrong, other);
            xlazy::flush();
        });
        expect(scattered, line, "scatter");
        EXPECT_TRUE(caught([&] { table.read(3); }));
        fill(table, 3);
        EXPECT_EQ(table.values(), Ints(6, 3)) << "overwriting heals";
        fill(other, 0);
    }
}

TEST_F(Indices, WhatDependsIsSpoiltAndTheRestIsNot) {
    const Array<std::int32_t> free({4}), spoilt({4});
    pick(target, table, wrong);
    const unsigned line = __LINE__ - 1;
    assign(spoilt, Op::add, target, 1);
    pick(free, table, some);
    const auto error = caught([] { xlazy::flush(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->report().origin.line, line);
    EXPECT_EQ(free.values(), (Ints{15, 10, 12, 12}));
    EXPECT_EQ(caught([&] { spoilt.read(2); })->report().origin.line, line);
    // Indices without a value spoil what is found by them.
    const Array<std::int64_t> zero({4}, {1, 0, 1, 1}), bad({4});
    assign(bad, Op::div, some, zero);
    const unsigned division = __LINE__ - 1;
    pick(free, table, bad);
    EXPECT_EQ(caught([&] { free.read(0); })->report().origin.line, division);
    EXPECT_EQ(table.values(), (Ints{10, 11, 12, 13, 14, 15}));
    EXPECT_FALSE(caught([] { xlazy::flush(); }));
}

/// A scatter changes some elements and leaves the others worth what they were.
TEST_F(Indices, AScatterHealsNothing) {
    const Array<std::int32_t> one({4}, {1, 1, 1, 1}), zero({6}, {1, 1, 1, 1, 0, 1});
    assign(table, Op::div, table, zero);
    const unsigned line = __LINE__ - 1;
    put(table, some, one);
    EXPECT_EQ(caught([&] { table.read(0); })->report().origin.line, line);
    fill(table, 5);
    put(table, some, one);
    EXPECT_EQ(table.values(), (Ints{1, 5, 1, 5, 5, 1}));
}

TEST_F(Indices, ShapesMustFit) {
    const Array<std::int32_t> three({3}, {1, 2, 3});
    EXPECT_THROW(put(table, some, three), xlazy::rt::ShapeMismatch);
    EXPECT_EQ(table.values(), (Ints{10, 11, 12, 13, 14, 15}));
    const Array<std::int32_t> nothing({0});
    const Array<std::int64_t> none({0});
    pick(nothing, table, none);
    put(table, none, nothing);
    xlazy::flush();
    EXPECT_TRUE(caught([&] {
        pick(target, nothing, some);
        xlazy::flush();
    })) << "an array without elements has no index";
}

}  // namespace
