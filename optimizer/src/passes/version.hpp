// SPDX-License-Identifier: BSD-3-Clause
// Updates that may go to a new version of their array.
//
//     w = 0.25 * (north + south + west + east);      // views of g, shifted by one
//     view(g, 1.., 1..) = w;
// The kernel that makes w reads elements of g that it must not have written yet, so w would go through memory: written,
// read again and copied to g. But if almost all of g is replaced, it costs less to write the new values to other
// memory, to copy the few elements that stay there, and to make this the memory of g. Then g is read once and written
// once.
//
// This pass says for which views that pays: those that leave out few elements of their base. Whether one is used so is
// up to the scheduler, which else would need another kernel. A plan with new versions is right for every geometry, so
// no guard is needed; where a batch's geometry or a pointer to the array forbids to move it, the run time copies the
// new elements back, which costs no more than the temporary.
#pragma once

#include "draft.hpp"

namespace xlazy::opt {

/// A new version may leave out this many elements, whatever the view's size: to copy them costs less than a kernel.
inline constexpr std::int64_t kFewElements = 4096;
/// And one in so many of the elements that are written.
inline constexpr std::int64_t kWrittenPerCopied = 4;

/// In: code. Out: the same, and the views through which an update may make a new version.
void choose_versions(Draft& draft);

}  // namespace xlazy::opt
