// SPDX-License-Identifier: BSD-3-Clause
#include "dtype_pairs.hpp"

namespace dtype_pairs {

TEST(DtypePairs, boolean) { with_all<bool>(); }
TEST(DtypePairs, i8) { with_all<i8>(); }
TEST(DtypePairs, i16) { with_all<i16>(); }
TEST(DtypePairs, u8) { with_all<u8>(); }
TEST(DtypePairs, u16) { with_all<u16>(); }

}  // namespace dtype_pairs
