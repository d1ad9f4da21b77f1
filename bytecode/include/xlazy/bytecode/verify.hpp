// SPDX-License-Identifier: BSD-3-Clause
// What a legal batch is, as code; it runs after every pass.
#pragma once

#include "xlazy/bytecode/program.hpp"

#include <string>

namespace xlazy::bc {

/// Which batches are legal.
enum class Strictness : std::uint8_t {
    Rewritten,  ///< passes may have moved instructions and added temporaries that cross statements
    Recorded,   ///< statements follow each other, each with its own temporaries and origin, and end by writing a view
};

/// Checks: indices in range; operand and result types by the op table; temporaries defined once and before use; scalar
/// types; shapes (operands broadcast to the domain, results fit); views inside their bases, and written only if no
/// element occurs twice in them; an origin on every instruction; no base read before it has a value; no unused field
/// set; and what the strictness asks for.
/// @return the empty string, or what is wrong and where
std::string verify(const Program& program, Strictness strictness = Strictness::Rewritten);

}  // namespace xlazy::bc
