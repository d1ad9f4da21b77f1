// SPDX-License-Identifier: BSD-3-Clause
// What the passes hand on: first the batch's code, then its division into kernels, then the plan.
#pragma once

#include "facts.hpp"

namespace xlazy::opt {

/// A number that follows from a scalar of the batch.
struct FormedScalar {
    std::uint32_t slot;
    bc::ScalarForm form;
    friend bool operator==(const FormedScalar&, const FormedScalar&) noexcept = default;
};

/// The instructions that are planned. Passes remove some and add some; the side tables stay those of the batch.
struct Code {
    std::vector<bc::Instruction> instructions;
    std::vector<std::uint32_t> source;  ///< the recorded instruction that each stands for
    std::uint32_t temp_count = 0;
    std::vector<FormedScalar> formed;  ///< operands of kind scalar, numbered after the batch's slots

    void push(const bc::Instruction& instruction, std::uint32_t from) {
        instructions.push_back(instruction);
        source.push_back(from);
    }
};

/// Kernel of every instruction of the code; the order inside a kernel is the code's.
struct Grouping {
    std::vector<std::uint32_t> kernel;
    std::uint32_t count = 0;
    std::vector<std::pair<std::uint32_t, bc::Version>> versions;  ///< that the kernel makes; ascending by kernel
};

inline bc::SizeClass class_of(const bc::Program& batch) {
    bc::GeometryKey key;
    bc::geometry_key(batch, key);
    return key.size_class;
}

struct Draft {
    Draft(const bc::Program& batch, bc::SizeClass size) : program(batch), size_class(size), facts(batch) {}

    const bc::Program& program;
    bc::SizeClass size_class;
    Facts facts;
    Code code;
    bool anyhow = false;            ///< regions and dispatches also where they do not pay
    std::vector<bool> versionable;  ///< by view: what is written through it may go to a new version; or empty
    Grouping grouping;
    bc::Plan plan;
    std::vector<std::uint32_t> merged_into;  ///< by instruction of the batch; empty: none is merged

    /// The slot behind a scalar operand of the code, and what is taken of it.
    FormedScalar scalar(std::uint32_t index) const noexcept {
        const auto slots = static_cast<std::uint32_t>(program.scalars.size());
        return index < slots ? FormedScalar{index, bc::ScalarForm::Value} : code.formed[index - slots];
    }
    /// The earlier instruction `into` computes what `instruction` asks for.
    void merge(std::uint32_t instruction, std::uint32_t into);
    /// Hands guards and merged instructions to the plan.
    void finish();
};

inline bool is_reduction(const bc::Instruction& instruction) noexcept {
    return bc::info(instruction.op).kind == bc::OpKind::Reduce;
}

/// Its result is written at other indices than those of what it reads.
inline bool is_scatter(const bc::Instruction& instruction) noexcept {
    return bc::info(instruction.op).kind == bc::OpKind::Scatter;
}
/// An operand whose elements are found by their numbers.
inline bool is_gathered(const bc::Instruction& instruction, unsigned operand) noexcept {
    return operand == 0 && bc::info(instruction.op).kind == bc::OpKind::Gather;
}
/// The operand that says what a scatter leaves as it is: the view that it writes.
inline bool is_kept(const bc::Instruction& instruction, unsigned operand) noexcept {
    return operand == 2 && is_scatter(instruction);
}
inline bool is_library_call(const bc::Instruction& instruction) noexcept {
    return bc::info(instruction.op).kind == bc::OpKind::Library;
}

inline bool is_scan(const bc::Instruction& instruction) noexcept {
    return bc::info(instruction.op).kind == bc::OpKind::Scan;
}
inline bool is_scan(const bc::MicroOp& op) noexcept {
    return op.kind == bc::MicroOp::Kind::Compute && bc::info(op.op).kind == bc::OpKind::Scan;
}

}  // namespace xlazy::opt
