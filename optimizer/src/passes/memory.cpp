// SPDX-License-Identifier: BSD-3-Clause
#include "passes/memory.hpp"

namespace xlazy::opt {

using bc::MicroOp;
using bc::Step;

namespace {

constexpr std::uint32_t kNever = ~0u;

/// First and last kernel that uses something.
struct Lifetime {
    std::uint32_t first = kNever;
    std::uint32_t last = 0;
    void use(std::uint32_t first_kernel, std::uint32_t last_kernel) {
        if (first == kNever) first = first_kernel;
        last = last_kernel;
    }
};

struct Lifetimes {
    std::vector<Lifetime> bases, scratch;
};

Lifetimes lifetimes(const Draft& draft) {
    Lifetimes result{std::vector<Lifetime>(draft.program.bases.size()),
                     std::vector<Lifetime>(draft.plan.scratch.size())};
    auto together = draft.plan.dispatches.begin();
    for (std::uint32_t k = 0; k < draft.plan.kernels.size(); ++k) {
        if (together != draft.plan.dispatches.end() && k == together->end()) ++together;
        // What runs at once needs its memory at once.
        const bool alone = together == draft.plan.dispatches.end() || k < together->first;
        const std::uint32_t first = alone ? k : together->first, last = alone ? k : together->end() - 1;
        for (const MicroOp& op : draft.plan.kernels[k].ops) {
            switch (op.kind) {
                case MicroOp::Kind::LoadView:
                case MicroOp::Kind::StoreView:
                case MicroOp::Kind::ReduceView:
                case MicroOp::Kind::GatherView:
                case MicroOp::Kind::ScatterView:
                    result.bases[draft.program.views[op.index].base].use(first, last);
                    break;
                case MicroOp::Kind::LoadScratch:
                case MicroOp::Kind::StoreScratch:
                case MicroOp::Kind::ReduceScratch: result.scratch[op.index].use(first, last); break;
                case MicroOp::Kind::LoadScalar:
                case MicroOp::Kind::Compute: break;
            }
        }
    }
    return result;
}

/// The memory events of the kernels: lists of indices, by kernel.
using Events = std::vector<std::vector<std::uint32_t>>;

void append(std::vector<Step>& steps, Step::Kind kind, const std::vector<std::uint32_t>& indices) {
    for (const std::uint32_t index : indices) steps.push_back({kind, index});
}

void list_contracted(Draft& draft, const Lifetimes& lives) {
    std::vector<bool> written(draft.program.bases.size(), false);
    for (const bc::Instruction& instruction : draft.program.instructions) {
        if (instruction.out.is_view()) written[draft.program.views[instruction.out.index()].base] = true;
    }
    for (std::uint32_t b = 0; b < written.size(); ++b) {
        const bc::BaseInfo& base = draft.program.bases[b];
        if (written[b] && !base.live && !base.initialised && lives.bases[b].first == kNever) {
            draft.plan.contracted.push_back(b);
        }
    }
    draft.plan.contracted_bases = static_cast<std::uint32_t>(draft.plan.contracted.size());
    std::uint32_t temps = 0;
    for (const bc::Instruction& instruction : draft.code.instructions) temps += instruction.out.is_temp() ? 1 : 0;
    draft.plan.contracted_temps = temps - static_cast<std::uint32_t>(draft.plan.scratch.size());
}

}  // namespace

void plan_memory(Draft& draft) {
    const std::size_t kernels = draft.plan.kernels.size();
    const Lifetimes lives = lifetimes(draft);
    Events alloc_base(kernels), free_base(kernels), alloc_scratch(kernels), free_scratch(kernels);
    std::vector<Step>& steps = draft.plan.steps;
    for (std::uint32_t b = 0; b < lives.bases.size(); ++b) {
        const bc::BaseInfo& base = draft.program.bases[b];
        const Lifetime& life = lives.bases[b];
        if (life.first == kNever) {
            if (base.initialised && !base.live) steps.push_back({Step::Kind::FreeBase, b});
            continue;
        }
        if (!base.initialised) alloc_base[life.first].push_back(b);
        if (!base.live) free_base[life.last].push_back(b);
    }
    for (std::uint32_t s = 0; s < lives.scratch.size(); ++s) {
        alloc_scratch[lives.scratch[s].first].push_back(s);
        free_scratch[lives.scratch[s].last].push_back(s);
    }
    for (std::uint32_t k = 0; k < kernels; ++k) {
        append(steps, Step::Kind::AllocBase, alloc_base[k]);
        append(steps, Step::Kind::AllocScratch, alloc_scratch[k]);
        steps.push_back({Step::Kind::Run, k});
        append(steps, Step::Kind::FreeScratch, free_scratch[k]);
        append(steps, Step::Kind::FreeBase, free_base[k]);
    }
    list_contracted(draft, lives);
}

}  // namespace xlazy::opt
