// SPDX-License-Identifier: BSD-3-Clause
// Which instruction set the back ends use. Apart from backend.hpp, since the kernels of each set take long to compile
// and need to know nothing of plans.
#pragma once

#include <cstdint>
#include <string_view>

namespace xlazy::be {

/// Instruction sets that the kernels exist for; the best one of the machine is the default.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };
/// As XLAZY_ISA spells it.
std::string_view name_of(Isa isa) noexcept;
/// The widest one that this machine has (CPUID).
Isa best_isa() noexcept;
/// The one in use: set_isa's, else the best.
Isa current_isa() noexcept;
/// Chooses the kernels of both back ends, transcendental functions included. Not while a kernel runs.
/// An instruction set that the machine lacks is refused. @return whether it was taken
bool set_isa(Isa isa) noexcept;

}  // namespace xlazy::be
