// SPDX-License-Identifier: BSD-3-Clause
#include "passes/contract.hpp"

#include "passes/kernel_edit.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::MicroOp;

namespace {

class Contraction {
public:
    explicit Contraction(Draft& draft)
        : draft_(draft),
          program_(draft.program),
          scratch_loaded_(draft.plan.scratch.size(), false),
          base_wanted_(draft.program.bases.size()) {
        for (std::size_t b = 0; b < base_wanted_.size(); ++b) base_wanted_[b] = program_.bases[b].live;
        for (const bc::Kernel& kernel : draft.plan.kernels) {
            for (const MicroOp& op : kernel.ops) {
                if (op.kind == MicroOp::Kind::LoadScratch) scratch_loaded_[op.index] = true;
            }
        }
    }

    /// To be called for the kernels from the last to the first.
    void shorten(bc::Kernel& kernel) {
        mark(kernel);
        for (const MicroOp& op : kernel.ops) {
            const bool reads = op.kind == MicroOp::Kind::LoadView || op.kind == MicroOp::Kind::GatherView ||
                               op.kind == MicroOp::Kind::ScatterView;
            if (reads) base_wanted_[base_of(op)] = true;
        }
        remove_marked(kernel);
        drop_versions(kernel);
    }

private:
    std::uint32_t base_of(const MicroOp& op) const { return program_.views[op.index].base; }

    void mark(const bc::Kernel& kernel) {
        needless_.assign(kernel.ops.size(), false);
        stored_.clear();
        for (std::size_t i = kernel.ops.size(); i-- > 0;) {
            const MicroOp& op = kernel.ops[i];
            if (op.kind == MicroOp::Kind::StoreScratch) needless_[i] = !scratch_loaded_[op.index];
            if (op.kind != MicroOp::Kind::StoreView) continue;
            needless_[i] = !base_wanted_[base_of(op)] || stored_again(op.index);
            stored_.push_back(op.index);
        }
    }

    bool stored_again(std::uint32_t view) {
        return std::any_of(stored_.begin(), stored_.end(),
                           [&](std::uint32_t later) { return draft_.facts.same_read(later, view); });
    }

    void remove_marked(bc::Kernel& kernel) {
        KernelEdit edit(kernel);
        for (std::size_t i = 0; i < edit.size(); ++i) {
            if (!needless_[i]) edit.keep(i);
        }
    }

    /// No version of a base that the kernel does not write any more.
    void drop_versions(bc::Kernel& kernel) const {
        std::erase_if(kernel.versions, [&](const bc::Version& version) {
            return std::ranges::none_of(kernel.ops, [&](const MicroOp& op) {
                return op.kind == MicroOp::Kind::StoreView && base_of(op) == version.base;
            });
        });
    }

    Draft& draft_;
    const bc::Program& program_;
    std::vector<bool> scratch_loaded_;
    std::vector<bool> base_wanted_;  ///< live, or loaded by a later kernel
    std::vector<bool> needless_;
    std::vector<std::uint32_t> stored_;
};

}  // namespace

void contract(Draft& draft) {
    Contraction contraction(draft);
    for (std::size_t k = draft.plan.kernels.size(); k-- > 0;) contraction.shorten(draft.plan.kernels[k]);
    drop_unused_scratch(draft.plan);
}

}  // namespace xlazy::opt
