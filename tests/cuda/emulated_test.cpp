// SPDX-License-Identifier: BSD-3-Clause
// Generated CUDA code, run on the CPU, gives the bits of the reference: every op on every type, in all layouts, and
// random kernels with reductions, for several sizes of blocks and grids.
#include "cuda/emulator.hpp"
#include "cuda/kernels.hpp"
#include "xlazy/backends/traps.hpp"

namespace xlazy::test {
namespace {

/// The kernel's memory after it, by emulation.
TestKernel::Outcome emulate(const CudaCase& made, const EmulatedProgram& program, const be::CudaLimits& limits) {
    const TestKernel& kernel = made.kernel;
    TestKernel::Outcome outcome{kernel.bases, kernel.scratch, {}};
    std::vector<void*> bases, scratch;
    for (auto& bytes : outcome.bases) bases.push_back(bytes.data());
    for (auto& bytes : outcome.scratch) scratch.push_back(bytes.data());
    const be::Bindings bindings{&kernel.program, &kernel.plan, bases, scratch};
    const be::CudaBinding binding(kernel.kernel, bindings);
    EXPECT_EQ(binding.reason(), "");
    std::vector<be::CudaTrap> traps(binding.faults().size());
    std::vector<std::max_align_t> partial(binding.partial_bytes() / sizeof(std::max_align_t) + 1);
    const auto launches = binding.launches(
        made.any ? binding.any_form() : binding.form(), made.function, limits,
        [](const std::byte* memory) { return reinterpret_cast<std::uint64_t>(memory); },
        reinterpret_cast<std::uint64_t>(traps.data()), reinterpret_cast<std::uint64_t>(partial.data()));
    for (const be::CudaLaunch& launch : launches) EXPECT_TRUE(program.launch(launch)) << launch.function;
    for (std::size_t i = 0; i < traps.size(); ++i) {
        if (traps[i].index == ~std::uint64_t{0}) continue;
        const bc::MicroOp& op = kernel.kernel.ops[binding.faults()[i]];
        be::Trap trap{op.instruction, static_cast<std::int64_t>(traps[i].index), {}};
        for (unsigned k = 0; k < 2; ++k) {
            trap.operands[k] = {op.type, {0, 0}};
            std::memcpy(trap.operands[k].bits, traps[i].operands[k], bc::size_of(op.type));
        }
        be::add_trap(outcome.traps, trap);
    }
    return outcome;
}

constexpr be::CudaLimits kLimits[] = {{256, 2112}, {32, 3}, {96, 1}};

void compare(const std::vector<CudaCase>& kernels, const std::string& text) {
    EmulatedProgram program;
    ASSERT_EQ(program.compile(text), "");
    const auto interpreter = be::make_interpreter();
    for (const CudaCase& made : kernels) {
        const auto expected = made.kernel.run(*interpreter);
        for (const be::CudaLimits& limits : kLimits) {
            ASSERT_EQ(made.kernel.difference(expected, emulate(made, program, limits)), "")
                << made.function << " with blocks of " << limits.threads;
        }
    }
}

TEST(Emulated, EveryOpAndType) {
    be::CudaUnit unit;
    const std::vector<CudaCase> kernels = op_cases(unit, {0, 6});
    EXPECT_GT(kernels.size(), 1000u);
    compare(kernels, unit.text());
}

class EmulatedRandom : public testing::TestWithParam<int> {};

TEST_P(EmulatedRandom, Kernels) {
    be::CudaUnit unit;
    const std::vector<CudaCase> kernels = random_cases(unit, GetParam() * 1000, 60);
    EXPECT_GT(kernels.size(), 10u);
    compare(kernels, unit.text());
}

INSTANTIATE_TEST_SUITE_P(Seeds, EmulatedRandom, testing::Range(0, 3));

}  // namespace
}  // namespace xlazy::test
