// SPDX-License-Identifier: BSD-3-Clause
// What a user's program says when it fails: always its own line, whatever mode, passes, threads and back end.
#include "runtime/command.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using test::occurrences;
using test::Result;
using test::run_command;

/// "cases.cpp:12" for the line with the comment "line NAME".
std::string at(const std::string& name) {
    std::ifstream in(XLAZY_ERRORS_SOURCE);
    std::string line;
    for (unsigned number = 1; std::getline(in, line); ++number) {
        if (line.ends_with("// line " + name)) return "cases.cpp:" + std::to_string(number);
    }
    ADD_FAILURE() << "no line " << name;
    return {};
}

std::string run(const std::string& name, const std::string& variables = {}) {
    const Result result = run_command("'" XLAZY_ERRORS_CASES "' " + name, variables);
    EXPECT_EQ(result.status, 0) << name << ' ' << variables << '\n' << result.output;
    std::string text = result.output;  // debug information knows the folder of the build
    for (std::size_t folder; (folder = text.find(XLAZY_BUILD_FOLDER "/")) != std::string::npos;)
        text.erase(folder, sizeof(XLAZY_BUILD_FOLDER));
    return text;
}

/// Type and first line of the error.
std::string head_of(const std::string& output) { return output.substr(0, output.find('\n', output.find('\n') + 1)); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Cases, TheMessageHasEverything) {
    const std::string text = run("division");
    EXPECT_EQ(head_of(text), "xlazy::deferred_error\n" + at("division") +
                                 ": integer division by zero in div: operands i32(2,3) and i32(3), "
                                 "at element (0,1): 7 / 0");
    EXPECT_TRUE(contains(text, " | const matrix each = apples / people;")) << text;
    EXPECT_TRUE(contains(text, "  right operand, i32(3), was made at " + at("division.written"))) << text;
    EXPECT_TRUE(contains(text, "  ran in one kernel with " + at("division.fused"))) << text;
    EXPECT_TRUE(contains(text, "  found when " + at("division.read") + " read it (printing)")) << text;
    EXPECT_TRUE(contains(text, "  XLAZY_MODE=eager stops at the failing line itself")) << text;
}

/// The same type of exception, and the same first line.
TEST(Cases, TheSameInEveryWayOfRunning) {
    for (const std::string name :
         {"division", "remainder", "five_lines", "two_lines", "callers", "folded", "picks", "loop"}) {
        const std::string expected = head_of(run(name));
        EXPECT_EQ(expected.find("xlazy::deferred_error\ncases.cpp:"), 0u) << expected;
        for (const std::string variables :
             {"XLAZY_MODE=eager", "XLAZY_PASSES=none", "XLAZY_PASSES=all,-fuse", "XLAZY_PASSES=none,+cse",
              "XLAZY_BACKEND=interp", "XLAZY_BACKEND=openmp XLAZY_NUM_THREADS=3", "XLAZY_TRACE=stack",
              "XLAZY_CHECK=nan,bounds", "XLAZY_VERIFY=1"}) {
            EXPECT_EQ(head_of(run(name, variables)), expected) << name << ' ' << variables;
        }
    }
    for (const std::string variables : {"XLAZY_MODE=eager ", "XLAZY_PASSES=none ", "XLAZY_BACKEND=interp "}) {
        for (const std::string name :
             {"not_finite", "overflow", "sum_overflows", "lost", "scan_overflows", "in_place"}) {
            EXPECT_EQ(head_of(run(name, variables + "XLAZY_CHECK=nan")), head_of(run(name, "XLAZY_CHECK=nan")))
                << variables << name;
        }
        for (const std::string name : {"at", "file", "functor", "shapes"})
            EXPECT_EQ(head_of(run(name, variables)), head_of(run(name))) << variables << name;
        EXPECT_EQ(head_of(run("bounds", variables + "XLAZY_CHECK=bounds")),
                  head_of(run("bounds", "XLAZY_CHECK=bounds")));
    }
}

