// SPDX-License-Identifier: BSD-3-Clause
// What a kernel has computed already, it does not compute again.
//
//     %3 = cos %2                  %3 = cos %2
//     %4 = mul %3 %0               %4 = mul %3 %0
//     %5 = cos %2                  %5 = mul %3 %1
//     %6 = mul %5 %1
// Programs in small functions ask again for what another function had, and fusion brings both into one kernel. A
// compiler could see it too, but the tile interpreter has none, and none may merge calls of vector maths. Two values
// are the same if op, types, flags and operands are; equal scalars in two slots are not, they are data. The plan keeps
// which instruction was merged into which, so that an op that fails fails at every line that asked for it.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// In: lowered kernels. Out: the same, each value computed once.
void eliminate_common_values(Draft& draft);

}  // namespace xlazy::opt
