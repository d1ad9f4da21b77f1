// SPDX-License-Identifier: BSD-3-Clause
// The program xlazy-run-bytecode.
#include "runtime/command.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace {

using test::occurrences;
using test::Result;

const std::string kBatch =
    "xlazy-bytecode 1\n"
    "base b0 f64[6] init live\n"
    "base b1 f64[6]\n"
    "base b2 f64[6] live\n"
    "base b3 i32[6] init live\n"
    "view v0 b0 +0 (6):(1)\n"
    "view v1 b1 +0 (6):(1)\n"
    "view v2 b2 +0 (6):(1)\n"
    "view v3 b3 +0 (6):(1)\n"
    "scalar s0 f64 0x1p+1\n"
    "domain d0 (6)\n"
    "origin o1 \"user.cpp\":10\n"
    "origin o2 \"user.cpp\":11\n"
    "origin o3 \"user.cpp\":12\n"
    "add.f64 v1 d0 v0 s0 @o1 #0\n"
    "mul.f64 v2 d0 v1 v1 @o2 #1\n"
    "div.i32 v3 d0 v3 v3 @o3 #2\n";

/// The program on a file with the text, in a folder of its own.
class RunBytecode : public testing::Test {
protected:
    RunBytecode() : folder_(testing::TempDir() + "xlazy_run_bytecode_" + std::to_string(getpid())) {
        std::filesystem::create_directory(folder_);
    }
    ~RunBytecode() override { std::filesystem::remove_all(folder_); }

    std::string file() const { return folder_ + "/batch.txt"; }
    Result run(const std::string& text, const std::string& options) const {
        std::ofstream(file()) << text;
        return test::run_command("'" XLAZY_RUN_BYTECODE "' '" + file() + "' " + options, "");
    }
    /// The lines "bN type[size] checksum".
    static std::string sums(const Result& result) {
        const std::size_t begin = result.output.find("\nb0 ");
        const std::size_t end = result.output.find("\nb3 ");
        return begin == std::string::npos || end == std::string::npos ? result.output
                                                                      : result.output.substr(begin, end - begin + 27);
    }

    std::string folder_;
};

TEST_F(RunBytecode, SameSumsForEveryWayToRun) {
    const Result plain = run(kBatch, "");
    EXPECT_EQ(plain.status, 0) << plain.output;
    EXPECT_EQ(plain.output.find("3 statements, 3 instructions\n"), 0u) << plain.output;
    EXPECT_EQ(occurrences(plain.output, "b1 "), 0u) << plain.output;  // nobody can see it
    const std::string expected = sums(plain);
    EXPECT_EQ(occurrences(expected, "\n"), 3u) << expected;
    for (const std::string options : {"--passes none", "--passes=all,-fuse", "--backend interp", "--threads 2",
                                      "--plan", "--seed 1 --time --rounds 2"}) {
        const Result result = run(kBatch, options);
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_EQ(sums(result), expected) << options;
    }
    EXPECT_NE(sums(run(kBatch, "--seed 2")), expected);
    EXPECT_EQ(occurrences(run(kBatch, "--time --rounds 3").output, "3 runs: median "), 1u);
    EXPECT_EQ(occurrences(run(kBatch, "--plan").output, "kernel k0 d0\n"), 1u);
}

TEST_F(RunBytecode, Explains) {
    const Result result = run(kBatch, "--explain");
    EXPECT_EQ(occurrences(result.output, "kernel k0 (6): user.cpp:10, 11, 12; "), 1u) << result.output;
    EXPECT_EQ(occurrences(result.output, "explain: flush 1, since the program "), 1u) << result.output;
    EXPECT_EQ(occurrences(result.output, "run_bytecode.cpp"), 0u) << result.output;
    EXPECT_EQ(occurrences(result.output, "in no memory: 1 array of user.cpp:10 (48 bytes)"), 1u) << result.output;
    EXPECT_EQ(run(kBatch, "--explain='dot:" + folder_ + "/x.dot'").status, 0);
    EXPECT_TRUE(std::filesystem::exists(folder_ + "/x.dot"));
}

