// SPDX-License-Identifier: BSD-3-Clause
// What the functions of the maths library are worth: their errors, and what they cost on this machine.
#pragma once

#include "xlazy/bytecode/op.hpp"

#include <cstdint>
#include <vector>

namespace xlazy::be {

/// The error of one function for one type.
struct MathsRow {
    bc::Op op;
    bc::DType type;
    double error;  ///< the greatest that was found, in units in the last place, of complex numbers in one part
};

/// Every function, by op, for f64, f32, c128 and c64.
const std::vector<MathsRow>& maths_table();

/// Nanoseconds an element of 1024 ordinary ones in the first-level cache, on the calling thread, with the instruction
/// set in use: the least of `runs` runs.
double maths_cost(bc::Op op, bc::DType type, int runs);

}  // namespace xlazy::be
