// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/optimizer/chunks.hpp"

#include "xlazy/bytecode/cut_access.hpp"
#include <algorithm>

namespace xlazy::opt {

using bc::MicroOp;
using bc::Step;
using bc::Storage;

namespace {

/// Integer division that rounds down.
std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }

/// Indices of the axis that lie between what a window shows and what another one has written.
std::optional<std::int64_t> distance(const bc::CutAccess& written, const bc::CutAccess& read) noexcept {
    if (written.same_elements(read)) return 0;
    if (!written.outermost() || !read.steps() || read.stride() != written.stride()) return std::nullopt;
    const auto [low, high] = read.row_span();
    const std::int64_t away = read.offset - written.offset, stride = written.stride();
    const std::int64_t first = floor_div(away + low, stride);
    return first == floor_div(away + high, stride) ? std::optional(first) : std::nullopt;
}

/// A stretch that is tried.
class Finder {
public:
    Finder(const bc::Program& program, const bc::Plan& plan, std::size_t begin, std::size_t end)
        : program_(program), plan_(plan), steps_(plan.steps.data() + begin, end - begin) {
        stretch_.begin = begin;
        stretch_.end = end;
    }

    /// @param first_axis of the first kernel's domain
    std::optional<Stretch> find(unsigned first_axis) {
        stretch_.kernels.clear();
        stretch_.locals.clear();
        accesses_.clear();
        stretch_.least_count = 1;
        for (const Step& step : steps_) {
            if (step.kind == Step::Kind::Run && !add(step.index, first_axis)) return std::nullopt;
        }
        if (!find_locals() || !find_ranges()) return std::nullopt;
        return stretch_;
    }

private:
    struct Seen {
        std::size_t kernel;  ///< position in the stretch
        bc::CutAccess access;
        bool scatters = false;
    };

    bool add(std::uint32_t number, unsigned first_axis) {
        const bc::Kernel& kernel = plan_.kernels[number];
        const std::optional<unsigned> axis = stretch_.kernels.empty() ? std::optional(first_axis) : axis_of(kernel);
        const std::span<const std::int64_t> extents = program_.domain_extents(kernel.domain);
        if (!axis || *axis >= extents.size() || bc::element_count(extents) == 0 || !kernel.versions.empty())
            return false;
        for (const MicroOp& op : kernel.ops) {
            const bool scans = op.kind == MicroOp::Kind::Compute && bc::info(op.op).kind == bc::OpKind::Scan;
            const bool reduces =
                scans || op.kind == MicroOp::Kind::ReduceView || op.kind == MicroOp::Kind::ReduceScratch;
            const bool scatters = op.kind == MicroOp::Kind::ScatterView;
            if (scatters && bc::element_count(extents.first(*axis)) != 1) return false;  // the last one wins
            if (reduces && op.axis == *axis) return false;
            if (reduces && op.axis < *axis && !cut_behind(op.axis, *axis, extents)) return false;
            if (bc::touches_memory(op))
                accesses_.push_back(
                    {stretch_.kernels.size(), bc::cut_access_of(program_, plan_, kernel, op, *axis), scatters});
        }
        stretch_.kernels.push_back({number, *axis, extents[*axis], 0, 0});
        return true;
    }

    /// Extents after a reduced axis may be cut as long as many elements are left.
    bool cut_behind(unsigned reduced, unsigned axis, std::span<const std::int64_t> extents) {
        std::int64_t others = 1;
        for (std::size_t i = reduced + 1u; i < extents.size(); ++i) others *= i == axis ? 1 : extents[i];
        stretch_.least_count = std::max(stretch_.least_count, (kSteadyInner + others - 1) / others);
        return extents[axis] * others >= kSteadyInner;
    }

    /// The axis along which a kernel meets what the stretch has written; the first one where it meets nothing.
    std::optional<unsigned> axis_of(const bc::Kernel& kernel) const {
        const auto rank = static_cast<unsigned>(program_.domain_extents(kernel.domain).size());
        bool meets = false;
        for (const MicroOp& op : kernel.ops) {
            if (!bc::touches_memory(op)) continue;
            for (const Seen& seen : accesses_) {
                if (!seen.access.writes || !seen.access.steps()) continue;
                for (unsigned axis = 0; axis < rank; ++axis) {
                    const bc::CutAccess mine = bc::cut_access_of(program_, plan_, kernel, op, axis);
                    if (mine.storage != seen.access.storage) break;
                    meets = true;
                    if (mine.steps() && distance(seen.access, mine)) return axis;
                }
            }
        }
        return meets || rank == 0 ? std::nullopt : std::optional(0u);
    }

