// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process could still get.
#pragma once

#include <cstdint>
#include <string>

namespace xlazy::rt {

/// The least of what the machine has available and what the control groups of the process (version 1 or 2) still allow.
/// Their page cache counts as free. @param root prefix of /proc and /sys, for tests
/// @return bytes, 0 if nothing can be found out
std::uint64_t free_memory(const std::string& root);

}  // namespace xlazy::rt
