// SPDX-License-Identifier: BSD-3-Clause
// Saved functions run: in this process, and in programs in C++ and C that have no xtensor.
#include "runtime/command.hpp"
#include "saved/sample.hpp"
#include "xlazy/deferred_error.hpp"
#include "xlazy/saved_function.hpp"

#include <fmt/format.h>

#include <thread>

namespace {

using test::Result;
using xlazy::saved_function;
using xlazy::bc::DType;

const std::vector<double> kX{1, 2, 3, 4, 5, 6};
const std::vector<std::int64_t> kShape{2, 3};

struct Given {
    std::vector<double> y;
    std::int64_t calls = -1;
};

Given step(const saved_function& f, double k, int n, const std::vector<double>& x = kX) {
    Given given{std::vector<double>(6), -1};
    const xlazy::input_array in[]{{x.data(), DType::f64, kShape}};
    const xlazy::output_array out[]{{given.y.data(), DType::f64, kShape}, {&given.calls, DType::i64, {}}};
    const xlazy::bc::Scalar numbers[]{xlazy::bc::make_scalar(k), xlazy::bc::make_scalar(n)};
    f.run(in, numbers, out);
    return given;
}

using Saved = test::Folder;

TEST_F(Saved, HasItsSignature) {
    const saved_function f(saved());
    EXPECT_EQ(f.name(), "step");
    EXPECT_EQ(f.captured_at(), "step.cpp:10");
    ASSERT_EQ(f.inputs().size(), 1u);
    EXPECT_EQ(f.inputs()[0].name, "x");
    EXPECT_EQ(f.inputs()[0].extents, kShape);
    EXPECT_EQ(f.inputs()[0].bytes, 48u);
    ASSERT_EQ(f.numbers().size(), 2u);
    EXPECT_EQ(f.numbers()[1].type, DType::i32);
    ASSERT_EQ(f.outputs().size(), 2u);
    EXPECT_EQ(f.outputs()[1].name, "calls");
    EXPECT_EQ(f.text(), xlazy::bc::print(xlazy::bc::parse_function(test::kStep)));
}

TEST_F(Saved, RunsAsItShould) {
    const saved_function f(saved());
    std::int64_t calls = 0;
    for (const double k : {2.5, 1.0, 0.0, 10.0}) {
        for (const int n : {3, 0, -2, 1, 7}) {
            const Given given = step(f, k, n);
            EXPECT_EQ(given.y, test::expected_step(kX, k, n)) << k << ' ' << n;
            EXPECT_EQ(given.calls, ++calls);
        }
    }
}

TEST_F(Saved, NumbersAreConverted) {
    const saved_function f(saved());
    Given given{std::vector<double>(6), -1};
    const xlazy::input_array in[]{{kX.data(), DType::f64, kShape}};
    const xlazy::output_array out[]{{given.y.data(), DType::f64, kShape}, {&given.calls, DType::i64, {}}};
    const xlazy::bc::Scalar numbers[]{xlazy::bc::make_scalar(2), xlazy::bc::make_scalar(3.9f)};
    f.run(in, numbers, out);
    EXPECT_EQ(given.y, test::expected_step(kX, 2, 3));
}

TEST_F(Saved, NumbersThatDecidedSomething) {
    std::string text = test::kStep;
    text.replace(text.find("a1 i32"), 6, "a1 i32 only 3");
    const saved_function f(saved(text));
    EXPECT_EQ(step(f, 2, 3).y, test::expected_step(kX, 2, 3));
    try {
        step(f, 2, 4);
        FAIL() << "is accepted";
    } catch (const std::invalid_argument& error) {
        EXPECT_EQ(error.what(), path("step.xlz") +
                                    ": number 1 (n) decided something when the function was captured, "
                                    "and must have the value of then");
    }
}

TEST_F(Saved, CopiesShareStates) {
    const saved_function f(saved()), g = f, h(path("step.xlz"));
    EXPECT_EQ(step(f, 2, 1).calls, 1);
    EXPECT_EQ(step(g, 2, 1).calls, 2);
    EXPECT_EQ(step(h, 2, 1).calls, 1);
}

TEST_F(Saved, FromSeveralThreads) {
    const saved_function f(saved());
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < 50; ++round) {
                const int n = (t + round) % 5;
                if (step(f, 1.5, n).y != test::expected_step(kX, 1.5, n)) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(step(f, 2, 1).calls, 201);
}

TEST_F(Saved, ArgumentsThatDoNotFit) {
    const saved_function f(saved());
    std::vector<double> y(6);
    std::int64_t calls = 0;
    const std::vector<std::int64_t> other{3, 2};
    const xlazy::output_array out[]{{y.data(), DType::f64, kShape}, {&calls, DType::i64, {}}};
    const std::vector<xlazy::bc::Scalar> numbers{xlazy::bc::make_scalar(2.0), xlazy::bc::make_scalar(3)};
    const auto refusal = [&](std::vector<xlazy::input_array> in, std::span<const xlazy::bc::Scalar> given,
                             std::span<const xlazy::output_array> to) {
        try {
            f.run(in, given, to);
            return std::string("is accepted");
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
    };
    const std::string file = path("step.xlz") + ": ";
    EXPECT_EQ(refusal({}, numbers, out), file + "0 inputs are given, the function has 1");
    EXPECT_EQ(refusal({{kX.data(), DType::f64, other}}, numbers, out),
              file + "input 0 (x) is f64(3,2), the function was saved for f64(2,3)");
    EXPECT_EQ(refusal({{kX.data(), DType::i64, kShape}}, numbers, out),
              file + "input 0 (x) is i64(2,3), the function was saved for f64(2,3)");
    EXPECT_EQ(refusal({{nullptr, DType::f64, kShape}}, numbers, out), file + "input 0 (x) has no memory");
    EXPECT_EQ(refusal({{kX.data(), DType::f64, kShape}}, std::span(numbers).first(1), out),
              file + "1 numbers are given, the function has 2");
    EXPECT_EQ(refusal({{kX.data(), DType::f64, kShape}}, numbers, std::span(out).first(1)),
              file + "1 outputs are given, the function has 2");
    const xlazy::output_array wrong[]{{y.data(), DType::f64, kShape}, {&calls, DType::i64, kShape}};
    EXPECT_EQ(refusal({{kX.data(), DType::f64, kShape}}, numbers, wrong),
              file + "output 1 (calls) is i64(2,3), the function was saved for i64()");
    EXPECT_EQ(step(f, 2, 1).calls, 1);  // nothing has run
}

TEST_F(Saved, ErrorsOfTheDataNameTheCapturedLine) {
    std::string text = test::kStep;
    const std::string from = "add.i64 v2 d1 v2 s0", to = "div.i64 v2 d1 s0 v2";  // 1 / 0
    text.replace(text.find(from), from.size(), to);
    const saved_function f(saved(text));
    try {
        step(f, 2, 1);
        FAIL() << "is accepted";
    } catch (const xlazy::deferred_error& error) {
        EXPECT_EQ(error.kind(), xlazy::error_kind::division_by_zero);
        EXPECT_EQ(error.report().origin.file, "step.cpp");
        EXPECT_EQ(error.report().origin.line, 12u);
    }
}

std::string lines_of(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += fmt::format("{}\n", value);
    return text;
}

/// "%.17g" and fmt's shortest form agree on these.
std::string expected_lines() { return lines_of(test::expected_step(kX, 2.5, 3)); }

TEST_F(Saved, RunsWithoutXtensor) {
    const Result result = test::run_command(XLAZY_SAVED_WITHOUT_XTENSOR " " + saved(), "");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, expected_lines());
}

TEST_F(Saved, RunsFromC) {
    const Result result = test::run_command(XLAZY_SAVED_CONSUMER " " + saved() + " run", "");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output,
              "load: 0 \nrun: 0 \n" + expected_lines() + "calls 1\nrun: 0 \n" + expected_lines() + "calls 2\n");
}

