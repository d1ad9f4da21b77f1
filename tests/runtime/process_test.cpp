// SPDX-License-Identifier: BSD-3-Clause
// What only a process of its own can show: the environment, the end of a program, fork. See program/main.cpp.
#include "runtime/array.hpp"
#include "runtime/command.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace {

using namespace test;
using Doubles = std::vector<double>;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define XLAZY_TEST_THREAD_SANITIZER
#endif
#endif
#ifdef XLAZY_TEST_THREAD_SANITIZER
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

Result run(const std::string& program, const std::string& variables) {
    return run_command("'" XLAZY_RUNTIME_PROGRAM "' " + program, variables);
}

TEST(Process, TraceNamesReasonAndLine) {
    const Result result = run("adds_and_reads", "XLAZY_TRACE=flush");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(occurrences(result.output, "xlazy: flush "), 1u) << result.output;
    EXPECT_NE(result.output.find("xlazy: flush element at "), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("program/main.cpp:"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("2 statements, 2 instructions, 1 kernel, "), std::string::npos) << result.output;
    EXPECT_NE(run("adds_and_reads", "XLAZY_TRACE=plan").output.find("xlazy: plan\n"), std::string::npos);
}

TEST(Process, EagerByTheEnvironment) {
    const Result result = run("adds_and_reads", "XLAZY_TRACE=flush XLAZY_MODE=eager");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(occurrences(result.output, "xlazy: flush eager at "), 2u) << result.output;
}

TEST(Process, WarningsComeOnce) {
    const Result result = run("adds_and_reads", "XLAZY_MODE=nonsense XLAZY_DEVICE=first");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(occurrences(result.output, "xlazy: warning: XLAZY_MODE: unknown value \"nonsense\"; legal: lazy, eager"),
              1u);
    EXPECT_EQ(occurrences(result.output, "xlazy: warning: "), 2u) << result.output;
}

TEST(Process, TooManyThreadsAreCutWithOneWarning) {
    for (const std::string variables : {"XLAZY_NUM_THREADS=100000", "OMP_NUM_THREADS=100000"}) {
        const Result result = run("adds_and_reads", variables);
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_EQ(occurrences(result.output, "xlazy: warning: 100000 threads are too many; 256 are used"), 1u)
            << result.output;
        EXPECT_EQ(occurrences(result.output, "warning"), 1u) << result.output;
    }
}

TEST(Process, ALogThatCannotBeWrittenIsNamed) {
    const Result result = run("adds_and_reads", "XLAZY_LOG=/nonexistent/log");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(
        occurrences(result.output, "xlazy: warning: XLAZY_LOG: cannot write to \"/nonexistent/log\": No such file"), 1u)
        << result.output;
}

TEST(Process, WhatFailedForWantOfMemoryIsNoFaultOfAPass) {
    const Result result = run("runs_out_of_memory", "XLAZY_VERIFY=1 XLAZY_MEMORY_LIMIT=5M");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(result.output.find("internal error"), std::string::npos) << result.output;
}

TEST(Process, EveryBackEndAndInstructionSet) {
    for (const std::string variables : {"XLAZY_BACKEND=interp", "XLAZY_BACKEND=openmp", "XLAZY_ISA=baseline",
                                        "XLAZY_NUM_THREADS=2", "XLAZY_PASSES=none", "XLAZY_PASSES=all,-fuse"}) {
        const Result result = run("adds_and_reads", variables);
        EXPECT_EQ(result.status, 0) << variables << '\n' << result.output;
        EXPECT_EQ(occurrences(result.output, "xlazy: "), 0u) << result.output;
    }
}

TEST(Process, StatisticsAtTheEnd) {
    const std::string file = testing::TempDir() + "xlazy_statistics_" + std::to_string(getpid());
    EXPECT_EQ(run("adds_and_reads", "XLAZY_STATS='" + file + "'").status, 0);
    std::ifstream written(file);
    std::string json;
    std::getline(written, json);
    std::remove(file.c_str());
    for (const std::string part :
         {"\"instructions_recorded\": 2", "\"statements_recorded\": 2", "\"flushes\": {\"element\": 1}",
          "\"plans_missed\": 1", "\"kernels_run\": 1", "\"kernels_compiled\": 0",
          "\"seconds\": {\"compile\": 0, \"plan\": ", "\"fallbacks\": {}", "\"deferred_errors\": 0"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    }
    const Result result = run("adds_and_reads", "XLAZY_STATS=1");
    EXPECT_NE(result.output.find("xlazy: {\"instructions_recorded\": 2"), std::string::npos) << result.output;
    EXPECT_NE(run("adds_and_reads", "XLAZY_STATS=/no/such/folder/x").output.find("xlazy: warning: statistics: "),
              std::string::npos);
}

TEST(Process, TheLogInAFile) {
    const std::string file = testing::TempDir() + "xlazy_log_" + std::to_string(getpid());
    const Result result = run("adds_and_reads", "XLAZY_TRACE=flush XLAZY_LOG='" + file + "'");
    EXPECT_EQ(occurrences(result.output, "xlazy: "), 0u) << result.output;
    std::ifstream written(file);
    std::string line;
    std::getline(written, line);
    std::remove(file.c_str());
    EXPECT_EQ(line.find("xlazy: flush element"), 0u) << line;
}

TEST(Process, StaticArraysOutliveMain) {
    const Result result = run("leaves_work", "XLAZY_TRACE=flush");
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.output.find("xlazy: flush exit at "), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("value at the end: 31"), std::string::npos) << result.output;
    const Result explained = run("leaves_work", "XLAZY_EXPLAIN=1");
    EXPECT_EQ(explained.status, 0) << explained.output;
    EXPECT_EQ(occurrences(explained.output, "since the program ended"), 1u) << explained.output;
}

TEST(Process, AnErrorThatNobodySawIsLoggedOnce) {
    const Result result = run("leaves_an_error", "");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(occurrences(result.output, "xlazy: error: "), 1u) << result.output;
    EXPECT_EQ(occurrences(result.output, "integer division by zero in div: operands i32(2) and i32 scalar"), 1u);
    EXPECT_NE(result.output.find("found when the program ended"), std::string::npos) << result.output;
}

TEST(Process, ExitInAThread) {
    const Result result = run("exits_in_a_thread", "XLAZY_TRACE=flush");
    EXPECT_EQ(WEXITSTATUS(result.status), 7) << result.output;
    EXPECT_NE(result.output.find("xlazy: flush exit"), std::string::npos) << result.output;
}

TEST(Process, WhateverAllocationFails) {
    // The program's own operator new and a sanitizer's others do not know each other.
    const Result result = run_command("'" XLAZY_ALLOCATION_PROGRAM "'", "ASAN_OPTIONS=alloc_dealloc_mismatch=0");
    EXPECT_EQ(result.status, 0) << result.output;
}

/// Runs in a child: large enough for parallel kernels. @return the exit status, -1 if the child hangs
template <class Work>
int in_child(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Process, AChildAfterForkWorks) {
    const std::size_t count = 1 << 20;
    const Array<double> a({count}, Doubles(count, 2));
    const Array<double> b({count});
    assign(b, Op::mul, a, 3.0);
    EXPECT_EQ(b.read(count - 1), 6);  // the parent has run a parallel region
    assign(b, Op::add, b, 1.0);       // and has work pending
    const std::uint64_t before = xlazy::stats().flushes["fork"];
    EXPECT_EQ(in_child([&] {
                  if (b.read(0) != 7) return 1;
                  const Array<double> c({count});
                  assign(c, Op::add, a, b);
                  xlazy::set_num_threads(4);
                  if (c.read(count - 1) != 9) return 2;
                  assign(c, Op::add, a, c);
                  return c.read(5) == 11 ? 0 : 3;
              }),
              0);
    EXPECT_EQ(xlazy::stats().flushes["fork"] - before, 1u);
    assign(b, Op::add, b, 1.0);
    EXPECT_EQ(b.read(7), 8);
}

TEST(Process, AForkWithTraceAndStatistics) {
    if (kThreadSanitizer) GTEST_SKIP() << "a forked child cannot exit() under the thread sanitizer's OpenMP tool";
    const Result result = run("forks", "XLAZY_TRACE=flush XLAZY_STATS=1");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(occurrences(result.output, "xlazy: flush fork"), 1u) << result.output;
    EXPECT_EQ(occurrences(result.output, "instructions_recorded"), 1u) << "the child's are not the program's";
}

TEST(Process, ForkWhileOtherThreadsWork) {
    std::atomic<bool> stop{false};
    const auto work = [&] {
        const Array<double> a({1000}, Doubles(1000, 1));
        while (!stop) {
            const Array<double> b({1000});
            assign(b, Op::add, a, 1.0);
            assign(b, Op::mul, b, 2.0);
            if (b.read(3) != 4) stop = true;
        }
    };
    std::thread first(work), second(work);
    const Array<double> a({1000}, Doubles(1000, 1));
    for (int i = 0; i < 20; ++i) {
        const Array<double> b({1000});
        assign(b, Op::add, a, 1.0);
        EXPECT_EQ(in_child([&] {
                      const Array<double> c({1000});
                      assign(c, Op::add, b, 1.0);
                      return c.read(0) == 3 ? 0 : 1;
                  }),
                  0);
    }
    EXPECT_FALSE(stop);
    stop = true;
    first.join();
    second.join();
}

}  // namespace
