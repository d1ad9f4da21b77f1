// SPDX-License-Identifier: BSD-3-Clause
// Texts that are nearly batches: the parser says where they are wrong, and nothing but that happens.
#include "fuzz/generator.hpp"
#include "fuzz/random.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace xlazy::bc {
namespace {

const std::string kHead =
    "xlazy-bytecode 1\n"
    "base b0 f64[6] init live\n"
    "base b1 i32[6] live\n"
    "view v0 b0 +0 (2,3):(3,1)\n"
    "view v1 b1 +0 (6):(1)\n"
    "scalar s0 f64 0x1p+1\n"
    "domain d0 (2,3)\n"
    "domain d1 (6)\n"
    "origin o1 \"user.cpp\":10 \"main\"\n";

struct Malformed {
    const char* line;  ///< the tenth
    std::size_t column;
    const char* message;
};

TEST(Malformed, EveryErrorNamesItsPlace) {
    const std::vector<Malformed> texts = {
        {"base", 5, "expected a name (bN)"},
        {"base b3 f64[1]", 6, "expected b2, the next one"},
        {"base bx f64[1]", 7, "expected a number"},
        {"base b2 f65[1]", 9, "unknown type 'f65'"},
        {"base b2 f64", 12, "expected '['"},
        {"base b2 f64[-1]", 13, "a number of elements is out of range"},
        {"base b2 f64[99999999999999999999]", 13, "a number of elements is out of range"},
        {"base b2 f64[x]", 13, "expected a number of elements"},
        {"base b2 f64[1", 14, "expected ']'"},
        {"base b2 f64[1] lives", 16, "expected the end of the line"},
        {"view v3 b0 +0 ():()", 6, "expected v2, the next one"},
        {"view v2 b7 +0 ():()", 9, "there is no base b7 up to here"},
        {"view v2 b0 x ():()", 12, "expected an offset"},
        {"view v2 b0 +0 (2,x):(1,1)", 18, "expected an extent"},
        {"view v2 b0 +0 (2,3)(1,1)", 20, "expected ':'"},
        {"view v2 b0 +0 (2,3):(1)", 21, "1 strides for 2 extents"},
        {"view v2 b0 +0 (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1):()", 48, "more than 16 axes"},
        {"view v2 b0 +0 (2,3", 19, "expected ')'"},
        {"scalar s1 f64 two", 15, "'two' is no value of type f64"},
        {"scalar s1 i32 3000000000", 15, "'3000000000' is no value of type i32"},
        {"domain d2 (2,3)", 11, "this shape is d0 already"},
        {"origin o2 user.cpp:1", 11, "expected '\"'"},
        {"origin o2 \"user.cpp:1", 22, "expected '\"'"},
        {"origin o2 \"a\\qb\":1", 13, "unknown escape; known are \\\", \\\\ and \\xHH"},
        {"origin o2 \"user.cpp\":-1", 22, "expected a line"},
        {"temps x", 7, "expected a count"},
        {"temps 4294967295", 7, "more than 4194304 temporaries"},
        {"statements", 11, "expected a count"},
        {"nothing.f64 v0 d0 v0 @o1 #0", 1, "unknown op 'nothing'"},
        {"neg v0 d0 v0 @o1 #0", 4, "expected '.' and a type"},
        {"neg.f63 v0 d0 v0 @o1 #0", 5, "unknown type 'f63'"},
        {"cast.f64 v1 d0 v0 @o1 #0", 9, "expected '.' and the type of the result"},
        {"neg.f64 s0 d0 v0 @o1 #0", 9, "a scalar cannot be written"},
        {"neg.f64 x0 d0 v0 @o1 #0", 9, "expected an operand (vN, tN or sN)"},
        {"neg.f64 t4194304 d0 v0 @o1 #0", 9, "more than 4194304 temporaries"},
        {"neg.f64 v0 d9 v0 @o1 #0", 12, "there is no domain d9 up to here"},
        {"neg.f64 v0 d0 v9 @o1 #0", 15, "there is no view 9 up to here"},
        {"add.f64 v0 d0 v0 s9 @o1 #0", 18, "there is no scalar 9 up to here"},
        {"add.f64 v0 d0 v0", 17, "expected an operand (vN, tN or sN)"},
        {"sum.f64 t0 d0 v0 @o1 #0", 18, "expected 'axis='"},
        {"sum.f64 t0 d0 v0 axis=16 @o1 #0", 23, "an axis is out of range"},
        {"neg.f64 v0 d0 v0 #0", 18, "expected '@'"},
        {"neg.f64 v0 d0 v0 @o2 #0", 19, "there is no origin o2 up to here"},
        {"neg.f64 v0 d0 v0 @o1", 21, "expected '#'"},
        {"neg.f64 v0 d0 v0 @o1 #x", 23, "expected a statement's number"},
        {"neg.f64 v0 d0 v0 @o1 #0 more", 25, "expected the end of the line"},
    };
    for (const Malformed& text : texts) {
        try {
            parse(kHead + text.line + '\n');
            ADD_FAILURE() << text.line << ": is accepted";
        } catch (const ParseError& error) {
            EXPECT_EQ(error.line(), 10u) << text.line << ": " << error.what();
            EXPECT_EQ(error.column(), text.column) << text.line << ": " << error.what();
            EXPECT_NE(std::string(error.what()).find(text.message), std::string::npos) << error.what();
        }
    }
}

/// A place in the text, and what is done there.
std::string damaged(std::string text, fuzz::Random& random) {
    const auto place = [&](std::size_t size) {
        return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(size)));
    };
    const std::string_view kCharacters = "0123456789-+.,:()[]#@\"\\ vbtsdoxi=\n\t\xff";
    for (std::int64_t count = 1 + random.below(3); count > 0 && !text.empty(); --count) {
        const std::size_t at = place(text.size());
        switch (random.below(6)) {
            case 0: text.erase(at, 1 + place(8)); break;
            case 1: text.insert(at, 1, kCharacters[place(kCharacters.size())]); break;
            case 2: text[at] = kCharacters[place(kCharacters.size())]; break;
            case 3: text.resize(at); break;
            case 4: {  // a line twice
                const std::size_t begin = text.rfind('\n', at) + 1;
                text.insert(begin, text.substr(begin, text.find('\n', at) - begin) + '\n');
                break;
            }
            default: text.insert(at, "9223372036854775807"); break;
        }
    }
    return text;
}

TEST(Malformed, DamageNeverDoesMoreThanAnError) {
    fuzz::Random random(7);
    std::size_t refused = 0, illegal = 0;
    for (std::uint64_t number = 0; number < 4000; ++number) {
        const std::string text = damaged(print(fuzz::random_case(21, number % 50).program), random);
        const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
        try {
            const Program program = parse(text);
            illegal += verify(program, Strictness::Recorded).empty() ? 0 : 1;
            EXPECT_EQ(print(parse(print(program))), print(program)) << text;
        } catch (const ParseError& error) {
            ++refused;
            EXPECT_GE(error.line(), 1u);
            EXPECT_LE(error.line(), lines) << text;
            EXPECT_GE(error.column(), 1u);
            EXPECT_LE(error.column(), text.size() + 1);
        }
    }
    EXPECT_GT(refused, 500u);
    EXPECT_GT(illegal, 100u);
}

}  // namespace
}  // namespace xlazy::bc
