// SPDX-License-Identifier: BSD-3-Clause
#define XLAZY_ISA avx2
#include "isa/table.hpp"

namespace xlazy::be {
constinit const KernelTable kAvx2Kernels = make_table();
}
