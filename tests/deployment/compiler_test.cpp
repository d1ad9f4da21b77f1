// SPDX-License-Identifier: BSD-3-Clause
// Real programs and compilers that are missing, fail, hang or change.
#include "deployment/support.hpp"

namespace {

using namespace test;

using Compilers = Deployment;

TEST_F(Compilers, BadOnesLeaveKernelsInterpreted) {
    const std::string version = "[ \"$1\" = --version ] && echo 1 && exit\n";
    const std::string bad[]{
        "/bin/false",
        "/nowhere/c++",
        "no-such-compiler",
        folder / "tmp",  // a directory
        script("rubbish", version + "for last; do :; done; echo rubbish > kernel.o"),
        script("silent", version + "exit 0"),
        script("crashes", version + "kill -SEGV $$"),
        script("talks", version + "head -c 1000000 /dev/zero | tr '\\0' 'x'; exit 3"),
    };
    for (const std::string& program : bad) {
        SCOPED_TRACE(program);
        const Outcome here = run(fmt::format("XLAZY_CXX='{}'", program));
        expect_right(here);
        EXPECT_EQ(here.compiled, 0u);
        EXPECT_EQ(here.warnings(), 1u) << here.log;
        EXPECT_LT(here.log.size(), 2000u);
        EXPECT_TRUE(fs::is_empty(temporaries));
    }
    // Nothing is poisoned.
    const Outcome good = run();
    expect_right(good);
    EXPECT_GT(good.compiled, 0u);
    EXPECT_EQ(good.warnings(), 0u) << good.log;
}

// In the background nobody waits for it, and at the end of the program it is killed.
TEST_F(Compilers, OneThatHangsHoldsUpNothing) {
    const std::string mark = folder / "started";
    const std::string hanging[]{script("all", fmt::format("echo $$ >> '{}'\nsleep 1000", mark)),
                                script("kernels", fmt::format("[ \"$1\" = --version ] && echo 1 && exit\n"
                                                              "echo $$ >> '{}'\nsleep 1000",
                                                              mark))};
    for (const std::string& program : hanging) {
        fs::remove(mark);
        const Outcome here = run(fmt::format("XLAZY_JIT=background XLAZY_CXX='{}'", program), "4 50");
        expect_right(here);
        EXPECT_EQ(here.compiled, 0u);
        EXPECT_LE(here.warnings(), 1u) << here.log;
        EXPECT_LT(here.seconds, 4) << "the pauses of the program are 0.2 s";
        std::istringstream lines(jc::contents(mark));
        int started = 0;
        for (pid_t process; lines >> process; ++started) {
            EXPECT_EQ(kill(process, 0), -1) << "a compiler still runs";
        }
        EXPECT_GT(started, 0);
        EXPECT_TRUE(fs::is_empty(temporaries));
    }
}

TEST_F(Compilers, AReplacedOneCompilesAgain) {
    const std::string variables = fmt::format("XLAZY_CXX='{}'", script("c++", "exec c++ \"$@\""));
    const Outcome first = run(variables);
    EXPECT_GT(first.compiled, 0u);
    EXPECT_EQ(run(variables).compiled, 0u);
    script("c++", "[ \"$1\" = --version ] && echo 'c++ 99' && exit\nexec c++ \"$@\"");
    const Outcome replaced = run(variables);
    expect_right(replaced);
    EXPECT_EQ(replaced.compiled, first.compiled);
    EXPECT_EQ(replaced.warnings(), 0u) << replaced.log;
    EXPECT_EQ(run(variables).compiled, 0u);
}

TEST_F(Compilers, ProgramsThatDoNotWaitForTheirChildren) {
    const Outcome here = run("IGNORE_CHILDREN=1");
    expect_right(here);
    EXPECT_GT(here.compiled, 0u);
    EXPECT_EQ(here.warnings(), 0u) << here.log;
}

TEST_F(Compilers, InTheBackground) {
    const Outcome here = run("XLAZY_JIT=background", "6 300");
    EXPECT_EQ(here.status, 0);
    EXPECT_EQ(here.results, run("XLAZY_JIT=off", "6").results);
    EXPECT_GT(here.compiled, 0u);
    EXPECT_EQ(here.warnings(), 0u) << here.log;
    EXPECT_TRUE(fs::is_empty(temporaries));
}

TEST_F(Compilers, AResidentOne) {
    const Outcome first = run("XLAZY_CXX=resident"), second = run("XLAZY_CXX=resident");
    expect_right(first);
    if (first.compiled == 0) GTEST_SKIP() << "not part of this build: " << first.log;
    expect_right(second);
    EXPECT_EQ(second.compiled, 0u);
    EXPECT_EQ(first.warnings() + second.warnings(), 0u) << first.log << second.log;
    // Ends while it compiles.
    for (int i = 0; i < 8; ++i) {
        fs::remove_all(cache);
        const Outcome here = run("XLAZY_JIT=background XLAZY_CXX=resident", fmt::format("4 {}", 15 * i));
        EXPECT_EQ(here.status, 0) << here.log;
        EXPECT_EQ(here.warnings(), 0u) << here.log;
    }
}

// The program ends while a compiler runs: at once, and without a trace.
TEST_F(Compilers, TheEndOfAProgramWithACompilerInFlight) {
    const std::string slow = script("slow", "[ \"$1\" = --version ] && echo 1 && exit\nsleep 5\nexec c++ \"$@\"");
    for (int i = 0; i < 3; ++i) {
        const Outcome here = run(fmt::format("XLAZY_JIT=background XLAZY_CXX='{}'", slow), fmt::format("3 {}", 20 * i));
        EXPECT_EQ(here.status, 0) << here.log;
        EXPECT_EQ(here.warnings(), 0u) << here.log;
        EXPECT_LT(here.seconds, 4);
        EXPECT_TRUE(fs::is_empty(temporaries));
    }
}

}  // namespace