TEST_F(RunBytecode, InputsFromFilesBesideIt) {
    const auto write = [&](const std::string& header, const std::vector<double>& values) {
        std::ofstream out(file() + ".b0.npy", std::ios::binary);
        out << "\x93NUMPY\x01" << '\0';
        const auto size = static_cast<std::uint16_t>(header.size());
        out << static_cast<char>(size & 255) << static_cast<char>(size >> 8) << header;
        out.write(reinterpret_cast<const char*>(values.data()),
                  static_cast<std::streamsize>(values.size() * sizeof(double)));
    };
    const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n";
    const std::string seeded = sums(run(kBatch, ""));
    write(header, {1, 2, 3, 4, 5, 6});
    const std::string first = sums(run(kBatch, "")), again = sums(run(kBatch, "--seed 1 --backend interp"));
    EXPECT_NE(first, seeded);
    EXPECT_EQ(first, again);
    write(header, {1, 2, 3, 4, 5, 7});
    EXPECT_NE(sums(run(kBatch, "")), first);

    const auto refused = [&](const std::string& text) {
        const Result result = run(kBatch, "");
        EXPECT_EQ(result.status, 1 << 8);
        EXPECT_EQ(occurrences(result.output, text), 1u) << result.output;
    };
    write(header, {1, 2, 3});
    refused("batch.txt.b0.npy: ends too early");
    write("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n", {1, 2, 3, 4, 5, 6});
    refused("batch.txt.b0.npy: the batch wants elements of type '<f8'");
    write("{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }\n", {1, 2, 3, 4, 5, 6});
    refused("batch.txt.b0.npy: not in C order");
    write("{'descr': '<f8', 'fortran_order': False, 'shape': (7,), }\n", {1, 2, 3, 4, 5, 6, 7});
    refused("batch.txt.b0.npy: 7 elements, the batch wants 6");
    std::ofstream(file() + ".b0.npy") << "no numbers";
    refused("batch.txt.b0.npy: no .npy file");
}

TEST_F(RunBytecode, BadInput) {
    const auto refused = [&](const std::string& text, const std::string& message) {
        const Result result = run(text, "");
        EXPECT_EQ(result.status, 1 << 8);
        EXPECT_EQ(occurrences(result.output, message), 1u) << result.output;
    };
    refused("xlazy-bytecode 2\n", "batch.txt: line 1, column 16: only version 1 of the text form is known");
    refused("xlazy-bytecode 1\nbase b0 f63[6]\n", "batch.txt: line 2, column 9: unknown type 'f63'");
    refused("", "batch.txt: line 1, column 1: expected 'xlazy-bytecode 1'");
    refused("xlazy-bytecode 1\n", "batch.txt: the batch has no instruction");
    std::string unset = kBatch;
    unset.replace(unset.find("f64[6] init live"), 16, "f64[6] live");
    refused(unset, "batch.txt: no legal batch: ");
    std::string huge = kBatch;
    huge.replace(huge.find("f64[6] init"), 11, "f64[1000000000000000] init");
    refused(huge, "batch.txt: not enough memory: the arrays that have a value before the batch take ");
    refused(kBatch + std::string(1, '\0'), "batch.txt: line 18: a byte 0; this is no text");
    std::filesystem::create_directory(folder_ + "/empty");
    const Result folder = test::run_command("'" XLAZY_RUN_BYTECODE "' '" + folder_ + "/empty'", "");
    EXPECT_EQ(folder.status, 1 << 8);
    EXPECT_EQ(occurrences(folder.output, "empty/batch.txt: cannot be read\n"), 1u) << folder.output;
}

TEST_F(RunBytecode, MoreInputThanTheLimitIsRefused) {
    std::ofstream(file()) << kBatch;
    const std::string command = "'" XLAZY_RUN_BYTECODE "' '" + file() + "'";
    EXPECT_EQ(test::run_command(command, "XLAZY_MEMORY_LIMIT=1M").status, 0);
    const Result result = test::run_command(command, "XLAZY_MEMORY_LIMIT=50");
    EXPECT_EQ(result.status, 1 << 8);
    EXPECT_EQ(occurrences(result.output, "may be used (XLAZY_MEMORY_LIMIT)"), 1u) << result.output;
}

TEST_F(RunBytecode, AFailingStatementIsNamed) {
    std::string text = kBatch;
    text.replace(text.find("v3 v3 @o3"), 9, "v3 s1 @o3");
    text.replace(text.find("domain d0"), 0, "scalar s1 i32 0\n");
    const Result result = run(text, "");
    EXPECT_EQ(result.status, 1 << 8);
    EXPECT_EQ(occurrences(result.output, "user.cpp:12: integer division by zero in div"), 1u) << result.output;
}

TEST_F(RunBytecode, WrongUse) {
    for (const std::string options : {"--rounds 0", "--threads x", "--no-such-option", "another-file", "--passes",
                                      "--backend cuda", "--explain=2", "--explain=dot:", "--time=3", "--plan="}) {
        const Result result = run(kBatch, options);
        EXPECT_EQ(result.status, 2 << 8) << options << '\n' << result.output;
    }
    EXPECT_EQ(run(kBatch, "--help").output.find("usage: xlazy-run-bytecode FILE"), 0u);
    const Result passes = run(kBatch, "--passes all,-nosuchpass");
    EXPECT_EQ(passes.status, 0);
    EXPECT_EQ(occurrences(passes.output, "warning: --passes: unknown pass \"-nosuchpass\"; known: all, none, "), 1u)
        << passes.output;
    EXPECT_EQ(occurrences(passes.output, "warning"), 1u) << passes.output;
    const Result missing = test::run_command("'" XLAZY_RUN_BYTECODE "' /no/such/file", "");
    EXPECT_EQ(missing.status, 1 << 8);
    EXPECT_EQ(occurrences(missing.output, "/no/such/file: cannot be read"), 1u);
}

}  // namespace
