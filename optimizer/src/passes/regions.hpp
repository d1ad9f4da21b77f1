// SPDX-License-Identifier: BSD-3-Clause
// Kernels that share rows run piece by piece.
//
//     m = amax(x, 1);  e = exp(x - m);  y = e / sum(e, 1);        softmax of rows
// takes a kernel to the maximum, one to the sum and one to the quotient, since a reduction must be complete before it
// is used. But what a row needs of the others is nothing. So the three make a region: all of them go through some rows
// before they go on to the next ones. x is read once, m, e and the sums are there for some rows at a time, and only y
// goes to memory. Stencils are the same, with a few rows more between one kernel and the next (bytecode/region.hpp).
//
// A kernel that updates an array of which earlier kernels of the region still read neighbours writes a new version of
// it (version.hpp); a small kernel that depends on nothing in the region runs before it.
//
// From each kernel on the pass tries every axis and takes the next kernels as long as they can be cut so. A region
// pays if it spares memory traffic, and if its rows fit a cache. Which regions there are is a choice; that they can run
// so is a fact about the batch's geometry, and a guard.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// Bytes of traffic that a region must spare: below, what is handed on is in a cache anyway.
inline constexpr std::int64_t kLeastSpared = std::int64_t{4} << 20;
/// Kernels of a region: the time that planning takes.
inline constexpr std::size_t kMaxRegionKernels = 32;
/// Bytes of all rows that a region has in use at one position: a second-level cache holds them.
inline constexpr std::int64_t kMaxRegionRows = std::int64_t{2} << 20;
/// Positions of a region: its threads share them.
inline constexpr std::int64_t kLeastPositions = 8;
/// Where a piece is no stretch of memory: bytes that lie side by side. Less would be read in crumbs.
inline constexpr std::int64_t kLeastRun = 4096;
/// Small kernels that the pass moves out of the way, in a plan.
inline constexpr unsigned kMaxMoved = 64;

/// In: contracted kernels. Out: the same, perhaps in another order and with new versions, and the plan's regions.
void find_regions(Draft& draft);

}  // namespace xlazy::opt
