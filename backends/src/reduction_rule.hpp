// SPDX-License-Identifier: BSD-3-Clause
// The order in which a reduction combines its values: fixed by the shape alone, whatever the threads, the layout and
// the passes. Along a reduced axis of n indices, with `inner` = product of the remaining extents after it:
//   - leaf k holds the indices [k * leaf, (k + 1) * leaf);
//   - lane l of a leaf combines its indices l, l + lanes, l + 2 lanes, ... in order;
//   - lanes combine pairwise, l with l + lanes/2, then l with l + lanes/4, ...;
//   - leaves combine by the perfect binary tree over their numbers: k with k + 1 for even k, then k with k + 2, ...;
//   - lanes and leaves without an index take no part.
// A scan has the same leaves, and blocks of `lanes` indices, one after the other, in each:
//   - an index is combined with those before it in its block by the perfect binary tree over their places, those behind
//     it taking no part;
//   - that with what the last index of the block before it has come to, if it is not the leaf's first block;
//   - and that with what the leaves before have come to at their last indices, combined by the same tree.
// What comes earlier along the axis is the left operand.
#pragma once

#include "isa/isa_namespace.hpp"

#include <cstdint>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// The largest power of two not above x; 0 for 0.
constexpr std::int64_t previous_power_of_two(std::int64_t x) noexcept {
    std::int64_t power = 0;
    for (std::int64_t next = 1; next <= x; next *= 2) power = next;
    return power;
}

inline constexpr std::int64_t kMaxLaneValues = 32;  ///< lanes * inner never exceeds this where there are several lanes

constexpr std::int64_t reduction_lanes(std::int64_t inner) noexcept {
    const std::int64_t lanes = previous_power_of_two(kMaxLaneValues / inner);
    return lanes < 1 ? 1 : lanes;
}
constexpr std::int64_t reduction_leaf(std::int64_t inner) noexcept {
    const std::int64_t leaf = previous_power_of_two(4096 / inner);
    return leaf < 32 ? 32 : leaf;
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
