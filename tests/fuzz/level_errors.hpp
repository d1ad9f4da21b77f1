// SPDX-License-Identifier: BSD-3-Clause
// Random batches into which a fault is put: whatever the passes, the back end and the threads, the error names the
// right line, what does not depend on it keeps its value, overwriting heals, and no memory is left.
#pragma once

#include "fuzz/generator.hpp"

#include <string>

namespace xlazy::fuzz {

/// Where the fault is, and how the batch runs, follows from `choice`.
/// @return the empty string, or what went wrong
std::string check_errors(const Case& c, std::uint64_t choice);

}  // namespace xlazy::fuzz
