// SPDX-License-Identifier: BSD-3-Clause
// Cheaper operations with the same bits.
//
// A division costs several multiplications, an integer division thirty; programs are full of `x / 2.0`, of casts that
// xtensor's result types bring along, and of masks that are negated twice. The rules are a table, algebra_rules.def:
// one line a rule, an equation with its guard.
//     div.f64 v0 d0 v1 s0          mul.f64 v0 d0 v1 s0:reciprocal        guard: s0 is a power of two
//     cast.i16.i32 t0 d0 v1
//     cast.i32.f64 v0 d0 t0        cast.i16.f64 v0 d0 v1
// A rule holds for NaN (payload and sign as the machine gives them), infinities, -0 and subnormals, or it is not in the
// table: x + 0 is not x (-0), x * 0 is not 0, and x * 1 is x only where x is no signalling NaN, since arithmetic makes
// it quiet. A test runs every rule on such values, generated from the table.
//
// Scalars are data, so a fact about one becomes a guard of the plan, and what follows from one is computed when the
// plan is bound. Patterns reach through the temporaries of a statement while nobody has written what they read. What is
// not needed any more is left to `dce`.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// In: code without overlaps inside an instruction. Out: the same values by rules of the table.
void rewrite_algebra(Draft& draft);

}  // namespace xlazy::opt
