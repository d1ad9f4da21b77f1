// SPDX-License-Identifier: BSD-3-Clause
#define XLAZY_LOOPS_NAME contracted
#include "maths/one_value_loops.hpp"