/// As on a machine that has neither a compiler nor a place for a cache.
TEST_F(Saved, RunsWithoutCompiler) {
    const Result result = test::run_command(
        "env -i LD_LIBRARY_PATH=\"$LD_LIBRARY_PATH\" XLAZY_JIT=block " XLAZY_SAVED_CONSUMER " " + saved() + " run", "");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(test::occurrences(result.output, expected_lines()), 2u) << result.output;
}

TEST_F(Saved, SignatureFromC) {
    const Result result = test::run_command(XLAZY_SAVED_CONSUMER " " + saved() + " signature", "");
    EXPECT_EQ(result.output,
              "load: 0 \nstep 1 2 2\nx 10 2 (2,3) 0 48\nn 3 0 4\ncalls 4 0 8\n"
              "index: 2 there is no array or number of that index\nnull: 2 a null pointer in place of a signature\n");
}

TEST_F(Saved, WrongUseFromC) {
    const std::string file = saved();
    const Result result = test::run_command(XLAZY_SAVED_CONSUMER " " + file + " wrong", "");
    EXPECT_EQ(result.output,
              fmt::format("load: 0 \n"
                          "inputs: 2 {0}: 0 inputs are given, the function has 1\n"
                          "numbers: 2 {0}: 1 numbers are given, the function has 2\n"
                          "outputs: 2 {0}: 1 outputs are given, the function has 2\n"
                          "type: 2 {0}: input 0 (x) is f32(2,3), the function was saved for f64(2,3)\n"
                          "no type: 2 a type that there is not\n"
                          "extents: 2 {0}: input 0 (x) is f64(3,2), the function was saved for f64(2,3)\n"
                          "no extents: 2 a null pointer in place of a list\n"
                          "no memory: 2 {0}: input 0 (x) has no memory\n"
                          "no number: 2 a null pointer in place of a number\n"
                          "no list: 2 a null pointer in place of a list\n"
                          "no function: 2 a null pointer in place of a function\n"
                          "right: 0 \n",
                          file));
}

