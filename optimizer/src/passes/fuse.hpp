// SPDX-License-Identifier: BSD-3-Clause
// Which instructions share a loop nest: greedy list scheduling in one pass over the code.
//
// An instruction joins the latest kernel of its domain that its dependencies allow, else it opens a new one at the end.
// Kernels run in order, a kernel runs its indices in any order, so what it depends on must lie in an earlier kernel, or in
// the same one and be aligned:
//     a temporary made element by element in the same domain               (it stays in a register)
//     a view written or read element by element, and identical             (a read after the write takes the register)
// Disjoint views do not depend on each other. Whatever a reduction makes is there when its kernel has ended.
// Reductions of one kernel run along the same axis, so a back end has one way to walk it.
//
// Views of one base are compared only with those of the kernels that the instruction would pass, kReach at most, and a
// kernel has few views: the cost is linear in the code, and the guards are few, also for thousands of rows of one array.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// Operations, distinct operands and stores of a kernel. Above this, a longer kernel gains nothing: the passes over memory
/// that fusion saves are saved already, while a compiler's time grows faster than the kernel.
inline constexpr std::uint32_t kMaxMicroOps = 512;
/// Distinct views and stored temporaries that a kernel reads, and views that it writes. More streams than this defeat the
/// hardware's prefetchers and the first-level TLB, and fill a GPU's parameter space.
inline constexpr std::uint32_t kMaxStreams = 48;
/// How many kernels back an instruction may go.
inline constexpr std::uint32_t kReach = 64;

/// In: code without overlaps inside an instruction. Out: its grouping.
void fuse(Draft& draft);

/// Instead of fuse: one kernel an instruction.
void group_singly(Draft& draft);

}  // namespace xlazy::opt
