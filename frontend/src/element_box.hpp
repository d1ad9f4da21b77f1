// SPDX-License-Identifier: BSD-3-Clause
// Sets of elements of one base, as regular as views are: which of them an error spoils, and which were overwritten.
#pragma once

#include "xlazy/bytecode/program.hpp"

#include <vector>

namespace xlazy::rt {

/// The elements offset + k_0 * stride_0 + k_1 * stride_1 + ..., each k from 0 to below its axis' extent. No element
/// twice; extents from 2, strides positive and falling, axes that follow each other merged.
struct ElementBox {
    std::int64_t offset = 0;
    unsigned rank = 0;
    bool empty = false;
    bc::Dim axes[bc::kMaxRank];

    std::span<const bc::Dim> dims() const noexcept { return {axes, rank}; }
    std::int64_t last() const noexcept;
    friend bool operator==(const ElementBox& a, const ElementBox& b) noexcept;
};

/// All elements from `first` to `last`.
ElementBox interval_box(std::int64_t first, std::int64_t last) noexcept;
/// The elements of a view; of one that repeats elements, all between its first and its last.
ElementBox box_of(const bc::Program& program, std::uint32_t view) noexcept;

bool contains(const ElementBox& box, std::int64_t element) noexcept;
/// Never wrongly false.
bool meet(const ElementBox& a, const ElementBox& b) noexcept;
/// Adds boxes that hold the elements of `a` that are not in `b`; more than those where the two do not lie on one grid.
void subtract(const ElementBox& a, const ElementBox& b, std::vector<ElementBox>& rest);

}  // namespace xlazy::rt
