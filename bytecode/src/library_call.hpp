// SPDX-License-Identifier: BSD-3-Clause
// What holds of library calls in a plan.
#pragma once

#include "xlazy/bytecode/plan.hpp"

namespace xlazy::bc {

inline bool is_library(const MicroOp& op) noexcept {
    return op.kind == MicroOp::Kind::ReduceView && info(op.op).kind == OpKind::Library;
}

/// A library call is a kernel of its own: it comes last, after what it loads. @return the empty string, or what is
/// wrong
std::string library_fault(const Kernel& kernel);

/// Do the operands have shapes that the routine takes, and has the result as many elements as it gives? The operands
/// and the view that is written are there, and of the right types. @return the empty string, or what is wrong
std::string library_shape_fault(const Program& program, const Instruction& instruction);

}  // namespace xlazy::bc
