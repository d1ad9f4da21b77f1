// SPDX-License-Identifier: BSD-3-Clause
#define XLAZY_ISA avx512
#include "isa/table.hpp"

namespace xlazy::be {
constinit const KernelTable kAvx512Kernels = make_table();
}
