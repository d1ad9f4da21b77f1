// SPDX-License-Identifier: BSD-3-Clause
// Loops whose number of iterations differs from batch to batch.
#include "batch.hpp"
#include "repeats.hpp"
#include "token_machine.hpp"

#include "xlazy/optimizer/plan_cache.hpp"

#include <gtest/gtest.h>

#include <random>

namespace xlazy::opt {
namespace {

using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;

/// A batch whose instructions have the lines that are asked for.
class Lines : public Batch {
public:
    Operand at(std::uint32_t line, Op op, std::uint32_t domain, Operand out, std::initializer_list<Operand> in) {
        add(op, domain, out, in);
        program.origins.back() = bc::intern_origin("loop.cpp", line);
        return out;
    }
};

/// x += 1; y = x * y; in a loop of `count`, after `before` statements and before a sum that is read.
bc::Program two_statements(std::uint32_t count, std::uint32_t before = 0, bool has_value = true) {
    Lines batch;
    const std::uint32_t d = batch.domain({4});
    const Operand x = batch.array(4, has_value ? Use::Kept : Use::Live), y = batch.array(4, Use::Kept);
    const Operand one = batch.scalar(1.0);
    if (!has_value) batch.at(1, Op::copy, d, x, {one});
    for (std::uint32_t i = 0; i < before; ++i) batch.at(10 + i, Op::neg, d, y, {y});
    for (std::uint32_t i = 0; i < count; ++i) {
        batch.at(101, Op::add, d, x, {x, one});
        batch.at(102, Op::mul, d, y, {x, y});
    }
    const Operand sum = batch.view(batch.base(1, Use::Live), 0, {});
    batch.reduce(Op::sum, d, 0, sum, y);
    return batch.program;
}

/// Every iteration makes new arrays: t = -x; next = t * x; x = next; the old ones die.
bc::Program new_arrays(std::uint32_t count) {
    Lines batch;
    const std::uint32_t d = batch.domain({3});
    Operand x = batch.array(3, Use::Kept);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Operand t = batch.at(201, Op::neg, d, batch.array(3, Use::Local), {x});
        const Use use = i + 1 == count ? Use::Live : Use::Local;
        x = batch.at(202, Op::mul, d, batch.array(3, use), {t, x});
    }
    return batch.program;
}

/// The arrays that every iteration writes are first written there.
bc::Program first_written_in_the_loop(std::uint32_t count) {
    Lines batch;
    const std::uint32_t d = batch.domain({3});
    const Operand x = batch.array(3, Use::Kept), work = batch.array(3, Use::Local);
    for (std::uint32_t i = 0; i < count; ++i) {
        batch.at(301, Op::neg, d, work, {x});
        batch.at(302, Op::mul, d, x, {work, x});
    }
    return batch.program;
}

/// x(range(1, 4)) += x(range(0, 3)), then the rows of another array in turn
bc::Program windows(std::uint32_t count) {
    Lines batch;
    const std::uint32_t d = batch.domain({3});
    const std::uint32_t x = batch.base(4, Use::Kept), rows = batch.base(3 * (std::int64_t{count} + 1), Use::Kept);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Operand to = batch.view(x, 1, {{3, 1}}), from = batch.view(x, 0, {{3, 1}});
        batch.at(401, Op::add, d, to, {to, from});
        const Operand row = batch.view(rows, std::int64_t{3} * i, {{3, 1}});
        batch.at(402, Op::add, d, batch.view(rows, std::int64_t{3} * i + 3, {{3, 1}}), {to, row});
    }
    return batch.program;
}

/// A loop of eight in each iteration.
bc::Program nested(std::uint32_t count) {
    Lines batch;
    const std::uint32_t d = batch.domain({2});
    const Operand x = batch.array(2, Use::Kept), y = batch.array(2, Use::Kept);
    for (std::uint32_t i = 0; i < count; ++i) {
        for (int inner = 0; inner < 8; ++inner) batch.at(501, Op::neg, d, x, {x});
        batch.at(502, Op::mul, d, y, {x, y});
    }
    return batch.program;
}

class RepeatsTest : public testing::Test {
protected:
    /// Looks up, and checks that the plan is right. @return how many plans were made
    unsigned made_for(const bc::Program& program) {
        unsigned made = 0;
        const Planned planned = cache.get(program, test::token_options());
        made = planned.made;
        plan = planned.plan;
        EXPECT_EQ(test::check_plan(*plan, program), "");
        return made;
    }
    template <class Make>
    unsigned made_for_all(Make make, std::uint32_t most) {
        unsigned made = 0;
        for (std::uint32_t count = 1; count <= most; ++count) made += made_for(make(count));
        return made;
    }

    PlanCache cache;
    std::shared_ptr<const bc::Plan> plan;
};

TEST_F(RepeatsTest, EveryNumberOfIterations) {
    EXPECT_LE(made_for_all([](std::uint32_t n) { return two_statements(n); }, 200), 25u);
    EXPECT_LE(made_for_all([](std::uint32_t n) { return two_statements(n, 3); }, 200), 25u);
    EXPECT_LE(made_for_all([](std::uint32_t n) { return two_statements(n, 0, false); }, 200), 25u);
    EXPECT_LE(made_for_all(new_arrays, 200), 25u);
    EXPECT_LE(made_for_all(first_written_in_the_loop, 200), 25u);
    EXPECT_LE(made_for_all(windows, 200), 25u);
    EXPECT_LE(made_for_all(nested, 100), 25u);
}

