// SPDX-License-Identifier: BSD-3-Clause
// Random batches that crowd few small arrays and shapes, so that almost every statement can join a kernel and almost
// every one is in the way of another.
#include "batch.hpp"
#include "token_machine.hpp"

#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/plan_cache.hpp"

#include <gtest/gtest.h>

#include <random>

namespace xlazy::opt {
namespace {

using bc::DType;
using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;

class Crowd : private Batch {
public:
    explicit Crowd(unsigned seed) : random_(seed), size_(4 * kSide + 2 + below(30)) {
        square_ = domain({kSide, kSide});
        row_ = domain({kSide});
        for (std::int64_t i = 2 + below(3); i > 0; --i) {
            base(size_, static_cast<Use>(below(4)), DType::i32);
            defined_.push_back(program.bases.back().initialised);
        }
        scalar(std::int32_t{2});
    }

    bc::Program batch() {
        for (std::int64_t i = 4 + below(16); i > 0; --i) statement();
        return program;
    }

private:
    static constexpr std::int64_t kSide = 3;

    struct Value {
        Operand operand;
        bool square;
    };

    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }

    Operand window(std::uint32_t from, bool square) {
        const bool reversed = below(6) == 0;
        if (!square) {
            const std::int64_t step = 1 + below(3) / 2 * kSide;
            const std::int64_t first = below(size_ - (kSide - 1) * step);
            return reversed ? view(from, first + (kSide - 1) * step, {{kSide, -step}})
                            : view(from, first, {{kSide, step}});
        }
        const std::int64_t first = below(size_ - kSide * kSide + 1);
        const bc::Dim along{kSide, 1}, across{kSide, kSide};
        return reversed ? view(from, first, {along, across}) : view(from, first, {across, along});
    }

    /// A base that has a value; the first statements fill those that have none.
    std::uint32_t readable() {
        std::uint32_t b = 0;
        do b = static_cast<std::uint32_t>(below(static_cast<std::int64_t>(defined_.size())));
        while (!defined_[b]);
        return b;
    }

    /// An operand of the shape, or a row that is repeated.
    Operand operand(bool square, const std::vector<Value>& temps) {
        if (!temps.empty() && below(2) == 0) {
            const Value& value = temps[static_cast<std::size_t>(below(static_cast<std::int64_t>(temps.size())))];
            if (square || !value.square) return value.operand;
        }
        if (below(6) == 0) return Operand::scalar(0);
        return window(readable(), square && below(4) != 0);
    }

    void in_statement(Operand out, Op op, bool square, std::initializer_list<Operand> in) {
        add(op, square ? square_ : row_, out, in, DType::i32);
        --program.statement_count;
        program.instructions.back().statement = program.statement_count;
    }

    Value instruction(const std::vector<Value>& temps, bool square, bool last, std::uint32_t target) {
        const auto out = [&](bool of_square) { return last ? window(target, of_square) : temp(); };
        if (below(4) == 0) {
            const Operand from = operand(true, temps);
            const Value value{out(false), false};
            in_statement(value.operand, Op::sum, true, {from.is_scalar() ? window(readable(), true) : from});
            program.instructions.back().axis = static_cast<std::uint8_t>(below(2));
            return value;
        }
        const Operand a = operand(square, temps), b = operand(square, temps);
        const Value value{out(square), square};
        switch (below(4)) {
            case 0: in_statement(value.operand, Op::copy, square, {a}); break;
            case 1: in_statement(value.operand, Op::neg, square, {a}); break;
            case 2: in_statement(value.operand, below(3) == 0 ? Op::div : Op::mul, square, {a, b}); break;
            default: in_statement(value.operand, Op::add, square, {a, b});
        }
        return value;
    }

    void statement() {
        std::uint32_t target = static_cast<std::uint32_t>(below(static_cast<std::int64_t>(defined_.size())));
        for (std::uint32_t b = 0; b < defined_.size(); ++b) {
            if (defined_[b]) continue;
            add(Op::copy, domain({size_}), view(b, 0, {{size_, 1}}), {Operand::scalar(0)}, DType::i32);
            defined_[b] = true;
        }
        std::vector<Value> temps;
        for (std::int64_t left = below(4); left >= 0; --left) {
            temps.push_back(instruction(temps, below(2) == 0, left == 0, target));
        }
        ++program.statement_count;
    }

    std::mt19937 random_;
    std::int64_t size_;  ///< of every base: the smaller, the more conflicts
    std::uint32_t square_, row_;
    std::vector<bool> defined_;
};

TEST(CrowdedBatches, EverySubsetOfPassesComputesTheSame) {
    std::size_t instructions = 0, kernels = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        const bc::Program program = Crowd(seed).batch();
        ASSERT_EQ(bc::verify(program), "") << bc::print(program);
        const test::TokenRun expected = test::run_batch(program);
        for (const char* passes : {"all", "none", "fuse", "fuse,cse", "fuse,contract", "dce", "dce,contract"}) {
            const bc::Plan plan = make_plan(program, test::token_options(passes));
            ASSERT_EQ(test::check_plan(plan, program, expected), "") << "seed " << seed << ", passes " << passes << "\n"
                                                                     << bc::print(program) << bc::print(plan);
            if (passes == std::string_view("fuse")) kernels += plan.kernels.size();
        }
        instructions += program.instructions.size();
    }
    EXPECT_LT(kernels, instructions * 6 / 10);
}

/// The same instructions on other windows.
TEST(CrowdedBatches, ACachedPlanIsRightForEveryGeometryItIsUsedFor) {
    unsigned hits = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        const bc::Program original = Crowd(seed).batch();
        PlanCache cache;
        cache.get(original, test::token_options());
        std::mt19937 random(seed);
        for (int i = 0; i < 30; ++i) {
            bc::Program moved = original;
            for (std::size_t moves = 1 + random() % 2; moves > 0; --moves) {
                bc::View& view = moved.views[random() % moved.views.size()];
                view.offset += static_cast<std::int64_t>(random() % 5) - 2;
            }
            if (!bc::verify(moved).empty()) continue;
            const auto [plan, made, geometry] = cache.get(moved, test::token_options());
            if (made == 0) ++hits;
            ASSERT_EQ(test::check_plan(*plan, moved), "") << "seed " << seed << "\n"
                                                          << bc::print(moved) << bc::print(*plan);
        }
    }
    EXPECT_GT(hits, 1000u);
}

}  // namespace
}  // namespace xlazy::opt