TEST_F(Saved, BadFilesFromC) {
    const Result none = test::run_command(XLAZY_SAVED_CONSUMER " " + path("none.xlz") + " run", "");
    EXPECT_EQ(none.output, "load: 1 " + path("none.xlz") + ": cannot be read: No such file or directory\n");
    std::ofstream(path("text.xlz")) << "some text that is long enough to hold a header";
    const Result text = test::run_command(XLAZY_SAVED_CONSUMER " " + path("text.xlz") + " run", "");
    EXPECT_EQ(text.output, "load: 1 " + path("text.xlz") + ": no saved function\n");
}

TEST_F(Saved, FromSeveralThreadsOfC) {
    const Result result = test::run_command(XLAZY_SAVED_CONSUMER " " + saved() + " threads", "");
    EXPECT_EQ(result.output, "load: 0 \ncalls 801\n");
}

TEST_F(Saved, ExampleOfTheManual) {
    std::string text = test::kStep;
    text.replace(text.find("constant"), 8, "input   ");
    text.replace(text.find("inputs x0"), 9, "inputs x0 x2");
    text.replace(text.find("f64 1000"), 8, "f64 -1e3");
    const Result result = test::run_command(XLAZY_SAVED_EXAMPLE " " + saved(text), "");
    EXPECT_EQ(result.output, "0\n");
    std::ifstream page(XLAZY_SOURCE_DIR "/docs/saved-functions.md"),
        example(XLAZY_SOURCE_DIR "/docs/examples/run_saved.c");
    const std::string manual{std::istreambuf_iterator<char>(page), {}},
        program{std::istreambuf_iterator<char>(example), {}};
    const std::size_t main = program.find("#include <stdio.h>");
    ASSERT_NE(main, std::string::npos);
    EXPECT_NE(manual.find(program.substr(main)), std::string::npos) << "the page shows another program";
}

}  // namespace
