// SPDX-License-Identifier: BSD-3-Clause
// Which kernels become regions: the limits, one below, at, and one above each, and what must not become one.
#include "batch.hpp"
#include "passes/regions.hpp"
#include "token_machine.hpp"

#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <gtest/gtest.h>

namespace xlazy::opt {
namespace {

using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;

bc::Plan planned(const bc::Program& program, bool anyhow = false) {
    PlanOptions options;
    options.verify = true;
    options.anyhow = anyhow;
    if (anyhow) options.size_class = bc::SizeClass::Memory;
    return make_plan(program, options);
}

/// Kernels of each region.
std::vector<std::size_t> sizes(const bc::Plan& plan) {
    std::vector<std::size_t> result;
    for (const bc::Region& region : plan.regions) result.push_back(region.kernels.size());
    return result;
}
using Sizes = std::vector<std::size_t>;

/// `steps` times x = x / sum(x, axis); the last x lives. A kernel more than steps.
bc::Program normalised(std::int64_t rows, std::int64_t columns, unsigned axis, std::size_t steps = 1,
                       std::size_t small_kernels = 0) {
    Batch batch;
    const std::uint32_t d = batch.domain({rows, columns});
    const auto matrix = [&](Use use) {
        return batch.view(batch.base(rows * columns, use), 0, {{rows, columns}, {columns, 1}});
    };
    Operand value = matrix(Use::Kept);
    const std::int64_t sums = axis == 0 ? columns : rows;
    for (std::size_t i = 0; i < steps; ++i) {
        const std::uint32_t base = batch.base(sums, Use::Local);
        batch.reduce(Op::sum, d, axis, batch.view(base, 0, {{sums, 1}}), value);
        for (std::size_t k = 1; k <= small_kernels; ++k) {
            const auto n = static_cast<std::int64_t>(k);
            batch.add(Op::copy, batch.domain({n}), batch.array(n, Use::Live), {batch.array(n, Use::Kept)});
        }
        const Operand repeated =
            axis == 0 ? batch.view(base, 0, {{columns, 1}}) : batch.view(base, 0, {{rows, 1}, {1, 0}});
        value = batch.add(Op::div, d, matrix(i + 1 == steps ? Use::Live : Use::Local), {value, repeated});
    }
    return batch.program;
}

TEST(Regions, ReductionsGoBackIntoBroadcasts) {
    const bc::Program program = normalised(64, 20000, 1);
    const bc::Plan plan = planned(program);
    EXPECT_EQ(sizes(plan), Sizes{2});
    EXPECT_EQ(traffic_of(program, plan).total(), std::uint64_t{2} * 64 * 20000 * 8) << "x is read once";
    EXPECT_EQ(footprint_of(program, plan).peak, std::uint64_t{2} * 64 * 20000 * 8) << "the sums have no array";
    EXPECT_GT(footprint_of(program, plan, [](const bc::Region&) { return false; }).peak,
              footprint_of(program, plan).peak);
}

TEST(Regions, MustSpareEnough) {
    // x is read once less, the sums are neither written nor read.
    const auto columns = static_cast<std::int64_t>((kLeastSpared / 64 - 16) / 8);
    EXPECT_EQ(sizes(planned(normalised(64, columns - 1, 1))), Sizes{});
    EXPECT_EQ(sizes(planned(normalised(64, columns, 1))), Sizes{2});
    EXPECT_EQ(sizes(planned(normalised(64, columns + 1, 1))), Sizes{2});
}

TEST(Regions, RowsMustFitACache) {
    const std::int64_t columns = kMaxRegionRows / 16;  // of x and of the result; a sum takes 8 bytes
    EXPECT_EQ(sizes(planned(normalised(64, columns - 2, 1))), Sizes{2});
    EXPECT_EQ(sizes(planned(normalised(64, columns - 1, 1))), Sizes{2});
    EXPECT_EQ(sizes(planned(normalised(64, columns, 1))), Sizes{});
}

TEST(Regions, ThreadsMustHaveEnoughPositions) {
    EXPECT_EQ(sizes(planned(normalised(kLeastPositions - 1, 100000, 1))), Sizes{});
    EXPECT_EQ(sizes(planned(normalised(kLeastPositions, 100000, 1))), Sizes{2});
    EXPECT_EQ(sizes(planned(normalised(kLeastPositions + 1, 100000, 1))), Sizes{2});
}

TEST(Regions, ColumnsAreCutInPiecesThatAreNoCrumbs) {
    // A column of x and one of the result, and its sum; so many columns make a piece.
    const std::int64_t rows = (kMaxRegionRows / (kLeastRun / 8) - 8) / 16;
    EXPECT_EQ(sizes(planned(normalised(rows - 1, 10000, 0))), Sizes{2});
    EXPECT_EQ(sizes(planned(normalised(rows, 10000, 0))), Sizes{2});
    EXPECT_EQ(sizes(planned(normalised(rows + 1, 10000, 0))), Sizes{});
}

TEST(Regions, HaveSoManyKernels) {
    const auto kernels = [](std::size_t count) { return sizes(planned(normalised(9, 7, 1, count - 1), true)); };
    EXPECT_EQ(kernels(kMaxRegionKernels - 1), Sizes{kMaxRegionKernels - 1});
    EXPECT_EQ(kernels(kMaxRegionKernels), Sizes{kMaxRegionKernels});
    EXPECT_EQ(kernels(kMaxRegionKernels + 1), Sizes{kMaxRegionKernels});
}

TEST(Regions, SmallKernelsRunBeforeThem) {
    const auto with = [](std::size_t small) {
        const bc::Program program = normalised(64, 64, 1, 1, small);
        const bc::Plan plan = planned(program, true);
        EXPECT_EQ(test::check_plan(plan, program), "");
        return sizes(plan);
    };
    EXPECT_EQ(with(kMaxMoved - 1), Sizes{2});
    EXPECT_EQ(with(kMaxMoved), Sizes{2});
    EXPECT_EQ(with(kMaxMoved + 1), Sizes{3}) << "one of them takes part";
}

/// b = a[1:] + a[:-1]; c = b[1:] * b[:-1], by rows of `columns`.
bc::Program stencils(std::int64_t rows, std::int64_t columns, Use of_b) {
    Batch batch;
    const std::uint32_t a = batch.base((rows + 1) * columns, Use::Kept), b = batch.base(rows * columns, of_b);
    const auto window = [&](std::uint32_t base, std::int64_t first, std::int64_t count) {
        return batch.view(base, first * columns, {{count, columns}, {columns, 1}});
    };
    batch.add(Op::add, batch.domain({rows, columns}), window(b, 0, rows), {window(a, 1, rows), window(a, 0, rows)});
    const std::uint32_t c = batch.base((rows - 1) * columns, Use::Live);
    batch.add(Op::mul, batch.domain({rows - 1, columns}), window(c, 0, rows - 1),
              {window(b, 1, rows - 1), window(b, 0, rows - 1)});
    return batch.program;
}

TEST(Regions, StencilsKeepADistance) {
    const bc::Program program = stencils(1000, 1000, Use::Local);
    const bc::Plan plan = planned(program);
    ASSERT_EQ(sizes(plan), Sizes{2});
    const bc::Region& region = plan.regions[0];
    EXPECT_EQ(region.locals.size(), 1u);
    EXPECT_EQ(region.kernels[0], (bc::RegionKernel{0, -1, 0})) << "a thread makes again the row that it reads first";
    EXPECT_EQ(region.kernels[1], (bc::RegionKernel{0, -1, -1}));
}

TEST(Regions, WhatStaysIsNotReadByNeighbours) { EXPECT_EQ(sizes(planned(stencils(1000, 1000, Use::Live))), Sizes{}); }

TEST(Regions, AnotherDistanceNeedsAnotherPlan) {
    const bc::Program one = stencils(1000, 1000, Use::Local);
    bc::Program two = one;
    for (bc::View& view : two.views) {
        if (view.base == 1 && view.offset == 1000) view.offset = 2000;
    }
    const bc::Plan plan = planned(one);
    EXPECT_TRUE(bc::guards_hold(plan, one));
    EXPECT_FALSE(bc::guards_hold(plan, two));
}

TEST(Regions, TheVerifierSeesWhatIsWrong) {
    const bc::Program program = stencils(1000, 1000, Use::Local);
    const bc::Plan plan = planned(program);
    ASSERT_EQ(bc::verify(plan, program), "");
    const auto fault = [&](auto change) {
        bc::Plan changed = plan;
        change(changed.regions[0]);
        return bc::verify(changed, program);
    };
    EXPECT_NE(fault([](bc::Region& region) { region.kernels[1].high = 0; }), "") << "it reads rows that come later";
    EXPECT_NE(fault([](bc::Region& region) { region.kernels[0].low = 0; }), "") << "a row is missing";
    EXPECT_NE(fault([](bc::Region& region) { region.kernels[1].axis = 1; }), "");
    EXPECT_NE(fault([](bc::Region& region) { region.kernels.pop_back(); }), "");
    EXPECT_NE(fault([](bc::Region& region) { region.first = 7; }), "");
    EXPECT_NE(fault([](bc::Region& region) { region.locals.clear(); }), "") << "what stays is read by neighbours";
    EXPECT_NE(fault([](bc::Region& region) { region.locals = {{bc::Storage::Kind::Base, 0}}; }), "") << "it lives";
}

/// x / sum(x, 1) of integers: a row of zeros fails in every column, and the region says where.
TEST(Regions, KernelsThatCanFailTakePart) {
    const auto quotients = [](std::int64_t rows, std::int64_t columns) {
        Batch batch;
        const std::uint32_t d = batch.domain({rows, columns});
        const auto matrix = [&](Use use) {
            return batch.view(batch.base(rows * columns, use, bc::DType::i64), 0, {{rows, columns}, {columns, 1}});
        };
        const Operand x = matrix(Use::Kept);
        const std::uint32_t sums = batch.base(rows, Use::Local, bc::DType::i64);
        batch.reduce(Op::sum, d, 1, batch.view(sums, 0, {{rows, 1}}), x, bc::DType::i64);
        batch.add(Op::div, d, matrix(Use::Live), {x, batch.view(sums, 0, {{rows, 1}, {1, 0}})}, bc::DType::i64);
        return batch.program;
    };
    const bc::Program large = quotients(300, 3000);
    const bc::Plan plan = planned(large);
    EXPECT_EQ(sizes(plan), Sizes{2});
    EXPECT_EQ(traffic_of(large, plan).total(), least_traffic(large).total()) << "as if it could not fail";
}

/// y = cumsum(x, 1) / sum(x, 1): a running sum along the rows is a kernel like others where rows are cut.
TEST(Regions, ScansAlongOtherAxesTakePart) {
    for (const unsigned axis : {0u, 1u}) {
        Batch batch;
        const std::uint32_t d = batch.domain({300, 3000});
        const auto matrix = [&](Use use) { return batch.view(batch.base(900000, use), 0, {{300, 3000}, {3000, 1}}); };
        const Operand x = matrix(Use::Kept);
        const std::uint32_t sums = batch.base(300, Use::Local);
        batch.reduce(Op::sum, d, 1, batch.view(sums, 0, {{300, 1}}), x);
        const Operand quotient = batch.add(Op::div, d, batch.temp(), {x, batch.view(sums, 0, {{300, 1}, {1, 0}})});
        batch.reduce(Op::cumsum, d, axis, matrix(Use::Live), quotient);
        const bc::Plan plan = planned(batch.program);
        EXPECT_EQ(plan.kernels.size(), 2u);
        EXPECT_EQ(sizes(plan), axis == 1 ? Sizes{2} : Sizes{});
        if (axis == 1) {
            EXPECT_EQ(traffic_of(batch.program, plan).total(), least_traffic(batch.program).total());
        }
    }
}

}  // namespace
}  // namespace xlazy::opt
