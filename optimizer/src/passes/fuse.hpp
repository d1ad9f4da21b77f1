// SPDX-License-Identifier: BSD-3-Clause
// Which instructions share a loop nest: greedy list scheduling, linear in the code.
//
// What is scheduled is a piece of a statement: its next instructions of one domain, as far as one kernel could hold
// them. Instructions alone would do worse: the first ones of a statement would join a kernel that its last ones must
// not join, and what lies between would go through memory. A piece joins that of the latest kernels of its domain that
// its dependencies allow and that has most of its operands in registers, else it opens a new kernel at the end. Then
// earlier kernels that have operands of it are taken into its kernel, if no kernel between needs them: they wait for
//     a = b * c;   (d0)
//     p = q + 1;   (d1)
//     a += p;      (d0, p repeated)
// At the end, kernels that share nothing become one where nothing forbids it: that saves a start. Not before, since
// what uses a piece's results could not follow it to an earlier kernel.
//
// Kernels run in order, a kernel runs its indices in any order, so what a piece depends on must lie in an earlier
// kernel, or in the same one and be aligned:
//     a temporary made element by element in the same domain               (it stays in a register)
//     a view written or read element by element, and identical             (a read after the write takes the register)
// Disjoint views do not depend on each other. Whatever a reduction makes is there when its kernel has ended.
// Reductions of one kernel run along the same axis, so a back end has one way to walk it. A scan is made element by
// element for those that use it, but shares a kernel with no reduction and no other scan: it may be computed in two
// goes.
//
// Views of one base are compared only with those of the kernels that the piece would pass, kReach at most, and a kernel
// has few views: the guards are few, also for thousands of rows of one array.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// Operations, loads and stores of a kernel: a longer one is rare (an equation of state of sea water has 600), while a
/// compiler's time grows faster than the kernel.
inline constexpr std::uint32_t kMaxMicroOps = 1024;
/// Views and stored temporaries that a kernel loads, and views that it stores; arrays that die in it do not count. More
/// streams than this defeat the hardware's prefetchers and the first-level TLB, and fill a GPU's parameter space.
inline constexpr std::uint32_t kMaxStreams = 48;
/// The same for batches that fit the first-level cache, where all that a stream costs is its pointer, and all that a
/// kernel costs is its start.
inline constexpr std::uint32_t kMaxStreamsInCache = 256;
/// Views that a kernel uses in all, those of arrays that die in it included: the time that planning takes.
inline constexpr std::size_t kMaxViews = 256;
/// How many kernels back a piece may go.
inline constexpr std::uint32_t kReach = 64;
/// How many kernels it may choose from.
inline constexpr unsigned kMaxChoices = 4;

/// In: code without overlaps inside an instruction. Out: its grouping.
void fuse(Draft& draft);

/// Instead of fuse: one kernel an instruction.
void group_singly(Draft& draft);

}  // namespace xlazy::opt
