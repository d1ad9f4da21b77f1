// SPDX-License-Identifier: BSD-3-Clause
// What the optimizer makes and the back ends run. A plan names views, domains, scalars and bases of the batch by index,
// so it serves every batch of the same structure whose geometry satisfies its guards.
#pragma once

#include "xlazy/bytecode/scalar_form.hpp"
#include "xlazy/bytecode/structure.hpp"

#include <functional>
#include <string>

namespace xlazy::bc {

/// A value inside a kernel: number of the micro-op that makes it.
using ValueId = std::uint16_t;
inline constexpr ValueId kNoValue = 0xffff;

/// One step of a kernel's straight-line body; its value is numbered by its position.
struct MicroOp {
    /// What the step does.
    enum class Kind : std::uint8_t {
        LoadView,       ///< element of view `index`, broadcast to the kernel's domain
        LoadScratch,    ///< element of scratch `index`, broadcast likewise
        LoadScalar,     ///< scalar slot `index`, in the given form
        Compute,        ///< op(in...); of a scan, op over the values of in[0] up to this index along `axis`
        StoreView,      ///< in[0] to view `index`
        StoreScratch,   ///< in[0] to scratch `index`
        ReduceView,     ///< reduction of in[0] by `op` along `axis`, to view `index`; or the library routine `op`
        ReduceScratch,  ///< the same, to scratch `index`
        GatherView,     ///< element of view `index` whose row-major number is in[0]
        ScatterView,    ///< in[0] to the element of view `index` whose row-major number is in[1]
    };
    Kind kind = Kind::Compute;
    ScalarForm form = ScalarForm::Value;  ///< LoadScalar
    Op op = Op::copy;                     ///< Compute and Reduce
    DType type = DType::none;             ///< of the operands; of the value for loads, scalars and stores
    DType result = DType::none;           ///< of the value
    std::uint8_t flags = 0;               ///< Instruction's flags
    std::uint8_t axis = 0;                ///< of reductions, scans and generators
    ValueId in[3] = {kNoValue, kNoValue, kNoValue};
    std::uint32_t index = 0;
    std::uint32_t instruction = 0;  ///< of the batch: origin map
};

/// A base that a kernel updates while it reads the old value through other views. The kernel loads from the base's
/// memory and stores to other memory, which becomes the base's when the kernel is done. What `view` leaves out is
/// copied there before the kernel runs. Where the memory must stay, what was stored is copied back instead.
struct Version {
    std::uint32_t base;
    std::uint32_t view;  ///< the widest of the views through which the kernel writes the base
};

/// One loop nest over one domain. Loads and stores of one base in one kernel are Identical or Disjoint, or the kernel
/// makes a new version of the base and loads nothing that it has stored before; so any order of indices gives the same
/// result. A back end may compute what scans are made of twice, the first time without storing anything. So scans of a
/// kernel run along one axis; they are not made of another one's values, nor of memory that the kernel has written
/// before; and no reduction shares their kernel. A library call has a kernel of its own: what it loads are whole
/// arrays.
struct Kernel {
    static constexpr std::size_t kNoVersion = ~std::size_t{0};

    std::uint32_t domain = 0;
    std::vector<MicroOp> ops{};
    std::vector<Version> versions{};  ///< one a base

