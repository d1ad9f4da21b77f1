// SPDX-License-Identifier: BSD-3-Clause
#define XLAZY_LOOPS_NAME one_value
#include "maths/one_value_loops.hpp"
