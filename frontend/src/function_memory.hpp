// SPDX-License-Identifier: BSD-3-Clause
// The memory of one call of a captured function.
#pragma once

#include "poison.hpp"
#include "xlazy/bytecode/program.hpp"
#include "xlazy/detail/function_runner.hpp"

#include <span>

namespace xlazy::rt {

/// The variables that are not the function's own: inputs, constants, states and outputs. The others' entries are null.
struct FunctionRunner::Live {
    /// By variable. Those of states and outputs are blocks of the pool, of the variable's size; after the call another
    /// one may be there, and the one that was given is the runner's.
    std::span<void*> memory;
    std::span<const bc::OriginId> written_at;  ///< by variable: for messages
    std::span<const bc::Scalar> arguments;
    bc::OriginId line = 0;
    /// By variable, null before the call: what failed statements left in states and outputs, now the caller's.
    std::span<PoisonedParts*> poison;
    PoisonRef error;  ///< the first statement that failed
};

}  // namespace xlazy::rt
