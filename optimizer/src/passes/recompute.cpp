// SPDX-License-Identifier: BSD-3-Clause
#include "passes/recompute.hpp"

#include "passes/fuse.hpp"
#include "passes/kernel_edit.hpp"

#include <algorithm>
#include <unordered_map>

namespace xlazy::opt {

using bc::Kernel;
using bc::MicroOp;
using bc::ValueId;
using Kind = bc::MicroOp::Kind;

namespace {

constexpr std::uint32_t kNone = ~0u;

/// Calls that take about as long as a core takes to store an element and load it again; others take two to ten times as
/// long.
bool is_quick(bc::Op op) noexcept {
    using enum bc::Op;
    return op == exp || op == exp2 || op == log || op == log2 || op == log10;
}

/// Where an array or a temporary is stored and loaded.
struct Stored {
    std::uint32_t kernel = kNone;  ///< that stores it; kNone also if there are several stores
    unsigned stores = 0;
    std::vector<std::uint32_t> loads;  ///< kernels, ascending
};

class Recomputation {
public:
    explicit Recomputation(Draft& draft)
        : draft_(draft),
          program_(draft.program),
          kernels_(draft.plan.kernels),
          bases_(program_.bases.size()),
          scratch_(draft.plan.scratch.size()),
          writers_(program_.bases.size()) {
        for (std::uint32_t k = 0; k < kernels_.size(); ++k) note(k);
    }

    void run() {
        for (std::uint32_t k = 0; k < kernels_.size(); ++k) {
            for (std::size_t i = 0; i < kernels_[k].ops.size(); ++i) {
                const MicroOp store = kernels_[k].ops[i];
                const bool elementwise = store.kind == Kind::StoreView || store.kind == Kind::StoreScratch;
                if (elementwise && try_to_replace(k, store)) needless_.push_back(i);
            }
            remove_stores(kernels_[k]);
        }
        std::erase_if(kernels_, [](const Kernel& kernel) { return kernel.ops.empty(); });
        drop_unused_scratch(draft_.plan);
    }

private:
    void note(std::uint32_t k) {
        for (const MicroOp& op : kernels_[k].ops) {
            switch (op.kind) {
                case Kind::LoadView: note_load(bases_[base_of(op)], k); break;
                case Kind::LoadScratch: note_load(scratch_[op.index], k); break;
                case Kind::GatherView: note_load(bases_[base_of(op)], k); break;
                case Kind::ScatterView: note_load(bases_[base_of(op)], k); [[fallthrough]];
                case Kind::StoreView:
                case Kind::ReduceView:
                    note_store(bases_[base_of(op)], k, op.kind == Kind::StoreView);
                    if (writers_[base_of(op)].empty() || writers_[base_of(op)].back() != k)
                        writers_[base_of(op)].push_back(k);
                    break;
                case Kind::StoreScratch: note_store(scratch_[op.index], k, true); break;
                case Kind::ReduceScratch: note_store(scratch_[op.index], k, false); break;
                case Kind::LoadScalar:
                case Kind::Compute: break;
            }
        }
    }
    static void note_load(Stored& stored, std::uint32_t k) {
        if (stored.loads.empty() || stored.loads.back() != k) stored.loads.push_back(k);
    }
    static void note_store(Stored& stored, std::uint32_t k, bool elementwise) {
        stored.kernel = elementwise && ++stored.stores == 1 ? k : kNone;
        if (!elementwise) stored.stores = 2;
    }

    std::uint32_t base_of(const MicroOp& op) const { return program_.views[op.index].base; }

    bool loads_it(const MicroOp& op, const MicroOp& store) const {
        if (store.kind == Kind::StoreScratch) return op.kind == Kind::LoadScratch && op.index == store.index;
        return op.kind == Kind::LoadView && base_of(op) == base_of(store);
    }

