// SPDX-License-Identifier: BSD-3-Clause
// Random windows on arrays, cut as a user would: slices, steps, negative steps, integer indices, new axes,
// transposition, repetition.
#pragma once

#include "fuzz/geometry.hpp"
#include "fuzz/random.hpp"

#include <optional>

namespace xlazy::fuzz {

/// ViewKind::count_ as a wish means: anything.
inline constexpr ViewKind kAnyKind = ViewKind::count_;

/// A window with this shape on an array of shape `natural`, of the wanted kind as far as the shapes allow.
/// @return nothing where the array has no room
std::optional<Window> place(Random& random, std::uint32_t base, const Shape& natural, const Shape& shape,
                            ViewKind kind);

/// All of an array, as it is.
Window whole_window(std::uint32_t base, const Shape& natural);

/// The shape of a window of this kind that fits an array of shape `natural`.
Shape shape_within(Random& random, const Shape& natural, ViewKind kind);

/// The shape of an array that has room for a window with this shape and kind.
Shape natural_for(Random& random, const Shape& shape, ViewKind kind);

}  // namespace xlazy::fuzz
