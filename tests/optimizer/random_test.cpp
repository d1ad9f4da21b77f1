// SPDX-License-Identifier: BSD-3-Clause
// Random batches on tokens: whatever passes run, every element is computed from the same elements by the same
// operations.
#include "fuzz/generator.hpp"
#include "fuzz/random.hpp"
#include "fuzz/variant.hpp"
#include "token_machine.hpp"

#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/plan_cache.hpp"

#include <gtest/gtest.h>

namespace xlazy::opt {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr std::uint64_t kPrograms = 200;
constexpr std::int64_t kMaxElements = 1000;  // the token machine is slow

/// Is the batch small enough to be run on tokens?
bool small(const bc::Program& program) {
    std::int64_t elements = 0;
    for (const bc::BaseInfo& base : program.bases) elements = std::max(elements, base.size);
    for (const bc::Instruction& instruction : program.instructions) {
        elements = std::max(elements, bc::element_count(program.domain_extents(instruction.domain)));
    }
    return elements <= kMaxElements;
}

/// The bits of the passes that can be switched off, without `algebra`, see token_options.
std::vector<std::uint32_t> optional_bits() {
    std::vector<std::uint32_t> bits;
    std::uint32_t bit = 1;
    for (const PassInfo& pass : pass_table()) {
        if (!pass.mandatory && pass.name != "algebra") bits.push_back(bit);
        bit <<= 1;
    }
    return bits;
}

TEST(RandomPlans, EverySubsetOfPassesComputesTheSame) {
    const std::vector<std::uint32_t> bits = optional_bits();
    std::size_t instructions = 0, kernels = 0;
    for (std::uint64_t number = 0; number < kPrograms; ++number) {
        const bc::Program program = fuzz::random_case(kSeed, number).program;
        ASSERT_EQ(bc::verify(program), "");
        if (!small(program)) continue;
        const test::TokenRun expected = test::run_batch(program);
        for (std::uint32_t subset = 0; subset < 1u << bits.size(); ++subset) {
            PlanOptions options;
            options.verify = true;
            options.passes.bits = 0;
            for (std::size_t i = 0; i < bits.size(); ++i) options.passes.bits |= (subset >> i & 1) != 0 ? bits[i] : 0;
            const bc::Plan plan = make_plan(program, options);
            ASSERT_EQ(test::check_plan(plan, program, expected), "")
                << "program " << number << ", passes " << options.passes.bits << "\n"
                << bc::print(program) << bc::print(plan);
            if (subset + 1 == 1u << bits.size()) kernels += plan.kernels.size();
        }
        instructions += program.instructions.size();
    }
    EXPECT_GT(instructions, kPrograms);
    RecordProperty("instructions", std::to_string(instructions));
    RecordProperty("kernels", std::to_string(kernels));
    EXPECT_LT(kernels, instructions) << "nothing was fused";
}

TEST(RandomPlans, ACachedPlanIsRightForEveryGeometryItIsUsedFor) {
    unsigned hits = 0, misses = 0;
    for (std::uint64_t number = 0; number < kPrograms; ++number) {
        const fuzz::Case original = fuzz::random_case(kSeed + 1, number);
        if (!small(original.program)) continue;
        PlanCache cache;
        cache.get(original.program, test::token_options());
        fuzz::Random random(number);
        for (int i = 0; i < 12; ++i) {
            const fuzz::Case variant = fuzz::variant_of(original, random);
            if (!bc::verify(variant.program).empty() || !small(variant.program)) continue;
            const test::TokenRun expected = test::run_batch(variant.program);
            if (expected.reads_unspecified) continue;
            const auto [plan, made, geometry] = cache.get(variant.program, test::token_options());
            ++(made == 0 ? hits : misses);
            ASSERT_EQ(test::check_plan(*plan, variant.program, expected), "")
                << "program " << number << ", variant " << i << (made == 0 ? ", known plan\n" : ", new plan\n")
                << bc::print(original.program) << bc::print(variant.program) << bc::print(*plan);
        }
    }
    EXPECT_GT(hits, kPrograms);
    EXPECT_GT(misses, kPrograms / 4);
}

}  // namespace
}  // namespace xlazy::opt
