// SPDX-License-Identifier: BSD-3-Clause
// Who reads a copy reads what was copied.
//
//     copy v1 d0 v0                copy v1 d0 v0
//     mul v2 d1 v1 v3              mul v2 d1 v0 v3
// as long as neither has been written meanwhile. Where both lines share a kernel nothing is gained, a copy is a
// register there; but programs copy in one shape and read in another (`old = x`, then stencils; arguments that are
// passed by value; `zeros` that are only added to), and then the copy need not exist: if nobody else reads it, `dce`
// and `contract` take it away. So a copy of a scalar is read as the scalar, and a temporary that is a copy as its
// operand.
//
// Not where the copy stays in memory anyway and what was copied does not: that would only keep one more array alive.
// Not where the result overlaps what was copied: the copy was the way around that.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// In: code without overlaps inside an instruction. Out: the same, operands that are copies replaced.
void propagate_copies(Draft& draft);

}  // namespace xlazy::opt
