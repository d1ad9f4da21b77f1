// SPDX-License-Identifier: BSD-3-Clause
// A kernel bound to the memory of one batch: the loops to call for every tile, in order.
//
// A tile is a run of consecutive row-major positions of the domain. The nest's axes from `inner_axis` on make a block;
// tiles do not cross blocks, so inside a block an operand is one element (uniform), dense memory that is used in place,
// or strided memory that is gathered into a slot. Operands are entries of a table of pointers that each thread keeps:
//   [accesses][null][scalars][cells][slots]
// A cell holds a value that is the same in the whole tile, a slot one value an element.
#pragma once

#include "isa/kernel_table.hpp"
#include "jit/tiers.hpp"
#include "openmp/loop_nest.hpp"

#include <algorithm>
#include <optional>

namespace xlazy::be {

struct TileOp {
    enum class Kind : std::uint8_t {
        Map,      ///< map(a, b, c) -> out
        MapOnce,  ///< the same for uniform operands: one element
        Fault,    ///< fault(a, b, mask c) -> out; `extra` numbers the trap
        FaultOnce,
        Fill,       ///< uniform a -> out, dense
        Copy,       ///< dense a -> out, dense
        Stream,     ///< the same, past the caches
        Gather,     ///< access `extra` -> out
        Panel,      ///< panel `extra`: its access becomes dense
        GatherOne,  ///< uniform a -> cell out
        Scatter,    ///< a -> access `extra`
        Index,      ///< coordinates of access `extra` -> out
        Fold,       ///< a -> reduction `extra`
        Check,      ///< are `out`'s values, made of a, b and c, finite? `extra` numbers the check
        CheckOnce,
        Look,  ///< are a's values, of `size_index` bytes a part, finite?
        LookOnce,
        Scan,  ///< a -> out, by scan `extra`
        Pick,  ///< elements of `extra`'s view, numbered by a -> out
        Put,   ///< a -> elements of `extra`'s view, numbered by b
    };
    explicit TileOp(Kind what) noexcept : kind(what) {}

    Kind kind;
    std::uint8_t size_index = 0;  ///< of the elements that are moved
    bool before_scan = false;     ///< a scan, or what one is made of
    std::uint16_t extra = 0;
    std::uint16_t out = 0, a = 0, b = 0, c = 0;
    union {
        MapFn map = nullptr;
        FaultFn fault;
        GatherFn gather;
        ScatterFn scatter;
        StreamFn stream;
    };
};

struct FaultSite {
    std::uint32_t instruction;
    bc::DType type;
    Form form;
};

/// XLAZY_CHECK=nan.
struct CheckSite {
    const bc::MicroOp* op;
    bool reduction;  ///< only whether the operand is finite is asked
    bool single[3];  ///< operands that are single values
};

struct Reduction {
    FoldFn fold;
    SegmentsFn segments;
    LeavesFn leaves;
    TreeFn tree;
    std::size_t element_size;
    std::size_t access;  ///< of the result, whose stride along the reduced axis is 0
    bool dense;          ///< the result's memory is dense in row-major order
    /// The operand's access, if the operand is memory that can be folded where it lies: dense along the axes after the
    /// reduced one, or, if there are none, along that one.
    std::optional<std::size_t> source;
    bc::Scalar identity;  ///< the result where the axis has no index
};

struct Scan {
    ScanFn scan;
    std::size_t element_size;
};

/// A view whose elements are found by their numbers.
struct Numbered {
    std::byte* start;
    std::int64_t count;         ///< elements
    std::int64_t step;          ///< bytes from one to the next, if that is the same for all
    std::vector<bc::Dim> dims;  ///< where it is not; strides in bytes
};

/// The nest of a reduction or a scan, [outer][n][inner], and the lanes and the leaf that the rule has for it: they
/// depend on the order of the domain's axes, not on that of the nest's.
struct ReductionShape {
    std::int64_t outer, n, inner, lanes, leaf;
    std::int64_t leaves() const noexcept { return (n + leaf - 1) / leaf; }
};

/// Some rows of what a micro-op loads or stores, in place of its own memory.
struct RowWindow {
    std::uint32_t op;  ///< position in the kernel
    std::byte* start;  ///< of the first index of the cut axis that is bound
    std::vector<bc::Dim> dims;
};

class TileProgram {
public:
    static constexpr int kNotCut = -1;
    struct Choices {
        bool superinstructions = true;
        std::int64_t streamed_bytes = kStreamedBytes;
        bool compiled = true;    ///< may run compiled code
        int cut_axis = kNotCut;  ///< of the domain: only `cut_count` of its indices are bound, see move_to
        std::int64_t cut_count = 0;
        std::span<const RowWindow> windows{};
    };
    /// @throws std::logic_error if the kernel has reductions or scans along different axes
    void bind(const bc::Kernel& kernel, const Bindings& bindings, const Choices& choices);
    /// The cut axis begins at this index of the domain.
    void move_to(std::int64_t first) noexcept { nest_.move_to(first); }
    /// The window of this micro-op begins here. To be called after move_to.
    void place(std::uint32_t op, std::byte* start) noexcept { nest_.move(access_of_[op], start); }
    /// What was bound already, on other memory, offsets and scalars. The lengths and strides are the same.
    /// @return false if a result now lies where an operand does, or no longer: then it must be bound anew
    bool rebind(const bc::Kernel& kernel, const Bindings& bindings) noexcept;

