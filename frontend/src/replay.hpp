// SPDX-License-Identifier: BSD-3-Clause
// Batches that were not recorded but read from a file.
#pragma once

#include "queue.hpp"

namespace xlazy::rt {

/// Makes a batch the queue's, as if its statements had just been recorded. The queue is empty and its lock is held.
/// @param bases one for each of the batch, of its type and size; those with a value before the batch have memory. A
/// base that only the queue refers to afterwards is not live.
void load_batch(Queue& queue, const bc::Program& batch, const std::vector<Base*>& bases);

}  // namespace xlazy::rt
