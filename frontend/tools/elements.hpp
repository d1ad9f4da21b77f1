// SPDX-License-Identifier: BSD-3-Clause
// Elements of inputs that nobody gives, and checksums of results.
#pragma once

#include "xlazy/bytecode/dtype.hpp"

#include <cstddef>
#include <cstdint>

/// Numbers that follow from the seed: 1 to 100, floating point from 0.5 to 1.5.
void fill(xlazy::bc::DType type, void* memory, std::size_t size, std::uint64_t seed);

/// FNV-1a of the bytes; all NaNs count as one.
std::uint64_t checksum(xlazy::bc::DType type, const void* memory, std::size_t size);