    const LoopNest& nest() const noexcept { return nest_; }
    unsigned inner_axis() const noexcept { return inner_axis_; }
    Layout layout(std::size_t access) const noexcept { return layouts_[access]; }
    std::int64_t block() const noexcept { return block_; }
    std::int64_t tile() const noexcept { return tile_; }
    const std::vector<TileOp>& ops() const noexcept { return ops_; }
    const std::vector<FaultSite>& faults() const noexcept { return faults_; }
    const std::vector<CheckSite>& checks() const noexcept { return checks_; }
    const std::vector<Reduction>& reductions() const noexcept { return reductions_; }
    /// Nothing but reductions of memory that can be folded where it lies.
    bool only_folds_memory() const noexcept;
    const std::vector<Scan>& scans() const noexcept { return scans_; }
    const std::vector<Numbered>& numbered() const noexcept { return numbered_; }
    /// The order of positions matters: of several values for one element the last one stays.
    bool in_order() const noexcept { return in_order_; }
    /// Only for kernels with reductions or scans.
    ReductionShape reduction_shape() const noexcept;
    /// Compiled code for so many runs, if there is some: it takes the place of the tiles' loops. Counts them.
    const jit::Code* code(std::int64_t runs = 1) const noexcept;
    /// What compiled code does with the values of reductions.
    Folding code_folding() const noexcept { return code_folding_; }
    /// How compiled code scans.
    Folding code_scanning() const noexcept { return code_scanning_; }
    /// Compiled code goes through the axes from this one on as through one.
    unsigned code_axis() const noexcept { return code_axis_; }
    /// The scalars that compiled code gets.
    const void* const* code_scalars() const noexcept { return code_scalars_.data(); }
    /// Elements that compiled code computes before they are folded: a multiple of a tile.
    std::int64_t code_tile() const noexcept { return tile_ * std::max<std::int64_t>(kMaxTile / tile_, 1); }
    /// Estimated time of one element, in hundredths of a nanosecond.
    std::int64_t cost() const noexcept { return cost_; }
    /// Some results are written past the caches.
    bool streams() const noexcept { return streams_; }

    std::size_t pointers() const noexcept { return slots_begin_ + slots_; }
    std::size_t null_pointer() const noexcept { return nest_.accesses().size(); }
    std::size_t scalars_begin() const noexcept { return nest_.accesses().size() + 1; }
    std::size_t cells_begin() const noexcept { return cells_begin_; }
    std::size_t slots_begin() const noexcept { return slots_begin_; }
    const std::vector<const void*>& scalars() const noexcept { return scalars_; }
    std::size_t cells() const noexcept { return cells_; }
    std::size_t slots() const noexcept { return slots_; }
    /// Strided accesses whose rows are transposed some at a time: a row of the panel lies dense.
    const std::vector<std::uint16_t>& panels() const noexcept { return panels_; }
    /// Dense operands whose next tile is asked for while one is computed.
    const std::vector<std::uint16_t>& fetched() const noexcept { return fetched_; }
    std::size_t slot_bytes() const noexcept { return (static_cast<std::size_t>(tile_) * slot_element_ + 63) / 64 * 64; }

private:
    /// Elements of a tile at most.
    static constexpr std::int64_t kMaxTile = 2048;
    static constexpr std::size_t kNoAccess = ~std::size_t{0};
    static constexpr std::size_t kNoOp = ~std::size_t{0};

    /// Where the value of a micro-op lies.
    struct Place {
        std::uint16_t pointer = 0;
        bool uniform = false;
        bool slot = false;  ///< returned to the free slots after the last use
    };