    void remove_stores(Kernel& kernel) {
        if (needless_.empty()) return;
        {
            KernelEdit edit(kernel);
            for (std::size_t i = 0; i < edit.size(); ++i) {
                if (!std::ranges::binary_search(needless_, i)) edit.keep(i);
            }
        }
        needless_.clear();
        remove_unused_values(kernel);
    }

    /// @return nobody loads what is stored any more
    bool try_to_replace(std::uint32_t maker, const MicroOp& store) {
        const bool view = store.kind == Kind::StoreView;
        const Stored& stored = view ? bases_[base_of(store)] : scratch_[store.index];
        if (stored.kernel != maker || stored.loads.empty() || stored.loads.size() > kMaxRecomputing) return false;
        if (view && (program_.bases[base_of(store)].live || program_.bases[base_of(store)].initialised)) return false;
        if (!find_tree(maker, store.in[0])) return false;
        for (const std::uint32_t user : stored.loads) {
            if (!may_recompute(maker, user, store)) return false;
        }
        for (const std::uint32_t user : stored.loads) replace(maker, user, store);
        return true;
    }

    /// Fills tree_ with the micro-ops that the value is made of, in order. @return false: too many, or one may fail
    bool find_tree(std::uint32_t maker, ValueId root) {
        const std::vector<MicroOp>& ops = kernels_[maker].ops;
        tree_.assign(1, root);
        calls_maths_ = false;
        unsigned cost = 0;
        for (std::size_t i = 0; i < tree_.size(); ++i) {
            const MicroOp& op = ops[tree_[i]];
            if (op.kind == Kind::GatherView) return false;
            if (op.kind != Kind::Compute) continue;
            if (is_scan(op) || bc::can_fail(op.op, op.type) ||
                (bc::is_complex(op.type) && bc::maths_of(op.op, op.type) == bc::Maths::Vector))
                return false;
            const bool call = bc::maths_of(op.op, op.type) == bc::Maths::Vector;
            if (call && !is_quick(op.op)) return false;
            calls_maths_ = calls_maths_ || call;
            cost += call ? kMaxRecomputed - 1 : 1;
            if (cost > kMaxRecomputed) return false;
            for (const ValueId in : op.in) {
                if (in != bc::kNoValue && std::ranges::find(tree_, in) == tree_.end()) tree_.push_back(in);
            }
        }
        std::ranges::sort(tree_);
        return true;
    }

    bool may_recompute(std::uint32_t maker, std::uint32_t user, const MicroOp& store) {
        if (user <= maker || kernels_[user].domain != kernels_[maker].domain) return false;
        if (kernels_[user].library_call() != nullptr) return false;
        if (kernels_[user].ops.size() + tree_.size() > kMaxMicroOps) return false;
        if (calls_maths_ && !reduces_outermost(maker, user)) return false;
        for (const MicroOp& op : kernels_[user].ops) {
            const bool by_number = op.kind == Kind::GatherView || op.kind == Kind::ScatterView;
            if (by_number && store.kind == Kind::StoreView && base_of(op) == base_of(store)) return false;
            if (loads_it(op, store) && op.kind == Kind::LoadView && !draft_.facts.same_read(op.index, store.index))
                return false;
        }
        unsigned new_loads = 0;
        for (const ValueId value : tree_) {
            const MicroOp& leaf = kernels_[maker].ops[value];
            if (leaf.kind == Kind::LoadView && is_written(base_of(leaf), maker, user)) return false;
            if ((leaf.kind == Kind::LoadView || leaf.kind == Kind::LoadScratch) && is_large(leaf, maker) &&
                find_load(kernels_[user].ops, leaf) == bc::kNoValue) {
                ++new_loads;
            }
        }
        return new_loads <= 1;
    }

