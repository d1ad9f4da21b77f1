// SPDX-License-Identifier: BSD-3-Clause
// Right side first.
//
// A statement reads its whole right side before it writes: `x(range(1, n)) = x(range(0, n - 1))` shifts by one. A
// kernel runs its indices in any order, so an instruction must not write elements that it reads at other indices. Where
// its output view and an input view share a base and are neither disjoint nor the same element by element,
//     add v0 d0 v1 v2      becomes      add t9 d0 v1 v2
//                                       copy v0 d0 t9
// A reduction writes when its kernel is done with some of its indices but not with all, so for it even an identical
// view is in the way. Its result has a shape that need not be among the domains; hence its operand is saved instead:
//     sum v0 d0 v1         becomes      copy t9 d0 v1
//                                       sum v0 d0 t9
// The scheduler keeps the second instruction out of the first one's kernel, since it writes what the first one reads.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// In: any legal code. Out: code in which no instruction overlaps its own input.
void separate(Draft& draft);

}  // namespace xlazy::opt
