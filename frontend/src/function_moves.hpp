// SPDX-License-Identifier: BSD-3-Clause
// Copies of whole arrays at the end of a segment, done by exchanging memory.
#pragma once

#include "xlazy/bytecode/function.hpp"

#include <utility>
#include <vector>

namespace xlazy::rt {

/// The first variable gets the memory that the second one had before any of the moves.
using Moves = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Takes the copies off the segment's end: a loop's body that made an array anew, or whose arrays changed places, ends
/// with such. What stays behind in an array that is not live is anything. Does nothing where a value is wanted twice,
/// or belongs to an input or a constant.
Moves take_moves(bc::Segment& segment, const std::vector<bc::Variable>& variables);

}  // namespace xlazy::rt
