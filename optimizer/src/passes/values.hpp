// SPDX-License-Identifier: BSD-3-Clause
// What the batch has computed already, it does not compute again: value numbering over the whole batch.
//
//     exp v1 d0 v0                 exp v1 d0 v0
//     mul v2 d0 v1 v3              mul v2 d0 v1 v3
//     exp t0 d0 v0                 copy t0 d0 v1
//     sum v4 d0 t0                 sum v4 d0 t0          if neither v0 nor v1 was written meanwhile
// Each value gets a number: equal operation on equal numbers, equal number. What a view shows is numbered by the base's
// version, the count of writes to it so far; `block(e, 0) + block(e, 1)` are two values, two views of one window are
// one (a guard), and have the number of what was written through one of them. Scalars are data, so two slots with equal bits are one with a guard.
//
// `cse` does the same inside a kernel, where it always pays. Here a value that is used again may have to wait in
// memory: it is worth that if to compute it again, from what lies in memory, takes longer than to store and load it.
// Reductions are small and cost a pass over their operand: always.
//
// An instruction that is merged into an earlier one is noted in the plan, so that errors name both lines.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// A store and a load of 8 bytes, in additions of the tile interpreter: about 2 ns from memory, 0.7 ns in a cache.
inline constexpr std::uint32_t kWorthMemory = 8, kWorthCache = 3;

/// In: code without overlaps inside an instruction. Out: the same; what is worth it is computed once.
void number_values(Draft& draft);

}  // namespace xlazy::opt
