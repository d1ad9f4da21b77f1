// SPDX-License-Identifier: BSD-3-Clause
// Random kernels: the threaded back end against the reference, on every instruction set and number of threads.
#include "backends/random_kernel.hpp"

namespace xlazy::test {
namespace {

TEST(RandomKernels, OpenMpEqualsTheReference) {
    const auto reference = be::make_interpreter();
    std::vector<std::unique_ptr<be::Backend>> backends;
    for (int threads = 1; threads <= 3; ++threads) backends.push_back(be::make_openmp(threads));
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
        if (!be::set_isa(isa)) continue;
        for (std::uint64_t seed = 0; seed < 1500; ++seed) {
            const TestKernel kernel = RandomKernel(seed).make();
            const auto expected = kernel.run(*reference);
            for (const auto& backend : backends) {
                ASSERT_EQ(kernel.difference(expected, kernel.run(*backend)), "") << "seed " << seed << " " << be::name_of(isa);
            }
        }
    }
    be::set_isa(be::best_isa());
}

}  // namespace
}  // namespace xlazy::test
