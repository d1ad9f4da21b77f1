// SPDX-License-Identifier: BSD-3-Clause
// Which kernels can run chunk by chunk, on which indices, and with how much memory. That the bits are the same is
// xlazy-fuzz's to show, and tests/errors runs whole programs.
#include "batch.hpp"

#include "xlazy/optimizer/chunks.hpp"
#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <gtest/gtest.h>

namespace xlazy::opt {
namespace {

using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;

constexpr std::int64_t kRows = 400, kColumns = 300, kBytes = kRows * kColumns * 8;

class Chunks : public testing::Test, protected Batch {
protected:
    /// Temporaries that are kept, not computed again.
    bc::Plan plan() const {
        std::vector<std::string> unknown;
        PlanOptions options;
        options.passes = parse_passes("all,-recompute", unknown);
        return make_plan(program, options);
    }
    std::optional<Stretch> stretch() const { return find_stretch(program, plan(), 0); }
    std::uint64_t needed(const bc::Plan& plan) const {
        const Footprint footprint = footprint_of(program, plan);
        return footprint.peak - footprint.before;
    }
    /// A window of a (kRows, kColumns) array.
    Operand part(std::uint32_t base, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
        return view(base, row * kColumns + column, {{rows, kColumns}, {columns, 1}});
    }
    Operand all(std::uint32_t base) { return part(base, 0, 0, kRows, kColumns); }
    std::uint32_t grid(Use use) { return base(kRows * kColumns, use); }
};

/// b = t[:-2] + t[2:] of a temporary array t = sqrt(a)
TEST_F(Chunks, ATemporaryThatIsReadThroughShiftedWindows) {
    const std::uint32_t a = grid(Use::Kept), t = grid(Use::Local), b = base((kRows - 2) * kColumns, Use::Live);
    add(Op::sqrt, domain({kRows, kColumns}), all(t), {all(a)});
    add(Op::add, domain({kRows - 2, kColumns}), view(b, 0, {{kRows - 2, kColumns}, {kColumns, 1}}),
        {part(t, 0, 0, kRows - 2, kColumns), part(t, 2, 0, kRows - 2, kColumns)});
    const auto found = stretch();
    ASSERT_TRUE(found);
    ASSERT_EQ(found->kernels.size(), 2u);
    EXPECT_EQ(found->extent, kRows - 2);
    EXPECT_EQ(found->kernels[0].low, 0);
    EXPECT_EQ(found->kernels[0].high, 2);
    ASSERT_EQ(found->locals.size(), 1u);
    EXPECT_EQ(found->local_bytes(10), 12u * kColumns * 8);
    EXPECT_EQ(found->local_bytes(kRows), std::uint64_t{kBytes});

    const bc::Plan all_at_once = plan();
    const std::uint64_t result = (kRows - 2) * kColumns * 8;
    EXPECT_EQ(needed(all_at_once), kBytes + result);
    EXPECT_FALSE(fit_in_chunks(program, all_at_once, result + 2 * kColumns * 8)) << "a chunk has three rows at least";
    const auto few = fit_in_chunks(program, all_at_once, result + 40 * kColumns * 8);
    ASSERT_TRUE(few);
    ASSERT_EQ(few->size(), 1u);
    EXPECT_GT((*few)[0].chunks, 10);
    EXPECT_LT((*few)[0].chunks, 14);
}

TEST_F(Chunks, AChunkIsABatchOfItsOwn) {
    const std::uint32_t a = grid(Use::Kept), t = grid(Use::Local), b = base((kRows - 2) * kColumns, Use::Live);
    add(Op::sqrt, domain({kRows, kColumns}), all(t), {all(a)});
    add(Op::add, domain({kRows - 2, kColumns}), view(b, 0, {{kRows - 2, kColumns}, {kColumns, 1}}),
        {part(t, 0, 0, kRows - 2, kColumns), part(t, 2, 0, kRows - 2, kColumns)});
    const bc::Plan whole = plan();
    const ChunkedStretch cut{*find_stretch(program, whole, 0), 4};
    std::int64_t covered = 0;
    for (std::int64_t number = 0; number < 4; ++number) {
        const Chunk chunk = chunk_of(program, whole, cut, number);
        EXPECT_EQ(chunk.first, covered);
        covered += chunk.count;
        ASSERT_EQ(chunk.plan.kernels.size(), 2u);
        EXPECT_EQ(chunk.program.domain_extents(chunk.plan.kernels[0].domain)[0], chunk.count + 2);
        EXPECT_EQ(chunk.program.domain_extents(chunk.plan.kernels[1].domain)[0], chunk.count);
        EXPECT_EQ(chunk.program.bases[t].size, (chunk.count + 2) * kColumns);
        EXPECT_EQ(position_in_whole(program, whole, cut.stretch, chunk, 1, kColumns + 3),
                  (chunk.first + 1) * kColumns + 3);
        for (const bc::View& view : chunk.program.views) {
            std::int64_t last = view.offset;
            for (const bc::Dim& dim : chunk.program.dims_of(view)) last += (dim.extent - 1) * dim.stride;
            EXPECT_GE(view.offset, 0);
            EXPECT_LT(last, chunk.program.bases[view.base].size);
        }
    }
    EXPECT_EQ(covered, kRows - 2);
}

/// b = e / sum(e, axis)
class Normalised : public Chunks {
protected:
    void record(unsigned axis) {
        const std::uint32_t a = grid(Use::Kept), b = grid(Use::Kept), d = domain({kRows, kColumns});
        const Operand e = add(Op::exp, d, temp(), {all(a)});
        const Operand sum = reduce(Op::sum, d, axis, temp(), e);
        program.instructions.back().flags |= bc::Instruction::kKeepAxis;
        add(Op::div, d, all(b), {e, sum});
        for (bc::Instruction& instruction : program.instructions) instruction.statement = 0;
        program.statement_count = 1;
    }
};

TEST_F(Normalised, AlongTheLastAxisRowsAreCut) {
    record(1);
    const auto found = stretch();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kernels[0].axis, 0u);
    EXPECT_EQ(found->kernels.size(), plan().kernels.size());
    EXPECT_EQ(found->least_count, 1);
    EXPECT_EQ(found->local_bytes(1), (kColumns + 1u) * 8);
}

TEST_F(Normalised, AlongTheFirstAxisColumnsAreCutAsLongAsTheSumsOrderIsSteady) {
    record(0);
    const auto found = stretch();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kernels[0].axis, 1u);
    EXPECT_EQ(found->least_count, kSteadyInner);
    EXPECT_EQ(found->local_bytes(1), (kRows + 1u) * 8);
    const std::uint64_t least = found->local_bytes(kSteadyInner);
    EXPECT_FALSE(fit_in_chunks(program, plan(), least));
    EXPECT_TRUE(fit_in_chunks(program, plan(), 2 * least));
}

