// SPDX-License-Identifier: BSD-3-Clause
// What a legal batch is, as code; it runs after every pass.
#pragma once

#include "xlazy/bytecode/program.hpp"

#include <string>

namespace xlazy::bc {

/// Checks: indices in range; operand and result types by the op table; temporaries defined once, before use, within one
/// statement (temporaries that passes add may cross statements); scalar types; shapes (views broadcast to the domain,
/// results fit); views inside their bases; an origin on every instruction; no base read before it has a value.
/// @return the empty string, or what is wrong and where
std::string verify(const Program& program);

}  // namespace xlazy::bc
