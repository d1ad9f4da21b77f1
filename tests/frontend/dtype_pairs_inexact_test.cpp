// SPDX-License-Identifier: BSD-3-Clause
#include "dtype_pairs.hpp"

namespace dtype_pairs {

TEST(DtypePairs, f32) { with_all<float>(); }
TEST(DtypePairs, f64) { with_all<double>(); }
TEST(DtypePairs, c64) { with_all<c64>(); }
TEST(DtypePairs, c128) { with_all<c128>(); }

}  // namespace dtype_pairs
