// SPDX-License-Identifier: BSD-3-Clause
// XLAZY_EXPLAIN: what became of the batches, in the log or as pictures.
#pragma once

#include "failure.hpp"

namespace xlazy::rt {

/// A line that forces more flushes than this gets one hint.
inline constexpr std::uint64_t kManyFlushes = 1000;
/// Pictures of different batches a process; each is a file.
inline constexpr unsigned kMostPictures = 32;

/// To be called for a batch that has run, before its queue is released; does nothing if nothing is asked for.
void explain_flush(const Queue& queue, const bc::Plan& plan, FlushInfo flush);

}  // namespace xlazy::rt
