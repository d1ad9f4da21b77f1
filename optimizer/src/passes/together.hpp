// SPDX-License-Identifier: BSD-3-Clause
// Small kernels that do not depend on each other share one dispatch.
//
//     for (i...) y[i] = tanh(x[i]) + 1;       k0 (4000), k1 (2500), k2 (3200), ... arrays of many lengths
// Kernels of different domains cannot be one loop nest. Each of these is too small for more than one thread, all of
// them together are not: so the plan says that they may run at once, and a back end gives each thread some of them, for
// one start of its team. On an accelerator they are one launch.
//
// From a small kernel on, the next ones are taken that depend neither on those taken nor on those left out; they move
// to the front. So of `t = f(x[i]); y[i] = g(t)` with reductions between, first all f, then all g are one dispatch.
// Memory of all is there at once, so little may come and go in it. That kernels are independent is a fact about their
// views, and a guard; what they cost is a choice.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// Elements times operations, in additions and loads, from which on a kernel keeps several threads busy by itself.
inline constexpr std::int64_t kMostWork = std::int64_t{1} << 18;
/// All kernels of a dispatch do this much: less is done before a second thread is awake.
inline constexpr std::int64_t kLeastWork = std::int64_t{1} << 18;
/// Kernels of a dispatch: each of them is bound at a time.
inline constexpr std::uint32_t kMostTogether = 64;
/// How many kernels ahead the pass looks: the time that planning takes.
inline constexpr std::uint32_t kLookAhead = 128;
/// Bytes of what comes and goes in a dispatch, by which the peak could grow: a second-level cache holds them.
inline constexpr std::uint64_t kMostHeld = std::uint64_t{2} << 20;

/// In: kernels and regions. Out: the same, perhaps in another order, and the plan's dispatches.
void run_together(Draft& draft);

}  // namespace xlazy::opt
