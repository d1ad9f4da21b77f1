// SPDX-License-Identifier: BSD-3-Clause
// Records instructions of a batch through the run time's own interface, as the frontend's templates do.
#pragma once

#include "fuzz/geometry.hpp"
#include "xlazy/detail/recorder.hpp"

#include <map>
#include <span>

namespace xlazy::fuzz {

/// Records one statement: the instructions from `first` to `last` (excluded) of `program`, on the arrays `bases`.
/// @throws what the run time throws
void record_statement(const bc::Program& program, std::size_t first, std::size_t last, std::span<rt::Base* const> bases,
                      here line);

}  // namespace xlazy::fuzz
