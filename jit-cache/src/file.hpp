// SPDX-License-Identifier: BSD-3-Clause
// Files and directories below an open directory.
#pragma once

#include "xlazy/jit-cache/directory.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace xlazy::jc {

/// @return 0 or errno. A limit on the size of files is an error here, not the end of the process.
int write_all(int file, std::span<const std::byte> bytes) noexcept;

/// At most `size` bytes; fewer where the file ends before.
/// @return 0 or errno
int read_all(int file, std::size_t size, Bytes& bytes);

/// Calls `visit` with every name in a directory but "." and "..".
/// @return 0 or errno
int for_each_name(int directory, const char* below, const std::function<void(const char*)>& visit);

/// "what: text of the error"
std::string error_text(std::string_view what, int error);

}  // namespace xlazy::jc
