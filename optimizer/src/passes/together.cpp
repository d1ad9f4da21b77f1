// SPDX-License-Identifier: BSD-3-Clause
#include "passes/together.hpp"

#include "xlazy/bytecode/cut_access.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Kernel;
using bc::MicroOp;
using bc::Storage;
using Kind = bc::MicroOp::Kind;

namespace {

/// A load, store or reduction.
struct Use {
    Storage storage;
    std::uint32_t view = 0;  ///< of bases
    bool writes = false;
};

/// Time of one element, in additions.
std::int64_t cost_of(const MicroOp& op) noexcept {
    if (op.kind == Kind::LoadScalar) return 0;
    if (op.kind != Kind::Compute) return 1;
    return bc::maths_of(op.op, op.type) == bc::Maths::Exact ? 1 : 8;
}

class Gathering {
public:
    explicit Gathering(Draft& draft)
        : draft_(draft),
          program_(draft.program),
          plan_(draft.plan),
          base_uses_(draft.program.bases.size()),
          scratch_uses_(draft.plan.scratch.size()) {
        for (const Kernel& kernel : plan_.kernels) {
            uses_.push_back(uses_of(kernel));
            work_.push_back(work_of(kernel));
        }
    }

    void run() {
        auto region = plan_.regions.begin();
        const auto count = static_cast<std::uint32_t>(plan_.kernels.size());
        for (std::uint32_t first = 0; first < count;) {
            if (region != plan_.regions.end() && first == region->first) {
                first = region->end();
                ++region;
                continue;
            }
            const std::uint32_t end = region != plan_.regions.end() ? region->first : count;
            first = take_from(first, std::min(end, first + kLookAhead));
        }
    }

private:
    std::vector<Use> uses_of(const Kernel& kernel) const {
        std::vector<Use> uses;
        for (const MicroOp& op : kernel.ops) {
            if (!bc::touches_memory(op)) continue;
            const bool scratch =
                op.kind == Kind::LoadScratch || op.kind == Kind::StoreScratch || op.kind == Kind::ReduceScratch;
            const bool writes =
                op.kind != Kind::LoadView && op.kind != Kind::LoadScratch && op.kind != Kind::GatherView;
            const Use use = scratch ? Use{{Storage::Kind::Scratch, op.index}, 0, writes}
                                    : Use{{Storage::Kind::Base, program_.views[op.index].base}, op.index, writes};
            const auto known = std::ranges::find_if(
                uses, [&](const Use& each) { return each.storage == use.storage && each.view == use.view; });
            if (known == uses.end())
                uses.push_back(use);
            else
                known->writes = known->writes || writes;
        }
        return uses;
    }

    std::int64_t work_of(const Kernel& kernel) const {
        std::int64_t cost = 0;
        for (const MicroOp& op : kernel.ops) cost += cost_of(op);
        return cost * bc::element_count(program_.domain_extents(kernel.domain));
    }

    bool may_join(std::uint32_t kernel) const noexcept {
        return work_[kernel] > 0 && work_[kernel] < kMostWork && plan_.kernels[kernel].versions.empty();
    }

    /// A dispatch that begins with kernel `first`, of kernels before `end`, if it pays. @return the kernel behind it
    std::uint32_t take_from(std::uint32_t first, std::uint32_t end) {
        if (!may_join(first) || !may_pay(first, end)) return first + 1;
        forget();
        taken_.clear();
        left_.clear();
        std::int64_t work = 0;
        std::uint64_t held = 0;
        for (std::uint32_t k = first; k < end && taken_.size() < kMostTogether; ++k) {
            if (!plan_.kernels[k].versions.empty()) break;  // what is renamed stays where it is
            const std::uint64_t more = may_join(k) && !meets(k) ? bytes_held(k) : kMostHeld + 1;
            const bool joins = held + more <= kMostHeld;
            (joins ? taken_ : left_).push_back(k);
            note(k);
            if (!joins) continue;
            work += work_[k];
            held += more;
        }
        const bool pays = draft_.anyhow || work >= kLeastWork;
        if (taken_.size() < 2 || !pays) return first + 1;
        rely_on_order();
        std::erase_if(left_, [&](std::uint32_t k) { return k > taken_.back(); });
        rearrange(first);
        const auto count = static_cast<std::uint32_t>(taken_.size());
        plan_.dispatches.push_back({first, count});
        return first + count;
    }

