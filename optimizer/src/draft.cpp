// SPDX-License-Identifier: BSD-3-Clause
#include "draft.hpp"

namespace xlazy::opt {

void Draft::merge(std::uint32_t instruction, std::uint32_t into) {
    if (merged_into.empty()) {
        merged_into.resize(program.instructions.size());
        for (std::uint32_t i = 0; i < merged_into.size(); ++i) merged_into[i] = i;
    }
    if (instruction != into) merged_into[instruction] = into;
}

void Draft::finish() {
    facts.give_guards(plan);
    // What an instruction is merged into comes before it, so one pass finds the end of every chain.
    for (std::uint32_t i = 0; i < merged_into.size(); ++i) {
        merged_into[i] = merged_into[merged_into[i]];
        if (merged_into[i] != i) plan.merged.push_back({i, merged_into[i]});
    }
}

}  // namespace xlazy::opt
