// SPDX-License-Identifier: BSD-3-Clause
// Saved functions, as xlazy-run-bytecode runs them.
#pragma once

#include "run_options.hpp"

/// Does the file begin as one of a saved function?
bool is_saved_function(const std::string& file);

/// @throws Failure, and what saved_function throws
void run_saved(const Options& options);
