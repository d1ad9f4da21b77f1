// SPDX-License-Identifier: BSD-3-Clause
// Updates that make a new version of their array: one pass, and the right values whatever the geometry.
#include "batch.hpp"
#include "passes/version.hpp"
#include "token_machine.hpp"

#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/optimizer/plan_cache.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <gtest/gtest.h>

namespace xlazy::opt {
namespace {

using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;

/// Steps of a heat equation on a square grid, each with the change it makes.
bc::Program heat(std::int64_t side, unsigned steps) {
    Batch batch;
    const std::uint32_t grid = batch.base(side * side, Use::Kept);
    const std::int64_t n = side - 2;
    const auto at = [&](std::int64_t row, std::int64_t column) {
        return batch.view(grid, row * side + column, {{n, side}, {n, 1}});
    };
    const Operand centre = at(1, 1), north = at(0, 1), south = at(2, 1), west = at(1, 0), east = at(1, 2);
    const std::uint32_t inner = batch.domain({n, n}), rows = batch.domain({n});
    for (unsigned step = 0; step < steps; ++step) {
        const Operand work = batch.view(batch.base(n * n, Use::Local), 0, {{n, n}, {n, 1}});
        const std::uint32_t first = batch.program.statement_count;
        Operand sum = batch.add(Op::add, inner, batch.temp(), {north, south});
        sum = batch.add(Op::add, inner, batch.temp(), {sum, west});
        sum = batch.add(Op::add, inner, batch.temp(), {sum, east});
        batch.add(Op::mul, inner, work, {sum, batch.scalar(0.25)});
        const Operand change = batch.add(Op::sub, inner, batch.temp(), {work, centre});
        const Operand row = batch.reduce(Op::sum, inner, 1, batch.temp(), change);
        batch.reduce(Op::sum, rows, 0, batch.view(batch.base(1, Use::Live), 0, {}), row);
        batch.add(Op::copy, inner, centre, {work});
        for (std::size_t i = 0; i < 8; ++i) {
            auto& instruction = batch.program.instructions[batch.program.instructions.size() - 8 + i];
            instruction.statement = first + (i < 4 ? 0 : i < 7 ? 1 : 2);
        }
        batch.program.statement_count = first + 3;
    }
    return batch.program;
}

bc::Plan planned(const bc::Program& program) {
    PlanOptions options;
    options.verify = true;
    return make_plan(program, options);
}

TEST(Versions, AHeatStepReadsTheGridOnceAndWritesItOnce) {
    constexpr std::int64_t side = 1000;
    constexpr std::uint64_t plane = side * side * 8, more = plane / 100;
    for (const unsigned steps : {1u, 3u}) {
        const bc::Program program = heat(side, steps);
        const bc::Plan plan = planned(program);
        EXPECT_EQ(plan.kernels.size(), 2 * steps) << "a step and the last sum of its change";
        const Traffic moved = traffic_of(program, plan);
        EXPECT_LE(moved.read, steps * (plane + more));
        EXPECT_LE(moved.written, steps * (plane + more));
        EXPECT_LE(footprint_of(program, plan).peak, 2 * plane + more) << "two planes";
    }
}

TEST(Versions, StepsInOneBatchGiveTheSameValues) {
    for (const unsigned steps : {1u, 2u, 5u}) {
        const bc::Program program = heat(9, steps);
        EXPECT_EQ(test::check_plan(planned(program), program), "");
    }
}

/// x[offset, offset + count) <- x[0, count) * 2, in an array of `size` elements
bc::Program shift(std::int64_t size, std::int64_t count) {
    Batch batch;
    const std::uint32_t x = batch.base(size, Use::Kept);
    batch.add(Op::mul, batch.domain({count}), batch.view(x, 1, {{count, 1}}),
              {batch.view(x, 0, {{count, 1}}), batch.scalar(2.0)});
    return batch.program;
}

std::size_t versions_of(const bc::Program& program) {
    std::size_t count = 0;
    for (const bc::Kernel& kernel : planned(program).kernels) count += kernel.versions.size();
    return count;
}

TEST(Versions, FewElementsMayBeLeftOut) {
    constexpr std::int64_t many = 4 * kWrittenPerCopied * kFewElements;
    EXPECT_EQ(versions_of(shift(many + many / kWrittenPerCopied, many)), 1u);
    EXPECT_EQ(versions_of(shift(many + many / kWrittenPerCopied + 1, many)), 0u);
    EXPECT_EQ(versions_of(shift(2 * kFewElements - 1, kFewElements)), 1u);
    EXPECT_EQ(versions_of(shift(2 * kFewElements, kFewElements)), 1u);
    EXPECT_EQ(versions_of(shift(2 * kFewElements + 1, kFewElements)), 0u);
    EXPECT_EQ(versions_of(shift(101, 50)), 0u) << "more is left out than written";
    EXPECT_EQ(versions_of(shift(100, 50)), 1u);
}

TEST(Versions, APlanServesGeometriesForWhichItWouldNotBeChosen) {
    PlanCache cache;
    cache.get(shift(20, 19), {});
    for (const auto& [size, count] : {std::pair(30, 29), {20, 2}, {20, 19}, {50, 10}}) {
        const bc::Program program = shift(size, count);
        const Planned found = cache.get(program, {});
        EXPECT_EQ(found.made, 0u);
        EXPECT_EQ(found.plan->kernels[0].versions.size(), 1u);
        EXPECT_EQ(test::check_plan(*found.plan, program), "");
    }
}

/// Two arrays that each take the other's old values, and their sum before.
TEST(Versions, SeveralArraysInOneKernel) {
    Batch batch;
    const std::uint32_t a = batch.base(10, Use::Kept), b = batch.base(10, Use::Kept);
    const std::uint32_t d = batch.domain({9});
    const auto low = [&](std::uint32_t base) { return batch.view(base, 0, {{9, 1}}); };
    const auto high = [&](std::uint32_t base) { return batch.view(base, 1, {{9, 1}}); };
    const Operand new_a = batch.add(Op::add, d, batch.array(9, Use::Local), {low(a), high(b)});
    const Operand new_b = batch.add(Op::mul, d, batch.array(9, Use::Local), {high(a), low(b)});
    batch.add(Op::copy, d, high(a), {new_a});
    batch.add(Op::copy, d, low(b), {new_b});
    const bc::Plan plan = planned(batch.program);
    EXPECT_EQ(plan.kernels.size(), 1u);
    EXPECT_EQ(plan.kernels[0].versions.size(), 2u);
    EXPECT_EQ(test::check_plan(plan, batch.program), "");
}

TEST(Versions, AnArrayThatDiesUnreadGetsNone) {
    Batch batch;
    const std::uint32_t x = batch.base(10, Use::Input);
    const std::uint32_t d = batch.domain({9});
    const Operand low = batch.view(x, 0, {{9, 1}}), high = batch.view(x, 1, {{9, 1}});
    const Operand sum = batch.add(Op::add, d, batch.array(9, Use::Live), {low, high});
    batch.add(Op::copy, d, high, {sum});
    std::vector<std::string> unknown;
    PlanOptions options{parse_passes("all,-dce", unknown), true, {}};
    const bc::Plan plan = make_plan(batch.program, options);
    ASSERT_EQ(plan.kernels.size(), 1u);
    EXPECT_TRUE(plan.kernels[0].versions.empty());
    EXPECT_EQ(test::check_plan(plan, batch.program), "");
}

}  // namespace
}  // namespace xlazy::opt