TEST(Cases, EveryLineThatContributed) {
    const std::string five = run("five_lines");
    EXPECT_TRUE(contains(five, at("five.3") + ": integer division by zero")) << five;
    for (const std::string line : {"five.1", "five.2", "five.4", "five.5"})
        EXPECT_TRUE(contains(five.substr(five.find("ran in one kernel")), at(line))) << line << '\n' << five;
    EXPECT_FALSE(contains(five, "temp")) << "no numbers of temporaries";

    const std::string two = run("two_lines");
    EXPECT_TRUE(contains(two, at("two.1") + ": integer division by zero")) << two;
    EXPECT_TRUE(contains(two, "  computed once for " + at("two.2") + " as well")) << two;

    const std::string folded = run("folded");
    EXPECT_TRUE(contains(folded, at("folded") + ": integer division by zero in mod")) << folded;
}

TEST(Cases, WhoCalled) {
    const std::string plain = run("callers");
    EXPECT_TRUE(contains(plain, at("callers") + ": integer division by zero")) << plain;
    EXPECT_FALSE(contains(plain, "called from")) << plain;
    EXPECT_TRUE(contains(run("callers", "XLAZY_MODE=eager"), "XLAZY_TRACE=stack tells who called"));
    for (const std::string mode : {"XLAZY_MODE=lazy", "XLAZY_MODE=eager"}) {
        const std::string traced = run("callers", mode + " XLAZY_TRACE=stack");
        EXPECT_TRUE(contains(traced, "  called from tuesday (" + at("callers.tuesday") + ")")) << traced;
        EXPECT_TRUE(contains(traced, "  called from callers (cases.cpp:")) << traced;
        EXPECT_FALSE(contains(traced, at("callers.monday"))) << traced;
    }
}

TEST(Cases, NotFinite) {
    const std::string text = run("not_finite", "XLAZY_CHECK=nan");
    EXPECT_EQ(head_of(text), "xlazy::deferred_error\n" + at("nan") +
                                 ": NaN made of finite numbers in log: operand f64(3), at element (2): log(-3) = nan");
    const std::string overflow = run("overflow", "XLAZY_CHECK=nan");
    EXPECT_TRUE(contains(overflow, at("overflow") + ": infinity made of finite numbers in mul")) << overflow;
    EXPECT_TRUE(contains(overflow, "at element (0): 1e+200 * 1e+200 = inf")) << overflow;
    const std::string sum = run("sum_overflows", "XLAZY_CHECK=nan");
    EXPECT_TRUE(contains(sum, at("sum_overflows") + ": infinity made of finite numbers in sum: operand f64(3), "
                                                    "at element (): inf"))
        << sum;
    EXPECT_TRUE(contains(run("finite", "XLAZY_CHECK=nan"), "no error")) << "it was a NaN from the beginning";
    const std::string scan = run("scan_overflows", "XLAZY_CHECK=nan");
    EXPECT_TRUE(contains(scan, at("scan_overflows") + ": infinity made of finite numbers in cumsum: operand f64(4), at "
                                                      "element (2): cumsum(1e+308) = inf"))
        << scan;
    const std::string in_place = run("in_place", "XLAZY_CHECK=nan");
    EXPECT_TRUE(contains(in_place, at("in_place") + ": NaN made of finite numbers in log")) << in_place;
    EXPECT_TRUE(contains(in_place, "at element (1): log(-1) = nan")) << in_place;
    for (const std::string name : {"overflow", "sum_overflows", "not_finite", "lost", "scan_overflows", "in_place"}) {
        const std::string unchecked = run(name);
        EXPECT_TRUE(contains(unchecked, "no error")) << unchecked;
    }
}

/// It is found also where no array shows it, and where compiled code computed it.
TEST(Cases, NotFiniteAndLost) {
    const std::string lost = run("lost", "XLAZY_CHECK=nan");
    EXPECT_TRUE(contains(lost, at("lost") + ": infinity made of finite numbers in div")) << lost;
    EXPECT_TRUE(contains(lost, "at element (1): -1 / 1e-320 = -inf")) << lost;
    for (const std::string jit : {"XLAZY_JIT=off", "XLAZY_JIT=block"}) {
        for (const std::string more : {"", " XLAZY_NUM_THREADS=3", " XLAZY_MODE=eager", " XLAZY_ISA=avx2"}) {
            const std::string text = run("compiled", "XLAZY_CHECK=nan " + jit + more);
            EXPECT_TRUE(contains(text, at("compiled") + ": infinity made of finite numbers in div")) << text;
            EXPECT_TRUE(contains(text, "at element (123456): -1 / 0 = -inf")) << text;
            EXPECT_TRUE(contains(run("compiled", jit + more), "0.5\nno error"));
        }
    }
}

