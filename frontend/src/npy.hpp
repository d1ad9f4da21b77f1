// SPDX-License-Identifier: BSD-3-Clause
// Arrays in NumPy's file format.
#pragma once

#include "xlazy/bytecode/dtype.hpp"

#include <span>
#include <string>

namespace xlazy::rt {

/// As NumPy writes an element type: byte order, kind, bytes; with quotes.
std::string npy_descriptor(bc::DType type);

/// The beginning of a file (version 1.0) with an array of this shape; the elements follow.
std::string npy_header(bc::DType type, std::span<const std::int64_t> extents, bool column_major = false);
/// The same for so many elements on one axis.
std::string npy_header(bc::DType type, std::size_t elements);

}  // namespace xlazy::rt
