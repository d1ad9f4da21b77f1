// SPDX-License-Identifier: BSD-3-Clause
// Inputs of xlazy-run-bytecode from NumPy's files.
#pragma once

#include "xlazy/bytecode/program.hpp"
#include "xlazy/saved_function.hpp"

#include <string>

/// What read_npy says of a file that is not there.
inline const std::string kNoFile = "no such file";

/// Reads a .npy file (format 1 or 2, C order) of the base's type and size, whatever its shape, into memory of the
/// base's size. @return the empty string, kNoFile, or what is wrong
std::string read_npy(const std::string& file, const xlazy::bc::BaseInfo& base, void* memory);

/// Reads a file of the array's type, shape and order. @return as above
std::string read_npy(const std::string& file, const xlazy::array_signature& array, void* memory);
