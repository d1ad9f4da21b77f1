// SPDX-License-Identifier: BSD-3-Clause
// Level B: a random batch, recorded statement by statement through the run time, with host reads and writes, flushes,
// pins and dying arrays in between; lazy and eager, against the oracle.
#pragma once

#include "fuzz/generator.hpp"

#include <string>

namespace xlazy::fuzz {

/// What happens between the statements follows from `choice` and the statements' numbers.
/// @return the empty string, or what went wrong
std::string check_runtime(const Case& c, std::uint64_t choice);

/// One run of the program, lazy and eager.
std::string check_run(const Case& c, std::uint64_t choice);

}  // namespace xlazy::fuzz
