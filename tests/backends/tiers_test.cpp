// SPDX-License-Identifier: BSD-3-Clause
// When kernels are compiled, how often, and what happens where that does not work.
#include "backends/compiled.hpp"
#include "backends/test_kernel.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <functional>
#include <thread>

namespace xlazy::test {
namespace {

using namespace std::chrono_literals;

/// x * factor + number of the test: every test has a kernel of its own, since code stays.
TestKernel kernel_of(int test, std::int64_t count, double factor = 2, std::int64_t step = 1, std::int64_t offset = 0) {
    TestKernel kernel({count});
    std::vector<double> values(static_cast<std::size_t>(offset + count * step + 1));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.25 * static_cast<double>(i % 1000);
    ValueId value = kernel.load(kernel.view(kernel.base_of(values), offset, {{count, step}}));
    for (int i = 0; i < test; ++i) value = kernel.compute(Op::neg, DType::f64, {value});
    value = kernel.compute(Op::mul, DType::f64, {value, kernel.scalar(factor)});
    kernel.store(kernel.dense(kernel.base(DType::f64, count), {count}), value);
    return kernel;
}

be::JitOptions options(be::JitMode mode) {
    be::JitOptions result;
    result.mode = mode;
    return result;
}

/// Waits until the program says that it is to end.
be::jit::Built hang(const be::jit::Unit&, std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock guard(mutex);
    wake.wait(guard, stop, [] { return false; });
    return {{}, {}, false, "stopped"};
}

class Tiers : public testing::Test {
protected:
    void SetUp() override { be::jit::set_builder(build_here); }
    void TearDown() override {
        be::set_jit({});
        be::jit::set_builder(nullptr);
    }
    static std::string difference(const TestKernel& kernel) {
        static const auto reference = be::make_interpreter(), compiled = be::make_openmp(1);
        return kernel.difference(kernel.run(*reference), kernel.run(*compiled));
    }
    static std::uint64_t compiled() { return be::jit_counts().compiled; }
};

TEST_F(Tiers, TheSecondRunInTheBackgroundCompiles) {
    be::set_jit(options(be::JitMode::background));
    const TestKernel kernel = kernel_of(1, 10'000);
    const auto before = be::jit_counts();
    EXPECT_EQ(difference(kernel), "");
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(compiled(), before.compiled);
    EXPECT_EQ(difference(kernel), "");
    for (int i = 0; i < 3000 && compiled() == before.compiled; ++i) std::this_thread::sleep_for(20ms);
    EXPECT_EQ(compiled(), before.compiled + 1);
    EXPECT_EQ(be::jit_counts().runs, before.runs);
    EXPECT_EQ(difference(kernel), "");
    EXPECT_EQ(be::jit_counts().runs, before.runs + 1);
}

TEST_F(Tiers, SmallKernelsStayInterpreted) {
    be::set_jit(options(be::JitMode::block));
    const auto before = compiled();
    EXPECT_EQ(difference(kernel_of(2, 511)), "");
    EXPECT_EQ(compiled(), before);
    EXPECT_EQ(difference(kernel_of(2, 512)), "");
    EXPECT_EQ(compiled(), before + 1);
}

TEST_F(Tiers, LengthsScalarsAndOffsetsCompileNothing) {
    be::set_jit(options(be::JitMode::block));
    const auto before = compiled();
    for (std::int64_t i = 0; i < 200; ++i)
        EXPECT_EQ(difference(kernel_of(3, 600 + 7 * i, 0.5 + static_cast<double>(i), 1, i % 5)), "");
    EXPECT_EQ(compiled(), before + 1);
}

TEST_F(Tiers, AKernelHasThreeVariantsAtMost) {
    be::set_jit(options(be::JitMode::block));
    const auto before = compiled();
    for (std::int64_t step = 0; step < 4; ++step) {
        for (const std::int64_t count : {1000, 2000, 3001}) EXPECT_EQ(difference(kernel_of(4, count, 2, step)), "");
    }
    EXPECT_GE(compiled(), before + 2);
    EXPECT_LE(compiled(), before + be::jit::kMaxVariants);
}

TEST_F(Tiers, WithoutACompilerKernelsAreInterpreted) {
    be::jit::set_builder([](const be::jit::Unit&, std::stop_token) { return be::jit::Built{{}, {}, false, "broken"}; });
    be::JitOptions how = options(be::JitMode::block);
    std::vector<std::string> lines;
    how.trace = [&](const std::string& line) { lines.push_back(line); };
    be::set_jit(how);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(difference(kernel_of(5, 1000)), "");
    ASSERT_EQ(lines.size(), 1u);  // it is not tried again
    EXPECT_NE(lines[0].find("broken"), std::string::npos) << lines[0];
}

TEST_F(Tiers, WhatIsOffRunsNoCode) {
    be::set_jit(options(be::JitMode::block));
    EXPECT_EQ(difference(kernel_of(6, 1000)), "");
    be::set_jit(options(be::JitMode::off));
    const auto before = be::jit_counts().runs;
    EXPECT_EQ(difference(kernel_of(6, 1000)), "");
    EXPECT_EQ(be::jit_counts().runs, before);
}

/// @return the child's exit status, or -1 if it had to be killed
int in_child(const std::function<int()>& run) {
    const pid_t child = fork();
    if (child == 0) std::exit(run());
    int status = 0;
    for (int i = 0; i < 6000; ++i) {
        if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        std::this_thread::sleep_for(10ms);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

/// Starts a compilation in the background that does not end by itself.
void start_hanging(int test) {
    be::jit::set_builder(hang);
    be::set_jit(options(be::JitMode::background));
    for (int i = 0; i < 3; ++i) (void)kernel_of(test, 1000).run(*be::make_openmp(1));
}

TEST_F(Tiers, AProgramEndsWhileItCompiles) {
    EXPECT_EQ(in_child([] {
                  start_hanging(7);
                  return 3;
              }),
              3);
}

TEST_F(Tiers, AChildCompilesWhatItsParentIsCompiling) {
    EXPECT_EQ(in_child([] {
                  start_hanging(8);
                  std::this_thread::sleep_for(50ms);
                  return in_child([] {
                      be::jit::set_builder(build_here);
                      be::set_jit(options(be::JitMode::block));
                      const auto before = compiled();
                      if (!difference(kernel_of(8, 1000)).empty()) return 1;
                      return compiled() == before + 1 ? 4 : 2;
                  });
              }),
              4);
}

}  // namespace
}  // namespace xlazy::test
