// SPDX-License-Identifier: BSD-3-Clause
// How the program xlazy-clang is talked to: over a socket that is its standard input. It says its process number first.
// Then a request is the number of texts and the texts, the flags and at last the source; an answer is 1 and the object
// file, or 0 and what is wrong. Numbers are 64-bit, texts have their length before them.
#pragma once

namespace xlazy::be::jit {

/// Below the folder of libraries' parent.
inline constexpr const char* kResidentProgram = "libexec/xlazy/xlazy-clang";

}  // namespace xlazy::be::jit
