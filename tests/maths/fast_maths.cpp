// SPDX-License-Identifier: BSD-3-Clause
#define XLAZY_LOOPS_NAME fast_maths
#include "maths/one_value_loops.hpp"
