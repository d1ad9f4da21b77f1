// SPDX-License-Identifier: BSD-3-Clause
// What XLAZY_EXPLAIN says, with the lines that the programs of program/explained.cpp name.
#include "runtime/command.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace {

using test::occurrences;

/// A run of a program, and its named lines.
struct Explained {
    std::string output;
    int status;

    Explained(const std::string& program, const std::string& variables, const std::string& by = "") {
        const test::Result result = test::run_command(by + " '" XLAZY_EXPLAINED_PROGRAM "' " + program, variables);
        output = result.output;
        status = result.status;
    }
    /// The text with @NAME replaced by that line's number.
    std::string filled(std::string text) const {
        for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
            const std::size_t end = std::min(text.find_first_of(" :,;\\", at), text.size());
            const std::string name = text.substr(at + 1, end - at - 1);
            std::istringstream lines(output);
            std::string number = "?" + name;
            for (std::string line; std::getline(lines, line);) {
                if (line.starts_with(name + ' ')) number = line.substr(name.size() + 1);
            }
            text.replace(at, end - at, number);
        }
        return text;
    }
    bool says(const std::string& text) const { return occurrences(output, filled(text)) == 1; }
};

std::string contents(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that goes with the test.
class Folder {
public:
    Folder() : path_(testing::TempDir() + "xlazy_explain_" + std::to_string(getpid())) {
        std::filesystem::create_directory(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string operator/(const std::string& name) const { return path_ + '/' + name; }

private:
    std::string path_;
};

TEST(Explain, SaysNothingUnasked) {
    EXPECT_EQ(occurrences(Explained("several_kernels", "").output, "xlazy: "), 0u);
    EXPECT_EQ(occurrences(Explained("reads_2000_times", "").output, "xlazy: "), 0u);
}

TEST(Explain, NamesTheLinesOfKernelsAndWhatKeepsThemApart) {
    const Explained run("several_kernels", "XLAZY_EXPLAIN=1");
    EXPECT_EQ(run.status, 0);
    EXPECT_TRUE(run.says("explained.cpp:@read read it (element access): 5 statements, 5 instructions\n")) << run.output;
    EXPECT_TRUE(run.says("explained.cpp:@square, @sum; ")) << run.output;
    EXPECT_TRUE(run.says("the sum of ")) << run.output;
    EXPECT_TRUE(run.says("explained.cpp:@sum must be complete before ")) << run.output;
    EXPECT_TRUE(run.says("explained.cpp:@subtract can use it\n")) << run.output;
    EXPECT_TRUE(run.says("explained.cpp:@shift reads what ")) << run.output;
    EXPECT_TRUE(run.says("explained.cpp:@subtract writes, at other indices (neighbours)\n")) << run.output;
    EXPECT_TRUE(run.says("nobody can read it or something else gives it: ")) << run.output;
    EXPECT_TRUE(run.says("  before: 5 kernels, 13.7 MiB moved (7.6 MiB read, 6.1 MiB written), peak 6.1 MiB\n"))
        << run.output;
    EXPECT_TRUE(run.says("  least:  6.1 MiB moved (3.1 MiB read, 3.1 MiB written), peak 4.6 MiB\n")) << run.output;
}

TEST(Explain, NamesSwitchedOffFusion) {
    const Explained run("several_kernels", "XLAZY_EXPLAIN=1 XLAZY_PASSES=all,-fuse");
    EXPECT_GE(occurrences(run.output, "did not fuse: fusion is switched off (XLAZY_PASSES)"), 1u) << run.output;
}

TEST(Explain, NamesTheLineThatForcedAFlushInBetween) {
    const Explained run("read_in_between", "XLAZY_EXPLAIN=1");
    EXPECT_EQ(run.status, 0);
    EXPECT_TRUE(run.says("explained.cpp:@second could not fuse with ")) << run.output;
    EXPECT_TRUE(run.says("explained.cpp:@first, whose result it reads: ")) << run.output;
    EXPECT_TRUE(run.says("explained.cpp:@read read it (element access) in between\n")) << run.output;
}

TEST(Explain, RepeatedFlushesAreToldBriefly) {
    const Explained run("reads_1000_times", "XLAZY_EXPLAIN=1");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(occurrences(run.output, "xlazy: "), 5u) << run.output;
    EXPECT_EQ(occurrences(run.output, "as flush 1"), 4u) << run.output;
    EXPECT_EQ(occurrences(run.output, "hint"), 0u) << run.output;
}

TEST(Explain, OneHintForALineThatForcesMoreThanAThousandFlushes) {
    const Explained run("reads_2000_times", "XLAZY_EXPLAIN=1");
    EXPECT_EQ(occurrences(run.output, "xlazy: hint: "), 1u) << run.output;
    EXPECT_TRUE(run.says("explained.cpp:@read read it (element access), and so forced more than 1000 flushes."))
        << run.output;
    EXPECT_TRUE(run.says("look at it less often, for instance at every tenth step")) << run.output;
}

TEST(Explain, TheFunctionTellsWithoutRunning) {
    const Explained run("asks", "");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(run.says("\n1 statement, 1 instruction\n")) << run.output;
    EXPECT_TRUE(run.says("explained.cpp:@add; 7.8 KiB read, 7.8 KiB written\n")) << run.output;
}

TEST(Explain, DotDrawsEveryDifferentBatch) {
    const Folder folder;
    const Explained run("read_in_between", "XLAZY_EXPLAIN='dot:" + (folder / "batch.dot") + "'");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(occurrences(run.output, "xlazy: "), 0u) << run.output;
    const std::string first = contents(folder / "batch.dot"), second = contents(folder / "batch-2.dot");
    EXPECT_EQ(first.find("digraph xlazy {\n"), 0u) << first;
    EXPECT_EQ(occurrences(first, run.filled("explained.cpp:@first\\n")), 2u) << first;  // before and after
    EXPECT_EQ(occurrences(second, run.filled("explained.cpp:@second\\n")), 2u) << second;
    EXPECT_EQ(occurrences(first, "{"), occurrences(first, "}"));

    const Explained wrong("read_in_between", "XLAZY_EXPLAIN=dot:/no/such/folder/x.dot");
    EXPECT_EQ(wrong.status, 0);
    EXPECT_EQ(occurrences(wrong.output, "xlazy: warning: XLAZY_EXPLAIN: /no/such/folder/x"), 2u) << wrong.output;
}

TEST(Explain, SvgNeedsGraphviz) {
    const Folder folder;
    const std::string file = folder / "batch.svg";
    const Explained without("several_kernels", "XLAZY_EXPLAIN='svg:" + file + "'", "env PATH=/nowhere");
    EXPECT_EQ(without.status, 0);
    EXPECT_EQ(occurrences(without.output, "warning: XLAZY_EXPLAIN: Graphviz's program dot is not there"), 1u)
        << without.output;
    EXPECT_EQ(contents(file + ".dot").find("digraph xlazy {\n"), 0u);

    // One that does not end is not waited for.
    std::ofstream(folder / "dot") << "#!/bin/sh\nexec sleep 600\n";
    chmod((folder / "dot").c_str(), 0755);
    const Explained slow("several_kernels", "PATH=\"" + (folder / "") + ":$PATH\" XLAZY_EXPLAIN='svg:" + file + "'");
    EXPECT_EQ(slow.status, 0);
    EXPECT_EQ(occurrences(slow.output, "warning: XLAZY_EXPLAIN: the batch is too large to be drawn"), 1u)
        << slow.output;
    EXPECT_EQ(contents(file + ".dot").find("digraph xlazy {\n"), 0u);

    // One that copies what it is given.
    std::ofstream(folder / "dot") << "#!/bin/sh\ntest \"$1 $2\" = \"-Tsvg -o\" && cat \"$4\" > \"$3\"\n";
    chmod((folder / "dot").c_str(), 0755);
    const Explained with("several_kernels", "PATH=\"" + (folder / "") + ":$PATH\" XLAZY_EXPLAIN='svg:" + file + "'");
    EXPECT_EQ(with.status, 0);
    EXPECT_EQ(occurrences(with.output, "xlazy: "), 0u) << with.output;
    EXPECT_EQ(contents(file).find("digraph xlazy {\n"), 0u);
    EXPECT_FALSE(std::filesystem::exists(file + ".dot"));

    std::ofstream(folder / "dot") << "#!/bin/sh\nexit 3\n";
    const Explained fails("several_kernels", "PATH=\"" + (folder / "") + ":$PATH\" XLAZY_EXPLAIN='svg:" + file + "'");
    EXPECT_EQ(occurrences(fails.output, "dot failed (exit status 3); the picture's text is in "), 1u) << fails.output;
}

TEST(Explain, AnUnknownFormGetsOneWarning) {
    for (const std::string value : {"2", "dot:", "png:x"}) {
        const Explained run("read_in_between", "XLAZY_EXPLAIN=" + value);
        EXPECT_EQ(run.status, 0);
        EXPECT_EQ(occurrences(run.output, "xlazy: "), 1u) << run.output;
        EXPECT_TRUE(run.says("XLAZY_EXPLAIN: unknown value \"" + value + "\"; legal: 1, dot:FILE, svg:FILE."))
            << run.output;
    }
}

}  // namespace
