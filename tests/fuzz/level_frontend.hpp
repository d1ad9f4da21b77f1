// SPDX-License-Identifier: BSD-3-Clause
// Level C: random sequences of typed statements over xlazy::xarray and xlazy::xtensor; lazy, eager and stock xtensor.
#pragma once

#include <cstdint>
#include <string>

namespace xlazy::fuzz {

/// Program `number` of the run `seed`. @param show prints its statements
/// @return the empty string, or what went wrong
std::string check_frontend(std::uint64_t seed, std::uint64_t number, bool show);

}  // namespace xlazy::fuzz
