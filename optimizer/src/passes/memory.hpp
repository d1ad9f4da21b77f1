// SPDX-License-Identifier: BSD-3-Clause
// When memory comes and goes.
//
// An array or a temporary gets memory right before the first kernel that uses it and loses it right after the last.
// Arrays that are live after the batch are never freed here, and arrays that have a value before it are not allocated.
// An array that dies unread, with a value from before the batch, is freed at once.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// In: the plan's final kernels. Out: its steps, and the lists of what got no memory.
void plan_memory(Draft& draft);

}  // namespace xlazy::opt
