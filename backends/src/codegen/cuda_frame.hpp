// SPDX-License-Identifier: BSD-3-Clause
// The loops of a CUDA kernel around its statements.
#pragma once

#include "codegen/cuda_dialect.hpp"

namespace xlazy::be {

/// The kernel's function.
std::string cuda_function(const CudaForm& form, const Body& body, std::string_view name);

}  // namespace xlazy::be