    void bind_accesses();
    const void* scalar_bits(std::size_t op) noexcept;
    void bind_memory(std::size_t op, std::byte* start, std::size_t element_size, std::span<const bc::Dim> dims);
    bool has_lanes_to_keep() const;
    bool rows_pay() const;
    bool transposed(const Access& access) const;
    bool can_be_panel(std::size_t load) const;
    void choose_block();
    void find_uses();
    void find_uniform_values();
    void choose_pairs();
    bool can_pair(std::size_t first) const;
    void choose_direct_stores();
    /// Calls f for every access that begins where a store's does: a result can have the memory of an operand.
    template <class F>
    void for_each_shared(F f) const;
    void list_shared();
    bool may_store_directly(std::size_t store) const;
    bool pays_to_stream(std::size_t store) const;
    bool overwritten_while_used(std::size_t load) const;
    void choose_tile();
    void choose_fetched();
    void find_code();
    Folding choose_folding() const noexcept;
    Folding choose_scanning() const noexcept;
    void choose_code_axis() noexcept;
    void list_code_scalars() noexcept;

    void lower(std::size_t op);
    void lower_load(std::size_t op);
    void lower_index(std::size_t op);
    void lower_compute(std::size_t op);
    void lower_binary(std::size_t op, TileOp& tile_op);
    void lower_pair(std::size_t op);
    std::uint16_t minus_one(bc::DType type);
    void lower_ternary(std::size_t op);
    void lower_fault(std::size_t op);
    void lower_check(std::size_t op, const TileOp& computed);
    void check_before_fold(std::size_t op, std::uint16_t operand);
    bool is_checked(std::size_t op) const;
    void add_look(std::size_t op);
    void lower_store(std::size_t op);
    void lower_fold(std::size_t op);
    void lower_scan(std::size_t op);
    void lower_gather(std::size_t op);
    void lower_scatter(std::size_t op);
    std::uint16_t add_numbered(std::size_t op);
    bool has_code() const noexcept;
    std::optional<std::size_t> memory_to_fold(bc::ValueId value) const;
    static bc::Scalar identity(const bc::MicroOp& reduction);

    /// Calls f(value) for every value that the loop of `op` reads.
    template <class F>
    void for_each_input(std::size_t op, F&& f) const;
    bool all_uniform(std::size_t op) const;
    std::uint16_t new_cell() { return static_cast<std::uint16_t>(cells_begin_ + cells_++); }
    std::uint16_t take_slot();
    void release(std::uint16_t pointer) { free_slots_.push_back(pointer); }
    void release_operands(std::size_t op, std::size_t element_size, bool of_that_size);
    /// A pointer to the value, one an element: uniform values are spread into `spread`, a slot to be released.
    std::uint16_t per_element(bc::ValueId value, std::uint16_t& spread);
    std::uint16_t result_place(std::size_t op, bool uniform, bool in_place);

    std::byte* start_of(const bc::MicroOp& op) const noexcept;

    const bc::Kernel* kernel_ = nullptr;
    const Bindings* bindings_ = nullptr;
    Choices choices_;
    bool streams_ = false, in_order_ = false;
    LoopNest nest_;
    unsigned inner_axis_ = 0;
    std::int64_t block_ = 1, tile_ = 1, cost_ = 0;
    std::size_t slot_element_ = 1;  ///< bytes of the largest element in a slot
    std::vector<TileOp> ops_;
    std::vector<FaultSite> faults_;
    std::vector<CheckSite> checks_;
    std::vector<Reduction> reductions_;
    std::vector<Scan> scans_;
    std::vector<Numbered> numbered_;
    std::vector<const void*> scalars_;
    std::vector<bc::Scalar> formed_;  ///< by micro-op: where it is not the recorded one
    std::vector<Layout> layouts_;
    std::vector<std::uint16_t> panels_, fetched_;
    jit::Variant* variant_ = nullptr;
    Folding code_folding_ = Folding::None, code_scanning_ = Folding::None;
    unsigned code_axis_ = 0;
    std::vector<const void*> code_scalars_;
    std::size_t cells_begin_ = 0, slots_begin_ = 0, cells_ = 0, slots_ = 0;
    // While binding, one an op of the kernel:
    std::vector<std::size_t> access_of_;
    std::vector<std::size_t> last_use_;
    std::vector<std::uint32_t> uses_;
    std::vector<bool> before_scan_;
    std::vector<std::size_t> absorbs_;  ///< the op that this one's loop computes, too, or kNoOp
    std::vector<std::size_t> absorbed_by_;
    std::vector<std::size_t> stores_;  ///< all stores
    std::vector<std::pair<std::size_t, std::size_t>>
        shared_;                       ///< accesses: a store's, and another one that begins there
    std::vector<std::size_t> direct_;  ///< of a compute: the access that it writes itself, or kNoAccess
    std::vector<bool> look_;           ///< empty: at nothing
    std::vector<Place> places_;
    std::vector<std::uint16_t> free_slots_;
};

}  // namespace xlazy::be
