// SPDX-License-Identifier: BSD-3-Clause
// Which kernels run at once: the limits, one below, at, and one above each, and what must not.
#include "batch.hpp"
#include "byte_machine.hpp"
#include "passes/together.hpp"
#include "token_machine.hpp"

#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/explain.hpp"

#include <gtest/gtest.h>

#include <cstring>

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
    return make_plan(program, options);
}

/// Kernels of each dispatch.
std::vector<std::uint32_t> sizes(const bc::Plan& plan) {
    std::vector<std::uint32_t> result;
    for (const bc::Dispatch& dispatch : plan.dispatches) result.push_back(dispatch.count);
    return result;
}
using Sizes = std::vector<std::uint32_t>;

/// y = -x of so many elements: a load, an operation, a store.
void negate(Batch& batch, std::int64_t n, Use result = Use::Live) {
    batch.add(Op::neg, batch.domain({n}), batch.array(n, result), {batch.array(n, Use::Kept)});
}
constexpr std::int64_t kWorkOfNegation = 3;

/// `count` statements, each of another length, from `n` on.
bc::Program of_many_lengths(std::int64_t n, std::uint32_t count) {
    Batch batch;
    for (std::uint32_t i = 0; i < count; ++i) negate(batch, n + i);
    return batch.program;
}

TEST(Together, SmallKernelsOfManyLengths) {
    const bc::Program program = of_many_lengths(5000, 30);
    const bc::Plan plan = planned(program);
    EXPECT_EQ(plan.kernels.size(), 30u);
    EXPECT_EQ(sizes(plan), Sizes{30});
    const std::string text = to_text(explain(program, plan, {}));
    EXPECT_NE(text.find("k0 to k29 are small and independent: they run at once, each on one thread"), std::string::npos)
        << text;
    EXPECT_NE(bc::print(plan).find("together k0 to k29\n"), std::string::npos);
}

TEST(Together, SwitchedOff) {
    std::vector<std::string> unknown;
    const PlanOptions options{parse_passes("-together", unknown), true, {}};
    EXPECT_EQ(sizes(make_plan(of_many_lengths(5000, 30), options)), Sizes{});
    EXPECT_TRUE(unknown.empty());
}

TEST(Together, KernelsThatAreLargeEnoughRunAlone) {
    constexpr std::int64_t kLimit = kMostWork / kWorkOfNegation + 1;  // the first length that is too long
    Batch below, at;
    for (const std::int64_t n : {kLimit - 1, std::int64_t{50'000}, std::int64_t{60'000}}) negate(below, n);
    for (const std::int64_t n : {kLimit, std::int64_t{50'000}, std::int64_t{60'000}}) negate(at, n);
    EXPECT_EQ(sizes(planned(below.program)), Sizes{3});
    EXPECT_EQ(sizes(planned(at.program)), Sizes{2});
}

TEST(Together, LittleWorkIsNotWorthASecondThread) {
    constexpr std::int64_t kAll = kLeastWork / kWorkOfNegation + 1;  // elements that are just enough
    for (const std::int64_t missing : {1, 0, -1}) {
        Batch batch;
        negate(batch, kAll / 3);
        negate(batch, kAll - kAll / 3 - missing);
        EXPECT_EQ(sizes(planned(batch.program)), missing == 1 ? Sizes{} : Sizes{2}) << missing;
    }
}

