// SPDX-License-Identifier: BSD-3-Clause
#define XLAZY_ISA baseline
#include "isa/table.hpp"

namespace xlazy::be {
constinit const KernelTable kBaselineKernels = make_table();
}