    /// The library call that the kernel is, or null.
    const MicroOp* library_call() const noexcept {
        const bool calls =
            !ops.empty() && ops.back().kind == MicroOp::Kind::ReduceView && info(ops.back().op).kind == OpKind::Library;
        return calls ? &ops.back() : nullptr;
    }
    /// Number of the version that the kernel makes of a base, or kNoVersion.
    std::size_t version_of(std::uint32_t base) const noexcept {
        for (std::size_t i = 0; i < versions.size(); ++i) {
            if (versions[i].base == base) return i;
        }
        return kNoVersion;
    }
};

/// Temporary storage between kernels: dense, row-major. Its shape is that of a domain, or, for a reduction's result,
/// the reduced domain without `axis` (kept axes: with extent 1). Said by structure alone, so that it holds for every
/// batch.
struct Scratch {
    static constexpr std::uint8_t kNoAxis = 0xff;
    DType type;
    std::uint32_t domain;
    std::uint8_t axis = kNoAxis;
    bool keep_axis = false;
};

/// Extents of a scratch in a batch, outermost axis first.
struct ScratchShape {
    unsigned rank = 0;
    std::int64_t extents[kMaxRank] = {};
    /// The extents in use.
    std::span<const std::int64_t> span() const noexcept { return {extents, rank}; }
};

/// The scratch's shape for the extents of this batch.
inline ScratchShape shape_of(const Program& program, const Scratch& scratch) noexcept {
    ScratchShape shape;
    unsigned axis = 0;
    for (const std::int64_t extent : program.domain_extents(scratch.domain)) {
        if (axis++ != scratch.axis)
            shape.extents[shape.rank++] = extent;
        else if (scratch.keep_axis)
            shape.extents[shape.rank++] = 1;
    }
    return shape;
}

/// What a plan gives memory: a base of the batch or a scratch.
struct Storage {
    /// A base, a scratch, or neither.
    enum class Kind : std::uint8_t { None, Base, Scratch };
    Kind kind = Kind::None;
    std::uint32_t index = 0;
    friend bool operator==(Storage, Storage) noexcept = default;
};

/// One step of running a plan, in order.
struct Step {
    /// What the step does; `index` says to what.
    enum class Kind : std::uint8_t {
        Run,           ///< kernel `index`
        AllocBase,     ///< memory for base `index`: its first write follows
        FreeBase,      ///< base `index` is not live and was read for the last time
        AllocScratch,  ///< memory for scratch `index`
        FreeScratch,
    };
    Kind kind;
    std::uint32_t index;
    /// Of allocations: the memory is that of this base or scratch if it is as large. The next kernel loads the donor
    /// for the last time, element by element where it stores the new one; its free step then gives nothing back.
    Storage donor{};

    /// Memory for a base or a scratch.
    bool allocates() const noexcept { return kind == Kind::AllocBase || kind == Kind::AllocScratch; }
    /// Memory of a base or a scratch goes back.
    bool frees() const noexcept { return kind == Kind::FreeBase || kind == Kind::FreeScratch; }
    /// What an allocation or a free step is about.
    Storage storage() const noexcept {
        const bool base = kind == Kind::AllocBase || kind == Kind::FreeBase;
        return {base ? Storage::Kind::Base : Storage::Kind::Scratch, index};
    }
};

/// A kernel of a region. At the region's position f it has gone through the indices below f + high of the axis of its
/// domain, as far as it has them; a thread that begins at position f begins with index f + low.
struct RegionKernel {
    std::uint32_t axis = 0;
    std::int64_t low = 0, high = 0;
    friend bool operator==(const RegionKernel&, const RegionKernel&) noexcept = default;
};

/// Kernels, one after the other, that can run piece by piece along an axis of each, all of them on one piece before the
/// next; also one after the other as a whole. Their last one may reduce the axis that is cut.
struct Region {
    std::uint32_t first = 0;  ///< kernel
    std::vector<RegionKernel> kernels;
    /// What comes and goes inside: where the region runs piece by piece, it has memory for a piece, and its allocation
    /// and free steps count for nothing.
    std::vector<Storage> locals;

