// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

namespace xlazy::test {

/// Compares every function's values on each instruction set of the machine, and those of the text as a GPU gets it, one
/// at a time, for `count` random operands a function and type; prints a line a function. `only` names one function, or
/// is empty. @return whether all bits are the same
bool compare_bits(std::size_t count, std::string_view only);

}  // namespace xlazy::test
