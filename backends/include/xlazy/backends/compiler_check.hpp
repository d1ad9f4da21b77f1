// SPDX-License-Identifier: BSD-3-Clause
// Which compiler kernels get, and whether it does its work here: for programs that describe an installation.
#pragma once

#include <string>

namespace xlazy::be {

/// What came of trying the compiler.
struct CompilerCheck {
    std::string choice;   ///< its path and why it, or why there is none
    std::string version;  ///< what it says of itself
    std::string error;    ///< empty: a small kernel was compiled, loaded and gave the right number
    double compile_milliseconds = 0, load_microseconds = 0;
};
/// Takes as long as the compiler does for a small kernel; at most some 25 s.
/// @param program as XLAZY_CXX; empty: the usual ones
CompilerCheck check_compiler(const std::string& program);

}  // namespace xlazy::be
