// SPDX-License-Identifier: BSD-3-Clause
// Which ops the maths library has, and the loops over its functions, which files of their own compile.
#pragma once

#include "isa/kernel_table.hpp"

namespace xlazy::be {
inline namespace XLAZY_ISA {

constexpr bool has_maths(bc::Op op) {
    switch (op) {
#define XLAZY_MATHS(id, arity, file) case bc::Op::id:
#include "math/functions.def"
        return true;
        default: return false;
    }
}

template <bc::Op Op, class T, Form F>
void maths_loop(const void* a, const void* b, const void*, void* out, std::int64_t n);

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
