// SPDX-License-Identifier: BSD-3-Clause
// XLAZY_CHECK=nan: reductions of finite numbers that are not finite.
#pragma once

#include "xlazy/backends/backend.hpp"

namespace xlazy::rt {

/// After a kernel has run: are the results of its reductions finite? Those of minimum and maximum do not count.
bool reductions_are_finite(const bc::Kernel& kernel, const be::Bindings& bindings);

/// After a kernel has run with full checks: what it said of the operands of its reductions goes from `traps`;
/// reductions whose operands are finite and that have a result which is not are added.
void check_reductions(const bc::Kernel& kernel, const be::Bindings& bindings, be::Traps& traps);

}  // namespace xlazy::rt
