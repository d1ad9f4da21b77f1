// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/chain.hpp"

#include "reduction_rule.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace xlazy::be {
namespace {

using bc::MicroOp;
using Kind = bc::MicroOp::Kind;

/// What the kernels of a chain touch in a piece should stay in the second cache.
constexpr std::int64_t kPieceBytes = 512 << 10;
/// Rows of a piece shorter than this read memory in crumbs.
constexpr std::int64_t kLeastRun = 4096;
constexpr std::int64_t kLeastPiece = 4;

bool writes(Kind kind) noexcept {
    return kind == Kind::StoreView || kind == Kind::StoreScratch || kind == Kind::ReduceView ||
           kind == Kind::ReduceScratch;
}
bool reduces(Kind kind) noexcept { return kind == Kind::ReduceView || kind == Kind::ReduceScratch; }
bool of_scratch(Kind kind) noexcept {
    return kind == Kind::LoadScratch || kind == Kind::StoreScratch || kind == Kind::ReduceScratch;
}

/// A window on a base or scratch without the axes along which it does not step, and the kernel's axis for each of those
/// that are left.
struct Window {
    bool scratch;
    std::uint32_t object;
    std::int64_t offset = 0, element_size;
    unsigned rank = 0;
    bc::Dim dims[bc::kMaxRank];
    unsigned axes[bc::kMaxRank];

    const void* memory = nullptr;  ///< of the object, if it is there; objects that share it are one

    bool same_object(const Window& other) const noexcept {
        return (scratch == other.scratch && object == other.object) || (memory != nullptr && memory == other.memory);
    }
    bool same_elements(const Window& other) const noexcept {
        return offset == other.offset && rank == other.rank && std::equal(dims, dims + rank, other.dims);
    }
    std::optional<unsigned> place_of(unsigned axis) const noexcept {
        for (unsigned i = 0; i < rank; ++i) {
            if (axes[i] == axis) return i;
        }
        return std::nullopt;
    }
    std::int64_t count() const noexcept {
        std::int64_t product = 1;
        for (unsigned i = 0; i < rank; ++i) product *= dims[i].extent;
        return product;
    }
    std::size_t bytes() const noexcept { return static_cast<std::size_t>(count() * element_size); }
    /// No axis steps farther, and all of them forwards: then a piece along it is one stretch of memory.
    bool outermost(unsigned place) const noexcept {
        return std::all_of(dims, dims + rank,
                           [&](const bc::Dim& dim) { return dim.stride > 0 && dim.stride <= dims[place].stride; });
    }
};

Window window_of(const bc::Kernel& kernel, const MicroOp& op, const Bindings& bindings) {
    const bc::Program& program = *bindings.program;
    Window window;
    window.scratch = of_scratch(op.kind);
    bc::Dim dims[bc::kMaxRank];
    unsigned rank = 0;
    if (window.scratch) {
        const bc::Scratch& scratch = bindings.plan->scratch[op.index];
        const bc::ScratchShape shape = bc::shape_of(program, scratch);
        window.object = op.index;
        window.element_size = static_cast<std::int64_t>(bc::size_of(scratch.type));
        rank = shape.rank;
        std::int64_t stride = 1;
        for (unsigned axis = rank; axis-- > 0; stride *= shape.extents[axis])
            dims[axis] = {shape.extents[axis], stride};
    } else {
        const bc::View& view = program.views[op.index];
        window.object = view.base;
        window.offset = view.offset;
        window.element_size = static_cast<std::int64_t>(bc::size_of(program.bases[view.base].type));
        rank = view.rank;
        std::ranges::copy(program.dims_of(view), dims);
    }
    window.memory = (window.scratch ? bindings.scratch : bindings.bases)[window.object];
    const bool lacks = reduces(op.kind) && (op.flags & bc::Instruction::kKeepAxis) == 0;
    auto axis = static_cast<int>(program.domain_extents(kernel.domain).size());
    for (unsigned i = rank; i-- > 0 && axis > 0;) {
        --axis;
        if (lacks && axis == op.axis) --axis;
        if (dims[i].extent == 1 || dims[i].stride == 0) continue;
        window.dims[window.rank] = dims[i];
        window.axes[window.rank++] = static_cast<unsigned>(axis);
    }
    return window;
}

/// Grows a chain kernel by kernel.
class ChainFinder {
public:
    ChainFinder(const Bindings& bindings, unsigned first_axis) : bindings_(bindings), first_axis_(first_axis) {}

    /// Does the last kernel reduce along the cut axis? Nothing can follow it.
    bool closed() const noexcept { return leaf_ != 0; }

