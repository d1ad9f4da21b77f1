// SPDX-License-Identifier: BSD-3-Clause
// Values that only one kernel needs get no memory.
//
// A store is needless if nobody loads what it stored:
//     a temporary that no other kernel reads
//     a view of a base that is not live after the batch and that no later kernel loads
//     a view that the same kernel writes again, identically (what lies between took the register)
// An array all of whose stores are needless never gets memory; most arrays of a program that is written in small steps
// end like this.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// In: lowered kernels. Out: the same without needless stores, and without the scratch that nobody uses.
void contract(Draft& draft);

}  // namespace xlazy::opt