/// An index of index_view: found late, at the line that uses the view, with index, axis and extent.
TEST(Cases, IndicesOfElements) {
    const std::string picks = run("picks");
    EXPECT_EQ(head_of(picks), "xlazy::deferred_error\n" + at("picks") +
                                  ": index 4 is out of bounds for axis 1 with size 4 in gather: operand i32(3,4), at "
                                  "element (1)");
    EXPECT_TRUE(contains(picks, "  found when " + at("picks.read") + " read it (printing)")) << picks;
    const std::string written = run("picks_written");
    EXPECT_EQ(head_of(written), "xlazy::deferred_error\n" + at("picks_written") +
                                    ": index 3 is out of bounds for axis 0 with size 3 in scatter: operand i32(3,4), "
                                    "at element (1)");
    const std::string element = run("pick_of_a_view");
    EXPECT_TRUE(contains(
        element, "1\nstd::out_of_range\n" + at("pick_of_a_view") + ": index 4 is out of bounds for axis 1 with size 4"))
        << element;
    for (const std::string name : {"picks", "picks_written", "pick_of_a_view"}) {
        for (const std::string variables :
             {"XLAZY_MODE=eager", "XLAZY_PASSES=none", "XLAZY_BACKEND=interp", "XLAZY_CHECK=nan,bounds"})
            EXPECT_EQ(head_of(run(name, variables)), head_of(run(name))) << name << ' ' << variables;
    }
}

/// Characters are integers to C++, and ended the program when they were divided by zero.
TEST(Cases, Characters) {
    const std::string text = run("characters");
    EXPECT_TRUE(contains(text, at("characters") + ": integer division by zero in div")) << text;
    EXPECT_TRUE(contains(text, "at element (1): 98 / 0")) << text;
}

TEST(Cases, LoopsPrintingAndHandlers) {
    const std::string loop = run("loop");
    EXPECT_TRUE(contains(loop, "xlazy::deferred_error\n" + at("loop") + ": integer division by zero")) << loop;
    const std::string printed = run("printed");
    EXPECT_EQ(occurrences(printed, at("printed")), 2u) << "each time: " << printed;
    const std::string handlers = run("two_handlers");
    EXPECT_TRUE(contains(handlers, "9\n4\n")) << handlers;
    EXPECT_TRUE(contains(handlers, "no error")) << handlers;
}

/// What the user did is said, in the user's words: no phrase of the library's inside.
TEST(Cases, ForcedInsideAFunctionOfTheUsers) {
    const std::string text = run("inside");
    EXPECT_EQ(head_of(text), "xlazy::deferred_error\n" + at("inside") +
                                 ": integer division by zero in div: operands i32(3) and i32 scalar, at element (0): "
                                 "1 / 0");
}

TEST(Cases, AxesInAnyOrderButNotTwice) {
    const std::string text = run("axes");
    EXPECT_TRUE(contains(text, "1\nstd::runtime_error\n" + at("axes") + ": axis 0 is named twice")) << text;
}

TEST(Cases, Bounds) {
    EXPECT_TRUE(
        contains(run("at"), "std::out_of_range\n" + at("at") + ": index 3 is out of bounds for axis 0 with size 3"));
    const std::string text = run("bounds", "XLAZY_CHECK=bounds");
    EXPECT_TRUE(
        contains(text, "std::out_of_range\n" + at("bounds") + ": index 4 is out of bounds for axis 1 with size 4"))
        << text;
    EXPECT_TRUE(
        contains(run("bounds_of_view", "XLAZY_CHECK=bounds"), "std::out_of_range\n" + at("bounds.view") + ": "));
    EXPECT_TRUE(
        contains(run("bounds_written", "XLAZY_CHECK=bounds"), "std::out_of_range\n" + at("bounds.written") + ": "));
}

