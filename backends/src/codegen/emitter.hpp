// SPDX-License-Identifier: BSD-3-Clause
// From a kernel to code: a pure function.
#pragma once

#include "codegen/dialect.hpp"

namespace xlazy::be {

/// The kernel as statements, for dialects that put several into one translation unit.
Body body_of(const KernelForm& form, const Dialect& dialect);

/// The code of a kernel as function `name`. Kernels whose ops, types and layouts are equal have equal code, whatever
/// batch they are of. @return nothing where the dialect lacks an op
std::optional<Source> emit(const KernelForm& form, const Dialect& dialect, std::string_view name = "xlazy_kernel");

}  // namespace xlazy::be