TEST_F(RepeatsTest, AFixedNumberIsPlannedOnce) {
    EXPECT_EQ(made_for(two_statements(100)), 1u);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(made_for(two_statements(100)), 0u);
    EXPECT_EQ(made_for(two_statements(37)), 1u);
    EXPECT_EQ(cache.size(), 2u);
}

TEST_F(RepeatsTest, ANumberThatComesBackGetsAPlanOfItsOwn) {
    for (const std::uint32_t count : {100u, 37u, 60u}) made_for(two_statements(count));
    EXPECT_GT(plan->kernels.size(), 1u) << "in pieces";
    EXPECT_EQ(made_for(two_statements(60)), 1u);
    EXPECT_EQ(plan->kernels.size(), 1u);
    EXPECT_EQ(made_for(two_statements(60)), 0u);
}

TEST_F(RepeatsTest, NumbersAtRandomEndInNoPlans) {
    std::mt19937 random(7);
    unsigned made = 0, late = 0;
    for (int i = 0; i < 2000; ++i) {
        unsigned now = 0;
        now = cache.get(two_statements(1 + static_cast<std::uint32_t>(random() % 300)), {}).made;
        made += now;
        if (i >= 1000) late += now;
    }
    EXPECT_LE(made, 33u);
    EXPECT_LE(late, 2u);
}

/// Loads and stores of a plan.
std::size_t traffic(const bc::Plan& plan) {
    std::size_t count = 0;
    for (const bc::Kernel& kernel : plan.kernels) {
        for (const bc::MicroOp& op : kernel.ops) {
            count += op.kind != bc::MicroOp::Kind::Compute && op.kind != bc::MicroOp::Kind::LoadScalar;
        }
    }
    return count;
}

TEST_F(RepeatsTest, PiecesCostLittleMemoryTraffic) {
    for (std::uint32_t count = 1; count < 20; ++count) made_for(new_arrays(count));
    for (const std::uint32_t count : {300u, 333u, 511u}) {
        const bc::Program program = new_arrays(count);
        made_for(program);
        const std::size_t whole = traffic(make_plan(program, {}));
        EXPECT_LE(traffic(*plan), whole + 2 * 9) << count;
        EXPECT_GE(plan->contracted_bases + 9, make_plan(program, {}).contracted_bases) << count;
    }
}

TEST(FindRepeats, CutsAtTheTopOfTheLoop) {
    const Repeats repeats = find_repeats(two_statements(20, 3));
    // Three statements before; 20 iterations of two, the last four with the sum.
    EXPECT_EQ(repeats.cuts, (std::vector<std::uint32_t>{0, 3, 35, 44}));
    EXPECT_EQ(find_repeats(two_statements(31, 5)).unit, repeats.unit);
    EXPECT_NE(find_repeats(new_arrays(20)).unit, repeats.unit);
}

TEST(FindRepeats, PiecesAreBounded) {
    const Repeats repeats = find_repeats(two_statements(1000));
    for (std::size_t i = 0; i + 1 < repeats.cuts.size(); ++i) {
        EXPECT_LE(repeats.cuts[i + 1] - repeats.cuts[i], 2 * kMaxPieceUnits);
    }
    EXPECT_LE(repeats.cuts.size(), 2u + 1000 / kMaxPieceUnits + 8);
}

TEST(FindRepeats, PiecesHaveSoManyInstructions) {
    const auto longest_piece = [](std::uint32_t unit) {
        Lines batch;
        const std::uint32_t d = batch.domain({4});
        const Operand x = batch.array(4, Use::Kept);
        for (std::uint32_t i = 0; i < 100 * unit; ++i) batch.at(701 + i % unit, Op::neg, d, x, {x});
        const std::vector<std::uint32_t> cuts = find_repeats(batch.program).cuts;
        std::uint32_t longest = 0;
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) longest = std::max(longest, cuts[i + 1] - cuts[i]);
        return longest;
    };
    constexpr std::uint32_t kUnit = kMaxPieceInstructions / kMaxPieceUnits;
    EXPECT_EQ(longest_piece(kUnit - 1), kMaxPieceUnits * (kUnit - 1));
    EXPECT_EQ(longest_piece(kUnit), kMaxPieceInstructions);
    EXPECT_EQ(longest_piece(kUnit + 1), kMaxPieceUnits / 4 * (kUnit + 1)) << "the next power of four below";
}

TEST(FindRepeats, TheLastIterationsAreWithWhatFollows) {
    for (const std::uint32_t count : {kMinRepeats + 1, 20u, 83u, 84u, 85u}) {
        const std::vector<std::uint32_t> cuts = find_repeats(two_statements(count)).cuts;
        ASSERT_GE(cuts.size(), 2u);
        EXPECT_EQ(cuts.back() - cuts[cuts.size() - 2], 2 * ((count - 1) % kTailUnits + 1) + 1) << count;
    }
}

TEST(FindRepeats, NotWithoutALoop) {
    EXPECT_TRUE(find_repeats(two_statements(kMinRepeats - 1)).cuts.empty());
    EXPECT_FALSE(find_repeats(two_statements(kMinRepeats + 1)).cuts.empty());
    EXPECT_TRUE(find_repeats(two_statements(20, 100)).cuts.empty()) << "most of it is no loop";
    Lines different;
    const Operand x = different.array(4, Use::Kept);
    for (std::uint32_t i = 0; i < 100; ++i) different.at(i + 1, Op::neg, different.domain({4}), x, {x});
    EXPECT_TRUE(find_repeats(different.program).cuts.empty());
}

}  // namespace
}  // namespace xlazy::opt