TEST(Cases, Memory) {
    const std::string text = run("memory", "XLAZY_MEMORY_LIMIT=30M");
    EXPECT_EQ(text.find("xlazy::deferred_error\n" + at("memory") + ": out of memory in allocate: f64(5000000)"), 0u)
        << text;
    EXPECT_TRUE(contains(text, "4000000 bytes: 500000 elements of f64, made at " + at("memory.kept"))) << text;
    EXPECT_TRUE(contains(text, "raise XLAZY_MEMORY_LIMIT")) << text;
}

TEST(Cases, AtTheStatement) {
    EXPECT_TRUE(contains(run("file"), at("file") + ": "));
    EXPECT_EQ(run("functor").find("std::domain_error\nchecked: too large"), 0u);
    EXPECT_TRUE(contains(run("shapes"), at("shapes") + ": "));
}

/// A compiler that fails is no error: one warning, with the lines and the operations of the kernel.
TEST(Cases, AFailedCompilationNamesTheLines) {
    const std::string folder = testing::TempDir() + "xlazy_no_compiler_" + std::to_string(getpid());
    std::filesystem::create_directories(folder);
    const std::string script = folder + "/cxx";
    std::ofstream(script) << "#!/bin/sh\n"
                             "for word; do [ \"$word\" = --version ] && echo 'cxx 1.0' && exit 0; done\n"
                             "echo 'kernel.c:1:1: error: today I do not compile' >&2\nexit 1\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    const std::string text =
        run("compiled", "XLAZY_JIT=block XLAZY_CXX='" + script + "' XLAZY_CACHE_DIR='" + folder + "/cache'");
    EXPECT_EQ(occurrences(text, "warning: "), 1u) << text;
    EXPECT_TRUE(contains(text, "a kernel was not compiled and stays interpreted (")) << text;
    EXPECT_TRUE(contains(text, at("compiled.before")) || contains(text, at("compiled"))) << text;
    EXPECT_TRUE(contains(text, "today I do not compile")) << text;
    EXPECT_TRUE(contains(text, "0.5\nno error")) << text;
    std::filesystem::remove_all(folder);
}

TEST(Cases, LoggedOnceAtTheEnd) {
    const std::string text = run("exit");
    EXPECT_EQ(occurrences(text, "xlazy: error: " + at("exit") + ": integer division by zero"), 1u) << text;
    EXPECT_TRUE(contains(text, "found when the program ended")) << text;
    EXPECT_FALSE(contains(text, "\x1b")) << "colours are for terminals";
}

TEST(Cases, ADumpHasTheErrorAgain) {
    const std::string folder = testing::TempDir() + "xlazy_dump_" + std::to_string(getpid());
    for (const std::string name : {"division", "not_finite", "five_lines"}) {
        const std::string check = name == "not_finite" ? "XLAZY_CHECK=nan " : "";
        const std::string text = run(name, check + "XLAZY_DUMP_ON_ERROR='" + folder + "'");
        EXPECT_TRUE(contains(text, "\"xlazy-run-bytecode " + folder + "\" has it again")) << text;
        const Result again = run_command("'" XLAZY_RUN_BYTECODE "' '" + folder + "'", check);
        EXPECT_NE(again.status, 0) << again.output;
        const std::string expected = head_of(text.substr(text.find("xlazy::deferred_error")));
        EXPECT_TRUE(contains(again.output, expected.substr(expected.find('\n') + 1))) << again.output << '\n' << text;
        std::ifstream message(folder + "/message.txt");
        std::string line;
        std::getline(message, line);
        EXPECT_EQ(line, expected.substr(expected.find('\n') + 1));
        std::filesystem::remove_all(folder);
    }
    const std::string text = run("division", "XLAZY_DUMP_ON_ERROR=/proc/nowhere");
    EXPECT_TRUE(contains(text, "xlazy: warning: XLAZY_DUMP_ON_ERROR: ")) << text;
    EXPECT_TRUE(contains(text, at("division"))) << "the error itself comes all the same";
}

}  // namespace
