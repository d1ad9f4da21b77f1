// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "xlazy/backends/backend.hpp"

#include <algorithm>

namespace xlazy::be {

/// Adds a trap, keeping the smallest index of every instruction and the order by instruction.
inline void add_trap(Traps& traps, const Trap& trap) {
    const auto place = std::lower_bound(traps.begin(), traps.end(), trap,
                                        [](const Trap& a, const Trap& b) { return a.instruction < b.instruction; });
    if (place == traps.end() || place->instruction != trap.instruction)
        traps.insert(place, trap);
    else if (trap.index < place->index)
        *place = trap;
}

}  // namespace xlazy::be
