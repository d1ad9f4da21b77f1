// SPDX-License-Identifier: BSD-3-Clause
// The loops over the maths library's functions, which files of their own compile: all ops whose maths are Vector.
#pragma once

#include "isa/kernel_table.hpp"

namespace xlazy::be {
inline namespace XLAZY_ISA {

template <bc::Op Op, class T, Form F>
void maths_loop(const void* a, const void* b, const void*, void* out, std::int64_t n);

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
