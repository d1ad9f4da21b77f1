// SPDX-License-Identifier: BSD-3-Clause
// A function that is saved, loaded and run: y = k * x + c, n times, then doubled while its sum is below 1000.
#pragma once

#include "function_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace test {

/// x0: x, x1: y, x2: c, x3: number of calls, x4: goes on.
inline const std::string kStep =
    "xlazy-function 1\n"
    "function \"step\" @\"step.cpp\":10\n"
    "argument a0 f64 \"k\"\n"
    "argument a1 i32 \"n\"\n"
    "variable x0 f64 (2,3) input \"x\"\n"
    "variable x1 f64 (2,3) local \"y\"\n"
    "variable x2 f64 (2,3) constant\n"
    "variable x3 i64 () state \"calls\"\n"
    "variable x4 bool () local\n"
    "inputs x0\n"
    "outputs x1 x3\n"
    "segment g0\n"
    "bases x0 x1 x3\n"
    "batch\n"
    "xlazy-bytecode 1\n"
    "base b0 f64[6] init live\n"
    "base b1 f64[6] live\n"
    "base b2 i64[1] init live\n"
    "view v0 b0 +0 (2,3):(3,1)\n"
    "view v1 b1 +0 (2,3):(3,1)\n"
    "view v2 b2 +0 ():()\n"
    "scalar s0 i64 1\n"
    "domain d0 (2,3)\n"
    "domain d1 ()\n"
    "origin o1 \"step.cpp\":11\n"
    "origin o2 \"step.cpp\":12\n"
    "copy.f64 v1 d0 v0 @o1 #0\n"
    "add.i64 v2 d1 v2 s0 @o2 #1\n"
    "end\n"
    "segment g1\n"
    "bases x1 x2\n"
    "bind s0 argument a0\n"
    "batch\n"
    "xlazy-bytecode 1\n"
    "base b0 f64[6] init live\n"
    "base b1 f64[6] init live\n"
    "view v0 b0 +0 (2,3):(3,1)\n"
    "view v1 b1 +0 (2,3):(3,1)\n"
    "scalar s0 f64 0x0p+0\n"
    "domain d0 (2,3)\n"
    "origin o1 \"step.cpp\":14\n"
    "mul.f64 t0 d0 v0 s0 @o1 #0\n"
    "add.f64 v0 d0 t0 v1 @o1 #0\n"
    "end\n"
    "segment g2\n"
    "bases x1 x4\n"
    "batch\n"
    "xlazy-bytecode 1\n"
    "base b0 f64[6] init live\n"
    "base b1 bool[1] live\n"
    "view v0 b0 +0 (2,3):(3,1)\n"
    "view v1 b1 +0 ():()\n"
    "scalar s0 f64 1000\n"
    "domain d0 (2,3)\n"
    "domain d1 (2)\n"
    "domain d2 ()\n"
    "origin o1 \"step.cpp\":16\n"
    "sum.f64 t0 d0 v0 axis=1 @o1 #0\n"
    "sum.f64 t1 d1 t0 axis=0 @o1 #0\n"
    "lt.f64 v1 d2 t1 s0 @o1 #0\n"
    "end\n"
    "segment g3\n"
    "bases x1\n"
    "batch\n"
    "xlazy-bytecode 1\n"
    "base b0 f64[6] init live\n"
    "view v0 b0 +0 (2,3):(3,1)\n"
    "scalar s0 f64 2\n"
    "domain d0 (2,3)\n"
    "origin o1 \"step.cpp\":17\n"
    "mul.f64 v0 d0 v0 s0 @o1 #0\n"
    "end\n"
    "run g0\n"
    "repeat a1 {\n"
    "  run g1\n"
    "}\n"
    "while x4 {\n"
    "  run g2\n"
    "} do {\n"
    "  run g3\n"
    "}\n";

/// Of the text, with the values 1, 2, 3... in constants and zeros in states.
inline xlazy::bc::Function function_of(const std::string& text) {
    xlazy::bc::Function f = xlazy::bc::parse_function(text);
    for (xlazy::bc::Variable& variable : f.variables) {
        if (variable.role != xlazy::bc::Role::Constant && variable.role != xlazy::bc::Role::State) continue;
        variable.value.resize(static_cast<std::size_t>(variable.byte_count()));
        if (variable.role == xlazy::bc::Role::State) continue;
        for (std::size_t i = 0; i < variable.value.size() / sizeof(double); ++i) {
            const double value = static_cast<double>(i + 1);
            std::memcpy(variable.value.data() + i * sizeof value, &value, sizeof value);
        }
    }
    return f;
}

/// What kStep gives.
inline std::vector<double> expected_step(std::vector<double> y, double k, int n) {
    for (int round = 0; round < n; ++round) {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = k * y[i] + static_cast<double>(i + 1);
    }
    const auto sum = [&] { return (y[0] + y[1] + y[2]) + (y[3] + y[4] + y[5]); };
    while (sum() < 1000) {
        for (double& value : y) value *= 2;
    }
    return y;
}

/// A folder that goes with the test.
class Folder : public testing::Test {
protected:
    Folder() : folder_(testing::TempDir() + "xlazy_saved_" + std::to_string(getpid())) {
        std::filesystem::create_directories(folder_);
    }
    ~Folder() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    std::string saved(const std::string& text = kStep) const {
        xlazy::rt::write_function(path("step.xlz"), {function_of(text), {}, 0, {}});
        return path("step.xlz");
    }

private:
    std::string folder_;
};

}  // namespace test
