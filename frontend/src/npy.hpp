// SPDX-License-Identifier: BSD-3-Clause
// Arrays of one axis in NumPy's file format.
#pragma once

#include "xlazy/bytecode/dtype.hpp"

#include <string>

namespace xlazy::rt {

/// As NumPy writes an element type: byte order, kind, bytes; with quotes.
std::string npy_descriptor(bc::DType type);

/// The beginning of a file (version 1.0) with so many elements; the elements follow.
std::string npy_header(bc::DType type, std::size_t elements);

}  // namespace xlazy::rt
