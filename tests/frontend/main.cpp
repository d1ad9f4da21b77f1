// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include <gtest/gtest.h>

int main(int count, char** arguments) {
    testing::InitGoogleTest(&count, arguments);
    register_comparisons();
    return RUN_ALL_TESTS();
}
