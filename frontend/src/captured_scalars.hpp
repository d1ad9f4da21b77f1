// SPDX-License-Identifier: BSD-3-Clause
// Which numbers of a recorded function are its arguments.
#pragma once

#include "trace.hpp"

#include <functional>
#include <optional>

namespace xlazy::rt {

/// Binds the scalar slots that hold an argument. They are found by recording the function again with other
/// arguments: a slot that holds the argument both times is bound to it. An argument that decided anything else, or that
/// went through arithmetic before it met an array, is fixed: what was recorded holds for its value only.
/// @param decided arguments that are known to be such
/// @param trace records the function with other scalars
/// @return by argument: its value, if it is fixed
std::vector<std::optional<bc::Scalar>> bind_scalars(
    TracedFunction& traced, std::span<const bc::Scalar> scalars, const std::vector<bool>& decided,
    const std::function<TracedFunction(std::span<const bc::Scalar>)>& trace);

}  // namespace xlazy::rt
