// SPDX-License-Identifier: BSD-3-Clause
#include "passes/separate.hpp"

namespace xlazy::opt {

using bc::Instruction;
using bc::Operand;

namespace {

bool overlaps(Facts& facts, const Instruction& instruction, unsigned operand) {
    if (!instruction.in[operand].is_view() || is_kept(instruction, operand)) return false;
    const bool elsewhere = is_reduction(instruction) || is_scatter(instruction) || is_gathered(instruction, operand);
    const Relation relation = facts.hazard(instruction.out.index(), instruction.in[operand].index());
    return relation == Relation::Overlap || (relation == Relation::Identical && elsewhere);
}

bool overlaps_input(Facts& facts, const Instruction& instruction) {
    if (!instruction.out.is_view()) return false;
    bool any = false;
    for (unsigned i = 0; i < bc::operand_count(instruction); ++i) any = overlaps(facts, instruction, i) || any;
    return any;
}

Instruction copy_of(const Instruction& like, bc::DType type, Operand out, Operand in) {
    Instruction copy;
    copy.op = bc::Op::copy;
    copy.type = copy.result = type;
    copy.statement = like.statement;
    copy.domain = like.domain;
    copy.out = out;
    copy.in[0] = in;
    return copy;
}

}  // namespace

void separate(Draft& draft) {
    Code result;
    result.temp_count = draft.code.temp_count;
    result.instructions.reserve(draft.code.instructions.size());
    result.source.reserve(draft.code.source.size());
    for (std::size_t i = 0; i < draft.code.instructions.size(); ++i) {
        Instruction instruction = draft.code.instructions[i];
        const std::uint32_t source = draft.code.source[i];
        if (!overlaps_input(draft.facts, instruction)) {
            result.push(instruction, source);
            continue;
        }
        if (is_reduction(instruction) || is_scatter(instruction)) {
            for (unsigned k = 0; k < bc::operand_count(instruction); ++k) {
                if (!overlaps(draft.facts, instruction, k)) continue;
                const Operand temp = Operand::temp(result.temp_count++);
                result.push(copy_of(instruction, bc::operand_type(instruction, k), temp, instruction.in[k]), source);
                instruction.in[k] = temp;
            }
            result.push(instruction, source);
        } else {
            const Operand temp = Operand::temp(result.temp_count++);
            const Instruction copy = copy_of(instruction, instruction.result, instruction.out, temp);
            instruction.out = temp;
            result.push(instruction, source);
            result.push(copy, source);
        }
    }
    draft.code = std::move(result);
}

}  // namespace xlazy::opt
