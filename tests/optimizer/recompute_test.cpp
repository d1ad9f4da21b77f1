// SPDX-License-Identifier: BSD-3-Clause
// What is computed again moves fewer bytes, and only where it does.
#include "batch.hpp"
#include "passes/recompute.hpp"
#include "token_machine.hpp"

#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <gtest/gtest.h>

namespace xlazy::opt {
namespace {

using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;

constexpr std::int64_t kRows = 300, kColumns = 1000, kSize = kRows * kColumns;

/// y = op applied `count` times to x, then d = y / sum(y, axis), which needs the sums first.
bc::Program normalised(std::int64_t rows, std::int64_t columns, const std::vector<Op>& ops, unsigned axis) {
    Batch batch;
    const std::uint32_t d = batch.domain({rows, columns});
    const auto matrix = [&](Use use) {
        return batch.view(batch.base(rows * columns, use), 0, {{rows, columns}, {columns, 1}});
    };
    Operand value = matrix(Use::Kept);
    for (const Op op : ops) value = batch.add(op, d, matrix(Use::Local), {value});
    const Operand sums =
        batch.view(batch.base(axis == 0 ? columns : rows, Use::Local), 0, {{axis == 0 ? columns : rows, 1}});
    batch.reduce(Op::sum, d, axis, sums, value);
    const std::uint32_t base = batch.program.views[sums.index()].base;
    const Operand repeated = axis == 0 ? batch.view(base, 0, {{columns, 1}}) : batch.view(base, 0, {{rows, 1}, {1, 0}});
    batch.add(Op::div, d, matrix(Use::Live), {value, repeated});
    return batch.program;
}

std::uint64_t moved(const bc::Program& program, std::string_view passes = "all,-regions") {
    std::vector<std::string> unknown;
    PlanOptions options;
    options.passes = parse_passes(passes, unknown);
    options.verify = true;
    return traffic_of(program, make_plan(program, options)).total();
}

constexpr std::uint64_t kArray = kSize * 8, kLittle = kArray / 50;

TEST(Recompute, ReadsTheArgumentAgainInsteadOfKeepingTheValue) {
    for (const unsigned axis : {0u, 1u}) {
        const bc::Program program = normalised(kRows, kColumns, {Op::neg, Op::sqrt}, axis);
        EXPECT_LE(moved(program), 3 * kArray + kLittle);
        EXPECT_GE(moved(program, "all,-regions,-recompute"), 4 * kArray);
    }
}

TEST(Recompute, VectorMathsOnlyWhereRowsCannotStayInACache) {
    EXPECT_LE(moved(normalised(kRows, kColumns, {Op::exp}, 0)), 3 * kArray + kLittle);
    EXPECT_GE(moved(normalised(kRows, kColumns, {Op::exp}, 1)), 4 * kArray);
    EXPECT_GE(moved(normalised(kRows, kColumns, {Op::exp, Op::log}, 0)), 4 * kArray);
}

TEST(Recompute, AFewOperations) {
    const auto roots = [](std::size_t count) {
        Batch batch;
        const std::uint32_t d = batch.domain({kSize});
        Operand value = batch.array(kSize, Use::Kept);
        for (std::size_t i = 0; i < count; ++i) value = batch.add(Op::sqrt, d, batch.temp(), {value});
        value = batch.add(Op::copy, d, batch.array(kSize, Use::Local), {value});
        for (auto& instruction : batch.program.instructions) instruction.statement = 0;
        batch.program.statement_count = 1;
        const Operand sum = batch.reduce(Op::sum, d, 0, batch.view(batch.base(1, Use::Local), 0, {}), value);
        batch.add(Op::div, d, batch.array(kSize, Use::Live), {value, sum});
        return batch.program;
    };
    EXPECT_LE(moved(roots(kMaxRecomputed - 1)), 3 * kArray + kLittle);
    EXPECT_LE(moved(roots(kMaxRecomputed)), 3 * kArray + kLittle);
    EXPECT_GE(moved(roots(kMaxRecomputed + 1)), 4 * kArray);
}

TEST(Recompute, AFewUsers) {
    // Maxima along alternating axes, so that each is a kernel of its own.
    const auto users = [](std::size_t count) {
        Batch batch;
        const std::uint32_t d = batch.domain({kRows, kColumns});
        const auto matrix = [&](Use use) {
            return batch.view(batch.base(kSize, use), 0, {{kRows, kColumns}, {kColumns, 1}});
        };
        const Operand value = batch.add(Op::neg, d, matrix(Use::Local), {matrix(Use::Kept)});
        Operand scale = batch.reduce(Op::amax, d, 0, batch.array(kColumns, Use::Local), value);
        for (std::size_t i = 0; i < count; ++i) {
            const Operand scaled = batch.add(Op::mul, d, batch.temp(), {value, scale});
            scale =
                batch.reduce(Op::amax, d, 0, batch.array(kColumns, i + 1 == count ? Use::Live : Use::Local), scaled);
            batch.program.instructions.back().statement =
                batch.program.instructions[batch.program.instructions.size() - 2].statement;
            --batch.program.statement_count;
        }
        return batch.program;
    };
    EXPECT_LE(moved(users(kMaxRecomputing)), (kMaxRecomputing + 1) * kArray + kMaxRecomputing * kLittle);
    EXPECT_GE(moved(users(kMaxRecomputing + 1)), (kMaxRecomputing + 3) * kArray);
}

TEST(Recompute, SameValues) {
    for (const unsigned axis : {0u, 1u}) {
        for (const auto& ops : std::vector<std::vector<Op>>{{Op::neg}, {Op::exp}, {Op::neg, Op::sqrt, Op::abs}}) {
            const bc::Program program = normalised(5, 7, ops, axis);
            PlanOptions options;
            options.size_class = bc::SizeClass::Memory;
            EXPECT_EQ(test::check_plan(make_plan(program, options), program), "");
        }
    }
}

TEST(Recompute, NotInTheCache) {
    const bc::Program program = normalised(30, 40, {Op::neg}, 0);
    EXPECT_EQ(moved(program), moved(program, "all,-regions,-recompute"));
}

}  // namespace
}  // namespace xlazy::opt