    bool is_allocated(Storage storage) const noexcept {
        return std::ranges::any_of(steps_,
                                   [&](const Step& step) { return step.allocates() && step.storage() == storage; });
    }
    bool is_freed(Storage storage) const noexcept {
        return std::ranges::any_of(steps_, [&](const Step& step) { return step.frees() && step.storage() == storage; });
    }

    bool find_locals() {
        for (const Seen& seen : accesses_) {
            const bc::CutAccess& access = seen.access;
            if (!access.writes || stretch_.is_local(access.storage)) continue;
            if (!access.steps() || !is_allocated(access.storage) || !is_freed(access.storage)) continue;
            ChunkedStorage local{access.storage, seen.kernel, access.stride(), access.offset, access.outermost(), 0};
            const std::uint64_t size = size_of(access.storage);
            const auto extent = static_cast<std::uint64_t>(stretch_.kernels[seen.kernel].extent);
            std::uint64_t elements = 1;
            for (const bc::Dim& dim : access.dims) elements *= static_cast<std::uint64_t>(dim.extent);
            local.index_bytes = size * (local.outermost ? static_cast<std::uint64_t>(local.row) : elements / extent);
            stretch_.locals.push_back(local);
        }
        return !stretch_.locals.empty();
    }

    std::uint64_t size_of(Storage storage) const noexcept {
        return bc::size_of(storage.kind == Storage::Kind::Base ? program_.bases[storage.index].type
                                                               : plan_.scratch[storage.index].type);
    }

    /// What lies at the same place is one: a result that takes the memory of something from before the stretch.
    Storage place_of(Storage storage) const noexcept {
        for (std::size_t i = steps_.size(); i-- > 0;) {
            const Step& step = steps_[i];
            if (!step.allocates() || step.storage() != storage || stretch_.is_local(storage)) continue;
            if (bc::takes_over(plan_, program_, step) && !is_allocated(step.donor)) storage = step.donor;
        }
        return storage;
    }

    bool apart(const bc::CutAccess& a, const bc::CutAccess& b) const noexcept {
        return a.view != ~0u && b.view != ~0u &&
               bc::guard_relation(program_, a.view, b.view) == bc::Relation::Disjoint &&
               program_.views[a.view].base == program_.views[b.view].base;
    }

    /// From the last kernel to the first: what is read decides what must be made.
    bool find_ranges() {
        stretch_.extent = 0;
        std::vector<bool> decided(stretch_.kernels.size(), false);
        for (const Seen& seen : accesses_) {
            if (!seen.access.writes || stretch_.is_local(seen.access.storage)) continue;
            decided[seen.kernel] = true;
            stretch_.extent = std::max(stretch_.extent, stretch_.kernels[seen.kernel].extent);
        }
        for (std::size_t k = stretch_.kernels.size(); k-- > 0;) {
            if (!decided[k] || !stays_in_place(k)) return false;
            if (!demand(k, decided)) return false;
        }
        return true;
    }

    /// What the kernel leaves behind is seen by all at the same indices.
    bool stays_in_place(std::size_t k) const {
        const ChunkedKernel& kernel = stretch_.kernels[k];
        const bool exact = kernel.low == 0 && kernel.high == 0;
        for (const Seen& mine : accesses_) {
            if (mine.kernel != k) continue;
            if (mine.access.writes && !stretch_.is_local(mine.access.storage)) {
                if (!exact || kernel.extent != stretch_.extent) return false;
                if (!mine.access.steps() && !mine.scatters) return false;
            }
            for (const Seen& other : accesses_) {
                if (!other.access.writes || stretch_.is_local(other.access.storage)) continue;
                if (place_of(other.access.storage) != place_of(mine.access.storage)) continue;
                if (&mine == &other || apart(mine.access, other.access)) continue;
                if (mine.scatters || other.scatters) return false;
                if (!exact || !mine.access.same_elements(other.access)) return false;
            }
        }
        return !can_fail(plan_.kernels[kernel.kernel]) ||
               (kernel.low <= 0 && stretch_.extent + kernel.high >= kernel.extent);
    }

