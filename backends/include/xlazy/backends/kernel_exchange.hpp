// SPDX-License-Identifier: BSD-3-Clause
// Compiled kernels that come and go with files.
#pragma once

#include "xlazy/jit-cache/entry.hpp"

#include <vector>

namespace xlazy::be {

/// The kernels that this process has compiled or loaded.
std::vector<jc::Entry> compiled_kernels();

/// From now on kernels of these texts have this code, where nothing is compiled yet. It is machine code that the process
/// will run. Does nothing where kernels are not compiled (XLAZY_JIT=off).
void offer_kernels(std::vector<jc::Entry> entries);

}  // namespace xlazy::be
