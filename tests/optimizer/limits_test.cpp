// SPDX-License-Identifier: BSD-3-Clause
// The limits of a kernel, one below, at, and one above each.
#include "batch.hpp"
#include "facts.hpp"
#include "passes/dce.hpp"
#include "passes/fuse.hpp"
#include "token_machine.hpp"

#include "xlazy/optimizer/optimizer.hpp"

#include <gtest/gtest.h>

namespace xlazy::opt {
namespace {

using bc::Op;
using test::Batch;
using Use = Batch::Use;

std::size_t kernels_of(const bc::Program& program) {
    const bc::Plan plan = make_plan(program, {});
    EXPECT_EQ(test::check_plan(plan, program), "");
    return plan.kernels.size();
}

/// `count` statements x = -x: an operation and a store each, one load.
bc::Program chain(std::uint32_t count) {
    Batch batch;
    const std::uint32_t d = batch.domain({2});
    const bc::Operand x = batch.array(2, Use::Kept);
    for (std::uint32_t i = 0; i < count; ++i) batch.add(Op::neg, d, x, {x});
    return batch.program;
}

/// Elements of arrays that together do not fit the first-level cache, if there are 40 or more.
constexpr std::int64_t kLong = 103;

/// y = x0 + x1 + ...: `count` arrays read, one written, in one statement.
bc::Program sum_of_arrays(std::uint32_t count) {
    Batch batch;
    const std::uint32_t d = batch.domain({kLong});
    bc::Operand sum = batch.array(kLong, Use::Input);
    for (std::uint32_t i = 1; i < count; ++i) {
        const bc::Operand out = i + 1 == count ? batch.array(kLong, Use::Live) : batch.temp();
        sum = batch.add(Op::add, d, out, {sum, batch.array(kLong, Use::Input)});
        batch.program.instructions.back().statement = 0;
    }
    return batch.program;
}

/// Copies of `count` arrays to others, a statement each.
bc::Program copies(std::uint32_t count, std::int64_t n = kLong) {
    Batch batch;
    const std::uint32_t d = batch.domain({n});
    for (std::uint32_t i = 0; i < count; ++i) {
        batch.add(Op::copy, d, batch.array(n, Use::Live), {batch.array(n, Use::Input)});
    }
    return batch.program;
}

/// x = -x, then `between` statements of other shapes that all read the one before, then y = -x.
bc::Program far_apart(std::uint32_t between) {
    Batch batch;
    const std::uint32_t d = batch.domain({2});
    const bc::Operand x = batch.array(2, Use::Kept);
    batch.add(Op::neg, d, x, {x});
    for (std::uint32_t i = 0; i < between; ++i) {
        const std::int64_t extent = 3 + i;
        batch.add(Op::neg, batch.domain({extent}), batch.array(extent, Use::Live), {batch.array(extent, Use::Input)});
    }
    batch.add(Op::neg, d, batch.array(2, Use::Live), {x});
    return batch.program;
}

/// A statement each: x1 = -x0, x2 = -x1, ...: arrays that die, but for the last one. `read` more of them are read by a
/// reduction afterwards, and so need memory.
bc::Program dying_arrays(std::uint32_t count, std::uint32_t read) {
    Batch batch;
    const std::uint32_t d = batch.domain({kLong, 2});
    const auto matrix = [&](Use use) { return batch.view(batch.base(2 * kLong, use), 0, {{kLong, 2}, {2, 1}}); };
    std::vector<bc::Operand> arrays{matrix(Use::Input)};
    for (std::uint32_t i = 0; i < count; ++i) {
        arrays.push_back(batch.add(Op::neg, d, matrix(i + 1 == count ? Use::Live : Use::Local), {arrays.back()}));
    }
    for (std::uint32_t i = 0; i < read; ++i) {
        // As one axis: another domain, in which the arrays cannot be in registers.
        const std::uint32_t base = batch.program.views[arrays[i + 1].index()].base;
        batch.add(Op::neg, batch.domain({2 * kLong}), batch.array(2 * kLong, Use::Live),
                  {batch.view(base, 0, {{2 * kLong, 1}})});
    }
    return batch.program;
}

TEST(KernelLimits, ArraysThatDieAreNoStreams) {
    EXPECT_EQ(kernels_of(dying_arrays(kMaxStreams - 1, 0)), 1u);
    EXPECT_EQ(kernels_of(dying_arrays(3 * kMaxStreams, 0)), 1u);
    EXPECT_EQ(kernels_of(dying_arrays(kMaxViews - 2, 0)), 1u);
    EXPECT_EQ(kernels_of(dying_arrays(kMaxViews - 1, 0)), 1u);
    EXPECT_EQ(kernels_of(dying_arrays(kMaxViews, 0)), 2u);
    EXPECT_EQ(kernels_of(dying_arrays(10, 5)), 2u);
}

TEST(KernelLimits, MicroOps) {
    static_assert(kMaxMicroOps % 2 == 0);
    const std::uint32_t most = (kMaxMicroOps - 1) / 2;
    EXPECT_EQ(kernels_of(chain(most - 1)), 1u);
    EXPECT_EQ(kernels_of(chain(most)), 1u);
    EXPECT_EQ(kernels_of(chain(most + 1)), 2u);
    EXPECT_EQ(kernels_of(chain(3 * most)), 3u);
}

TEST(KernelLimits, StreamsOfManyStatements) {
    static_assert(kMaxStreams % 2 == 0);
    EXPECT_EQ(kernels_of(copies(kMaxStreams / 2 - 1)), 1u);
    EXPECT_EQ(kernels_of(copies(kMaxStreams / 2)), 1u);
    EXPECT_EQ(kernels_of(copies(kMaxStreams / 2 + 1)), 2u);
}

TEST(KernelLimits, StreamsInTheCache) {
    static_assert(kMaxStreamsInCache % 2 == 0);
    EXPECT_EQ(kernels_of(copies(kMaxStreamsInCache / 2, 3)), 1u);
    EXPECT_EQ(kernels_of(copies(kMaxStreamsInCache / 2 + 1, 3)), 2u);
}

TEST(KernelLimits, StreamsOfOneStatement) {
    const std::uint32_t most = kMaxStreams - 1;  // and the store
    EXPECT_EQ(kernels_of(sum_of_arrays(most - 1)), 1u);
    EXPECT_EQ(kernels_of(sum_of_arrays(most)), 1u);
    EXPECT_EQ(kernels_of(sum_of_arrays(most + 1)), 2u);
    EXPECT_EQ(kernels_of(sum_of_arrays(300)), 7u);
}

TEST(KernelLimits, Reach) {
    EXPECT_EQ(kernels_of(far_apart(kReach - 2)), kReach - 1);
    EXPECT_EQ(kernels_of(far_apart(kReach - 1)), kReach);
    EXPECT_EQ(kernels_of(far_apart(kReach)), kReach + 2);
}

/// `count` kernels that need one another, the first of which reads a; then y = -a. @return the kernel of y
std::size_t kernel_of_reader(std::uint32_t count) {
    Batch batch;
    const std::uint32_t d = batch.domain({kLong});
    const bc::Operand a = batch.array(kLong, Use::Kept);
    bc::Operand sum;
    for (std::uint32_t i = 0; i < count; ++i) {
        const bc::Operand x = i == 0 ? a : batch.array(kLong, Use::Kept);
        const bc::Operand product = batch.add(Op::mul, d, batch.temp(), {x, i == 0 ? x : sum});
        const bool last = i + 1 == count;
        sum = batch.reduce(Op::sum, d, 0, last ? batch.view(batch.base(1, Use::Live), 0, {}) : batch.temp(), product);
    }
    const bc::Operand y = batch.add(Op::neg, d, batch.array(kLong, Use::Live), {a});
    const bc::Plan plan = make_plan(batch.program, {});
    EXPECT_EQ(plan.kernels.size(), count);
    EXPECT_EQ(test::check_plan(plan, batch.program), "");
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        for (const bc::MicroOp& op : plan.kernels[k].ops) {
            if (op.kind == bc::MicroOp::Kind::StoreView && op.index == y.index()) return k;
        }
    }
    return plan.kernels.size();
}

TEST(FuseLimits, KernelsToChooseFrom) {
    EXPECT_EQ(kernel_of_reader(kMaxChoices - 1), 0u);
    EXPECT_EQ(kernel_of_reader(kMaxChoices), 0u);
    EXPECT_NE(kernel_of_reader(kMaxChoices + 1), 0u);
}

/// Writes to windows of one array that are left without any pass but `dce`.
std::size_t writes_left(const Batch& batch) {
    const bc::Plan plan = make_plan(batch.program, test::token_options("dce"));
    EXPECT_EQ(test::check_plan(plan, batch.program), "");
    std::size_t found = 0;
    for (const bc::Kernel& kernel : plan.kernels) {
        for (const bc::MicroOp& op : kernel.ops) {
            found += op.kind == bc::MicroOp::Kind::StoreView && batch.program.views[op.index].base == 0 ? 1 : 0;
        }
    }
    return found;
}

TEST(DceLimits, WindowsThatAreWatched) {
    const auto left = [](std::size_t between) {
        Batch batch;
        const std::uint32_t d = batch.domain({2}), base = batch.base(100, Use::Kept);
        const bc::Operand x = batch.array(2, Use::Kept);
        const auto write = [&](std::int64_t at) { batch.add(Op::neg, d, batch.view(base, at, {{2, 1}}), {x}); };
        write(0);
        for (std::size_t i = 1; i <= between; ++i) write(static_cast<std::int64_t>(2 * i));
        write(0);
        return writes_left(batch) - between;
    };
    EXPECT_EQ(left(kMaxOverwritten - 2), 1u);
    EXPECT_EQ(left(kMaxOverwritten - 1), 1u);
    EXPECT_EQ(left(kMaxOverwritten), 2u) << "the first write is forgotten";
}

TEST(DceLimits, ReadsThatMayLieBetween) {
    const auto left = [](std::size_t reads) {
        Batch batch;
        const std::uint32_t d = batch.domain({2}), base = batch.base(100, Use::Kept);
        const bc::Operand x = batch.array(2, Use::Kept);
        const auto window = [&](std::int64_t at) { return batch.view(base, at, {{2, 1}}); };
        batch.add(Op::neg, d, window(0), {x});
        for (std::size_t i = 1; i <= reads; ++i)
            batch.add(Op::neg, d, batch.array(2, Use::Live), {window(static_cast<std::int64_t>(2 * i))});
        batch.add(Op::neg, d, window(0), {x});
        return writes_left(batch);
    };
    EXPECT_EQ(left(kMaxReadsBetween - 1), 1u);
    EXPECT_EQ(left(kMaxReadsBetween), 1u);
    EXPECT_EQ(left(kMaxReadsBetween + 1), 2u);
}

/// Rows of one array, each made of itself: their places are told apart by pairs, or all at once.
TEST(FactsLimits, ViewsOfOneBase) {
    const auto spreads = [](std::size_t views) {
        Batch batch;
        const std::uint32_t d = batch.domain({2}), base = batch.base(200, Use::Kept);
        for (std::size_t i = 0; i < views; ++i) {
            const bc::Operand row = batch.view(base, static_cast<std::int64_t>(3 * i), {{2, 1}});
            batch.add(Op::neg, d, row, {row});
        }
        const bc::Plan plan = make_plan(batch.program, {});
        EXPECT_EQ(plan.kernels.size(), 1u);
        EXPECT_TRUE(bc::guards_hold(plan, batch.program));
        return std::pair(plan.spreads.size(), plan.guards.size());
    };
    EXPECT_EQ(spreads(kManyViews - 1), std::pair(std::size_t{0}, (kManyViews - 1) * (kManyViews - 2) / 2));
    EXPECT_EQ(spreads(kManyViews), std::pair(std::size_t{1}, std::size_t{0}));
    EXPECT_EQ(spreads(kManyViews + 1), std::pair(std::size_t{1}, std::size_t{0}));
}

}  // namespace
}  // namespace xlazy::opt
