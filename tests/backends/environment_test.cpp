// SPDX-License-Identifier: BSD-3-Clause
// What surrounds a run: the user's floating-point settings, parallel regions, forks, several threads, the choice of
// kernels.
#include "backends/random_kernel.hpp"

#include <immintrin.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace xlazy::test {
namespace {

/// Subnormals, rounding and transcendental functions in one kernel, large enough for threads.
TestKernel sensitive_kernel() {
    constexpr std::int64_t count = 50000;
    std::vector<double> values(count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = (static_cast<double>(i) + 0.3) * 1e-312;
    TestKernel kernel({count});
    const ValueId a = kernel.load(kernel.dense(kernel.base_of(values), {count}));
    ValueId b = kernel.compute(Op::mul, DType::f64, {a, kernel.scalar(0.7)});
    b = kernel.compute(Op::add, DType::f64, {b, kernel.scalar(0.1)});
    b = kernel.compute(Op::exp, DType::f64, {b});
    b = kernel.compute(Op::rint, DType::f64, {kernel.compute(Op::mul, DType::f64, {b, kernel.scalar(1e5)})});
    kernel.store(kernel.dense(kernel.base(DType::f64, count), {count}), b);
    kernel.store(kernel.dense(kernel.base(DType::f64, count), {count}), kernel.compute(Op::mul, DType::f64, {a, a}));
    kernel.store(kernel.dense(kernel.base(DType::f64, count), {count}),
                 kernel.compute(Op::div, DType::f64, {a, kernel.scalar(3.0)}));
    return kernel;
}

TEST(FloatEnvironment, TheUsersSettingsDoNotMatterAndStay) {
    const TestKernel kernel = sensitive_kernel();
    std::vector<std::unique_ptr<be::Backend>> backends;
    backends.push_back(be::make_interpreter());
    backends.push_back(be::make_openmp(1));
    backends.push_back(be::make_openmp(2, 0));
    const auto expected = kernel.run(*backends[0]);
    const unsigned before = _mm_getcsr();
    for (const unsigned settings : {0x8040u, 0x2000u, 0x4000u, 0x6000u, 0xe040u}) {  // FTZ, DAZ, directed rounding
        for (const auto& backend : backends) {
            _mm_setcsr(before | settings);
            const auto outcome = kernel.run(*backend);
            const unsigned after = _mm_getcsr();
            _mm_setcsr(before);
            EXPECT_EQ((after ^ (before | settings)) & ~0x3fu, 0u);
            EXPECT_EQ(kernel.difference(expected, outcome), "") << backend->name() << " " << settings;
        }
    }
}

/// Threads of a team that flush subnormals.
int flushing_threads() {
    int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
    count += (_mm_getcsr() & 0x8040u) == 0x8040u;
    return count;
}

TEST(FloatEnvironment, TeamsOfTheUserKeepTheirs) {
    const TestKernel kernel = sensitive_kernel();
    const auto backend = be::make_openmp(2, 0);
    const unsigned before = _mm_getcsr();
#pragma omp parallel num_threads(2)
    _mm_setcsr(_mm_getcsr() | 0x8040u);
    // Whether the settings outlive the region is the OpenMP library's matter.
    const int flushing = flushing_threads();
    const auto expected = kernel.run(*be::make_interpreter());
    EXPECT_EQ(kernel.difference(expected, kernel.run(*backend)), "");
    EXPECT_EQ(flushing_threads(), flushing);
#pragma omp parallel num_threads(2)
    _mm_setcsr(before);
}

TEST(OpenMp, RunsInsideTheUsersParallelRegion) {
    const TestKernel kernel = sensitive_kernel();
    const auto backend = be::make_openmp(2, 0);
    const auto expected = kernel.run(*be::make_interpreter());
    std::vector<std::string> differences(2);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; ++i)
        differences[static_cast<std::size_t>(i)] = kernel.difference(expected, kernel.run(*backend));
    EXPECT_EQ(differences, (std::vector<std::string>{"", ""}));
}

TEST(OpenMp, SeveralUserThreadsShareABackEnd) {
    const auto backend = be::make_openmp(2, 0);
    const auto reference = be::make_interpreter();
    std::vector<std::string> differences(3);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < differences.size(); ++t) {
        threads.emplace_back([&, t] {
            for (std::uint64_t seed = t; seed < 60 && differences[t].empty(); seed += 3) {
                const TestKernel kernel = RandomKernel(seed).make();
                differences[t] = kernel.difference(kernel.run(*reference), kernel.run(*backend));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(differences, std::vector<std::string>(3));
}

TEST(OpenMp, AChildAfterForkWorks) {
    const TestKernel kernel = sensitive_kernel();
    const auto backend = be::make_openmp(2, 0);
    const auto expected = kernel.run(*backend);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(kernel.difference(expected, kernel.run(*backend)).empty() ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(InstructionSets, AreChosenAndNamed) {
    EXPECT_EQ(be::current_isa(), be::best_isa());
    ASSERT_TRUE(be::set_isa(be::Isa::baseline));
    EXPECT_EQ(be::current_isa(), be::Isa::baseline);
    for (const be::Isa isa : {be::Isa::avx2, be::Isa::avx512}) {
        const bool taken = be::set_isa(isa);
        EXPECT_EQ(taken, isa <= be::best_isa());
        EXPECT_EQ(be::current_isa() == isa, taken);
    }
    be::set_isa(be::best_isa());
    EXPECT_EQ(be::name_of(be::Isa::baseline), "baseline");
    EXPECT_EQ(be::name_of(be::Isa::avx512), "avx512");
    EXPECT_EQ(be::make_interpreter()->name(), "interp");
    EXPECT_EQ(be::make_openmp(1)->name(), "openmp");
}

}  // namespace
}  // namespace xlazy::test
