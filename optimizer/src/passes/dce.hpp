// SPDX-License-Identifier: BSD-3-Clause
// Dead code: what nobody can read is not computed.
//
// One walk from the last instruction to the first keeps what is still wanted: temporaries with a reader, and bases that
// are live after the batch or are read by a later instruction that stays. A write that covers its whole base ends the
// wish for what was there before; bases count as a whole otherwise.
//     add v0 d0 v1 v2      dead if v0's base is written as a whole before anybody reads it
// An instruction that can fail is always wanted, and so is what it needs: its error must reach the user.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// In: code. Out: the same without dead instructions.
void remove_dead_code(Draft& draft);

}  // namespace xlazy::opt