/// t = -a; t = -t; ... unfused
TEST_F(Chunks, SoManyKernels) {
    for (const std::size_t count : {kMaxChunkedKernels - 1, kMaxChunkedKernels, kMaxChunkedKernels + 1}) {
        program = {};
        Operand value = all(grid(Use::Kept));
        for (std::size_t i = 0; i < count; ++i)
            value =
                add(Op::sqrt, domain({kRows, kColumns}), all(grid(i + 1 < count ? Use::Local : Use::Live)), {value});
        const bc::Plan singly = make_plan(program, {PassSet{0}, true, {}});
        ASSERT_EQ(singly.kernels.size(), count);
        const auto found = find_stretch(program, singly, 0);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->kernels.size(), std::min(count, kMaxChunkedKernels));
    }
}

TEST_F(Chunks, SoManyChunks) {
    for (const std::int64_t rows : {kMaxChunks - 1, kMaxChunks, kMaxChunks + 1}) {
        program = {};
        const auto matrix = [&](Use use) { return view(base(rows * 8, use), 0, {{rows, 8}, {8, 1}}); };
        const Operand local = add(Op::sqrt, domain({rows, 8}), matrix(Use::Local), {matrix(Use::Kept)});
        add(Op::sqrt, domain({rows, 8}), matrix(Use::Kept), {local});
        const bc::Plan singly = make_plan(program, {PassSet{0}, true, {}});
        // One row at a time, and what a back end needs besides.
        EXPECT_EQ(fit_in_chunks(program, singly, 8 * 8 + 8).has_value(), rows <= kMaxChunks) << rows;
    }
}

TEST_F(Chunks, NotWhatIsReadBackwards) {
    const std::uint32_t a = grid(Use::Kept), t = grid(Use::Local), b = grid(Use::Live);
    const std::uint32_t d = domain({kRows, kColumns});
    add(Op::sqrt, d, all(t), {all(a)});
    add(Op::add, d, all(b), {all(t), view(t, (kRows - 1) * kColumns, {{kRows, -kColumns}, {kColumns, 1}})});
    EXPECT_FALSE(stretch());
}

TEST_F(Chunks, NotWhatIsReadBeforeItIsOverwrittenElsewhere) {
    const std::uint32_t x = grid(Use::Kept);
    const std::uint32_t d = domain({kRows - 1, kColumns});
    const Operand t = add(Op::sub, d, temp(), {part(x, 0, 0, kRows - 1, kColumns), part(x, 1, 0, kRows - 1, kColumns)});
    const Operand sum = reduce(Op::sum, d, 1, temp(), t);
    program.instructions.back().flags |= bc::Instruction::kKeepAxis;
    add(Op::div, d, part(x, 0, 0, kRows - 1, kColumns), {t, sum});
    for (bc::Instruction& instruction : program.instructions) instruction.statement = 0;
    program.statement_count = 1;
    EXPECT_FALSE(stretch()) << "the next chunk reads the first row that this one overwrites";
}

