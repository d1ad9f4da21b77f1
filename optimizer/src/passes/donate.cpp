// SPDX-License-Identifier: BSD-3-Clause
#include "passes/donate.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::MicroOp;
using bc::Step;
using bc::Storage;
using Kind = bc::MicroOp::Kind;

namespace {

bool of_view(Kind kind) noexcept {
    return kind == Kind::LoadView || kind == Kind::StoreView || kind == Kind::ReduceView || kind == Kind::GatherView ||
           kind == Kind::ScatterView;
}
bool of_scratch(Kind kind) noexcept {
    return kind == Kind::LoadScratch || kind == Kind::StoreScratch || kind == Kind::ReduceScratch;
}

bool is_local(const bc::Plan& plan, const Step& step) noexcept {
    return std::ranges::any_of(plan.regions, [&](const bc::Region& region) { return region.is_local(step.storage()); });
}

/// The allocations before a kernel and what is freed behind it.
class Exchange {
public:
    Exchange(Draft& draft, const bc::Kernel& kernel) : draft_(draft), kernel_(kernel) {}

    void run(std::span<Step> allocations, std::span<const Step> frees) {
        std::vector<Storage> donors;
        for (const Step& step : frees) {
            const bool made_here = std::ranges::any_of(
                allocations, [&](const Step& allocation) { return allocation.storage() == step.storage(); });
            if (!made_here && !is_local(draft_.plan, step) &&
                only(step.storage(), {Kind::LoadView, Kind::LoadScratch})) {
                donors.push_back(step.storage());
            }
        }
        for (Step& step : allocations) {
            if (donors.empty()) return;
            if (is_local(draft_.plan, step) || !only(step.storage(), {Kind::StoreView, Kind::StoreScratch})) continue;
            const auto donor =
                std::ranges::find_if(donors, [&](Storage each) { return may_give(each, step.storage()); });
            if (donor == donors.end()) continue;
            step.donor = *donor;
            donors.erase(donor);
        }
    }

private:
    bool concerns(const MicroOp& op, Storage storage) const noexcept {
        if (storage.kind == Storage::Kind::Scratch) return of_scratch(op.kind) && op.index == storage.index;
        return of_view(op.kind) && draft_.program.views[op.index].base == storage.index;
    }

    /// The kernel does nothing else with it.
    bool only(Storage storage, std::initializer_list<Kind> kinds) const noexcept {
        return std::ranges::all_of(kernel_.ops, [&](const MicroOp& op) {
            return !concerns(op, storage) || std::ranges::find(kinds, op.kind) != kinds.end();
        });
    }

    bool may_give(Storage donor, Storage result) {
        for (const MicroOp& load : kernel_.ops) {
            if (!concerns(load, donor)) continue;
            for (const MicroOp& store : kernel_.ops) {
                if (concerns(store, result) && (&store < &load || !same_place(load, store))) return false;
            }
        }
        const bool one_kind = donor.kind == result.kind;
        return one_kind ||
               bc::bytes_of(draft_.plan, draft_.program, donor) == bc::bytes_of(draft_.plan, draft_.program, result);
    }

    bool same_place(const MicroOp& load, const MicroOp& store) {
        if (bc::size_of(load.type) != bc::size_of(store.type)) return false;
        if (of_view(load.kind) && of_view(store.kind)) return draft_.facts.same_order(load.index, store.index);
        return row_major(load) && row_major(store);
    }

    /// It goes through all of its memory in the order of the domain.
    bool row_major(const MicroOp& op) {
        if (of_view(op.kind)) return draft_.facts.dense(op.index);
        const bc::Scratch& scratch = draft_.plan.scratch[op.index];
        return scratch.domain == kernel_.domain && scratch.axis == bc::Scratch::kNoAxis;
    }

    Draft& draft_;
    const bc::Kernel& kernel_;
};

/// A region's kernels must not write what takes the memory of something that others of them read elsewhere.
void keep_regions(Draft& draft) {
    for (const bc::Region& region : draft.plan.regions) {
        if (bc::region_holds(region, draft.plan, draft.program)) continue;
        const bc::StepRange range = bc::steps_of(region, draft.plan);
        for (std::size_t i = range.begin; i < range.end; ++i) draft.plan.steps[i].donor = {};
    }
}

}  // namespace

void donate(Draft& draft) {
    std::vector<Step>& steps = draft.plan.steps;
    for (std::size_t run = 0; run < steps.size(); ++run) {
        if (steps[run].kind != Step::Kind::Run) continue;
        std::size_t begin = run, end = run + 1;
        while (begin > 0 && steps[begin - 1].allocates()) --begin;
        while (end < steps.size() && steps[end].frees()) ++end;
        if (begin == run || end == run + 1) continue;
        Exchange(draft, draft.plan.kernels[steps[run].index])
            .run(std::span(steps).subspan(begin, run - begin), std::span(steps).subspan(run + 1, end - run - 1));
    }
    keep_regions(draft);
}

}  // namespace xlazy::opt
