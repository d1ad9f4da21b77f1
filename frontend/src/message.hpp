// SPDX-License-Identifier: BSD-3-Clause
// Texts of deferred errors.
#pragma once

#include "failure.hpp"
#include "shapes.hpp"

namespace xlazy::rt {

/// Why an instruction failed.
struct Cause {
    enum class Kind : unsigned char { Trap, NotFinite, NoMemory, Internal } kind;
    std::uint32_t instruction;
    be::Trap trap{};   ///< Trap and NotFinite
    bc::DType type{};  ///< NoMemory: what the memory was for
    Shape shape{};
    std::size_t bytes = 0;
    std::string text{};  ///< Internal
};

/// @param also lines of the other statements of the batch that failed by themselves
/// @param plan may be null
deferred_error make_error(const Queue& queue, const bc::Plan* plan, const Cause& cause,
                          const std::vector<bc::OriginId>& also, FlushInfo flush);

/// A value that was computed and cannot be had any more.
/// @param reason why, without a place
deferred_error make_lost_error(bc::OriginId written_at, const std::string& reason, FlushInfo read);

/// Shape of what an instruction makes.
Shape result_shape(const bc::Program& program, const bc::Instruction& instruction);

}  // namespace xlazy::rt