/// t = table[numbers]; b = t[:-2] + t[2:]
TEST_F(Chunks, WhatIsGatheredFromIsThereAsAWhole) {
    const std::uint32_t table = base(50 * 3, Use::Kept), t = grid(Use::Local);
    const std::uint32_t numbers = base(kRows * kColumns, Use::Kept, bc::DType::i64);
    const std::uint32_t b = base((kRows - 2) * kColumns, Use::Live);
    add(Op::gather, domain({kRows, kColumns}), all(t), {view(table, 2, {{40, 3}, {1, 1}}), all(numbers)});
    add(Op::add, domain({kRows - 2, kColumns}), view(b, 0, {{kRows - 2, kColumns}, {kColumns, 1}}),
        {part(t, 0, 0, kRows - 2, kColumns), part(t, 2, 0, kRows - 2, kColumns)});
    const bc::Plan whole = plan();
    const auto found = stretch();
    ASSERT_TRUE(found);
    ASSERT_EQ(found->kernels.size(), 2u);
    EXPECT_EQ(found->kernels[0].high, 2);
    for (const std::int64_t number : {0, 1, 3}) {
        const Chunk chunk = chunk_of(program, whole, {*found, 4}, number);
        for (const bc::MicroOp& op : chunk.plan.kernels[0].ops) {
            if (op.kind != bc::MicroOp::Kind::GatherView) continue;
            const bc::View& view = chunk.program.views[op.index];
            EXPECT_EQ(view.offset, 2);
            EXPECT_EQ(chunk.program.dims_of(view)[0], (bc::Dim{40, 3}));
        }
    }
}

TEST_F(Chunks, NotWhatIsGatheredFromItsOwnResults) {
    const std::uint32_t a = grid(Use::Kept), t = grid(Use::Local), b = grid(Use::Live);
    const std::uint32_t numbers = base(kRows * kColumns, Use::Kept, bc::DType::i64);
    const std::uint32_t d = domain({kRows, kColumns});
    add(Op::sqrt, d, all(t), {all(a)});
    add(Op::gather, d, all(b), {all(t), all(numbers)});
    EXPECT_FALSE(stretch());
}

/// c[numbers] = t of a temporary array t, which somebody reads besides
class Scattered : public Chunks {
protected:
    /// @param transposed the last index of the domain is the first that is cut
    void record(bool transposed) {
        const std::uint32_t a = grid(Use::Kept), t = grid(Use::Local);
        c = grid(Use::Kept);
        const std::uint32_t numbers = base(kRows * kColumns, Use::Kept, bc::DType::i64);
        add(Op::sqrt, domain({kRows, kColumns}), all(t), {all(a)});
        if (transposed) {
            const auto turned = [&](std::uint32_t b) { return view(b, 0, {{kColumns, 1}, {kRows, kColumns}}); };
            add(Op::scatter, domain({kColumns, kRows}), all(c), {turned(t), turned(numbers), all(c)});
        } else {
            add(Op::scatter, domain({kRows - 1, kColumns}), all(c),
                {part(t, 1, 0, kRows - 1, kColumns), part(numbers, 0, 0, kRows - 1, kColumns), all(c)});
        }
    }
    std::uint32_t c = 0;
};

TEST_F(Scattered, InTheOrderOfTheFirstAxis) {
    record(false);
    const auto found = stretch();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kernels.size(), 2u);
    EXPECT_EQ(found->kernels[0].low, 1);
    EXPECT_EQ(found->extent, kRows - 1);
}

TEST_F(Scattered, NotIfTheLastOneWouldNotWin) {
    record(true);
    const auto found = stretch();
    EXPECT_TRUE(!found || found->kernels.size() < 2 || found->kernels[1].axis == 0);
}

TEST_F(Scattered, NotWithWhoReadsTheResult) {
    record(false);
    add(Op::sqrt, domain({kRows, kColumns}), all(grid(Use::Live)), {all(c)});
    const auto found = stretch();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kernels.size(), 2u);
}

TEST_F(Chunks, NotWhatEveryResultNeedsAllOf) {
    const std::uint32_t a = grid(Use::Kept), b = grid(Use::Kept), d = domain({kRows, kColumns});
    const Operand e = add(Op::exp, d, temp(), {all(a)});
    const Operand rows = reduce(Op::sum, d, 1, temp(), e);
    const Operand sum = reduce(Op::sum, domain({kRows}), 0, temp(), rows);
    add(Op::div, d, all(b), {e, sum});
    for (bc::Instruction& instruction : program.instructions) instruction.statement = 0;
    program.statement_count = 1;
    const bc::Plan whole = plan();
    EXPECT_FALSE(fit_in_chunks(program, whole, needed(whole) / 2));
}

}  // namespace
}  // namespace xlazy::opt
