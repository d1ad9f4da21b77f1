// SPDX-License-Identifier: BSD-3-Clause
// Level A: a random batch, planned with subsets of the passes and run by every back end, against the oracle.
#pragma once

#include "fuzz/generator.hpp"

#include <string>

namespace xlazy::fuzz {

/// Everything that the batch must satisfy; the choice of passes, threads and variants follows from `choice` alone.
/// @return the empty string, or what went wrong
std::string check_case(const Case& c, std::uint64_t choice);

}  // namespace xlazy::fuzz
