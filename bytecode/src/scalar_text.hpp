// SPDX-License-Identifier: BSD-3-Clause
// What the printer and the parser of the text form must agree on.
#pragma once

#include "xlazy/bytecode/program.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace xlazy::bc {

/// The value, exactly: decimal integers, true and false, hexadecimal floats, inf, nan, and nan:BITS for NaNs with
/// another payload or sign than the usual one. Complex: real part, comma, imaginary part.
std::string scalar_text(const Scalar& scalar);

/// Reads what scalar_text wrote. @return false if the text is no value of the type
bool scalar_from_text(std::string_view text, DType type, Scalar& scalar);

/// Numbers of temporaries and statements that instructions make use of.
struct Counts {
    std::uint32_t temps = 0;
    std::uint32_t statements = 0;

    void see(const Instruction& instruction) noexcept {
        statements = std::max(statements, instruction.statement + 1);
        if (instruction.out.is_temp()) temps = std::max(temps, instruction.out.index() + 1);
        for (const Operand operand : instruction.in) {
            if (operand.is_temp()) temps = std::max(temps, operand.index() + 1);
        }
    }
};

}  // namespace xlazy::bc