    bool add(const bc::Kernel& kernel) {
        if (!kernel.versions.empty()) return false;
        std::vector<Seen> mine;
        int reduced = -1;
        for (const MicroOp& op : kernel.ops) {
            if (op.kind == Kind::LoadScalar) continue;
            if (op.kind == Kind::Compute) {
                if (op.op == bc::Op::index || bc::can_fail(op.op, op.type)) return false;
                continue;
            }
            if (reduces(op.kind)) reduced = op.axis;
            mine.push_back({window_of(kernel, op, bindings_), writes(op.kind), std::nullopt});
        }
        const std::span<const std::int64_t> extents = bindings_.program->domain_extents(kernel.domain);
        if (bc::element_count(extents) == 0) return false;
        const std::optional<unsigned> axis = axes_.empty() ? std::optional(first_axis_) : axis_of(mine);
        if (!axis || *axis >= extents.size()) return false;
        const bool closes = static_cast<int>(*axis) == reduced;
        if (axes_.empty() ? closes : extents[*axis] != extent_) return false;
        for (Seen& each : mine) each.place = each.window.place_of(*axis);
        const std::size_t before = seen_.size();
        seen_.insert(seen_.end(), mine.begin(), mine.end());
        if (!legal()) {
            seen_.resize(before);
            return false;
        }
        extent_ = extents[*axis];
        axes_.push_back(*axis);
        if (closes) leaf_ = reduction_leaf(std::max<std::int64_t>(bc::element_count(extents.subspan(*axis + 1)), 1));
        return true;
    }

    Chain chain(std::int64_t least_handed) const {
        Chain chain;
        std::int64_t bytes = 0, handed = 0, largest = 0, shortest = kPieceBytes;
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            const Seen& each = seen_[i];
            if (!each.place) {
                if (each.writes) chain.local_bytes = std::max(chain.local_bytes, each.window.bytes());
                continue;
            }
            const std::int64_t all = each.window.count() * each.window.element_size;
            const bool known = std::any_of(seen_.begin(), seen_.begin() + static_cast<std::ptrdiff_t>(i),
                                           [&](const Seen& other) { return other.window.same_object(each.window); });
            if (!known) bytes += all;
            if (known && !each.writes && written(each.window)) handed += all;
            if (each.writes) largest = std::max(largest, all);
            if (each.window.outermost(*each.place)) continue;  // a piece is one stretch of it
            shortest = std::min(shortest, std::abs(each.window.dims[*each.place].stride) * each.window.element_size);
        }
        if (axes_.size() < 2 || handed < least_handed) return chain;
        const std::int64_t bytes_an_index = std::max(bytes / extent_, std::int64_t{1});
        chain.piece = std::max(kPieceBytes / bytes_an_index, std::int64_t{1});
        if (closed()) {
            chain.piece = std::max(chain.piece / leaf_, std::int64_t{1}) * leaf_;
            if (chain.piece * bytes_an_index > 2 * kPieceBytes) return chain;
        }
        if (chain.piece < kLeastPiece || chain.piece * shortest < kLeastRun || chain.piece >= extent_) return chain;
        chain.length = axes_.size();
        chain.axes = axes_;
        chain.extent = extent_;
        chain.closes = closed();
        chain.local_bytes = std::max(chain.local_bytes, static_cast<std::size_t>(largest / extent_ * chain.piece));
        return chain;
    }

private:
    struct Seen {
        Window window;
        bool writes;
        std::optional<unsigned> place;  ///< of the cut axis in the window
    };

    bool written(const Window& window) const noexcept {
        return std::ranges::any_of(seen_,
                                   [&](const Seen& each) { return each.writes && each.window.same_object(window); });
    }

    /// The axis of a kernel along which it meets what the chain has written.
    std::optional<unsigned> axis_of(const std::vector<Seen>& mine) const noexcept {
        for (const Seen& each : mine) {
            for (const Seen& other : seen_) {
                if (other.writes && other.place && other.window.same_object(each.window) &&
                    other.window.same_elements(each.window)) {
                    return each.window.axes[*other.place];
                }
            }
        }
        return std::nullopt;
    }

    /// What is written is seen through one window, cut at its outermost axis; what the cut axis is reduced to, by
    /// nobody else.
    bool legal() const noexcept {
        return std::ranges::all_of(seen_, [&](const Seen& each) {
            if (!each.writes) return true;
            if (!each.place) {
                return std::ranges::none_of(
                    seen_, [&](const Seen& other) { return &other != &each && other.window.same_object(each.window); });
            }
            return each.window.outermost(*each.place) && std::ranges::all_of(seen_, [&](const Seen& other) {
                       return !other.window.same_object(each.window) ||
                              (other.window.same_elements(each.window) && other.place == each.place);
                   });
        });
    }

    const Bindings& bindings_;
    unsigned first_axis_;
    std::vector<Seen> seen_;
    std::vector<unsigned> axes_;
    std::int64_t extent_ = 0;
    std::int64_t leaf_ = 0;  ///< of the reduction along the cut axis; 0: there is none yet
};

