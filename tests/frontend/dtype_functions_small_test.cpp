// SPDX-License-Identifier: BSD-3-Clause
#include "dtype_functions.hpp"

namespace dtype_functions {

TEST(DtypeFunctions, boolean) { check<bool>(); }
TEST(DtypeFunctions, i8) { check<i8>(); }
TEST(DtypeFunctions, i16) { check<i16>(); }
TEST(DtypeFunctions, u8) { check<u8>(); }
TEST(DtypeFunctions, u16) { check<u16>(); }

}  // namespace dtype_functions
