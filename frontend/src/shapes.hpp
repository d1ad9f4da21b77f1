// SPDX-License-Identifier: BSD-3-Clause
// Shapes of values: how they broadcast, and how messages write them.
#pragma once

#include "xlazy/bytecode/program.hpp"

#include <span>
#include <string>

namespace xlazy::rt {

using Extents = std::span<const std::int64_t>;

/// A shape under construction.
struct Shape {
    std::size_t rank = 0;
    std::int64_t extents[bc::kMaxRank];
    Extents span() const noexcept { return {extents, rank}; }
};

/// Both shapes repeated to a common one, aligned at the last axis; false if there is none.
bool broadcast(Extents a, Extents b, Shape& result) noexcept;

/// Does `from`, apart from extents of 1 in front, repeat to `to`?
bool fits(Extents from, Extents to) noexcept;

/// Are they equal, apart from extents of 1 in front?
bool same_elements(Extents a, Extents b) noexcept;

/// "f64(3,4)"
std::string describe(bc::DType type, Extents shape);

}  // namespace xlazy::rt
