// SPDX-License-Identifier: BSD-3-Clause
// What the passes hand on: first the batch's code, then its division into kernels, then the plan.
#pragma once

#include "facts.hpp"

namespace xlazy::opt {

/// The instructions that are planned. Passes remove some and add some; the side tables stay those of the batch.
struct Code {
    std::vector<bc::Instruction> instructions;
    std::vector<std::uint32_t> source;  ///< the recorded instruction that each stands for
    std::uint32_t temp_count = 0;

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
    explicit Draft(const bc::Program& batch) : program(batch), size_class(class_of(batch)), facts(batch) {}

    const bc::Program& program;
    bc::SizeClass size_class;
    Facts facts;
    Code code;
    std::vector<bool> versionable;  ///< by view: what is written through it may go to a new version; or empty
    Grouping grouping;
    bc::Plan plan;
};

inline bool is_reduction(const bc::Instruction& instruction) noexcept {
    return bc::info(instruction.op).kind == bc::OpKind::Reduce;
}

}  // namespace xlazy::opt
