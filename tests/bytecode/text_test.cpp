// SPDX-License-Identifier: BSD-3-Clause
// The text form: what is printed is read back, and what is no text form is refused where it goes wrong.
#include "bytecode/sample.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace xlazy::bc {
namespace {

TEST(Text, SampleIsLegalAndPrintsAsItStands) {
    const Program program = parse(kSample);
    EXPECT_EQ(print(program), kSample);
    EXPECT_EQ(verify(program, Strictness::Recorded), "");
    EXPECT_EQ(program.temp_count, 7u);
    EXPECT_EQ(program.statement_count, 4u);
    EXPECT_EQ(program.instructions[5].flags, Instruction::kMasked);
    EXPECT_EQ(program.instructions[5].in[2], Operand::view(4));
    EXPECT_EQ(program.instructions[4].result, DType::i32);
    EXPECT_EQ(program.instructions[9].result, DType::boolean);
    EXPECT_EQ(to_string(program.origins[3]), "heat.cpp:13");
    EXPECT_STREQ(origin(program.origins[0]).function, "step");
}

TEST(Text, OneInstructionNamesItsLine) {
    const Program program = parse(kSample);
    EXPECT_EQ(print(program, 0), "mul.f64 t0 d0 v0 s0 @heat.cpp:12 #0");
    EXPECT_EQ(print(program, 5), "div.i32 t4 d1 s1 t3 mask=v4 @heat.cpp:13 #1");
}

TEST(Text, SpacesCommentsAndLineEndsDoNotMatter) {
    const Program program = parse(
        "\n; a comment\r\n  xlazy-bytecode 1 \r\n\tbase  b0 f64[ 4 ]  init\n"
        "view v0 b0 1 ( 2 , 1 ) : (1,0)\n ; end");
    EXPECT_EQ(print(program), "xlazy-bytecode 1\nbase b0 f64[4] init\nview v0 b0 +1 (2,1):(1,0)\n");
}

TEST(Text, CountsBeyondWhatIsInUseAreKept) {
    Program program = parse(kSample);
    program.temp_count = 20;
    program.statement_count = 9;
    const Program again = parse(print(program));
    EXPECT_EQ(again.temp_count, 20u);
    EXPECT_EQ(again.statement_count, 9u);
    EXPECT_EQ(print(again), print(program));
}

TEST(Text, NamesAreQuoted) {
    Program program = parse(kSample);
    const OriginId strange = intern_origin_copy("a \"b\"\\c\n\x01.cpp", 3, "f<int> \xc3\xa4");
    program.origins.assign(program.origins.size(), strange);
    const Program again = parse(print(program));
    EXPECT_EQ(again.origins, program.origins);
}

template <class T>
void expect_kept(std::initializer_list<T> values) {
    Program program;
    for (const T value : values) program.scalars.push_back(make_scalar(value));
    const Program again = parse(print(program));
    ASSERT_EQ(again.scalars.size(), program.scalars.size());
    for (std::size_t i = 0; i < program.scalars.size(); ++i) {
        EXPECT_EQ(again.scalars[i].type, program.scalars[i].type);
        EXPECT_EQ(again.scalars[i].bits[0], program.scalars[i].bits[0]) << print(program);
        EXPECT_EQ(again.scalars[i].bits[1], program.scalars[i].bits[1]) << print(program);
    }
}

template <class T>
void expect_floats_kept(T odd_nan) {
    using Limits = std::numeric_limits<T>;
    expect_kept<T>({0, -T(0), 1, T(0.1), -T(1) / 3, Limits::max(), Limits::lowest(), Limits::min(),
                    Limits::denorm_min(), Limits::min() / 4, Limits::infinity(), -Limits::infinity(),
                    Limits::quiet_NaN(), -Limits::quiet_NaN(), odd_nan});
}

TEST(Text, ScalarsAreExact) {
    expect_kept<bool>({false, true});
    expect_kept<std::int8_t>({-128, 127});
    expect_kept<std::int16_t>({std::numeric_limits<std::int16_t>::min(), 0, 7});
    expect_kept<std::int64_t>({std::numeric_limits<std::int64_t>::min(), -1});
    expect_kept<std::uint64_t>({std::numeric_limits<std::uint64_t>::max()});
    expect_floats_kept<float>(std::nanf("77"));
    expect_floats_kept<double>(std::nan("77"));
    expect_kept<std::complex<float>>({{1.5f, -0.f}});
    expect_kept<std::complex<double>>({{std::numeric_limits<double>::infinity(), 0.1}});
}

TEST(Text, DecimalFloatsAreReadToo) {
    const Program program = parse("xlazy-bytecode 1\nscalar s0 f64 0.1\nscalar s1 f32 -2e3\nscalar s2 f64 -inf\n");
    EXPECT_EQ(scalar_value<double>(program.scalars[0]), 0.1);
    EXPECT_EQ(scalar_value<float>(program.scalars[1]), -2000.0f);
    EXPECT_EQ(scalar_value<double>(program.scalars[2]), -std::numeric_limits<double>::infinity());
}

struct Malformed {
    const char* text;  ///< after the sample's tables, which are 22 lines
    std::size_t column;
    const char* message;
};

std::ostream& operator<<(std::ostream& out, const Malformed& malformed) { return out << malformed.text; }

class MalformedText : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedText, IsRefusedWhereItGoesWrong) {
    const std::string tables = kSample.substr(0, kSample.find("mul.f64"));
    const auto lines = static_cast<std::size_t>(std::count(tables.begin(), tables.end(), '\n'));
    try {
        parse(tables + "\n" + GetParam().text + "\nbase b5 f64[1]\n");
        FAIL() << "was read: " << GetParam().text;
    } catch (const ParseError& error) {
        EXPECT_EQ(error.line(), lines + 2) << error.what();
        EXPECT_EQ(error.column(), GetParam().column) << error.what();
        EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos) << error.what();
        const std::string place = "line " + std::to_string(error.line()) + ", column " + std::to_string(error.column());
        EXPECT_EQ(std::string(error.what()).rfind(place, 0), 0u) << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Lines, MalformedText,
    testing::Values(
        Malformed{"nop.f64 t0 d0 v0 @o1 #0", 1, "unknown op 'nop'"},
        Malformed{"  mul t0 d0 v0 v0 @o1 #0", 6, "expected '.' and a type"},
        Malformed{"mul.f65 t0 d0 v0 v0 @o1 #0", 5, "unknown type 'f65'"},
        Malformed{"mul.f64.f65 t0 d0 v0 v0 @o1 #0", 9, "unknown type 'f65'"},
        Malformed{"cast.f64 t0 d0 v0 @o1 #0", 9, "type of the result"},
        Malformed{"mul.f64 s0 d0 v0 v0 @o1 #0", 9, "a scalar cannot be written"},
        Malformed{"mul.f64 b0 d0 v0 v0 @o1 #0", 9, "expected an operand"},
        Malformed{"mul.f64 t0 d9 v0 v0 @o1 #0", 12, "there is no domain d9"},
        Malformed{"mul.f64 t0 v0 v0 @o1 #0", 12, "expected domain"},
        Malformed{"mul.f64 t0 d0 v0 @o1 #0", 18, "expected an operand"},
        Malformed{"mul.f64 t0 d0 v0 v77 @o1 #0", 18, "there is no view 77"},
        Malformed{"mul.f64 t0 d0 v0 s77 @o1 #0", 18, "there is no scalar 77"},
        Malformed{"mul.f64 t0 d0 v0 t9999999999 @o1 #0", 19, "a number is out of range"},
        Malformed{"mul.f64 t0 d0 v0 vx @o1 #0", 19, "expected a number"},
        Malformed{"mul.f64 t0 d0 v0 v0 v0 @o1 #0", 21, "expected '@'"},
        Malformed{"mul.f64 t0 d0 v0 v0 @o9 #0", 22, "there is no origin o9"},
        Malformed{"mul.f64 t0 d0 v0 v0 @o1", 24, "expected '#'"},
        Malformed{"mul.f64 t0 d0 v0 v0 @o1 #", 26, "expected a statement's number"},
        Malformed{"mul.f64 t0 d0 v0 v0 @o1 #0 x", 28, "expected the end of the line"},
        Malformed{"mul.f64 t0 d0 v0 v0 axis=1 @o1 #0", 21, "expected '@'"},
        Malformed{"mul.f64 t0 d0 v0 v0 mask=v4 @o1 #0", 21, "expected '@'"},
        Malformed{"sum.f64 t0 d0 v0 @o1 #0", 18, "expected 'axis='"},
        Malformed{"sum.f64 t0 d0 v0 axis=16 @o1 #0", 23, "an axis is out of range"},
        Malformed{"div.i32 t0 d1 v3 v3 mask= @o1 #0", 27, "expected an operand"},
        Malformed{"base b7 f64[1]", 6, "expected b5, the next one"},
        Malformed{"base v5 f64[1]", 6, "expected a name (bN)"}, Malformed{"base b5 f65[1]", 9, "unknown type 'f65'"},
        Malformed{"base b5 f64[-1]", 13, "out of range"}, Malformed{"base b5 f64 [1", 15, "expected ']'"},
        Malformed{"base b5 f64[1] dead", 16, "expected the end of the line"},
        Malformed{"view v7 b5 +0 (1):(1)", 9, "there is no base b5"},
        Malformed{"view v7 b0 (1):(1)", 12, "expected an offset"},
        Malformed{"view v7 b0 +0 (1,2):(1)", 21, "1 strides for 2 extents"},
        Malformed{"view v7 b0 +0 (1,):(1)", 18, "expected an extent"},
        Malformed{"view v7 b0 +0 (1:(1)", 17, "expected ')'"},
        Malformed{"view v7 b0 +0 (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1):(1)", 48, "more than 16 axes"},
        Malformed{"view v7 b0 +99999999999999999999 (1):(1)", 12, "an offset is out of range"},
        Malformed{"scalar s2 f64 1.5x", 15, "'1.5x' is no value of type f64"},
        Malformed{"scalar s2 i16 40000", 15, "no value of type i16"},
        Malformed{"scalar s2 bool 1", 16, "no value of type bool"},
        Malformed{"scalar s2 f64 --1", 15, "no value of type f64"},
        Malformed{"scalar s2 f64 0x-1p0", 15, "no value of type f64"},
        Malformed{"scalar s2 f64 nan:0", 15, "no value of type f64"},
        Malformed{"scalar s2 f64", 14, "'' is no value of type f64"},
        Malformed{"domain d3 (10)", 11, "this shape is d1 already"},
        Malformed{"origin o5 heat.cpp:3", 11, "expected '\"'"}, Malformed{"origin o5 \"heat.cpp", 20, "expected '\"'"},
        Malformed{"origin o5 \"heat\\q\":3", 16, "unknown escape"},
        Malformed{"origin o5 \"heat\":-3", 18, "expected a line"}, Malformed{"temps -1", 7, "expected a count"},
        Malformed{"xlazy-bytecode 1", 1, "unknown op 'xlazy-bytecode'"}));