    /// Else a back end can run the kernels row by row, with the value in a cache.
    bool reduces_outermost(std::uint32_t from, std::uint32_t to) const {
        for (std::uint32_t k = from; k <= to; ++k) {
            for (const MicroOp& op : kernels_[k].ops) {
                if ((op.kind == Kind::ReduceView || op.kind == Kind::ReduceScratch) && op.axis == 0) return true;
            }
        }
        return false;
    }

    bool is_written(std::uint32_t base, std::uint32_t from, std::uint32_t to) const {
        const auto writer = std::ranges::lower_bound(writers_[base], from);
        return writer != writers_[base].end() && *writer <= to;
    }

    /// Not repeated to the domain along an axis, so that it moves as many bytes as what it replaces.
    bool is_large(const MicroOp& leaf, std::uint32_t maker) const {
        std::int64_t elements = 1;
        if (leaf.kind == Kind::LoadScratch) {
            elements = bc::element_count(bc::shape_of(program_, draft_.plan.scratch[leaf.index]).span());
        } else {
            for (const bc::Dim& dim : program_.dims_of(program_.views[leaf.index])) elements *= dim.extent;
        }
        return 8 * elements > bc::element_count(program_.domain_extents(kernels_[maker].domain));
    }

    static ValueId find_load(const std::vector<MicroOp>& ops, const MicroOp& load) {
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (ops[i].kind == load.kind && ops[i].index == load.index && ops[i].form == load.form)
                return static_cast<ValueId>(i);
        }
        return bc::kNoValue;
    }

    /// Where the user loads the stored value, it makes it again, from the maker's tree.
    void replace(std::uint32_t maker, std::uint32_t user, const MicroOp& store) {
        std::vector<MicroOp> ops;
        std::vector<ValueId> renumbered(kernels_[user].ops.size());
        ValueId made = bc::kNoValue;
        for (std::size_t i = 0; i < renumbered.size(); ++i) {
            MicroOp op = kernels_[user].ops[i];
            if (loads_it(op, store)) {
                if (made == bc::kNoValue) made = make_again(kernels_[maker], store.in[0], ops);
                renumbered[i] = made;
                continue;
            }
            for (ValueId& in : op.in) {
                if (in != bc::kNoValue) in = renumbered[in];
            }
            const ValueId known = is_load(op) ? find_load(ops, op) : bc::kNoValue;
            renumbered[i] = known != bc::kNoValue ? known : static_cast<ValueId>(ops.size());
            if (known == bc::kNoValue) ops.push_back(op);
        }
        kernels_[user].ops = std::move(ops);
    }

    static bool is_load(const MicroOp& op) noexcept {
        return op.kind == Kind::LoadView || op.kind == Kind::LoadScratch || op.kind == Kind::LoadScalar;
    }

    ValueId make_again(const Kernel& maker, ValueId root, std::vector<MicroOp>& ops) const {
        std::unordered_map<ValueId, ValueId> copies;
        for (const ValueId value : tree_) {
            MicroOp op = maker.ops[value];
            const ValueId known = is_load(op) ? find_load(ops, op) : bc::kNoValue;
            if (known != bc::kNoValue) {
                copies[value] = known;
                continue;
            }
            for (ValueId& in : op.in) {
                if (in != bc::kNoValue) in = copies[in];
            }
            copies[value] = static_cast<ValueId>(ops.size());
            ops.push_back(op);
        }
        return copies[root];
    }

    Draft& draft_;
    const bc::Program& program_;
    std::vector<Kernel>& kernels_;
    std::vector<Stored> bases_, scratch_;
    std::vector<std::vector<std::uint32_t>> writers_;  ///< by base: kernels, ascending
    std::vector<ValueId> tree_;
    std::vector<std::size_t> needless_;  ///< stores of the kernel at hand, ascending
    bool calls_maths_ = false;
};

}  // namespace

void recompute(Draft& draft) {
    if (draft.size_class == bc::SizeClass::L1 || draft.size_class == bc::SizeClass::L2) return;
    Recomputation(draft).run();
}

}  // namespace xlazy::opt