TEST(Together, NumberOfKernels) {
    EXPECT_EQ(sizes(planned(of_many_lengths(10'000, kMostTogether - 1))), Sizes{kMostTogether - 1});
    EXPECT_EQ(sizes(planned(of_many_lengths(10'000, kMostTogether))), Sizes{kMostTogether});
    EXPECT_EQ(sizes(planned(of_many_lengths(10'000, kMostTogether + 1))), Sizes{kMostTogether});
    EXPECT_EQ(sizes(planned(of_many_lengths(10'000, 2 * kMostTogether))), (Sizes{kMostTogether, kMostTogether}));
}

/// Kernels that read arrays that die.
TEST(Together, MemoryThatIsHeldAtOnce) {
    constexpr std::int64_t kElements = static_cast<std::int64_t>(kMostHeld / sizeof(double));
    static_assert(kElements / 4 * kWorkOfNegation < kMostWork);
    for (const std::int64_t more : {-1, 0, 1}) {
        Batch batch;
        for (const std::int64_t part : {-6, -2, 2, 6}) {
            const std::int64_t n = kElements / 4 + part + (part == 6 ? more : 0);
            batch.add(Op::neg, batch.domain({n}), batch.array(n, Use::Live), {batch.array(n, Use::Input)});
            negate(batch, 1000 + part);  // of another length, so that no two are one kernel
        }
        const bc::Plan plan = planned(batch.program);
        std::uint32_t together = 0;
        for (const std::uint32_t count : sizes(plan)) together = std::max(together, count);
        EXPECT_EQ(together, plan.kernels.size() - (more == 1 ? 1 : 0)) << more;
    }
}

TEST(Together, LooksSoFarAhead) {
    for (const std::uint32_t between : {kLookAhead - 2, kLookAhead - 1, kLookAhead}) {
        Batch batch;
        negate(batch, 60'000);
        // Of these, each needs the one before it: y = x repeated in a longer row.
        Operand last = batch.array(1, Use::Kept);
        for (std::uint32_t i = 0; i < between; ++i) {
            const std::uint32_t base = batch.base(2 + i, Use::Live);
            const Operand one = batch.view(batch.program.views[last.index()].base, 0, {{1, 0}});
            last = batch.add(Op::sqrt, batch.domain({2 + i}), batch.view(base, 0, {{2 + i, 1}}), {one});
        }
        negate(batch, 60'001);
        std::vector<std::string> unknown;  // regions would move the small ones
        const bc::Plan plan = make_plan(batch.program, {parse_passes("-regions", unknown), true, {}});
        EXPECT_EQ(sizes(plan).size(), between + 1 < kLookAhead ? 1u : 0u) << between;
    }
}

/// For several lengths: s = sum(exp(x)); y = x / s.
bc::Program two_levels(std::uint32_t count) {
    Batch batch;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::int64_t n = 5000 + i;
        const std::uint32_t d = batch.domain({n});
        const Operand x = batch.array(n, Use::Kept);
        const Operand e = batch.add(Op::exp, d, batch.temp(), {x});
        const Operand s = batch.reduce(Op::sum, d, 0, batch.temp(), e);
        batch.add(Op::div, d, batch.array(n, Use::Live), {x, s});
    }
    return batch.program;
}

TEST(Together, WhatDependsComesInTheNextDispatch) {
    const bc::Program program = two_levels(20);
    const bc::Plan plan = planned(program);
    EXPECT_EQ(plan.kernels.size(), 40u);
    EXPECT_EQ(sizes(plan), (Sizes{20, 20}));
    const bc::Program small = [] {
        Batch batch;
        for (std::int64_t n = 3; n < 8; ++n) {
            const Operand x = batch.array(n, Use::Kept), y = batch.array(n, Use::Live);
            const std::uint32_t d = batch.domain({n});
            const Operand s = batch.reduce(Op::sum, d, 0, batch.temp(), x);
            batch.add(Op::div, d, y, {x, s});
            batch.add(Op::add, d, x, {y, y});
        }
        return batch.program;
    }();
    PlanOptions options = test::token_options();
    options.anyhow = true;
    const bc::Plan shuffled = make_plan(small, options);
    EXPECT_EQ(sizes(shuffled), (Sizes{5, 5}));
    EXPECT_EQ(test::check_plan(shuffled, small), "");
}

/// Row i of a triangle has i + 1 elements; each is written from the row itself, and one row reads its neighbour.
TEST(Together, RowsOfOneArray) {
    for (const bool neighbour : {false, true}) {
        Batch batch;
        constexpr std::int64_t kRows = 20;
        const std::uint32_t a = batch.base(kRows * kRows, Use::Kept);
        for (std::int64_t i = 0; i < kRows; ++i) {
            const std::int64_t from = neighbour && i == 10 ? i - 1 : i;
            batch.add(Op::neg, batch.domain({i + 1}), batch.view(a, i * kRows, {{i + 1, 1}}),
                      {batch.view(a, from * kRows, {{i + 1, 1}})});
        }
        PlanOptions options = test::token_options();
        options.anyhow = true;
        const bc::Plan plan = make_plan(batch.program, options);
        EXPECT_EQ(plan.kernels.size(), 20u);
        EXPECT_EQ(sizes(plan), neighbour ? (Sizes{19}) : (Sizes{20}));
        EXPECT_EQ(test::check_plan(plan, batch.program), "");
        EXPECT_TRUE(bc::guards_hold(plan, batch.program));
        // Where rows meet, the plan is not right, and its guards say so.
        for (bc::View& view : batch.program.views) view.offset = view.offset / kRows * (kRows / 2);
        EXPECT_FALSE(bc::guards_hold(plan, batch.program));
    }
}

/// Quotients, sums and running sums of several lengths: each fails where it divides by zero, whoever ran it.
TEST(Together, EachKernelHasItsValuesAndItsFailures) {
    Batch batch;
    std::map<std::uint32_t, test::Bytes> inputs;
    for (std::int64_t n = 0; n < 40; ++n) {
        const std::uint32_t x = batch.base(n, Use::Kept, bc::DType::i32), d = batch.domain({n});
        std::vector<std::int32_t> values(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i) - 17;
        inputs[x].resize(values.size() * sizeof(std::int32_t));
        if (n != 0) std::memcpy(inputs[x].data(), values.data(), inputs[x].size());
        const Operand all = batch.view(x, 0, {{n, 1}});
        if (n % 3 == 0)
            batch.add(Op::div, d, batch.array(n, Use::Live, bc::DType::i32), {all, all}, bc::DType::i32);
        else if (n % 3 == 1)
            batch.reduce(Op::sum, d, 0, batch.view(batch.base(1, Use::Live, bc::DType::i32), 0, {}), all,
                         bc::DType::i32);
        else
            batch.reduce(Op::cumsum, d, 0, batch.array(n, Use::Live, bc::DType::i32), all, bc::DType::i32);
    }
    const bc::Plan plan = planned(batch.program, true);
    EXPECT_GE(sizes(plan).at(0), 30u);
    const auto interpreter = be::make_interpreter();
    const test::ByteRun expected = test::run_bytes(plan, batch.program, inputs, *interpreter);
    EXPECT_EQ(expected.traps.size(), 8u) << "of 18, 21, ... 39 elements";
    for (const int threads : {1, 2, 5}) {
        const auto backend = be::make_openmp(threads, 0);
        for (int run = 0; run < 3; ++run) {
            const test::ByteRun got = test::run_bytes(plan, batch.program, inputs, *backend, 7);
            EXPECT_EQ(got.bases, expected.bases) << threads;
            ASSERT_EQ(got.traps.size(), expected.traps.size());
            for (std::size_t i = 0; i < got.traps.size(); ++i) {
                EXPECT_EQ(got.traps[i].instruction, expected.traps[i].instruction);
                EXPECT_EQ(got.traps[i].index, 17);
            }
        }
    }
}

TEST(Together, TheVerifierLooksAtDispatches) {
    const bc::Program program = two_levels(4);
    const bc::Plan plan = planned(program, true);
    ASSERT_EQ(sizes(plan), (Sizes{4, 4}));
    const auto fault = [&](auto change) {
        bc::Plan changed = plan;
        change(changed);
        return bc::verify(changed, program);
    };
    EXPECT_EQ(fault([](bc::Plan&) {}), "");
    EXPECT_EQ(fault([](bc::Plan& p) { p.dispatches[0].count = 1; }), "dispatch 0: it has fewer than two kernels");
    EXPECT_EQ(fault([](bc::Plan& p) { p.dispatches[1].first = 3; }),
              "dispatch 1: its kernels are others' or do not exist");
    EXPECT_EQ(fault([](bc::Plan& p) { p.dispatches[1].count = 5; }),
              "dispatch 1: its kernels are others' or do not exist");
    EXPECT_EQ(fault([](bc::Plan& p) {
                  p.dispatches = {{0, 8}};
              }),
              "dispatch 0: its kernels do not run one right after the other");
}

/// Of a dispatch that is taken from the middle of a batch, with its kernels renumbered.
TEST(Together, DependentKernelsAreRejected) {
    const bc::Program program = [] {
        Batch batch;
        const Operand x = batch.array(4, Use::Kept);
        batch.add(Op::neg, batch.domain({4}), x, {x});
        const std::uint32_t base = batch.program.views[x.index()].base;
        batch.add(Op::neg, batch.domain({3}), batch.array(3, Use::Kept), {batch.view(base, 1, {{3, 1}})});
        return batch.program;
    }();
    bc::Plan plan = planned(program, true);
    ASSERT_EQ(plan.kernels.size(), 2u);
    ASSERT_EQ(sizes(plan), Sizes{});
    plan.dispatches = {{0, 2}};
    EXPECT_EQ(bc::verify(plan, program), "dispatch 0: k0 and k1 depend on each other");
}

}  // namespace
}  // namespace xlazy::opt