    static bool can_fail(const bc::Kernel& kernel) noexcept {
        return std::ranges::any_of(kernel.ops, [](const MicroOp& op) {
            return op.kind == MicroOp::Kind::Compute && bc::can_fail(op.op, op.type);
        });
    }

    /// What kernel `k` reads of what others make. All windows that write one local are the same.
    bool demand(std::size_t k, std::vector<bool>& decided) {
        for (const Seen& mine : accesses_) {
            if (mine.kernel != k || !stretch_.is_local(mine.access.storage)) continue;
            for (const Seen& writer : accesses_) {
                if (!writer.access.writes || writer.access.storage != mine.access.storage) continue;
                const std::optional<std::int64_t> away = distance(writer.access, mine.access);
                if (!away || (mine.access.writes && !writer.access.same_elements(mine.access))) return false;
                if (writer.kernel == k) continue;
                if (mine.access.writes || writer.kernel > k) return false;
                ChunkedKernel& maker = stretch_.kernels[writer.kernel];
                const std::int64_t low = stretch_.kernels[k].low + *away, high = stretch_.kernels[k].high + *away;
                maker.low = decided[writer.kernel] ? std::min(maker.low, low) : low;
                maker.high = decided[writer.kernel] ? std::max(maker.high, high) : high;
                decided[writer.kernel] = true;
            }
        }
        return true;
    }

    const bc::Program& program_;
    const bc::Plan& plan_;
    std::span<const Step> steps_;
    Stretch stretch_;
    std::vector<Seen> accesses_;
};

/// The step behind the `count`-th kernel from `begin` on and behind what is freed there; the end if there are fewer.
std::size_t behind_kernel(const bc::Plan& plan, std::size_t begin, std::size_t count) noexcept {
    std::size_t at = begin;
    for (; at < plan.steps.size() && count > 0; ++at) count -= plan.steps[at].kind == Step::Kind::Run ? 1 : 0;
    while (at < plan.steps.size() && plan.steps[at].frees()) ++at;
    return at;
}

/// Follows the memory of a plan step by step.
class Ledger {
public:
    Ledger(const bc::Program& program, const bc::Plan& plan, std::uint64_t room)
        : program_(&program), plan_(&plan), room_(static_cast<std::int64_t>(std::min(room, kMost))) {
        for (std::size_t b = 0; b < program.bases.size(); ++b) {
            if (program.bases[b].initialised) held_.push_back({Storage::Kind::Base, static_cast<std::uint32_t>(b)});
        }
    }

    bool take(const Step& step) {
        if (step.kind == Step::Kind::Run) {
            std::int64_t both = now_;  // old and new versions
            for (const bc::Version& version : plan_->kernels[step.index].versions) {
                both += static_cast<std::int64_t>(bc::bytes_of(*plan_, *program_, {Storage::Kind::Base, version.base}));
            }
            return both <= room_;
        }
        if (step.allocates() == is_held(step.storage())) return now_ <= room_;
        const auto bytes = static_cast<std::int64_t>(bc::bytes_of(*plan_, *program_, step.storage()));
        if (step.frees()) {
            std::erase(held_, step.storage());
            if (std::erase(given_, step.storage()) == 0) now_ -= bytes;
        } else {
            const bool gift = bc::takes_over(*plan_, *program_, step) && is_held(step.donor);
            if (gift) given_.push_back(step.donor);
            held_.push_back(step.storage());
            now_ += gift ? 0 : bytes;
        }
        return now_ <= room_;
    }

