// SPDX-License-Identifier: BSD-3-Clause
// What a statement means: values, order, windows, broadcasting, reductions, and taking back.
#include "runtime/array.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test;
using Doubles = std::vector<double>;
using xlazy::rt::ShapeMismatch;

std::uint64_t instructions() { return xlazy::stats().instructions_recorded; }

TEST(Record, AStatementIsOneInstructionAnOperation) {
    const Array<double> a({2, 3}, {1, 2, 3, 4, 5, 6});
    const Array<double> b({2, 3}, {10, 20, 30, 40, 50, 60});
    const Array<double> c({2, 3});
    const std::uint64_t before = instructions();
    Statement s(here::current());
    const Value product = s.apply(Op::mul, DType::f64, s.load(a.all()), s.load(b.all()));
    s.store(c.all(), s.apply(Op::add, DType::f64, product, s.scalar(2.0)));
    EXPECT_EQ(instructions() - before, 2u);
    EXPECT_EQ(c.values(), (Doubles{12, 42, 92, 162, 252, 362}));
}

TEST(Record, AnOperandIsReadAsItWasAtTheStatement) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    const Array<double> c({3});
    assign(b, Op::add, a, 1.0);
    assign(a, Op::mul, a, 10.0);
    assign(c, Op::add, a, b);
    EXPECT_EQ(c.values(), (Doubles{12, 23, 34}));
    EXPECT_EQ(b.values(), (Doubles{2, 3, 4}));
    EXPECT_EQ(a.values(), (Doubles{10, 20, 30}));
}

TEST(Record, AHostWriteDoesNotReachQueuedReads) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    copy(b, a);
    a.write(0, 9);
    EXPECT_EQ(b.values(), (Doubles{1, 2, 3}));
    EXPECT_EQ(a.values(), (Doubles{9, 2, 3}));
    copy(b, a);
    a.write(1, 8);
    a.write(2, 7);
    EXPECT_EQ(b.values(), (Doubles{9, 2, 3}));
    EXPECT_EQ(a.values(), (Doubles{9, 8, 7}));
}

