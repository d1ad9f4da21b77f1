// SPDX-License-Identifier: BSD-3-Clause
// Random kernels: the threaded back end against the reference, on every instruction set and number of threads.
#include "backends/random_kernel.hpp"

namespace xlazy::test {
namespace {

constexpr std::uint64_t kKernels = 400;

class RandomKernels : public testing::TestWithParam<be::Isa> {};

TEST_P(RandomKernels, OpenMpEqualsTheReference) {
    if (!be::set_isa(GetParam())) GTEST_SKIP() << "this machine has no " << be::name_of(GetParam());
    const auto reference = be::make_interpreter();
    for (int threads = 1; threads <= 3; ++threads) {
        const auto backend = be::make_openmp(threads, 0);
        for (std::uint64_t seed = 0; seed < kKernels; ++seed) {
            const TestKernel kernel = RandomKernel(seed).make();
            ASSERT_EQ(kernel.difference(kernel.run(*reference), kernel.run(*backend)), "")
                << "seed " << seed << ", " << threads << " threads";
        }
    }
    be::set_isa(be::best_isa());
}

INSTANTIATE_TEST_SUITE_P(Isa, RandomKernels, testing::Values(be::Isa::baseline, be::Isa::avx2, be::Isa::avx512),
                         [](const auto& info) { return std::string(be::name_of(info.param)); });

}  // namespace
}  // namespace xlazy::test