    /// Even if all small kernels were independent: is that enough?
    bool may_pay(std::uint32_t first, std::uint32_t end) const noexcept {
        if (draft_.anyhow) return true;
        std::int64_t work = 0;
        for (std::uint32_t k = first; k < end && work < kLeastWork; ++k) work += may_join(k) ? work_[k] : 0;
        return work >= kLeastWork;
    }

    /// What the kernels so far touch, one of them taken or left out.
    std::vector<Use>& noted(Storage storage) noexcept {
        return (storage.kind == Storage::Kind::Base ? base_uses_ : scratch_uses_)[storage.index];
    }
    void note(std::uint32_t kernel) {
        for (const Use& use : uses_[kernel]) {
            std::vector<Use>& uses = noted(use.storage);
            if (uses.empty()) touched_.push_back(use.storage);
            uses.push_back(use);
        }
    }
    void forget() noexcept {
        for (const Storage storage : touched_) noted(storage).clear();
        touched_.clear();
    }

    bool meet(const Use& a, const Use& b) {
        if (!a.writes && !b.writes) return false;
        return a.storage.kind == Storage::Kind::Scratch || !draft_.facts.looks_disjoint(a.view, b.view);
    }

    /// Does the kernel depend on any of those so far?
    bool meets(std::uint32_t kernel) {
        return std::ranges::any_of(uses_[kernel], [&](const Use& use) {
            return std::ranges::any_of(noted(use.storage), [&](const Use& other) { return meet(use, other); });
        });
    }

    /// Bytes that the kernel uses of what does not outlive the batch.
    std::uint64_t bytes_held(std::uint32_t kernel) const noexcept {
        std::uint64_t bytes = 0;
        for (const Use& use : uses_[kernel]) {
            const bool base = use.storage.kind == Storage::Kind::Base;
            if (!base || !program_.bases[use.storage.index].live) bytes += bc::bytes_of(plan_, program_, use.storage);
        }
        return bytes;
    }

    /// Writes down that what was taken is independent of what was taken or left out before it.
    void rely_on_order() {
        forget();
        auto left = left_.begin();
        for (const std::uint32_t k : taken_) {
            for (; left != left_.end() && *left < k; ++left) note(*left);
            for (const Use& use : uses_[k]) {
                if (use.storage.kind != Storage::Kind::Base) continue;
                for (const Use& other : noted(use.storage)) {
                    if (use.writes || other.writes) draft_.facts.hazard(use.view, other.view);
                }
            }
            note(k);
        }
    }

    /// What was taken comes first, then what was left out.
    void rearrange(std::uint32_t first) {
        std::vector<Kernel> kernels;
        std::vector<std::vector<Use>> uses;
        std::vector<std::int64_t> work;
        for (const auto* list : {&taken_, &left_}) {
            for (const std::uint32_t k : *list) {
                kernels.push_back(std::move(plan_.kernels[k]));
                uses.push_back(std::move(uses_[k]));
                work.push_back(work_[k]);
            }
        }
        std::ranges::move(kernels, plan_.kernels.begin() + first);
        std::ranges::move(uses, uses_.begin() + first);
        std::ranges::move(work, work_.begin() + first);
    }

    Draft& draft_;
    const bc::Program& program_;
    bc::Plan& plan_;
    std::vector<std::vector<Use>> uses_;  ///< by kernel
    std::vector<std::int64_t> work_;      ///< by kernel
    std::vector<std::vector<Use>> base_uses_, scratch_uses_;
    std::vector<Storage> touched_;
    std::vector<std::uint32_t> taken_, left_;
};

}  // namespace

void run_together(Draft& draft) {
    if (draft.plan.kernels.size() < 2) return;
    if (draft.size_class == bc::SizeClass::L1 && !draft.anyhow) return;
    Gathering(draft).run();
}

}  // namespace xlazy::opt
