// SPDX-License-Identifier: BSD-3-Clause
// Values that are cheaper to compute again than to keep.
//
//     c = x - mean(x);                    k0: mean of x
//     d = c / sqrt(sum(c * c));           k1: c = x - mean, stored; sum(c * c)
//                                         k2: d = c / ...
// The sum must be complete before d begins, so c goes through memory between k1 and k2. But k2 can make c of x as k1
// does, and x is read instead of c: the store is saved, and the memory of c.
//
// A temporary or an array that dies is made again in every kernel that loads it, if in all of them this brings no more
// loads of its size than the one that it spares, what it is made of is still there, and the operations are few and
// quick: arithmetic, or an exponential or logarithm. An op that can fail is never computed twice. Batches that fit the
// second-level cache keep their values: there a store costs less than the operations.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// Operations that one use may add: a few of arithmetic, or one quick call of vector maths.
inline constexpr unsigned kMaxRecomputed = 8;
/// Kernels that may make one value again.
inline constexpr std::size_t kMaxRecomputing = 4;

/// In: lowered kernels. Out: the same, with fewer stores, and with other loads in their place.
void recompute(Draft& draft);

}  // namespace xlazy::opt
