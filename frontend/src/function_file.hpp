// SPDX-License-Identifier: BSD-3-Clause
// Captured functions in files. docs/saved-functions.md draws the format.
#pragma once

#include "xlazy/bytecode/function.hpp"
#include "xlazy/jit-cache/entry.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace xlazy::rt {

/// What a file holds.
struct FunctionFile {
    bc::Function function;
    std::vector<jc::Entry> kernels;    ///< compiled ones; may be none
    std::size_t damaged_kernels = 0;   ///< left out as the file was read
    std::vector<std::string> skipped;  ///< sections that this library does not know, and need not
};

/// The format's version. Files of a later one are refused.
inline constexpr std::uint32_t kFunctionFileVersion = 1;

/// The file's bytes. The function is legal.
std::vector<std::byte> encode(const FunctionFile& file);

/// Checks everything: the function is legal, see bc::verify.
/// @param name of the file, for messages
/// @throws file_error
FunctionFile decode(std::span<const std::byte> bytes, const std::string& name);

/// Under a temporary name first: the file is seen whole or not at all.
/// @throws file_error
void write_function(const std::string& path, const FunctionFile& file);
/// @throws file_error
FunctionFile read_function(const std::string& path);

}  // namespace xlazy::rt
