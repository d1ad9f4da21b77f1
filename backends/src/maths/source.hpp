// SPDX-License-Identifier: BSD-3-Clause
// The maths library as text, for generated code. The same text is compiled into this library, so that a generated
// kernel's bits are those of the tile interpreter.
//
// A function of an op is called xl_<op>_f64 or xl_<op>_f32 (xl_pow_f64(a, b), xl_exp_f32(a)); it takes and returns
// xl_f64 or xl_f32, which the dialect defines. The text is C++ without headers: a dialect first, then the files. In the
// vector dialect xl_f64 is `double __attribute__((vector_size(8 * XL_LANES_F64)))`, xl_f32 that of XL_LANES_F32 floats;
// both macros are defined before it, XL_LANES_F32 as XL_LANES_F64 or twice that. In the CUDA dialect they are double
// and float. Functions of complex numbers are called xl_<op>_c128 or xl_<op>_c64 and take structs of those names,
// { re, im } of xl_f64 or xl_f32. Compile with -ffp-contract=off (--fmad=false).
#pragma once

#include "xlazy/bytecode/op.hpp"

#include <span>
#include <string>
#include <string_view>

namespace xlazy::be {

enum class MathsDialect : std::uint8_t { gnu, cuda };

/// Has the maths library a function of this op, for floats and doubles?
bool has_maths_text(bc::Op op) noexcept;
/// The same for operands of a type.
bool has_maths_text(bc::Op op, bc::DType type) noexcept;

/// The primitives.
std::string_view maths_dialect(MathsDialect dialect) noexcept;

/// The functions of `ops` with what they need, each once, in one order whatever that of `ops`; of real numbers, and, if
/// asked for, those of complex ones.
std::string maths_text(std::span<const bc::Op> ops, bool complex = false);

}  // namespace xlazy::be
