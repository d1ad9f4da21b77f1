// SPDX-License-Identifier: BSD-3-Clause
// What cannot be right is refused by the compiler in one sentence, not in pages of xtensor's insides.
#include "runtime/command.hpp"

#include <gtest/gtest.h>

namespace {

test::Result compiled(int number) {
    return test::run_command(XLAZY_BUILD_FOLDER "/bin/xlazy-c++ -fsyntax-only -fdiagnostics-color=never -DCASE=" +
                                 std::to_string(number) + " " XLAZY_REFUSED_SOURCE,
                             "XLAZY_SYSTEM_CXX=" XLAZY_TEST_CXX);
}

struct Case {
    const char* name;
    int number;
    const char* sentence;
};
class Refused : public testing::TestWithParam<Case> {};

TEST_P(Refused, InOneSentence) {
    const test::Result result = compiled(GetParam().number);
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.output.find(GetParam().sentence), std::string::npos) << result.output;
    EXPECT_LE(test::occurrences(result.output, "error:"), 2u) << result.output;
    EXPECT_LE(test::occurrences(result.output, "\n"), 60u) << result.output;
    EXPECT_NE(result.output.find("refused.cpp:"), std::string::npos) << result.output;
}
INSTANTIATE_TEST_SUITE_P(
    Statements, Refused,
    testing::Values(Case{"Sum", 1, "xlazy: the elements of these operands have no operator +"},
                    Case{"Remainder", 2, "xlazy: the elements of these operands have no operator %"},
                    Case{"Update", 3, "xlazy: the right side is no expression, and nothing that an element can become"},
                    Case{"Choice", 4, "xlazy: where: the elements of the two expressions have no common type"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Accepted, WhatComesNearAndIsRight) {
    const test::Result result = compiled(0);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, "");
}

}  // namespace