TEST(Text, HeaderIsNeeded) {
    const auto fails = [](const char* text, std::size_t line, std::size_t column) {
        try {
            parse(text);
            ADD_FAILURE() << "was read: " << text;
        } catch (const ParseError& error) {
            EXPECT_EQ(error.line(), line) << text;
            EXPECT_EQ(error.column(), column) << text;
        }
    };
    fails("", 1, 1);
    fails("; nothing\n\n", 3, 1);
    fails("base b0 f64[1]\n", 1, 1);
    fails("\n xlazy-bytecode 2\n", 2, 17);
    fails("xlazy-bytecode\n", 1, 15);
}

/// Every prefix and every text with one character changed is read or refused, and nothing else happens.
TEST(Text, DamagedTextIsReadOrRefused) {
    int refused = 0;
    const auto attempt = [&](const std::string& text) {
        try {
            verify(parse(text));
        } catch (const ParseError& error) {
            ++refused;
            EXPECT_GT(error.line(), 0u);
        }
    };
    for (std::size_t i = 0; i < kSample.size(); ++i) {
        attempt(kSample.substr(0, i));
        for (const char c : {'0', '9', '-', ' ', '\n', 'v', '(', '\0'}) {
            std::string text = kSample;
            text[i] = c;
            attempt(text);
        }
    }
    EXPECT_GT(refused, 3000);
}

}  // namespace
}  // namespace xlazy::bc
