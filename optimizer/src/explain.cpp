// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/optimizer/explain.hpp"

#include "kernel_uses.hpp"
#include "pass_set.hpp"

#include <algorithm>
#include <set>

namespace xlazy::opt {

using bc::MicroOp;

namespace {

PlanCost cost_of(const bc::Program& program, const bc::Plan& plan, std::span<const std::uint32_t> stay) {
    return {plan.kernels.size(), traffic_of(program, plan, stay), footprint_of(program, plan).peak};
}

/// Lines of instructions, given in any order.
Lines lines_of(const bc::Program& program, std::vector<std::uint32_t> instructions) {
    std::ranges::sort(instructions);
    Lines lines;
    for (const std::uint32_t i : instructions) {
        if (std::ranges::find(lines, program.origins[i]) == lines.end()) lines.push_back(program.origins[i]);
    }
    return lines;
}

/// What a kernel computes or stores; what it only loads belongs to whoever made it.
std::vector<std::uint32_t> computed(const bc::Kernel& kernel, const bc::Plan& plan) {
    std::set<std::uint32_t> instructions;
    for (const MicroOp& op : kernel.ops) {
        const bool loads = op.kind == MicroOp::Kind::LoadView || op.kind == MicroOp::Kind::LoadScratch ||
                           op.kind == MicroOp::Kind::LoadScalar;
        if (!loads) instructions.insert(op.instruction);
    }
    std::vector<std::uint32_t> result(instructions.begin(), instructions.end());
    for (const bc::Merge& merge : plan.merged) {
        if (instructions.contains(merge.into)) result.push_back(merge.instruction);
    }
    return result;
}

void note_kernels(const bc::Program& program, const bc::Plan& plan, std::span<const std::uint32_t> stay,
                  Explanation& result) {
    for (const bc::Kernel& kernel : plan.kernels) {
        const auto extents = program.domain_extents(kernel.domain);
        result.kernels.push_back({lines_of(program, computed(kernel, plan)),
                                  {extents.begin(), extents.end()},
                                  traffic_of(program, plan, kernel, stay),
                                  !kernel.versions.empty(),
                                  std::ranges::any_of(kernel.versions, [&](const bc::Version& version) {
                                      return copies_back(program, version, stay);
                                  })});
    }
}

void note_merged(const bc::Program& program, const bc::Plan& plan, Explanation& result) {
    std::set<MergeNote> merged;
    for (const auto& [instruction, into] : plan.merged) {
        const MergeNote note{program.origins[instruction], program.origins[into], program.instructions[instruction].op};
        if (merged.insert(note).second) result.merged.push_back(note);
    }
}

void note_regions(const bc::Program& program, const bc::Plan& plan, std::span<const std::uint32_t> stay,
                  Explanation& result) {
    for (const bc::Region& region : plan.regions) {
        RegionNote note{region.first, region.end() - 1, traffic_of(program, plan, region, stay)};
        for (const bc::Storage& local : region.locals) note.handed_on += bc::bytes_of(plan, program, local);
        result.regions.push_back(note);
    }
}

bool in_one_region(const bc::Plan& plan, std::uint32_t first, std::uint32_t second) noexcept {
    return std::ranges::any_of(plan.regions, [&](const bc::Region& region) {
        return region.first <= first && first < region.end() && region.first <= second && second < region.end();
    });
}

void note_contracted(const bc::Program& program, const bc::Plan& plan, Explanation& result) {
    std::vector<bool> contracted(program.bases.size(), false);
    for (const std::uint32_t base : plan.contracted) {
        contracted[base] = true;
        result.contracted_bytes +=
            static_cast<std::uint64_t>(program.bases[base].size) * bc::size_of(program.bases[base].type);
    }
    result.contracted_arrays = plan.contracted.size();
    result.contracted_temporaries = plan.contracted_temps;
    std::vector<std::uint32_t> makers;
    for (std::uint32_t i = 0; i < program.instructions.size(); ++i) {
        const bc::Operand out = program.instructions[i].out;
        if (out.is_view() && contracted[program.views[out.index()].base]) makers.push_back(i);
    }
    result.contracted = lines_of(program, makers);
}

void note_not_computed(const bc::Program& program, const bc::Plan& plan, Explanation& result) {
    std::set<std::uint32_t> statements;
    for (const bc::Kernel& kernel : plan.kernels) {
        for (const std::uint32_t i : computed(kernel, plan)) statements.insert(program.instructions[i].statement);
    }
    std::vector<std::uint32_t> rest;
    for (std::uint32_t i = 0; i < program.instructions.size(); ++i) {
        if (!statements.contains(program.instructions[i].statement)) rest.push_back(i);
    }
    result.not_computed = lines_of(program, rest);
    result.statements = 0;
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        const bool first = i == 0 || program.instructions[i].statement != program.instructions[i - 1].statement;
        result.statements += first ? 1 : 0;
    }
}

/// Pairs of kernels that use the same base or scratch, one right after the other.
class Neighbours {
public:
    Neighbours(const bc::Program& program, const bc::Plan& plan, const WhyNotFused& why) {
        std::vector<std::uint32_t> base_user(program.bases.size(), kNone), scratch_user(plan.scratch.size(), kNone);
        for (std::uint32_t k = 0; k < plan.kernels.size(); ++k) {
            const KernelUses& uses = why.uses(k);
            for (const auto* list : {&uses.loads, &uses.stores, &uses.reductions}) {
                for (const MicroOp* op : *list) meet(base_user[program.views[op->index].base], k);
            }
            for (const auto* list : {&uses.scratch_loads, &uses.scratch_stores, &uses.scratch_reductions}) {
                for (const MicroOp* op : *list) meet(scratch_user[op->index], k);
            }
        }
    }
    const std::set<std::pair<std::uint32_t, std::uint32_t>>& pairs() const noexcept { return pairs_; }

private:
    static constexpr std::uint32_t kNone = ~0u;
    void meet(std::uint32_t& user, std::uint32_t kernel) {
        if (user != kNone && user != kernel) pairs_.emplace(user, kernel);
        user = kernel;
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

bool has_pass(PassSet passes, std::string_view name) {
    const std::vector<PassInfo> table = pass_table();
    const auto row = std::ranges::find(table, name, &PassInfo::name);
    return row != table.end() && normalised(passes).has(static_cast<unsigned>(row - table.begin()));
}

}  // namespace

Explanation explain(const bc::Program& program, const bc::Plan& plan, PassSet passes,
                    const std::vector<std::uint32_t>& stay) {
    Explanation result;
    result.instructions = program.instructions.size();
    result.before = cost_of(program, make_plan(program, {PassSet{0}, false, {}}), stay);
    result.after = cost_of(program, plan, stay);
    result.least = least_traffic(program);
    result.least_peak = least_peak(program);
    note_kernels(program, plan, stay, result);
    note_regions(program, plan, stay, result);
    result.dispatches = plan.dispatches;
    note_merged(program, plan, result);
    note_contracted(program, plan, result);
    note_not_computed(program, plan, result);
    const WhyNotFused why(program, plan, has_pass(passes, "fuse"));
    const Neighbours neighbours(program, plan, why);
    for (const auto& [first, second] : neighbours.pairs()) {
        if (!in_one_region(plan, first, second)) result.unfused.push_back({first, second, why(first, second)});
    }
    return result;
}

}  // namespace xlazy::opt
