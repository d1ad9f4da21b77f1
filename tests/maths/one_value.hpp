// SPDX-License-Identifier: BSD-3-Clause
// The library's text compiled as for a GPU, one value at a time: what a CUDA compiler is given, its intrinsics spelled
// by the host's.
#pragma once

#include "xlazy/bytecode/op.hpp"

#include <cstdint>

namespace xlazy::test {

/// out[i] = op(a[i], b[i]).
using OneValueFn = void (*)(const void* a, const void* b, void* out, std::int64_t n);

/// Null where the library has no such function.
OneValueFn one_value(bc::Op op, bc::DType type) noexcept;

/// As one_value, from text that was compiled with fused operations where it has none.
OneValueFn contracted(bc::Op op, bc::DType type) noexcept;

/// As one_value, from text that was compiled with -ffast-math.
OneValueFn fast_maths(bc::Op op, bc::DType type) noexcept;

}  // namespace xlazy::test
