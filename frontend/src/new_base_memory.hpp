// SPDX-License-Identifier: BSD-3-Clause
// A base that is about to get another value as a whole, from outside of any queue.
#pragma once

#include "base_access.hpp"
#include "xlazy/bytecode/origin.hpp"

namespace xlazy::rt {

/// Memory for the new value, what was there is not looked at. Statements that still read the old value run first.
/// @throws deferred_error of this thread's queue, std::bad_alloc
void* memory_to_replace(Base& base, bc::OriginId line);

}  // namespace xlazy::rt
