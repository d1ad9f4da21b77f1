// SPDX-License-Identifier: BSD-3-Clause
#include "replay.hpp"

namespace xlazy::rt {

void load_batch(Queue& queue, const bc::Program& batch, const std::vector<Base*>& bases) {
    for (Base* base : bases) queue.enroll(*base);
    const std::vector<bc::BaseInfo> enrolled = queue.program.bases;
    queue.program = batch;
    queue.program.bases = enrolled;
    const auto base_of = [&](bc::Operand view) { return batch.views[view.index()].base; };
    for (std::size_t i = 0; i < batch.instructions.size(); ++i) {
        const bc::Instruction& instruction = batch.instructions[i];
        for (unsigned k = 0; k < bc::operand_count(instruction); ++k) {
            if (instruction.in[k].is_view()) queue.note_read(base_of(instruction.in[k]));
        }
        if (instruction.out.is_view()) queue.note_write(base_of(instruction.out), batch.origins[i]);
    }
}

}  // namespace xlazy::rt
