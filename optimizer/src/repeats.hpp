// SPDX-License-Identifier: BSD-3-Clause
// Loops that record k times the same statements between two reads, for ever other k. Each k is another structure, but
// the batch is planned in a few pieces that are known after a few k: what comes before the loop, then 4, 16, 64, ...
// iterations at a time, then the last one to four with what follows the loop, which are as many as a short loop has. Between pieces nothing fuses, which costs one store and
// one load of the loop's arrays a piece. Powers of four, not of two: each size is a kernel that is worth compiling.
#pragma once

#include "xlazy/bytecode/program.hpp"

namespace xlazy::opt {

/// Loops with fewer iterations are planned as a whole.
inline constexpr std::uint32_t kMinRepeats = 5;
/// A piece holds no more iterations or instructions: a longer one would not gain, since a kernel holds less.
inline constexpr std::uint32_t kMaxPieceUnits = 64;
inline constexpr std::uint32_t kMaxPieceInstructions = 1024;
/// So many iterations at most are planned together with what follows the loop.
inline constexpr std::uint32_t kTailUnits = 4;

struct Repeats {
    /// Where the pieces begin, as instructions, and the end of the last one. Empty: the batch has no such loop.
    std::vector<std::uint32_t> cuts;
    std::uint64_t unit = 0;  ///< hash of one iteration's statements: their lines and what they do
};

/// Finds the loop that most of the batch comes from. Linear in the batch but for a logarithm.
Repeats find_repeats(const bc::Program& program);

}  // namespace xlazy::opt
