// SPDX-License-Identifier: BSD-3-Clause
// Dead code and dead stores: what nobody can read is not computed.
//
// One walk from the last instruction to the first keeps what is still wanted: temporaries with a reader, and bases that
// are live after the batch or are read by a later instruction that stays. A write that covers its whole base ends the
// wish for what was there before. A write of a part ends it for that part, until something that overlaps the part is
// read further up:
//     copy v1 d0 s0        dead if v1 and v4 are the same window ...
//     neg v3 d0 v2         ... and v2 has nothing of it
//     copy v4 d0 s1
// Rows and columns that are set twice lose their first value like this.
// An instruction that can fail is always wanted, and so is what it needs: its error must reach the user.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// Of the windows of a base that are overwritten further down, so many are remembered, each with so many reads in
/// between that have nothing of it: the cost stays linear.
inline constexpr std::size_t kMaxOverwritten = 4, kMaxReadsBetween = 8;

/// In: code. Out: the same without dead instructions.
void remove_dead_code(Draft& draft);

}  // namespace xlazy::opt
