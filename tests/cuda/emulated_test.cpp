// SPDX-License-Identifier: BSD-3-Clause
// Generated CUDA code, run on the CPU, gives the bits of the reference: every op on every type, in all layouts, and
// random kernels with reductions, for several sizes of blocks and grids.
#include "backends/op_kernels.hpp"
#include "cuda/emulator.hpp"
#include "xlazy/backends/traps.hpp"

namespace xlazy::test {
namespace {

struct Made {
    TestKernel kernel;
    std::string function;
    bool any = false;  ///< by strides only
};

/// The kernel's memory after it, by emulation.
TestKernel::Outcome emulate(const Made& made, const EmulatedProgram& program, const be::CudaLimits& limits) {
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

bool runs_on_gpu(const TestKernel& kernel) {
    std::vector<void*> bases, scratch;
    auto memory = kernel.bases;
    for (auto& bytes : memory) bases.push_back(bytes.data());
    auto more = kernel.scratch;
    for (auto& bytes : more) scratch.push_back(bytes.data());
    const be::Bindings bindings{&kernel.program, &kernel.plan, bases, scratch};
    return be::CudaBinding(kernel.kernel, bindings).reason().empty();
}

/// Adds it to the program, if it has code.
bool add(be::CudaUnit& unit, const Made& made) {
    std::vector<void*> bases, scratch;
    auto memory = made.kernel.bases;
    for (auto& bytes : memory) bases.push_back(bytes.data());
    auto more = made.kernel.scratch;
    for (auto& bytes : more) scratch.push_back(bytes.data());
    const be::Bindings bindings{&made.kernel.program, &made.kernel.plan, bases, scratch};
    const be::CudaBinding binding(made.kernel.kernel, bindings);
    return unit.add(made.any ? binding.any_form() : binding.form(), made.function);
}

constexpr be::CudaLimits kLimits[] = {{256, 2112}, {32, 3}, {96, 1}};

void compare(const std::vector<Made>& kernels, const std::string& text) {
    EmulatedProgram program;
    ASSERT_EQ(program.compile(text), "");
    const auto interpreter = be::make_interpreter();
    for (const Made& made : kernels) {
        const auto expected = made.kernel.run(*interpreter);
        for (const be::CudaLimits& limits : kLimits) {
            ASSERT_EQ(made.kernel.difference(expected, emulate(made, program, limits)), "")
                << made.function << " with blocks of " << limits.threads;
        }
    }
}

TEST(Emulated, EveryOpAndType) {
    std::vector<Made> kernels;
    be::CudaUnit unit;
    for (const Case& each : map_cases()) {
        for (const int layout : {0, 6}) {
            Made made{kernel_of(each, layout), name_of(each) + "_" + std::to_string(layout)};
            if (!runs_on_gpu(made.kernel)) continue;
            if (add(unit, made)) kernels.push_back(std::move(made));
        }
    }
    EXPECT_GT(kernels.size(), 1000u);
    compare(kernels, unit.text());
}

class EmulatedRandom : public testing::TestWithParam<int> {};

TEST_P(EmulatedRandom, Kernels) {
    std::vector<Made> kernels;
    be::CudaUnit unit;
    for (int i = 0; i < 60; ++i) {
        const int seed = GetParam() * 1000 + i;
        Made made{RandomKernel(static_cast<std::uint64_t>(seed)).make(), "random_" + std::to_string(seed), i % 4 == 3};
        if (!runs_on_gpu(made.kernel)) continue;
        if (add(unit, made)) kernels.push_back(std::move(made));
    }
    EXPECT_GT(kernels.size(), 10u);
    compare(kernels, unit.text());
}

INSTANTIATE_TEST_SUITE_P(Seeds, EmulatedRandom, testing::Range(0, 3));

}  // namespace
}  // namespace xlazy::test
