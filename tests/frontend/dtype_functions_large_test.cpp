// SPDX-License-Identifier: BSD-3-Clause
#include "dtype_functions.hpp"

namespace dtype_functions {

TEST(DtypeFunctions, i32) { check<i32>(); }
TEST(DtypeFunctions, i64) { check<i64>(); }
TEST(DtypeFunctions, u32) { check<u32>(); }
TEST(DtypeFunctions, u64) { check<u64>(); }
TEST(DtypeFunctions, f32) { check<float>(); }
TEST(DtypeFunctions, f64) { check<double>(); }
TEST(DtypeFunctions, complex) {
    Reductions<c64>().run();
    Reductions<c128>().run();
}

}  // namespace dtype_functions
