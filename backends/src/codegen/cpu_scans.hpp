// SPDX-License-Identifier: BSD-3-Clause
// What scans stand on in GNU C.
#pragma once

#include "codegen/cpu_types.hpp"
#include "codegen/kernel_form.hpp"

namespace xlazy::be {

/// For a scan whose combine step is defined. Where rows are leaves, by blocks of 32 values:
///   scanned_OP_T(a, fresh, before, present)  scans a block, in place, all of it behind `before` unless it is fresh;
///                                            returns its last value that is there, in every lane
///   scan_after_OP_T(a, before)               all values of a block behind `before`
/// Where leaves are rows:
///   scan_row_OP_T(carry, first, x)           x behind the carry, unless it is the first; then the carry, too
///   scan_row_part_OP_T(carry, first, x, n)
std::string cpu_scan_definitions(const CpuLanes& lanes, Folding scanning, bc::Op op, bc::DType type);

}  // namespace xlazy::be
