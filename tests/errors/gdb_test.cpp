// SPDX-License-Identifier: BSD-3-Clause
// What gdb shows of arrays.
#include "runtime/command.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace {

using test::Result;
using test::run_command;

unsigned line_of(const std::string& name) {
    std::ifstream in(XLAZY_ERRORS_SOURCE);
    std::string line;
    for (unsigned number = 1; std::getline(in, line); ++number) {
        if (line.ends_with("// line " + name)) return number;
    }
    ADD_FAILURE() << "no line " << name;
    return 0;
}

std::string in_gdb(const std::string& name, const std::string& stop, const std::string& commands) {
    std::string command = "gdb -q -batch -ex 'set confirm off' -ex 'source " XLAZY_GDB_PRINTERS "'";
    command += " -ex 'break cases.cpp:" + std::to_string(line_of(stop)) + "' -ex 'run " + name + "'";
    command += " " + commands + " '" XLAZY_ERRORS_CASES "'";
    return run_command(command, "DEBUGINFOD_URLS=").output;
}

TEST(Gdb, ShowsArrays) {
    if (run_command("gdb --version", "").status != 0) GTEST_SKIP() << "this machine has no gdb";
    const std::string text = in_gdb("five_lines", "five.5", "-ex 'print a' -ex 'print d' -ex 'print e'");
    if (text.find("ptrace") != std::string::npos) GTEST_SKIP() << "programs cannot be traced here:\n" << text;
    const auto shows = [&](const std::string& part) { return text.find(part) != std::string::npos; };
    const std::string at = "cases.cpp:";
    EXPECT_TRUE(shows("= xtensor i32(3), computed, written at " + at)) << text;
    EXPECT_TRUE(shows(" = {1, 2, 3}")) << text;
    EXPECT_TRUE(shows("xtensor i32(3), not computed yet, recorded at " + at + std::to_string(line_of("five.3"))))
        << text;
    EXPECT_TRUE(shows("xtensor i32(3), not computed yet, recorded at " + at + std::to_string(line_of("five.4"))))
        << text;
    const std::string matrix = in_gdb("division", "division", "-ex 'print apples' -ex 'print people'");
    EXPECT_NE(matrix.find("= xtensor i32(2,3), computed"), std::string::npos) << matrix;
    EXPECT_NE(matrix.find("= {6, 7, 8, 9, 10, 11}"), std::string::npos) << matrix;
}

}  // namespace
