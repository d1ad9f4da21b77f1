// SPDX-License-Identifier: BSD-3-Clause
// Instructions become the straight-line body of their kernel.
//
//     mul.f64 t0 d0 v0 v0          %0 = load v0
//     add.f64 v1 d0 t0 s0          %1 = mul %0 %0
//                                  store scratch 0 <- %1
//                                  %3 = scalar s0
//                                  %4 = add %1 %3
//                                  store v1 <- %4
// Values stay in registers: a scalar, a view and a stored temporary are loaded once a kernel, a view that the kernel
// wrote is not loaded at all, and a copy is only another name. Every temporary is stored too; `contract` takes away
// what nobody loads.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// In: code and its grouping. Out: the plan's kernels and scratch.
void lower(Draft& draft);

}  // namespace xlazy::opt