    /// Number of chunks with which the stretch fits; it is paid for then.
    std::optional<std::int64_t> take(const Stretch& stretch) {
        const std::span<const Step> steps(plan_->steps.data() + stretch.begin, stretch.end - stretch.begin);
        for (const Step& step : steps) {
            if (step.allocates() && !stretch.is_local(step.storage())) take(step);
        }
        const std::int64_t left = room_ - now_;
        for (const Step& step : steps) {
            if (step.frees() && !stretch.is_local(step.storage())) take(step);
        }
        if (left < 0) return std::nullopt;
        const auto fits = [&](std::int64_t count) {
            const std::uint64_t bytes = stretch.local_bytes(count);
            return bytes + bytes / kLeavesPart <= static_cast<std::uint64_t>(left);
        };
        std::int64_t low = 0, high = stretch.extent + 1;  // low fits, high does not
        while (high - low > 1) {
            const std::int64_t middle = low + (high - low) / 2;
            (fits(middle) ? low : high) = middle;
        }
        if (low == 0) return std::nullopt;
        const std::int64_t chunks = (stretch.extent + low - 1) / low;
        if (chunks > kMaxChunks || stretch.extent / chunks < stretch.least_count) return std::nullopt;
        return chunks;
    }

private:
    /// A back end may keep a value for every 32 elements of what it reduces; twice that is left for it.
    static constexpr std::uint64_t kLeavesPart = 16;
    static constexpr std::uint64_t kMost = std::uint64_t{1} << 62;

    bool is_held(Storage storage) const noexcept { return std::ranges::find(held_, storage) != held_.end(); }

    const bc::Program* program_;
    const bc::Plan* plan_;
    std::int64_t room_;
    std::int64_t now_ = 0;
    std::vector<Storage> held_, given_;
};

std::optional<ChunkedStretch> longest_that_fits(const bc::Program& program, const bc::Plan& plan, std::size_t at,
                                                Ledger& ledger) {
    for (std::size_t most = kMaxChunkedKernels; most > 0;) {
        std::optional<Stretch> stretch = find_stretch(program, plan, at, most);
        if (!stretch) break;
        Ledger tried = ledger;
        if (const std::optional<std::int64_t> chunks = tried.take(*stretch)) {
            ledger = std::move(tried);
            return ChunkedStretch{std::move(*stretch), *chunks};
        }
        most = stretch->kernels.size() - 1;
    }
    return std::nullopt;
}

}  // namespace

bool Stretch::is_local(Storage storage) const noexcept {
    return std::ranges::find(locals, storage, &ChunkedStorage::storage) != locals.end();
}

std::uint64_t Stretch::local_bytes(std::int64_t count) const noexcept {
    std::uint64_t bytes = 0;
    for (const ChunkedStorage& local : locals) {
        const ChunkedKernel& maker = kernels[local.maker];
        const std::int64_t indices = std::min(count + maker.high - maker.low, maker.extent);
        bytes += static_cast<std::uint64_t>(indices) * local.index_bytes;
    }
    return bytes;
}

std::optional<Stretch> find_stretch(const bc::Program& program, const bc::Plan& plan, std::size_t begin,
                                    std::size_t most_kernels) {
    std::size_t at = begin;
    while (at < plan.steps.size() && plan.steps[at].kind != Step::Kind::Run) ++at;
    if (at == plan.steps.size()) return std::nullopt;
    const auto rank = static_cast<unsigned>(program.domain_extents(plan.kernels[plan.steps[at].index].domain).size());
    std::optional<Stretch> best;
    for (std::size_t count = 1; count <= most_kernels; ++count) {
        const std::size_t end = behind_kernel(plan, begin, count);
        Finder finder(program, plan, begin, end);
        for (unsigned axis = 0; axis < rank; ++axis) {
            std::optional<Stretch> found = finder.find(axis);
            if (!found) continue;
            best = std::move(found);
            break;
        }
        if (end == plan.steps.size()) break;
    }
    return best;
}

std::optional<std::vector<ChunkedStretch>> fit_in_chunks(const bc::Program& program, const bc::Plan& plan,
                                                         std::uint64_t room) {
    std::vector<ChunkedStretch> result;
    Ledger ledger(program, plan, room);
    for (std::size_t at = 0; at < plan.steps.size();) {
        if (!plan.steps[at].frees()) {
            if (std::optional<ChunkedStretch> found = longest_that_fits(program, plan, at, ledger)) {
                at = found->stretch.end;
                result.push_back(std::move(*found));
                continue;
            }
        }
        const std::size_t end = plan.steps[at].frees() ? at + 1 : behind_kernel(plan, at, 1);
        for (; at < end; ++at) {
            if (!ledger.take(plan.steps[at])) return std::nullopt;
        }
    }
    return result;
}

}  // namespace xlazy::opt
