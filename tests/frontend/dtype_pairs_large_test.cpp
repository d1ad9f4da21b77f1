// SPDX-License-Identifier: BSD-3-Clause
#include "dtype_pairs.hpp"

namespace dtype_pairs {

TEST(DtypePairs, i32) { with_all<i32>(); }
TEST(DtypePairs, i64) { with_all<i64>(); }
TEST(DtypePairs, u32) { with_all<u32>(); }
TEST(DtypePairs, u64) { with_all<u64>(); }

}  // namespace dtype_pairs
