// SPDX-License-Identifier: BSD-3-Clause
// xlazy-run-bytecode on saved functions.
#include "npy.hpp"
#include "runtime/command.hpp"
#include "saved/sample.hpp"

#include <fmt/format.h>

namespace {

using test::occurrences;
using test::Result;

class Tool : public test::Folder {
protected:
    Result run(const std::string& options) const {
        return test::run_command("'" XLAZY_RUN_BYTECODE "' '" + path("step.xlz") + "' " + options, "");
    }
    void write_array(const std::string& name, const std::vector<double>& values,
                     const std::vector<std::int64_t>& extents) const {
        std::ofstream out(path(name), std::ios::binary);
        out << xlazy::rt::npy_header(xlazy::bc::DType::f64, extents);
        out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(8 * values.size()));
    }
    void refused(const std::string& options, int status, const std::string& message) const {
        const Result result = run(options);
        EXPECT_EQ(WEXITSTATUS(result.status), status) << result.output;
        EXPECT_EQ(result.output.find("xlazy-run-bytecode: " + message), 0u) << result.output;
    }
};

TEST_F(Tool, ReadsAndWritesArrays) {
    saved();
    write_array("x.npy", {1, 2, 3, 4, 5, 6}, {2, 3});
    const Result result = run("--in '" + path("x.npy") + "' --number 2.5 --number 3 --out '" + path("y.npy") +
                              "' --out '" + path("n.npy") + "'");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(result.output.find("function step\noutput 0 f64(2,3) "), 0u) << result.output;
    std::ifstream in(path("y.npy"), std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    const std::string header = xlazy::rt::npy_header(xlazy::bc::DType::f64, std::vector<std::int64_t>{2, 3});
    EXPECT_NE(header.find("'fortran_order': False, 'shape': (2, 3), }"), std::string::npos) << header;
    ASSERT_EQ(file.size(), header.size() + 48);
    EXPECT_EQ(file.substr(0, header.size()), header);
    std::vector<double> y(6);
    std::memcpy(y.data(), file.data() + header.size(), 48);
    EXPECT_EQ(y, test::expected_step({1, 2, 3, 4, 5, 6}, 2.5, 3));
    std::ifstream calls(path("n.npy"), std::ios::binary);
    const std::string number{std::istreambuf_iterator<char>(calls), {}};
    EXPECT_NE(number.find("'shape': (), }"), std::string::npos);
    EXPECT_EQ(number.substr(number.size() - 8), std::string("\1\0\0\0\0\0\0\0", 8));
}

TEST_F(Tool, InputsThatNobodyGives) {
    saved();
    const std::string once = run("").output;
    EXPECT_EQ(run("--backend interp").output, once);
    EXPECT_EQ(run("--threads 2").output, once);
    EXPECT_NE(run("--seed 2").output, once);
}

TEST_F(Tool, TimeExplanationAndText) {
    saved();
    EXPECT_EQ(occurrences(run("--time --rounds 3").output, "3 runs: median "), 1u);
    const std::string explained = run("--explain").output;
    EXPECT_NE(explained.find("step.cpp:14"), std::string::npos) << explained;
    EXPECT_EQ(run("--text").output, xlazy::bc::print(xlazy::bc::parse_function(test::kStep)));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// Compiled where there is a compiler, run where there is none.
TEST_F(Tool, KernelsTravelWithTheFile) {
    // Kernels on a few elements are never compiled.
    std::string text = replaced(test::kStep, "(2,3):(3,1)", "(2000,3):(3,1)");
    text = replaced(replaced(text, "f64[6]", "f64[6000]"), "f64 (2,3)", "f64 (2000,3)");
    text = replaced(replaced(text, "domain d0 (2,3)", "domain d0 (2000,3)"), "domain d1 (2)", "domain d1 (2000)");
    saved(text);
    const auto with = [&](const std::string& variables, const std::string& options) {
        return test::run_command("'" XLAZY_RUN_BYTECODE "' '" + path("step.xlz") + "' " + options,
                                 "XLAZY_CACHE_SIZE=0 " + variables);
    };
    std::string plain = with("XLAZY_JIT=off", "").output;
    plain.erase(0, plain.find("output 0"));
    ASSERT_NE(plain, "");
    const Result compiled = with("XLAZY_JIT=block", "--save-kernels");
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    if (compiled.output.find("\n0 kernels saved") != std::string::npos) GTEST_SKIP() << "no compiler";
    const std::string stats = path("stats.json");
    const auto loaded = [&](const std::string& options) {
        const Result result = with("XLAZY_JIT=block XLAZY_CXX=/none XLAZY_STATS='" + stats + "'", options);
        EXPECT_NE(result.output.find(plain), std::string::npos) << result.output;
        std::ifstream in(stats);
        const std::string json{std::istreambuf_iterator<char>(in), {}};
        return json.find("\"kernels_loaded\": 0,") == std::string::npos &&
               json.find("\"kernels_loaded\":0,") == std::string::npos;
    };
    EXPECT_FALSE(loaded(""));
    EXPECT_TRUE(loaded("--kernels"));
    const Result other = with("XLAZY_ISA=baseline XLAZY_JIT=block XLAZY_CXX=/none", "--kernels");
    EXPECT_NE(other.output.find(plain), std::string::npos) << other.output;
    if (compiled.output.find("baseline") == std::string::npos) {
        EXPECT_NE(other.output.find("compiled kernels are not used: they are for"), std::string::npos) << other.output;
    }
}

TEST_F(Tool, WrongUse) {
    saved();
    refused("--in '" + path("none.npy") + "'", 1, path("none.npy") + ": cannot be read");
    write_array("x.npy", {1, 2, 3, 4, 5, 6}, {3, 2});
    refused("--in '" + path("x.npy") + "'", 1, path("x.npy") + ": of shape (3,2), the function wants (2,3)");
    write_array("x.npy", {1, 2, 3, 4, 5}, {2, 3});
    refused("--in '" + path("x.npy") + "'", 1, path("x.npy") + ": ends too early");
    refused("--number two", 2, "--number: 'two' is no number");
    refused("--number 1 --number 2 --number 3", 2, "--number: 3 are given, the function has 2");
    refused("--out '" + path("none/y.npy") + "'", 1, path("none/y.npy") + ": cannot be written");
    std::ofstream(path("step.xlz"), std::ios::app) << "more";
    refused("", 1, path("step.xlz") + ": 4 bytes behind its end");
    std::ofstream(path("step.xlz")) << "xlazy-fn";
    refused("", 1, path("step.xlz") + ": truncated: shorter than its header");
    std::ofstream(path("step.xlz")) << "xlazy-bytecode 1\n";
    refused("--number 3", 2, path("step.xlz") + " is a batch; ");
}

}  // namespace
