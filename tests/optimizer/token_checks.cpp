// SPDX-License-Identifier: BSD-3-Clause
// Whether a plan does on tokens what its batch says, and the sets of passes to try.
#include "token_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::test {

std::string difference(const TokenRun& batch, const TokenRun& plan, const bc::Program& program) {
    const auto merged_into = [&](std::uint32_t instruction) {
        const auto merge = plan.merged.find(instruction);
        return merge == plan.merged.end() ? instruction : merge->second;
    };
    if (!plan.fault.empty()) return plan.fault;
    for (std::size_t b = 0; b < program.bases.size(); ++b) {
        if (!program.bases[b].live) continue;
        for (std::size_t i = 0; i < batch.bases[b].size(); ++i) {
            if (batch.bases[b][i] == kUnspecified) continue;
            if (plan.bases[b].empty()) return fmt::format("base {} has no memory", b);
            if (plan.bases[b][i] != batch.bases[b][i]) return fmt::format("base {} differs at element {}", b, i);
        }
    }
    for (const auto& [element, operands] : batch.fallible) {
        auto found = plan.fallible.find(element);
        if (found == plan.fallible.end()) found = plan.fallible.find({merged_into(element.first), element.second});
        if (found == plan.fallible.end()) return fmt::format("instruction {} was not computed", element.first);
        const bool specified = std::ranges::find(operands, kUnspecified) == operands.end();
        if (specified && found->second != operands)
            return fmt::format("instruction {} had other operands", element.first);
    }
    return {};
}

opt::PlanOptions token_options(std::string_view passes) {
    std::vector<std::string> unknown;
    return token_options(opt::parse_passes(passes, unknown));
}

opt::PlanOptions token_options(opt::PassSet passes) {
    std::vector<std::string> unknown;
    passes.bits &= ~opt::parse_passes("algebra", unknown).bits;
    return {passes, true, {}};
}

std::vector<opt::PassSet> pass_sets() {
    std::vector<std::uint32_t> bits;
    std::uint32_t bit = 1;
    for (const opt::PassInfo& pass : opt::pass_table()) {
        if (!pass.mandatory) bits.push_back(bit);
        bit <<= 1;
    }
    std::vector<opt::PassSet> sets{{0}, {~0u}};
    for (const std::uint32_t one : bits) {
        sets.push_back({~one});
        for (const std::uint32_t other : bits) {
            if (other >= one) sets.push_back({one | other});
        }
    }
    return sets;
}

std::string check_plan(const bc::Plan& plan, const bc::Program& program) {
    return check_plan(plan, program, run_batch(program));
}

std::string check_plan(const bc::Plan& plan, const bc::Program& program, const TokenRun& batch) {
    if (const std::string wrong = bc::verify(plan, program); !wrong.empty()) return wrong;
    if (!bc::guards_hold(plan, program)) return "the plan's guards do not hold for its own batch";
    for (const unsigned seed : {1u, 2u}) {
        if (const std::string wrong = difference(batch, run_plan(plan, program, seed), program); !wrong.empty()) {
            return wrong;
        }
    }
    return {};
}

}  // namespace xlazy::test
