// SPDX-License-Identifier: BSD-3-Clause
// Compiled kernels in files of saved functions. No xtensor here.
#pragma once

#include "xlazy/file_error.hpp"

#include <cstddef>
#include <string>

namespace xlazy {

/// Puts the kernels that this process has compiled or loaded into the file of a saved function, in place of those that
/// it had. A process that has run nothing but that function puts nothing else there. @return how many
/// @throws file_error
std::size_t save_kernels(const std::string& file);

}  // namespace xlazy