    /// One past its last kernel.
    std::uint32_t end() const noexcept { return first + static_cast<std::uint32_t>(kernels.size()); }
    /// Is it one of `locals`?
    bool is_local(Storage storage) const noexcept {
        for (const Storage& local : locals) {
            if (local == storage) return true;
        }
        return false;
    }
    friend bool operator==(const Region&, const Region&) noexcept = default;
};

/// Kernels, one after the other, none of which needs what another one does or changes what another one uses. They run
/// with no other step between them, in any order, or at once.
struct Dispatch {
    std::uint32_t first = 0;  ///< kernel
    std::uint32_t count = 0;
    /// One past its last kernel.
    std::uint32_t end() const noexcept { return first + count; }
    friend bool operator==(const Dispatch&, const Dispatch&) noexcept = default;
};

/// A fact about geometry that the plan relied on: how view_a lies to view_b.
/// Views of different bases: Identical if each holds every element of its base, both in the same order; else Disjoint.
/// view_b == kWholeBase: Identical if every element of its base occurs exactly once in view_a, else Overlap.
/// view_b == kDense: Identical if view_a is all of its base in row-major order, else Overlap.
struct Guard {
    static constexpr std::uint32_t kWholeBase = ~0u;
    static constexpr std::uint32_t kDense = ~1u;
    std::uint32_t view_a, view_b;
    Relation relation;
    friend bool operator==(const Guard&, const Guard&) noexcept = default;
};
/// What is true of the pair. Conservative where exactness is costly.
Relation guard_relation(const Program& program, std::uint32_t view_a, std::uint32_t view_b) noexcept;

/// A fact about many views of one base: no two views of different groups have an element in common.
struct Spread {
    std::uint32_t base = 0;
    std::vector<std::uint32_t> views;   ///< in the order in which they lay when the plan was made
    std::vector<std::uint32_t> groups;  ///< of each view
};
/// Groups the views, as finely as intervals tell and, where all strides have a common divisor, the rest of the offset
/// by it: rows, columns and tiles of columns of one array are each a group. O(n log n).
Spread spread_of(const Program& program, std::uint32_t base, std::vector<std::uint32_t> views);
/// The groups are as far apart as spread_of needs them to be. Linear if the views lie in their order.
bool spread_holds(const Spread& spread, const Program& program) noexcept;

/// The value that an instruction of the batch asks for is the one that the micro-ops of an earlier instruction make.
/// What happens to those happens to both: a failure is a failure of each one's line.
struct Merge {
    std::uint32_t instruction;
    std::uint32_t into;  ///< the earlier instruction; it is not merged itself
    friend auto operator<=>(const Merge&, const Merge&) noexcept = default;
};

/// What the optimizer makes of a batch, and a back end runs. Holds for every batch of the structure whose facts the
/// guards, spreads and regions describe.
struct Plan {
    std::vector<Kernel> kernels;
    std::vector<Scratch> scratch;
    std::vector<Step> steps;
    std::vector<Region> regions;       ///< ascending, without common kernels
    std::vector<Dispatch> dispatches;  ///< the same; none has a kernel of a region
    std::vector<Guard> guards;
    std::vector<Spread> spreads;
    std::vector<ScalarGuard> scalar_guards;
    std::vector<Merge> merged;              ///< ascending by instruction, one an instruction at most
    std::uint32_t contracted_bases = 0;     ///< arrays that never get memory
    std::uint32_t contracted_temps = 0;     ///< temporaries that never get memory
    std::vector<std::uint32_t> contracted;  ///< the bases, ascending
};

/// Bytes that a base or scratch takes.
std::uint64_t bytes_of(const Plan& plan, const Program& program, Storage storage) noexcept;
/// An allocation that gets the memory of its donor.
bool takes_over(const Plan& plan, const Program& program, const Step& step) noexcept;

/// The steps of a region's kernels: from the first allocation before them to the last free step behind them.
struct StepRange {
    std::size_t begin = 0, end = 0;
};
/// The steps of a region's kernels, their allocations and frees included.
StepRange steps_of(const Region& region, const Plan& plan) noexcept;
/// The one that begins with this kernel, or null.
const Dispatch* dispatch_at(const Plan& plan, std::uint32_t kernel) noexcept;
/// The batch's geometry is one for which the kernels can run so, or one of them has no elements.
bool region_holds(const Region& region, const Plan& plan, const Program& program);

/// The pair lies as the guard says, or one of the views has no elements: then a plan for any relation is right.
bool guard_holds(const Guard& guard, const Program& program) noexcept;
/// Every guard about scalars holds for the batch's.
bool scalar_guards_hold(const Plan& plan, const Program& program) noexcept;
/// Every guard, spread and region of the plan holds for the batch's geometry and scalars.
bool guards_hold(const Plan& plan, const Program& program);

/// Calls f(first, count) for the runs of consecutive elements of the base that the view consists of; if the view
/// repeats no element, in the order of memory. What it repeats may come several times.
void for_each_run(const Program& program, std::uint32_t view,
                  const std::function<void(std::int64_t first, std::int64_t count)>& f);
/// The same for the runs of elements that the view leaves out.
void for_each_gap(const Program& program, std::uint32_t view,
                  const std::function<void(std::int64_t first, std::int64_t count)>& f);

/// For golden tests and XLAZY_TRACE=plan.
std::string print(const Plan& plan);
/// Checks indices, value order and types of a plan against its batch. @return the empty string, or what is wrong
std::string verify(const Plan& plan, const Program& program);

}  // namespace xlazy::bc