TEST(Record, OverlappingUpdatesComputeTheRightSideFirst) {
    const Array<double> a({8}, iota<double>(8));
    assign(a.all().slice(0, 2, 4), Op::add, a.all().slice(0, 1, 4), 1.0);
    EXPECT_EQ(a.values(), (Doubles{0, 1, 2, 3, 4, 5, 6, 7}));
    copy(a, a.all().slice(0, 7, 8, -1));
    EXPECT_EQ(a.values(), (Doubles{7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(Record, DividingAnArrayByItsOwnFirstRow) {
    const Array<double> a({3, 2}, {2, 4, 6, 8, 1, 1});
    assign(a, Op::div, a, a.all().slice(0, 0, 1));
    EXPECT_EQ(a.values(), (Doubles{1, 1, 3, 2, .5, .25}));
}

TEST(Record, OperandsBroadcast) {
    const Array<double> column({2, 1}, {1, 2});
    const Array<double> row({3}, {10, 20, 30});
    const Array<double> sum({2, 3});
    assign(sum, Op::add, column, row);
    EXPECT_EQ(sum.values(), (Doubles{11, 21, 31, 12, 22, 32}));
}

TEST(Record, ASmallerValueIsRepeatedToTheView) {
    const Array<double> row({3}, {1, 2, 3});
    const Array<double> all({2, 3});
    copy(all, row);
    EXPECT_EQ(all.values(), (Doubles{1, 2, 3, 1, 2, 3}));
    assign(all, Op::add, row, 1.0);
    EXPECT_EQ(all.values(), (Doubles{2, 3, 4, 2, 3, 4}));
    fill(all.all().slice(1, 1, 2), 7.0);
    EXPECT_EQ(all.values(), (Doubles{2, 7, 7, 2, 7, 7}));
}

TEST(Record, ExtentsOfOneInFrontDoNotMatter) {
    const Array<double> a({1, 1, 3}, {1, 2, 3});
    const Array<double> b({3});
    const Array<double> c({1, 3});
    copy(b, a);
    EXPECT_EQ(b.values(), (Doubles{1, 2, 3}));
    assign(c, Op::add, b, 1.0);
    EXPECT_EQ(c.values(), (Doubles{2, 3, 4}));
    const Array<double> one({1, 1, 1}, {5});
    copy(b, one);
    EXPECT_EQ(b.values(), (Doubles{5, 5, 5}));
}

TEST(Record, ValuesAreConvertedToTheArraysType) {
    const Array<double> a({4}, {1.9, -1.9, 1e30, 0});
    const Array<std::int32_t> whole({4});
    copy(whole, a);
    EXPECT_EQ(whole.values(), (std::vector<std::int32_t>{1, -1, std::numeric_limits<std::int32_t>::min(), 0}));
    fill(whole, 2.75);
    EXPECT_EQ(whole.values(), (std::vector<std::int32_t>{2, 2, 2, 2}));
    fill(whole, -1e300);
    EXPECT_EQ(whole.read(0), std::numeric_limits<std::int32_t>::min());
}

TEST(Record, ConvertedScalarsCostNoInstruction) {
    const Array<float> a({2}, {1, 2});
    const std::uint64_t before = instructions();
    Statement s(here::current());
    s.store(a.all(), s.apply(Op::mul, DType::f32, s.load(a.all()), s.cast(s.scalar(3), DType::f32)));
    EXPECT_EQ(instructions() - before, 1u);
    EXPECT_EQ(a.values(), (std::vector<float>{3, 6}));
}

TEST(Record, SelectAndComparison) {
    const Array<double> a({4}, {-1, 2, -3, 4});
    Statement s(here::current());
    const Value value = s.load(a.all());
    const Value negative = s.apply(Op::lt, DType::boolean, value, s.scalar(0.0));
    EXPECT_EQ(negative.dtype, DType::boolean);
    s.store(a.all(), s.apply(Op::select, DType::f64, negative, s.scalar(0.0), value));
    EXPECT_EQ(a.values(), (Doubles{0, 2, 0, 4}));
}

TEST(Record, ReductionsOverAnyAxes) {
    const Array<double> a({2, 3, 2}, iota<double>(12));
    const auto reduced = [&](std::uint32_t axes, bool keep, const Extents& extents) {
        const Array<double> result(extents);
        Statement s(here::current());
        const Value value = s.reduce(Op::sum, s.load(a.all()), axes, keep);
        EXPECT_EQ(s.rank_of(value), extents.size());
        for (std::size_t i = 0; i < extents.size(); ++i) {
            EXPECT_EQ(s.extent_of(value, i), static_cast<std::int64_t>(extents[i]));
        }
        s.store(result.all(), value);
        return result.values();
    };
    EXPECT_EQ(reduced(0b010, false, {2, 2}), (Doubles{6, 9, 24, 27}));
    EXPECT_EQ(reduced(0b101, false, {3}), (Doubles{14, 22, 30}));
    EXPECT_EQ(reduced(0b101, true, {1, 3, 1}), (Doubles{14, 22, 30}));
    EXPECT_EQ(reduced(0b111, false, {}), (Doubles{66}));
    EXPECT_EQ(reduced(0, false, {2, 3, 2}), iota<double>(12));
}

TEST(Record, AReductionInsideAnExpression) {
    const Array<double> a({2, 3}, {1, 2, 3, 4, 5, 9});
    const Array<double> b({2, 3});
    Statement s(here::current());
    const Value sum = s.reduce(Op::sum, s.load(a.all()), 0b10, true);
    const Value mean = s.apply(Op::div, DType::f64, sum, s.scalar(3.0));
    s.store(b.all(), s.apply(Op::sub, DType::f64, s.load(a.all()), mean));
    EXPECT_EQ(b.values(), (Doubles{-1, 0, 1, -2, -1, 3}));
}

TEST(Record, AReductionOfABroadcastValue) {
    const Array<double> row({3}, {1, 2, 3});
    const Array<double> sums({3});
    const std::size_t extents[] = {4, 3};
    Statement s(here::current());
    const Value all = s.broadcast(s.load(row.all()), 2, extents);
    s.store(sums.all(), s.reduce(Op::sum, all, 0b01, false));
    EXPECT_EQ(sums.values(), (Doubles{4, 8, 12}));
}

TEST(Record, ReducedValueInAViewOfOtherRank) {
    const Array<double> a({2, 3}, iota<double>(6));
    const Array<double> b({1, 1, 3});
    Statement s(here::current());
    s.store(b.all(), s.reduce(Op::sum, s.load(a.all()), 0b01, false));
    EXPECT_EQ(b.values(), (Doubles{3, 5, 7}));
}

TEST(Record, Positions) {
    const std::size_t extents[] = {2, 3};
    const Array<std::int64_t> a({2, 3});
    Statement s(here::current());
    const Value row = s.index(0, 2, extents);
    const Value column = s.index(1, 2, extents);
    const Value ten = s.scalar(std::int64_t{10});
    s.store(a.all(), s.apply(Op::add, DType::i64, s.apply(Op::mul, DType::i64, row, ten), column));
    EXPECT_EQ(a.values(), (std::vector<std::int64_t>{0, 1, 2, 10, 11, 12}));
}

TEST(Record, ArraysWithoutElementsAndWithoutAxes) {
    const Array<double> none({0, 3}, {});
    const Array<double> more({0, 3});
    const Array<double> sums({3});
    const Array<double> point(Extents{});
    assign(more, Op::add, none, 1.0);
    EXPECT_TRUE(more.values().empty());
    {
        Statement s(here::current());
        s.store(sums.all(), s.reduce(Op::sum, s.load(none.all()), 0b01, false));
    }
    EXPECT_EQ(sums.values(), (Doubles{0, 0, 0}));
    fill(point, 3.5);
    assign(point, Op::add, point, 1.0);
    EXPECT_EQ(point.values(), (Doubles{4.5}));
}

TEST(Record, AnEmptyMinimumIsRefusedAtTheStatement) {
    const Array<double> none({0, 3}, {});
    const Array<double> result({3}, {1, 2, 3});
    Statement s(here::current());
    EXPECT_THROW(s.reduce(Op::amin, s.load(none.all()), 0b01, false), std::invalid_argument);
}

TEST(Record, AnArrayThatWasNeverWrittenCanBeRead) {
    const Array<double> a({3});
    const Array<double> b({3});
    assign(b, Op::mul, a, 0.0);
    EXPECT_EQ(b.values().size(), 3u);
    const Array<double> c({3});
    EXPECT_EQ(c.values().size(), 3u);
}

TEST(Record, AMismatchIsThrownAtOnceAndNothingStays) {
    const Array<double> a({3, 4}, Doubles(12, 1));
    const Array<double> b({5}, Doubles(5, 1));
    const Array<double> c({3, 4});
    assign(c, Op::add, a, 1.0);
    const std::uint64_t before = instructions();
    try {
        assign(c, Op::add, a, b);
        FAIL();
    } catch (const ShapeMismatch& error) {
        EXPECT_STREQ(error.what(), "add: operands f64(3,4) and f64(5) do not broadcast to one shape");
    }
    try {
        copy(c, b);
        FAIL();
    } catch (const ShapeMismatch& error) {
        EXPECT_STREQ(error.what(), "assignment: a value f64(5) does not fit into f64(3,4)");
    }
    EXPECT_EQ(instructions(), before);
    EXPECT_EQ(c.values(), Doubles(12, 2));
    assign(c, Op::add, c, 1.0);
    EXPECT_EQ(c.values(), Doubles(12, 3));
}

TEST(Record, WhatATakenBackStatementNamedIsFreeAgain) {
    const Array<double> a({3}, {1, 2, 3});
    for (int i = 0; i < 1000; ++i) {
        const Array<double> once({3}, {4, 5, 6});
        Statement s(here::current());
        s.apply(Op::add, DType::f64, s.load(a.all()), s.load(once.all()));
    }
    a.write(0, 7);
    const std::uint64_t flushes = xlazy::stats().flushes["host_write"];
    a.write(1, 8);
    EXPECT_EQ(xlazy::stats().flushes["host_write"], flushes);
    assign(a, Op::add, a, 1.0);
    EXPECT_EQ(a.values(), (Doubles{8, 9, 4}));
}

TEST(Record, AStatementInsideAnotherIsRefused) {
    const Array<double> a({3}, {1, 2, 3});
    Statement s(here::current());
    EXPECT_THROW(Statement{here::current()}, std::logic_error);
    s.store(a.all(), s.apply(Op::add, DType::f64, s.load(a.all()), s.scalar(1.0)));
    EXPECT_EQ(a.values(), (Doubles{2, 3, 4}));
}

TEST(Record, AnArrayReadInTheMiddleOfAStatement) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    assign(b, Op::add, a, 1.0);
    Statement s(here::current());
    const Value left = s.apply(Op::mul, DType::f64, s.load(a.all()), s.load(b.all()));
    const Value scalar = s.scalar(b.read(2));
    s.store(b.all(), s.apply(Op::add, DType::f64, left, scalar));
    EXPECT_EQ(b.values(), (Doubles{6, 10, 16}));
    EXPECT_EQ(xlazy::rt::last_statement_line().line, static_cast<unsigned>(__LINE__ - 5));
}

}  // namespace
