// SPDX-License-Identifier: BSD-3-Clause
// The arrays that hold much memory, with the lines that made them: for the error that says who holds the memory.
#pragma once

#include "xlazy/bytecode/origin.hpp"
#include "xlazy/detail/base.hpp"

#include <vector>

namespace xlazy::rt {

/// Smaller arrays are not listed; they cost nothing here.
inline constexpr std::size_t kListedBytes = std::size_t{1} << 20;

struct LiveArray {
    const Base* base;
    DType type;
    std::size_t elements, bytes;
    bc::OriginId line;  ///< where it got its memory
};

/// To be called when a base gets memory and when it gives it back. Safe from any thread.
void note_memory(const Base& base, bc::OriginId line) noexcept;
void note_no_memory(const Base& base) noexcept;
/// Largest first.
std::vector<LiveArray> live_arrays();

}  // namespace xlazy::rt
