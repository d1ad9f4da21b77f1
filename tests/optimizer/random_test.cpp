// SPDX-License-Identifier: BSD-3-Clause
// Random batches on tokens: whatever passes run, every element is computed from the same elements by the same
// operations.
#include "byte_machine.hpp"
#include "fuzz/generator.hpp"
#include "fuzz/random.hpp"
#include "fuzz/variant.hpp"
#include "token_machine.hpp"

#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/plan_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace xlazy::opt {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr std::uint64_t kPrograms = 200;
constexpr std::int64_t kMaxElements = 1000;  // the token machine is slow

/// Can the batch be run on tokens?
bool small(const bc::Program& program) {
    std::int64_t elements = 0;
    for (const bc::BaseInfo& base : program.bases) elements = std::max(elements, base.size);
    for (const bc::Instruction& instruction : program.instructions) {
        elements = std::max(elements, bc::element_count(program.domain_extents(instruction.domain)));
    }
    return elements <= kMaxElements;
}

/// Every pass, every pair, and as many random subsets.
std::vector<PassSet> random_sets(std::uint64_t seed) {
    std::vector<PassSet> sets = test::pass_sets();
    fuzz::Random random(seed);
    for (std::size_t left = sets.size(); left > 0; --left) sets.push_back({static_cast<std::uint32_t>(random.word())});
    return sets;
}

TEST(RandomPlans, EverySubsetOfPassesComputesTheSame) {
    std::size_t instructions = 0, kernels = 0;
    for (std::uint64_t number = 0; number < kPrograms; ++number) {
        const bc::Program program = fuzz::random_case(kSeed, number).program;
        ASSERT_EQ(bc::verify(program), "");
        if (!small(program)) continue;
        const test::TokenRun expected = test::run_batch(program);
        for (const PassSet set : random_sets(number)) {
            PlanOptions options = test::token_options(set);
            if (number % 2 == 1) options.size_class = bc::SizeClass::Memory;
            const bc::Plan plan = make_plan(program, options);
            ASSERT_EQ(test::check_plan(plan, program, expected), "")
                << "program " << number << ", passes " << options.passes.bits << "\n"
                << bc::print(program) << bc::print(plan);
            if (set == PassSet{}) kernels += plan.kernels.size();
        }
        instructions += program.instructions.size();
    }
    EXPECT_GT(instructions, kPrograms);
    RecordProperty("instructions", std::to_string(instructions));
    RecordProperty("kernels", std::to_string(kernels));
    EXPECT_LT(kernels, instructions) << "nothing was fused";
}

/// On bits, with `algebra`.
TEST(RandomPlans, EverySubsetOfPassesGivesTheBitsOfTheInterpreter) {
    const auto interp = be::make_interpreter(), openmp = be::make_openmp(1);
    std::size_t compared = 0;
    for (std::uint64_t number = 0; number < kPrograms; ++number) {
        const bc::Program program = fuzz::random_case(kSeed + 2, number).program;
        if (!small(program) || test::run_batch(program).reads_unspecified) continue;
        std::map<std::uint32_t, test::Bytes> inputs;
        for (std::uint32_t b = 0; b < program.bases.size(); ++b) {
            const bc::BaseInfo& base = program.bases[b];
            if (base.initialised) inputs[b] = fuzz::initial_bytes(base.type, base.size, number, b);
        }
        const test::ByteRun expected =
            test::run_bytes(make_plan(program, {PassSet{0}, false, {}}), program, inputs, *interp);
        for (const PassSet set : random_sets(number)) {
            const bc::Plan plan = make_plan(program, {set, true, {}});
            const test::ByteRun got = test::run_bytes(plan, program, inputs, number % 2 == 0 ? *interp : *openmp);
            for (std::uint32_t b = 0; b < program.bases.size(); ++b) {
                if (!inputs.contains(b) || !program.bases[b].live) continue;
                ASSERT_EQ(fuzz::first_difference(program.bases[b].type, expected.bases[b], got.bases[b], {}), -1)
                    << "program " << number << ", passes " << set.bits << ", b" << b << "\n"
                    << bc::print(program) << bc::print(plan);
                ++compared;
            }
            ASSERT_EQ(expected.traps.size(), got.traps.size()) << bc::print(program) << bc::print(plan);
        }
    }
    EXPECT_GT(compared, 1000u);
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
