// SPDX-License-Identifier: BSD-3-Clause
// Value numbering where a golden file would be too large: the cost rule, and plans for other scalars.
#include "batch.hpp"
#include "passes/values.hpp"
#include "token_machine.hpp"

#include "xlazy/optimizer/plan_cache.hpp"

#include <gtest/gtest.h>

namespace xlazy::opt {
namespace {

using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;

/// out = op(x) + 1, and in another statement sum(op(x)).
bc::Program twice(Op op, std::int64_t size) {
    Batch batch;
    const std::uint32_t d = batch.domain({size});
    const Operand x = batch.array(size, Use::Kept), out = batch.array(size, Use::Live);
    const Operand first = batch.add(op, d, batch.temp(), {x});
    batch.add(Op::add, d, out, {first, batch.scalar(1.0)});
    const Operand second = batch.add(op, d, batch.temp(), {x});
    batch.reduce(Op::sum, d, 0, batch.view(batch.base(1, Use::Live), 0, {}), second);
    return batch.program;
}

/// How often the batch's plan computes the op.
unsigned count(const bc::Program& program, Op op) {
    unsigned found = 0;
    for (const bc::Kernel& kernel : make_plan(program, test::token_options("values,dce")).kernels) {
        for (const bc::MicroOp& micro : kernel.ops) {
            found += micro.kind == bc::MicroOp::Kind::Compute && micro.op == op ? 1 : 0;
        }
    }
    return found;
}

TEST(Values, AreKeptWhereThatCostsLessThanToComputeThemAgain) {
    constexpr std::int64_t kSmall = 100, kLarge = 20'000'000;
    EXPECT_EQ(count(twice(Op::exp, kSmall), Op::exp), 1u);
    EXPECT_EQ(count(twice(Op::exp, kLarge), Op::exp), 1u);
    EXPECT_EQ(count(twice(Op::sqrt, kSmall), Op::sqrt), 1u) << "it stays in the cache";
    EXPECT_EQ(count(twice(Op::sqrt, kLarge), Op::sqrt), 2u) << "to store and load it takes longer";
    EXPECT_EQ(count(twice(Op::neg, kSmall), Op::neg), 2u);
}

/// x + y + y + ..., so many additions, and in another statement the same.
bc::Program sums_twice(std::uint32_t additions, std::int64_t size) {
    Batch batch;
    const std::uint32_t d = batch.domain({size});
    const Operand x = batch.array(size, Use::Kept), y = batch.array(size, Use::Kept);
    for (int statement = 0; statement < 2; ++statement) {
        Operand sum = x;
        for (std::uint32_t i = 0; i < additions; ++i) sum = batch.add(Op::add, d, batch.temp(), {sum, y});
        batch.reduce(statement == 0 ? Op::sum : Op::amax, d, 0, batch.view(batch.base(1, Use::Live), 0, {}), sum);
    }
    return batch.program;
}

TEST(Values, FromSoManyAdditionsOn) {
    for (const auto& [worth, size] : {std::pair(kWorthCache, 100), std::pair(kWorthMemory, 20'000'000)}) {
        EXPECT_EQ(count(sums_twice(worth - 1, size), Op::add), 2 * (worth - 1));
        EXPECT_EQ(count(sums_twice(worth, size), Op::add), worth);
        EXPECT_EQ(count(sums_twice(worth + 1, size), Op::add), worth + 1);
    }
}

/// y = exp(x * s), z = sum(exp(x * t))
bc::Program scaled(double s, double t) {
    Batch batch;
    const std::uint32_t d = batch.domain({4});
    const Operand x = batch.array(4, Use::Kept), y = batch.array(4, Use::Live);
    const Operand one = batch.add(Op::mul, d, batch.temp(), {x, batch.scalar(s)});
    batch.add(Op::exp, d, y, {one});
    const Operand other = batch.add(Op::mul, d, batch.temp(), {x, batch.scalar(t)});
    const Operand value = batch.add(Op::exp, d, batch.temp(), {other});
    batch.reduce(Op::sum, d, 0, batch.view(batch.base(1, Use::Live), 0, {}), value);
    return batch.program;
}

TEST(Values, EqualScalarsAreAGuard) {
    PlanCache cache;
    const auto check = [&](double s, double t) {
        const Planned planned = cache.get(scaled(s, t), test::token_options());
        EXPECT_EQ(test::check_plan(*planned.plan, scaled(s, t)), "");
        return planned;
    };
    const Planned equal = check(0.3, 0.3);
    EXPECT_EQ(equal.plan->merged.size(), 1u) << "the exponential";
    EXPECT_EQ(equal.plan->scalar_guards.size(), 1u);
    EXPECT_EQ(check(0.7, 0.7).plan, equal.plan);
    const Planned different = check(0.3, 0.7);
    EXPECT_EQ(different.made, 1u);
    EXPECT_TRUE(different.plan->merged.empty());
    EXPECT_EQ(check(0.1, 0.2).plan, different.plan);
    EXPECT_EQ(check(-0.0, 0.0).plan, different.plan) << "equal numbers, other bits";
    EXPECT_EQ(check(0.9, 0.9).made, 0u);
}

/// m = sum(x, 0) / 5, d = sum(exp(x - m), 0), and once more with arrays of their own, as two calls of one function.
TEST(Values, WhatWasWrittenToAnArrayIsKnownWhenItIsRead) {
    const auto batch_of = [](bool changed) {
        Batch batch;
        const std::uint32_t d = batch.domain({5, 4}), row = batch.domain({4});
        const Operand x = batch.view(batch.base(20, Use::Kept), 0, {{5, 4}, {4, 1}});
        for (int call = 0; call < 2; ++call) {
            const std::uint32_t mean = batch.base(4, Use::Local);
            const auto whole = [&] { return batch.view(mean, 0, {{4, 1}}); };
            const Operand sum = batch.reduce(Op::sum, d, 0, batch.temp(), x);
            batch.add(Op::div, row, whole(), {sum, batch.scalar(5.0)});
            if (changed && call == 1)
                batch.add(Op::neg, batch.domain({1}), batch.view(mean, 2, {{1, 1}}), {batch.view(mean, 2, {{1, 1}})});
            const Operand value =
                batch.add(Op::exp, d, batch.temp(), {batch.add(Op::sub, d, batch.temp(), {x, whole()})});
            batch.reduce(Op::sum, d, 0, batch.array(4, Use::Live), value);
        }
        return batch.program;
    };
    EXPECT_EQ(count(batch_of(false), Op::exp), 1u);
    EXPECT_EQ(count(batch_of(true), Op::exp), 2u);
    for (const bool changed : {false, true}) {
        const bc::Program program = batch_of(changed);
        EXPECT_EQ(test::check_plan(make_plan(program, test::token_options()), program), "") << changed;
    }
}

}  // namespace
}  // namespace xlazy::opt
