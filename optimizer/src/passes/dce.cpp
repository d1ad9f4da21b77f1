// SPDX-License-Identifier: BSD-3-Clause
#include "passes/dce.hpp"

namespace xlazy::opt {

using bc::Instruction;

namespace {

bool reads_base(const bc::Program& program, const Instruction& instruction, std::uint32_t base) {
    for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
        const bc::Operand operand = instruction.in[i];
        if (operand.is_view() && program.views[operand.index()].base == base) return true;
    }
    return false;
}

}  // namespace

void remove_dead_code(Draft& draft) {
    Code& code = draft.code;
    const bc::Program& program = draft.program;
    const std::size_t count = code.instructions.size();

    std::vector<bool> temp_wanted(code.temp_count, false);
    std::vector<bool> base_wanted(program.bases.size());
    for (std::size_t b = 0; b < program.bases.size(); ++b) base_wanted[b] = program.bases[b].live;
    // Writes further up: where there is none, nobody need know whether a view covers its base.
    std::vector<std::uint32_t> writes_before(program.bases.size(), 0);
    for (const Instruction& instruction : code.instructions) {
        if (instruction.out.is_view()) ++writes_before[program.views[instruction.out.index()].base];
    }

    std::vector<bool> keep(count, false);
    for (std::size_t i = count; i-- > 0;) {
        const Instruction& instruction = code.instructions[i];
        bool wanted = bc::can_fail(instruction.op, instruction.type);
        if (instruction.out.is_view()) {
            const std::uint32_t base = program.views[instruction.out.index()].base;
            wanted = wanted || base_wanted[base];
            --writes_before[base];
            if (wanted && base_wanted[base] && writes_before[base] != 0 && !reads_base(program, instruction, base) &&
                draft.facts.covers_base(instruction.out.index())) {
                base_wanted[base] = false;
            }
        } else {
            wanted = wanted || temp_wanted[instruction.out.index()];
        }
        if (!wanted) continue;
        keep[i] = true;
        for (unsigned k = 0; k < bc::operand_count(instruction); ++k) {
            const bc::Operand operand = instruction.in[k];
            if (operand.is_temp()) temp_wanted[operand.index()] = true;
            if (operand.is_view()) base_wanted[program.views[operand.index()].base] = true;
        }
    }

    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!keep[i]) continue;
        code.instructions[kept] = code.instructions[i];
        code.source[kept++] = code.source[i];
    }
    code.instructions.resize(kept);
    code.source.resize(kept);
}

}  // namespace xlazy::opt
