// SPDX-License-Identifier: BSD-3-Clause
// Library calls: operands that no routine takes, and results that are larger or smaller than what it gives, are
// refused.
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

namespace xlazy::bc {
namespace {

std::int64_t count_of(const std::string& shape) {
    std::int64_t count = 1, extent = 0;
    for (const char c : shape) {
        if (c >= '0' && c <= '9')
            extent = 10 * extent + (c - '0');
        else if (c == ',' || (c == ')' && shape != "()"))
            count *= std::exchange(extent, 0);
    }
    return count;
}

/// Ones for strides: only views that are read may repeat elements, so that results are vectors.
std::string view_of(unsigned index, const std::string& shape) {
    std::string strides = shape;
    for (char& c : strides) c = c >= '0' && c <= '9' ? '0' : c;
    return fmt::format("view v{0} b{0} +0 {1}:{2}\n", index, shape, strides);
}

struct Call {
    const char* op;
    std::vector<const char*> in;  ///< shapes; "s" is a scalar
    int axis;
    int out;  ///< elements
    const char* result = "f64";
};

std::string fault_of(const Call& call) {
    std::string text = "xlazy-bytecode 1\n", operands;
    for (std::size_t i = 0; i < call.in.size(); ++i) {
        const bool scalar = std::string_view(call.in[i]) == "s";
        text += fmt::format("base b{} f64[{}] init live\n", i, scalar ? 1 : count_of(call.in[i]));
        operands += scalar ? " s0" : fmt::format(" v{}", i);
    }
    text += fmt::format("base b{} {}[{}] live\n", call.in.size(), call.result, call.out);
    for (unsigned i = 0; i < call.in.size(); ++i)
        text += view_of(i, std::string_view(call.in[i]) == "s" ? "()" : call.in[i]);
    text += fmt::format("view v{0} b{0} +0 ({1}):(1)\n", call.in.size(), call.out);
    const bool typed = std::string_view(call.result) != "f64" || std::string_view(call.op).substr(0, 4) == "args" ||
                       std::string_view(call.op) == "searchsorted" || std::string_view(call.op) == "histogram";
    text += "scalar s0 f64 1\ndomain d0 ()\norigin o1 \"a.cpp\":1\n";
    text += fmt::format("{}.f64{} v{} d0{} axis={} @o1 #0\n", call.op, typed ? fmt::format(".{}", call.result) : "",
                        call.in.size(), operands, call.axis);
    const std::string fault = verify(parse(text), Strictness::Recorded);
    return fault.substr(fault.find("): ") == std::string::npos ? 0 : fault.find("): ") + 3);
}

TEST(LibraryCall, WhatRoutinesGive) {
    const Call calls[] = {
        {"matmul", {"(2,3)", "(3,4)"}, 0, 8},
        {"matmul", {"(3)", "(3,4)"}, 0, 4},
        {"matmul", {"(2,3)", "(3)"}, 0, 2},
        {"matmul", {"(3)", "(3)"}, 0, 1},
        {"solve", {"(3,3)", "(3)"}, 0, 3},
        {"solve", {"(3,3)", "(3,2)"}, 0, 6},
        {"inverse", {"(3,3)"}, 0, 9},
        {"cholesky", {"(3,3)"}, 0, 9},
        {"determinant", {"(3,3)"}, 0, 1},
        {"determinant", {"(3,3)"}, 1, 2},
        {"qr", {"(5,3)"}, 0, 24},
        {"qr", {"(5,3)"}, 1, 40},
        {"svd", {"(5,3)"}, 0, 3},
        {"svd", {"(5,3)"}, 1, 27},
        {"svd", {"(5,3)"}, 2, 37},
        {"eig", {"(3,3)"}, 0, 3, "c128"},
        {"eig", {"(3,3)"}, 1, 12, "c128"},
        {"eigh", {"(3,3)"}, 1, 12},
        {"lstsq", {"(5,3)", "(5)", "s"}, 0, 8},
        {"lstsq", {"(5,3)", "(5,2)", "s"}, 0, 12},
        {"sort", {"(2,3)"}, 1, 6},
        {"argsort", {"(2,3)"}, 0, 6, "u64"},
        {"isin", {"(7)", "(2,3)"}, 0, 7, "bool"},
        {"searchsorted", {"(4)", "(2,3)"}, 1, 6, "u64"},
        {"histogram", {"(9)", "(4)", "s"}, 0, 3},
        {"histogram", {"(9)", "(4)", "(9)"}, 0, 3},
    };
    const std::string other = "the result has another number of elements than the routine gives";
    for (Call call : calls) {
        EXPECT_EQ(fault_of(call), "") << call.op << ' ' << call.axis;
        ++call.out;
        EXPECT_EQ(fault_of(call), other) << call.op << ' ' << call.axis;
        call.out -= 2;
        EXPECT_EQ(fault_of(call), other) << call.op << ' ' << call.axis;
    }
}

TEST(LibraryCall, OperandsThatNoRoutineTakes) {
    struct Case {
        Call call;
        const char* fault;
    };
    const Case cases[] = {
        {{"matmul", {"(2,3)", "(4,3)"}, 0, 6}, "no product of (2,3) and (4,3)"},
        {{"matmul", {"(2,3,1)", "(3)"}, 0, 2}, "a vector or a matrix is wanted, not (2,3,1)"},
        {{"matmul", {"(3)", "s"}, 0, 3}, "a vector or a matrix is wanted, not ()"},
        {{"solve", {"(3,2)", "(3)"}, 0, 3}, "a square matrix is wanted, not (3,2)"},
        {{"solve", {"(3,3)", "(2)"}, 0, 2}, "a right side of shape (2)"},
        {{"inverse", {"(9)"}, 0, 9}, "a square matrix is wanted, not (9)"},
        {{"inverse", {"s"}, 0, 1}, "a square matrix is wanted, not ()"},
        {{"determinant", {"(3,3)"}, 2, 2}, "axis 2 means nothing"},
        {{"svd", {"(5)"}, 0, 5}, "a matrix is wanted, not (5)"},
        {{"svd", {"(5,3)"}, 3, 37}, "axis 3 means nothing"},
        {{"lstsq", {"(5,3)", "(5)", "(2)"}, 0, 8}, "the ratio is no number"},
        {{"lstsq", {"(5,3)", "(4)", "s"}, 0, 8}, "a right side of shape (4)"},
        {{"sort", {"(2,3)"}, 2, 6}, "axis 2 of (2,3)"},
        {{"argsort", {"(2,3)"}, 0, 6, "i32"}, "positions are u64"},
        {{"searchsorted", {"(4)", "(2,3)"}, 0, 6, "i64"}, "positions are u64"},
        {{"histogram", {"(9)", "(4)", "(8)"}, 0, 3}, "as many weights as elements, or one, are wanted"},
        {{"histogram", {"(9)", "(4)", "(9)"}, 0, 3, "f32"}, "sums are of the weights' type"},
    };
    for (const Case& each : cases) EXPECT_EQ(fault_of(each.call), each.fault) << each.call.op;
}

}  // namespace
}  // namespace xlazy::bc
