// SPDX-License-Identifier: BSD-3-Clause
// Definitions that the code of ops stands on in GNU C: vector types and how they are read, written and selected.
#pragma once

#include "xlazy/backends/backend.hpp"

#include <span>
#include <string>

namespace xlazy::be {

/// The vectors of one kernel.
struct CpuLanes {
    Isa isa;
    int lanes;  ///< of every value
    int mask_bytes() const noexcept;
};

/// The lanes of a kernel that has values of these types, at most so many.
CpuLanes cpu_lanes(Isa isa, std::span<const bc::DType> types, int most) noexcept;

/// Definitions for kernels with values of these types.
std::string cpu_definitions(const CpuLanes& lanes, std::span<const bc::DType> types);
/// What folds leaves of a reduction: its combine step must be defined.
std::string cpu_fold_definitions(const CpuLanes& lanes, bc::Op op, bc::DType type);

/// `text` with $, # and @ replaced, see cpu_ops.def.
std::string fill_in(std::string_view text, bc::DType type, bc::DType result);

}  // namespace xlazy::be
