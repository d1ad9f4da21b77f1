// SPDX-License-Identifier: BSD-3-Clause
// Captured functions: the text form, and what the verifier refuses.
#include "bytecode/function_sample.hpp"
#include "xlazy/bytecode/function.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace xlazy::bc {
namespace {

Function sample(const std::string& text = kFunctionSample) {
    Function f = parse_function(text);
    for (Variable& v : f.variables) {
        if (v.role == Role::Constant || v.role == Role::State)
            v.value.resize(static_cast<std::size_t>(std::max<std::int64_t>(v.byte_count(), 0)));
    }
    return f;
}

std::string with(const std::string& from, const std::string& to) {
    std::string text = kFunctionSample;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(Function, SampleIsLegalAndPrintsAsItStands) {
    const Function f = sample();
    EXPECT_EQ(print(f), kFunctionSample);
    EXPECT_EQ(verify(f), "");
    ASSERT_EQ(f.variables.size(), 5u);
    EXPECT_TRUE(f.variables[2].column_major);
    EXPECT_EQ(f.variables[3].byte_count(), 8);
    EXPECT_EQ(f.segments[1].scalars[2].offset, 2u);
    ASSERT_TRUE(f.arguments[2].only.has_value());
    EXPECT_EQ(scalar_value<double>(*f.arguments[2].only), -1.0);
    ASSERT_EQ(f.body.size(), 4u);
    EXPECT_EQ(f.body[1].times, 3u);
    EXPECT_EQ(f.body[1].body[1].argument, 1u);
    EXPECT_EQ(to_string(f.captured_at), "heat.cpp:10");
    EXPECT_EQ(to_string(f.segments[2].batch.origins[0]), "heat.cpp:16");
}

TEST(Function, LinesOfBatchesAreThoseOfTheText) {
    const std::string text = with("lt.f64 v1", "lt.f65 v1");
    const std::size_t at = text.find("lt.f65");
    const auto line =
        static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
    try {
        parse_function(text);
        FAIL() << "is accepted";
    } catch (const ParseError& error) {
        EXPECT_EQ(error.line(), line) << error.what();
        EXPECT_EQ(error.column(), 4u);
    }
}

TEST(Function, TextsThatAreNone) {
    struct Case {
        std::string text;
        const char* message;
    };
    std::string deep;
    for (int i = 0; i < 70; ++i) deep += "repeat 2 {\n";
    const Case cases[] = {
        {"", "expected 'xlazy-function 1'"},
        {with("xlazy-function 1", "xlazy-function 2"), "only version 1"},
        {with("function \"step\"", "functio \"step\""), "expected 'function'"},
        {with("argument a1 i32", "argument a2 i32"), "expected a1, the next one"},
        {with("argument a1 i32", "argument a1 i31"), "unknown type 'i31'"},
        {with("only -0x1p+0", "only two"), "'two' is no value of type f64"},
        {with("(3) input", "(3) inputs"), "unknown role 'inputs'"},
        {with("(3) input", "(x) input"), "expected an extent"},
        {with("inputs x0", "inputs x9"), "there is no variable x9"},
        {with("bases x0 x1 x2", "base x0 x1 x2"), "expected 'bases'"},
        {with("bind s0 argument a0", "bind s0 argument a7"), "there is no argument a7"},
        {with("bind s0 argument a0", "bind s0 thing a0"), "unknown binding 'thing'"},
        {with("bind s0 argument a0", "bound s0"), "expected 'bind' or 'batch'"},
        {with("stream 0 +2", "stream 0"), "expected '+'"},
        {with("end\nsegment g2", "segment g2"), "unknown op 'segment'"},
        {with("} do {", "} done {"), "expected '{'"},
        {with("} else {", "}"), "expected 'else'"},
        {with("run g0\n", "run g9\n"), "there is no segment g9"},
        {with("run g0\n", "walk g0\n"), "unexpected 'walk'"},
        {with("repeat 3 {", "repeat -3 {"), "a number of times"},
        {kFunctionSample + "}\n", "unexpected '}'"},
        {kFunctionSample + "repeat 1 {\n", "expected '}'"},
        {kFunctionSample + deep, "more than 64 blocks inside each other"},
    };
    for (const Case& each : cases) {
        try {
            parse_function(each.text);
            ADD_FAILURE() << each.message << ": is accepted";
        } catch (const ParseError& error) {
            EXPECT_NE(std::string(error.what()).find(each.message), std::string::npos) << error.what();
        }
    }
}

TEST(Function, EveryPrefixIsRefusedOrStandsForItself) {
    std::size_t whole = 0;
    for (std::size_t size = 0; size < kFunctionSample.size(); ++size) {
        try {
            const Function f = sample(kFunctionSample.substr(0, size));
            EXPECT_EQ(print(sample(print(f))), print(f));
            ++whole;
        } catch (const ParseError&) {
        }
    }
    EXPECT_LT(whole, kFunctionSample.size() / 4);
}

TEST(Function, WhatIsNotLegal) {
    struct Case {
        std::string text;
        const char* message;
    };
    const Case cases[] = {
        {with("inputs x0", "inputs"), "0 inputs in the list, 1 variables"},
        {with("inputs x0", "inputs x0 x0"), "inputs: x0 occurs twice"},
        {with("inputs x0", "inputs x1"), "inputs: x1 is no input"},
        {with("(3) input", "(4) input"), "g0: b0 is not of the type and size of x0"},
        {with("(3) input", "(9223372036854775807,2) input"), "x0: too many elements"},
        {with("(3) input", "(2305843009213693952) input"), "x0: too many elements"},
        {with("(3) input", "(-3) input"), "x0: a negative extent"},
        {with("(3) local \"y\"", "(3) input \"y\""), "1 inputs in the list, 2 variables"},
        {with("(3) local \"y\"", "(3) constant \"y\""), "g0: x1 is written (a constant)"},
        {with("bases x0 x1 x2", "bases x0 x1"), "g0: 2 variables for 3 bases"},
        {with("bases x0 x1 x2", "bases x0 x1 x1"), "g0: x1 occurs twice"},
        {with("base b0 f64[3] init live\nbase b1", "base b0 f64[3] init\nbase b1"),
         "g0: x0 keeps its value, but b0 is not live"},
        {with("view v1 b1 +0 (3):(1)", "view v1 b1 +1 (3):(1)"), "g0: v1: not inside b1, which has 3 elements"},
        {with("bind s0 argument a0", "bind s1 argument a0"), "g0: bind: there is no s1"},
        {with("bind s1 key 0", "bind s1 key 1"), "g1: bind s1: there is no draw 1"},
        {with("bind s1 key 0", "bind s0 key 0"), "g1: bind: s0 occurs twice"},
        {with("bind s0 iteration 0\nbind s1 key 0", "bind s0 key 0\nbind s1 iteration 0"), "g1: bind s0: f64, not u64"},
        {with("segment g1 draws 1", "segment g1 draws 4"), "g1: 4 draws, but fewer scalars"},
        {with("repeat 3 {", "repeat a0 {"), "repeat: a0 is no integer"},
        {with("run g0\nrepeat", "run g1\nrepeat"), "run g1: x1 has no value"},
        {with("bind s0 iteration 0", "bind s0 iteration 1"), "run g1: s0 counts a loop that is not there"},
        {with("while x4 {\n  run g2", "while x4 {\n  run g0"), "the condition x4 has no value"},
        {with("while x4", "while x1"), "the condition x1 is not one bool"},
        {with("outputs x1 x3 x1", "outputs x1 x3 x4"), ""},
        {with("base b1 bool[1] live", "base b1 bool[1]"), "the condition x4 has no value"},
        {with("end\nsegment g2", "end\nsegment g2\nbases\nbatch\nxlazy-bytecode 1\nend\nsegment g3"),
         "g2: the batch has no instruction"},
    };
    for (const Case& each : cases) EXPECT_EQ(verify(sample(each.text)), each.message) << each.text.substr(0, 500);
}

TEST(Function, ValuesMustFit) {
    Function f = sample();
    f.variables[2].value.pop_back();
    EXPECT_EQ(verify(f), "x2: a value of 23 bytes, 24 are needed");
    f = sample();
    f.variables[0].value.resize(24);
    EXPECT_EQ(verify(f), "x0: a value that nobody can see");
}

/// One batch "y = x + 1" on two variables of three elements.
std::string plus_one(unsigned index, const std::string& bases, const std::string& flags_x, const std::string& flags_y) {
    return "segment g" + std::to_string(index) + "\nbases " + bases + "\nbatch\nxlazy-bytecode 1\nbase b0 f64[3]" +
           flags_x + "\nbase b1 f64[3]" + flags_y +
           "\nview v0 b0 +0 (3):(1)\nview v1 b1 +0 (3):(1)\nscalar s0 f64 0x1p+0\ndomain d0 (3)\norigin o1 "
           "\"a.cpp\":1\n"
           "add.f64 v1 d0 v0 s0 @o1 #0\nend\n";
}

/// x0 is the input, x1 to x3 are local, x4 is a condition that the caller gives.
std::string flow(const std::string& segments, const std::string& body, const std::string& outputs) {
    std::string text = "xlazy-function 1\nfunction \"flow\"\nargument a0 i64\nvariable x0 f64 (3) input\n";
    for (int i = 1; i <= 3; ++i) text += "variable x" + std::to_string(i) + " f64 (3) local\n";
    return verify(
        sample(text + "variable x4 bool (1) input\ninputs x0 x4\noutputs " + outputs + "\n" + segments + body));
}

TEST(Function, ValuesFollowControlFlow) {
    const std::string first = plus_one(0, "x0 x1", " init live", " live");
    const std::string then = plus_one(1, "x1 x2", " init live", " live");
    const std::string last_use = plus_one(1, "x1 x2", " init", " live");
    EXPECT_EQ(flow(first + then, "run g0\nrun g1\n", "x1 x2"), "");
    EXPECT_EQ(flow(first + last_use, "run g0\nrun g1\n", "x2"), "");
    EXPECT_EQ(flow(first + last_use, "run g0\nrun g1\n", "x1"), "the output x1 has no value at the end");
    EXPECT_EQ(flow(first + last_use, "run g0\nrun g1\nrun g1\n", "x2"), "run g1: x1 has no value");
    EXPECT_EQ(flow(first + last_use, "run g0\nrepeat 2 {\nrun g1\n}\n", ""), "run g1: x1 has no value");
    EXPECT_EQ(flow(first + last_use, "repeat 2 {\nrun g0\nrun g1\n}\n", ""), "");
    EXPECT_EQ(flow(first + then, "repeat a0 {\nrun g0\n}\nrun g1\n", ""), "run g1: x1 has no value");
    EXPECT_EQ(flow(first + then, "branch x4 {\nrun g0\n} else {\n}\nrun g1\n", ""), "run g1: x1 has no value");
    EXPECT_EQ(flow(first + then, "branch x4 {\nrun g0\n} else {\nrun g0\n}\nrun g1\n", "x2"), "");
    EXPECT_EQ(flow(first + then, "while x4 {\nrun g0\n} do {\nrun g1\n}\n", "x1"), "");
    EXPECT_EQ(flow(first + then, "while x4 {\nrun g0\n} do {\nrun g1\n}\n", "x2"),
              "the output x2 has no value at the end");
    EXPECT_EQ(flow(first + last_use, "while x4 {\nrun g0\n} do {\nrun g1\n}\n", "x1"), "");
    EXPECT_EQ(flow(first + last_use, "run g0\nwhile x4 {\n} do {\nrun g1\n}\n", ""), "run g1: x1 has no value");
    // What the first segment of a round lacks may come from both ways of a branch in the round before.
    EXPECT_EQ(flow(first + last_use, "run g0\nrepeat 2 {\nrun g1\nbranch x4 {\nrun g0\n} else {\nrun g0\n}\n}\n", "x1"),
              "");
    EXPECT_EQ(flow(first + last_use, "run g0\nrepeat 2 {\nrun g1\nbranch x4 {\nrun g0\n} else {\n}\n}\n", ""),
              "run g1: x1 has no value");
}

}  // namespace
}  // namespace xlazy::bc
