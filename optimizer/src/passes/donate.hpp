// SPDX-License-Identifier: BSD-3-Clause
// A result takes the memory of an operand that dies.
//
//     kernel k0          alloc b1            alloc b1 in b0
//       %0 = load b0     run k0        ->    run k0
//       ...              free b0             free b0
//       store b1 <- %3
// Where a kernel loads an array or a temporary for the last time, element by element, and stores a new one at the same
// indices in the same order, nothing is lost if the new one lies where the old one lay: at each index the old element
// is read before the new one is written. Saved is the peak of `y = f(x)` with x dying, half of it, and the pages that
// the new array would touch.
//
// A donor gives once; what it gives to is written by stores alone. Which array that is makes no difference to the
// others, so the first that fits is taken.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// In: a plan. Out: the same with donors at its allocations.
void donate(Draft& draft);

}  // namespace xlazy::opt
