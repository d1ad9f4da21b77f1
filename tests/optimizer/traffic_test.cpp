// SPDX-License-Identifier: BSD-3-Clause
// Bytes and peaks of plans, against numbers worked out by hand and, for random views, against sets of elements.
#include "batch.hpp"
#include "element_set.hpp"

#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace xlazy::opt {
namespace {

using bc::Op;
using test::Batch;
using Use = Batch::Use;

bc::Plan planned(const bc::Program& program, std::string_view passes = "all") {
    std::vector<std::string> unknown;
    return make_plan(program, {parse_passes(passes, unknown), true, {}});
}

Traffic traffic(const bc::Program& program, std::string_view passes = "all") {
    return traffic_of(program, planned(program, passes));
}

constexpr std::int64_t kN = 100'000;

/// c = a * b + 2, in two statements by way of an array that dies.
bc::Program chain() {
    Batch batch;
    const std::uint32_t d = batch.domain({kN});
    const bc::Operand a = batch.array(kN, Use::Kept), b = batch.array(kN, Use::Kept);
    const bc::Operand product = batch.array(kN, Use::Local);
    batch.add(Op::mul, d, product, {a, b});
    batch.add(Op::add, d, batch.array(kN, Use::Live), {product, batch.scalar(2.0)});
    return batch.program;
}

TEST(Traffic, AFusedChainReadsItsInputsAndWritesItsOutput) {
    EXPECT_EQ(traffic(chain()), (Traffic{2 * kN * 8, kN * 8}));
    EXPECT_EQ(traffic(chain(), "none"), (Traffic{3 * kN * 8, 2 * kN * 8}));
    EXPECT_EQ(least_traffic(chain()), (Traffic{2 * kN * 8, kN * 8}));
}

TEST(Traffic, TheFootprintFollowsTheSteps) {
    const bc::Program program = chain();
    EXPECT_EQ(footprint_of(program, planned(program)).before, 2u * kN * 8);
    EXPECT_EQ(footprint_of(program, planned(program)).peak, 3u * kN * 8);
    EXPECT_EQ(footprint_of(program, planned(program, "none")).peak, 4u * kN * 8);
    EXPECT_EQ(least_peak(program), 3u * kN * 8);
}

TEST(Traffic, ShiftedViewsOfOneArrayCountWhatTheyShowTogether) {
    Batch batch;
    const std::uint32_t d = batch.domain({98, 98});
    const std::uint32_t grid = batch.base(100 * 100, Use::Kept);
    const auto window = [&](std::int64_t row, std::int64_t column) {
        return batch.view(grid, row * 100 + column, {{98, 100}, {98, 1}});
    };
    const bc::Operand out = batch.array(98 * 98, Use::Live);
    const bc::Operand square = batch.view(batch.program.views[out.index()].base, 0, {{98, 98}, {98, 1}});
    bc::Operand sum = batch.add(Op::add, d, batch.temp(), {window(0, 1), window(2, 1)});
    sum = batch.add(Op::add, d, batch.temp(), {sum, window(1, 0)});
    batch.add(Op::add, d, square, {sum, window(1, 2)});
    // A cross shows everything but the grid's corners.
    const Traffic expected{(100 * 100 - 4) * 8, 98 * 98 * 8};
    EXPECT_EQ(traffic(batch.program), expected);
    EXPECT_EQ(least_traffic(batch.program), expected);
}

TEST(Traffic, ABroadcastOperandCountsOnce) {
    Batch batch;
    const std::uint32_t d = batch.domain({100, 50});
    const bc::Operand row = batch.array(50, Use::Kept);
    const bc::Operand repeated = batch.view(batch.program.views[row.index()].base, 0, {{100, 0}, {50, 1}});
    const bc::Operand out = batch.view(batch.base(5000, Use::Live), 0, {{100, 50}, {50, 1}});
    batch.add(Op::neg, d, out, {repeated});
    EXPECT_EQ(traffic(batch.program), (Traffic{50 * 8, 5000 * 8}));
    EXPECT_EQ(least_traffic(batch.program), (Traffic{50 * 8, 5000 * 8}));
}

TEST(LeastTraffic, CountsNothingForWhatNobodyCanRead) {
    Batch batch;
    const std::uint32_t d = batch.domain({kN}), head = batch.domain({10});
    const bc::Operand a = batch.array(kN, Use::Kept), out = batch.array(kN, Use::Live);
    batch.add(Op::neg, d, batch.array(kN, Use::Local), {batch.array(kN, Use::Kept)});  // unread
    batch.add(Op::neg, d, out, {batch.array(kN, Use::Kept)});                          // overwritten
    batch.add(Op::neg, d, out, {a});
    const std::uint32_t base = batch.program.views[out.index()].base;
    batch.add(Op::neg, head, batch.view(base, 0, {{10, 1}}), {batch.view(base, 10, {{10, 1}})});  // of what was written
    EXPECT_EQ(least_traffic(batch.program), (Traffic{kN * 8, kN * 8}));
}

TEST(LeastTraffic, WhatIsWrittenFirstIsNotRead) {
    Batch batch;
    const std::uint32_t half = batch.domain({kN / 2}), whole = batch.domain({kN});
    const std::uint32_t base = batch.base(kN, Use::Kept);
    batch.add(Op::copy, half, batch.view(base, 0, {{kN / 2, 1}}), {batch.scalar(1.0)});
    batch.add(Op::neg, whole, batch.array(kN, Use::Live), {batch.view(base, 0, {{kN, 1}})});
    EXPECT_EQ(least_traffic(batch.program), (Traffic{kN / 2 * 8, (kN + kN / 2) * 8}));
}

/// out = x - sum(x, axis) of an array of `rows` rows; one axis, or all.
bc::Program centred(std::int64_t rows, std::int64_t columns, std::vector<unsigned> axes) {
    Batch batch;
    const bc::Operand x = batch.view(batch.base(rows * columns, Use::Kept), 0, {{rows, columns}, {columns, 1}});
    const bc::Operand out = batch.view(batch.base(rows * columns, Use::Live), 0, {{rows, columns}, {columns, 1}});
    Batch::Extents extents{rows, columns};
    bc::Operand sum = x;
    for (const unsigned axis : axes) {
        const std::uint32_t d = batch.domain(extents);
        sum = batch.reduce(Op::sum, d, axis, batch.temp(), sum);
        batch.program.instructions.back().flags = bc::Instruction::kKeepAxis;
        extents[axis] = 1;
    }
    batch.add(Op::sub, batch.domain({rows, columns}), out, {x, sum});
    return batch.program;
}

TEST(LeastTraffic, ASumOfEverythingMustBeCompleteFirst) {
    constexpr std::uint64_t kBytes = 400 * 500 * 8;
    EXPECT_EQ(least_traffic(centred(400, 500, {1, 0})), (Traffic{2 * kBytes + 8, kBytes + 8}));
}

TEST(LeastTraffic, ARowThatFitsATileIsReadOnce) {
    constexpr std::uint64_t kBytes = 400 * 500 * 8;
    EXPECT_EQ(least_traffic(centred(400, 500, {1})), (Traffic{kBytes, kBytes}));
    EXPECT_EQ(least_traffic(centred(2, 100'000, {1})), (Traffic{2 * 2 * 100'000 * 8 + 16, 2 * 100'000 * 8 + 16}));
}

TEST(LeastTraffic, ATileHoldsSoMuch) {
    constexpr std::int64_t kRow = static_cast<std::int64_t>(kTileBytes / 8);
    for (const std::int64_t columns : {kRow - 1, kRow, kRow + 1}) {
        const std::uint64_t bytes = static_cast<std::uint64_t>(columns) * 40 * 8;
        const std::uint64_t read = columns > kRow ? 2 * bytes + 40 * 8 : bytes;
        EXPECT_EQ(least_traffic(centred(40, columns, {1})).read, read) << columns;
    }
}

TEST(LeastTraffic, AColumnComesByCacheLines) {
    EXPECT_EQ(least_traffic(centred(400, 500, {0})), (Traffic{400 * 500 * 8, 400 * 500 * 8}));
    constexpr std::uint64_t kBytes = 600 * 500 * 8;
    EXPECT_EQ(least_traffic(centred(600, 500, {0})), (Traffic{2 * kBytes + 500 * 8, kBytes + 500 * 8}));
}

/// u of `n` elements; then inner = left + right, so many times, in place.
bc::Program steps(std::int64_t n, int count) {
    Batch batch;
    const std::uint32_t d = batch.domain({n - 2});
    const std::uint32_t u = batch.base(n, Use::Kept);
    for (int step = 0; step < count; ++step) {
        batch.add(Op::add, d, batch.view(u, 1, {{n - 2, 1}}),
                  {batch.view(u, 0, {{n - 2, 1}}), batch.view(u, 2, {{n - 2, 1}})});
    }
    return batch.program;
}

TEST(LeastTraffic, EachStepOfAStencilIsASweep) {
    EXPECT_EQ(least_traffic(steps(kN, 1)), (Traffic{kN * 8, (kN - 2) * 8}));
    EXPECT_EQ(least_traffic(steps(kN, 7)), (Traffic{7 * kN * 8, 7 * (kN - 2) * 8}));
}

TEST(LeastTraffic, ManyStepsAreCountedFast) {
    EXPECT_EQ(least_traffic(steps(1 << 20, 500)).read, std::uint64_t{500} * 8 << 20);
}

/// b = 2 * a, or a stencil of a; c = b[1:] - b[:-1]
bc::Program difference_of(bool stencil, Use of_b) {
    Batch batch;
    const std::uint32_t d = batch.domain({kN}), shorter = batch.domain({kN - 1});
    const std::uint32_t a = batch.base(kN + 1, Use::Kept), b = batch.base(kN, of_b);
    const bc::Operand left = batch.view(a, 0, {{kN, 1}}), right = batch.view(a, 1, {{kN, 1}});
    batch.add(Op::sub, d, batch.view(b, 0, {{kN, 1}}), {left, stencil ? right : left});
    batch.add(Op::sub, shorter, batch.array(kN - 1, Use::Live),
              {batch.view(b, 1, {{kN - 1, 1}}), batch.view(b, 0, {{kN - 1, 1}})});
    return batch.program;
}

TEST(LeastTraffic, NeighboursAreThereForSomeRowsUnlessAStencilMadeThemAndTheyStay) {
    EXPECT_EQ(least_traffic(difference_of(false, Use::Local)), (Traffic{kN * 8, (kN - 1) * 8}));
    EXPECT_EQ(least_traffic(difference_of(true, Use::Local)), (Traffic{(kN + 1) * 8, (kN - 1) * 8}));
    EXPECT_EQ(least_traffic(difference_of(true, Use::Live)), (Traffic{(kN + 1 + kN) * 8, (kN + kN - 1) * 8}));
}

TEST(LeastTraffic, IsNeverMoreThanAPlanMoves) {
    for (const auto& axes : std::vector<std::vector<unsigned>>{{0}, {1}, {1, 0}, {0, 1}}) {
        for (const std::int64_t rows : {1, 3, 700}) {
            const bc::Program program = centred(rows, 900, axes);
            for (const char* passes : {"all", "none"}) {
                const Traffic moved = traffic(program, passes), least = least_traffic(program);
                EXPECT_LE(least.read, moved.read) << rows;
                EXPECT_LE(least.written, moved.written) << rows;
            }
        }
    }
}

TEST(ElementSets, HoldWhatTheViewsShow) {
    std::mt19937 random(1);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (int round = 0; round < 2000; ++round) {
        Batch batch;
        const std::uint32_t base = batch.base(1000, Use::Kept);
        std::vector<std::uint32_t> views;
        std::set<std::int64_t> shown;
        for (std::int64_t count = pick(1, 3); count > 0; --count) {
            std::vector<bc::Dim> dims;
            std::int64_t low = 0, high = 0;
            for (std::int64_t rank = pick(0, 3); rank > 0; --rank) {
                const bc::Dim dim{pick(0, 6), pick(-20, 20)};
                dims.push_back(dim);
                const std::int64_t reach = std::max<std::int64_t>(0, dim.extent - 1) * dim.stride;
                (reach < 0 ? low : high) += reach;
            }
            const std::int64_t offset = pick(-low, 999 - high);
            views.push_back(batch.program.add_view(base, offset, dims));
            std::vector<std::int64_t> places{offset};
            for (const bc::Dim& dim : dims) {
                std::vector<std::int64_t> more;
                for (const std::int64_t place : places) {
                    for (std::int64_t i = 0; i < dim.extent; ++i) more.push_back(place + i * dim.stride);
                }
                places = more;
            }
            shown.insert(places.begin(), places.end());
        }
        ASSERT_EQ(elements_shown(batch.program, views), static_cast<std::int64_t>(shown.size())) << round;
    }
}

}  // namespace
}  // namespace xlazy::opt
