// SPDX-License-Identifier: BSD-3-Clause
// Compiled kernels give the bits of interpreted ones.
#include "backends/compiled.hpp"
#include "backends/op_kernels.hpp"

namespace xlazy::test {
namespace {

class Compiled : public testing::Test {
protected:
    void SetUp() override {
        be::jit::set_builder(build_here);
        use(be::JitMode::background);
    }
    void TearDown() override {
        use(be::JitMode::off);
        be::jit::set_builder(nullptr);
        be::set_isa(be::best_isa());
    }
    /// Every kernel counts; in the background none is compiled by itself.
    static void use(be::JitMode mode) {
        be::JitOptions options;
        options.mode = mode;
        options.least_elements = 0;
        options.runs = options.elements = std::numeric_limits<std::int64_t>::max();
        options.trace = [](const std::string& line) {
            if (line.find("stays") != line.npos) ADD_FAILURE() << line;
        };
        be::set_jit(options);
    }
    /// All kernels, compiled together, against the reference.
    static void compare(const std::vector<TestKernel>& kernels, int threads) {
        const auto reference = be::make_interpreter();
        const auto compiled = be::make_openmp(threads, 0);
        for (const TestKernel& kernel : kernels) (void)kernel.run(*compiled);
        be::compile_seen_kernels(kernels.size() + 100);
        for (std::size_t i = 0; i < kernels.size(); ++i)
            EXPECT_EQ(kernels[i].difference(kernels[i].run(*reference), kernels[i].run(*compiled)), "")
                << "kernel " << i;
    }
    /// Every `step`-th of its kernels.
    static std::vector<TestKernel> op_table(int layout, std::size_t step = 1) {
        std::vector<TestKernel> kernels;
        const std::vector<Case> cases = map_cases();
        for (std::size_t i = 0; i < cases.size(); i += step) kernels.push_back(kernel_of(cases[i], layout));
        return kernels;
    }
};

TEST_F(Compiled, RandomKernels) {
    std::vector<TestKernel> kernels;
    for (std::uint64_t seed = 0; seed < 100; ++seed) kernels.push_back(RandomKernel(seed).make());
    const auto before = be::jit_counts();
    compare(kernels, 2);
    const auto after = be::jit_counts();
    // All but those with scans, which are a quarter.
    EXPECT_GT(after.compiled - before.compiled, 65u);
    EXPECT_GT(after.runs - before.runs, 65u);
    EXPECT_EQ(after.refused, before.refused);
}

TEST_F(Compiled, TheOpTable) { compare(op_table(0), 1); }

TEST_F(Compiled, TheOpTableOnStridedMemory) { compare(op_table(6, 4), 3); }

TEST_F(Compiled, TheOpTableOnOtherInstructionSets) {
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2}) {
        if (be::set_isa(isa)) compare(op_table(0, isa == be::Isa::avx2 ? 3 : 2), 1);
    }
}

}  // namespace
}  // namespace xlazy::test
