// SPDX-License-Identifier: BSD-3-Clause
// A small batch that uses every part of the text form and of the records.
#pragma once

#include <string>

namespace xlazy::bc {

/// Prints as it stands.
inline const std::string kSample =
    "xlazy-bytecode 1\n"
    "base b0 f64[100] init live\n"
    "base b1 f64[100] live\n"
    "base b2 i32[10]\n"
    "base b3 bool[10] init\n"
    "base b4 f64[1] init live\n"
    "view v0 b0 +0 (10,10):(10,1)\n"
    "view v1 b1 +0 (10,10):(10,1)\n"
    "view v2 b0 +99 (10,10):(-10,-1)\n"
    "view v3 b2 +0 (10):(1)\n"
    "view v4 b3 +0 (10):(1)\n"
    "view v5 b4 +0 ():()\n"
    "view v6 b0 +10 (1,10):(0,1)\n"
    "scalar s0 f64 0x1p+1\n"
    "scalar s1 i32 -7\n"
    "domain d0 (10,10)\n"
    "domain d1 (10)\n"
    "domain d2 ()\n"
    "origin o1 \"heat.cpp\":12 \"step\"\n"
    "origin o2 \"heat.cpp\":13\n"
    "origin o3 \"heat.cpp\":14\n"
    "origin o4 \"heat.cpp\":15\n"
    "mul.f64 t0 d0 v0 s0 @o1 #0\n"
    "sqrt.f64 t1 d0 t0 @o1 #0\n"
    "add.f64 v1 d0 t1 v6 @o1 #0\n"
    "index.i64 t2 d1 axis=0 @o2 #1\n"
    "cast.i64.i32 t3 d1 t2 @o2 #1\n"
    "div.i32 t4 d1 s1 t3 mask=v4 @o2 #1\n"
    "copy.i32 v3 d1 t4 @o2 #1\n"
    "sum.f64 t5 d0 v1 axis=1 @o3 #2\n"
    "sum.f64 v5 d1 t5 axis=0 @o3 #2\n"
    "lt.f64 t6 d0 v0 v2 @o4 #3\n"
    "select.f64 v0 d0 t6 v0 v2 @o4 #3\n";

}  // namespace xlazy::bc