/// Does the chain read what one of its kernels writes?
bool hands_on(Chain::Kernels kernels, std::size_t writer, const Bindings& bindings) {
    for (const MicroOp& store : kernels[writer]->ops) {
        if (!writes(store.kind)) continue;
        const Window written = window_of(*kernels[writer], store, bindings);
        for (const bc::Kernel* kernel : kernels) {
            for (const MicroOp& op : kernel->ops) {
                if (op.kind != Kind::LoadView && op.kind != Kind::LoadScratch) continue;
                if (window_of(*kernel, op, bindings).same_object(written)) return true;
            }
        }
    }
    return false;
}

}  // namespace

Chain find_chain(Chain::Kernels kernels, const Bindings& bindings, std::int64_t handed_bytes) {
    Chain best;
    if (kernels.size() < 2) return best;
    const auto rank = static_cast<unsigned>(bindings.program->domain_extents(kernels[0]->domain).size());
    for (unsigned axis = 0; axis < rank; ++axis) {
        ChainFinder finder(bindings, axis);
        for (const bc::Kernel* kernel : kernels) {
            Chain open = finder.chain(handed_bytes);
            if (open.length > best.length) best = std::move(open);
            if (finder.closed() || !finder.add(*kernel)) break;
        }
        Chain chain = finder.chain(handed_bytes);
        if (chain.length > best.length) best = std::move(chain);
    }
    return best;
}

void ChainWorker::prepare(const Chain& chain, Chain::Kernels kernels, const Bindings& bindings,
                          const OpenMpOptions& options) {
    chain_ = &chain;
    bases_.assign(bindings.bases.begin(), bindings.bases.end());
    scratch_.assign(bindings.scratch.begin(), bindings.scratch.end());
    memory_.clear();
    for (const bc::Kernel* kernel : kernels) {
        for (const MicroOp& op : kernel->ops) {
            if (!writes(op.kind)) continue;
            const Window window = window_of(*kernel, op, bindings);
            void*& memory = (window.scratch ? scratch_ : bases_)[window.object];
            if (memory != nullptr) continue;
            memory_.emplace_back(chain.local_bytes);
            memory = memory_.back().data() - window.offset * window.element_size;
        }
    }
    bindings_ = {bindings.program, bindings.plan, bases_, scratch_, 0};
    const std::int64_t rest = chain.extent % chain.piece;
    bind(whole_, kernels, chain.piece, options);
    if (rest != 0) bind(last_, kernels, rest, options);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        for (const MicroOp& op : kernels[i]->ops) {
            if (op.kind == Kind::Compute || op.kind == Kind::LoadScalar) continue;
            const Window window = window_of(*kernels[i], op, bindings);
            if ((window.scratch ? bindings.scratch : bindings.bases)[window.object] != nullptr) continue;
            whole_[i].program.keep_in_place(&op);
            if (rest != 0) last_[i].program.keep_in_place(&op);
        }
    }
}

void ChainWorker::bind(std::vector<Bound>& bound, Chain::Kernels kernels, std::int64_t count,
                       const OpenMpOptions& options) {
    bound.resize(kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        TileProgram::Choices choices;
        choices.superinstructions = options.superinstructions;
        choices.streamed_bytes = hands_on(kernels, i, bindings_) ? std::numeric_limits<std::int64_t>::max()
                                                                 : options.streamed_bytes / chain_->extent * count;
        choices.cut_axis = static_cast<int>(chain_->axes[i]);
        choices.cut_count = count;
        choices.compiled = options.compiled;
        bound[i].program.bind(*kernels[i], bindings_, choices);
        bound[i].code = bound[i].program.code();
    }
}

void ChainWorker::run(std::int64_t begin, std::int64_t end, const ReductionRun* closing) {
    for (std::int64_t piece = begin; piece < end; ++piece) {
        const std::int64_t first = piece * chain_->piece;
        run_piece(first + chain_->piece <= chain_->extent ? whole_ : last_, first, closing);
    }
}

void ChainWorker::run_piece(std::vector<Bound>& bound, std::int64_t first, const ReductionRun* closing) {
    for (Bound& each : bound) {
        each.program.move_to(first);
        each.worker.prepare(each.program, each.code);
        if (each.program.reductions().empty()) {
            each.worker.run(0, each.program.nest().count());
            continue;
        }
        const bool closes = closing != nullptr && &each == &bound.back();
        const ReductionRun reduction = closes ? closing->part(each.program, first) : ReductionRun(each.program, 1);
        each.worker.reserve_lanes(reduction.lane_bytes());
        reduction.fold(each.worker, 0, 1);
        if (!closes && reduction.needs_combining()) reduction.combine(0, 1);
    }
}

}  // namespace xlazy::be
