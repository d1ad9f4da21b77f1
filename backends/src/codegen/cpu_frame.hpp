// SPDX-License-Identifier: BSD-3-Clause
// The function of a kernel in GNU C: its statements, and the loops around them.
#pragma once

#include "codegen/cpu_types.hpp"
#include "codegen/dialect.hpp"

namespace xlazy::be {

std::string cpu_function(const Body& body, const CpuLanes& lanes, Folding folding, std::string_view name);

}  // namespace xlazy::be
