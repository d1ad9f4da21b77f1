// SPDX-License-Identifier: BSD-3-Clause
// One thread's part of a kernel: runs tiles of a bound program on memory of its own.
#pragma once

#include "openmp/tile_program.hpp"

#include <limits>

namespace xlazy::be {

/// Where the tiles being run are folded to, or what they are scanned from.
struct FoldTarget {
    std::byte* accumulators = nullptr;  ///< of scans: the carry
    std::byte* results = nullptr;       ///< [outer][inner], for whole segments
    std::byte* values = nullptr;        ///< of compiled code: a tile's values, or the values of leaves
    const std::byte* prefix = nullptr;  ///< of scans, see ScanState
    std::byte* instead = nullptr;       ///< of scans: takes the result if only the carry is wanted
};

class TileWorker {
public:
    static constexpr std::int64_t kNoFailure = std::numeric_limits<std::int64_t>::max();

    struct Failure {
        std::int64_t index;
        bc::Scalar operands[2];
    };
    /// XLAZY_CHECK=nan.
    struct NotFinite {
        std::int64_t index = kNoFailure;
        bc::Scalar operands[2] = {};
        bc::Scalar value{};
    };

    /// Takes the memory that the program needs. `code`: what runs in the place of its loops, or null.
    /// @throws std::bad_alloc
    void prepare(const TileProgram& program, const jit::Code* code);
    /// Runs the positions [begin, end) of the domain, in tiles.
    void run(std::int64_t begin, std::int64_t end) noexcept;

    /// What compiled code does with the values of reductions.
    Folding folding() const noexcept { return code_ != nullptr ? program_->code_folding() : Folding::None; }
    /// Whole rows, by code that folds leaves: the target's `values` get a value a row.
    void fold_leaves_by_code(std::int64_t begin, std::int64_t end) noexcept;
    /// So many leaves of a row that have `width` values each, from a position on: a value a leaf.
    void fold_leaves_by_code(std::int64_t position, std::int64_t leaves, std::int64_t width) noexcept;
    /// So many rows from a position on, by code that folds rows: the target's `values` get `width` values.
    void fold_rows_by_code(std::int64_t position, std::int64_t rows, std::int64_t width) noexcept;

    /// How compiled code scans.
    Folding scanning() const noexcept { return code_ != nullptr ? program_->code_scanning() : Folding::None; }
    /// A leaf, by code, of the columns [column, column + width): from the carries and prefixes of the targets.
    void scan_leaf_by_code(std::int64_t position, std::int64_t column, std::int64_t indices,
                           std::int64_t width) noexcept;
    /// Outer indices of one leaf each, by code.
    void scan_leaves_by_code(std::int64_t begin, std::int64_t end) noexcept;

    /// How the tiles of a reduction are folded, or scanned.
    enum class Fold : std::uint8_t {
        Rows,      ///< rows of accumulators, one row after the other
        Segments,  ///< tiles are whole segments
        Leaves,    ///< tiles are whole leaves of one lane
    };
    /// `width`: accumulators of a row; positions count from `first`. `fresh`: the first row goes to accumulators that
    /// hold nothing yet.
    void fold_rows(std::int64_t first, std::int64_t width, bool fresh) noexcept {
        fold_ = Fold::Rows;
        fold_first_ = first;
        fold_width_ = width;
        fold_fresh_ = fresh;
    }
    void fold_segments() noexcept { fold_ = Fold::Segments; }
    /// The tile's first leaf goes to the first accumulator.
    void fold_leaves() noexcept { fold_ = Fold::Leaves; }
    /// From now on nothing is stored: only scans run, and what they are made of.
    void only_before_scans(bool only) noexcept { only_before_scans_ = only; }
    FoldTarget& target(std::size_t reduction) noexcept { return targets_[reduction]; }
    /// Memory for the accumulators of a leaf with several lanes, for every reduction or scan that many bytes.
    /// @throws std::bad_alloc
    void reserve_lanes(std::size_t bytes);
    std::byte* lane_memory(std::size_t reduction) noexcept;

    const std::vector<Failure>& failures() const noexcept { return failures_; }
    const std::vector<NotFinite>& not_finite() const noexcept { return not_finite_; }
    /// A value that was looked at was not finite.
    bool saw_not_finite() const noexcept { return saw_not_finite_ != 0; }

private:
    static constexpr std::int64_t kNoBlock = -2;
    static constexpr std::size_t kLine = 64;

    /// One value of any type.
    struct alignas(16) Cell {
        std::byte bytes[16];
    };

    /// Rows of a transposed access, of blocks [begin, end).
    struct Panel {
        std::uint16_t access;
        std::size_t size_index;
        std::int64_t row_bytes;
        std::size_t memory;  ///< in panel_memory_
        std::int64_t begin = 0, end = 0;
    };

    /// An access whose pointer moves with the tile.
    struct Moving {
        std::uint16_t access;
        std::int64_t step;  ///< bytes an element
    };

    void prepare_panels();
    void prepare_code();
    void run_code(std::int64_t begin, std::int64_t end) noexcept;
    void compute(std::int64_t begin, std::int64_t end) noexcept;
    void call_code(std::int64_t position, std::int64_t column, std::int64_t rows, std::int64_t columns,
                   const std::int64_t* rows_step) noexcept;
    void aim_scans() noexcept;
    void note_traps() noexcept;
    void seek(std::int64_t block) noexcept;
    void next_block() noexcept;
    void move_origins(unsigned axis, std::int64_t indices) noexcept;
    void set_uniform() noexcept;
    void tile(std::int64_t first, std::int64_t count) noexcept;
    void fetch_ahead(std::int64_t part, std::int64_t parts, std::int64_t count) noexcept;
    void step(const TileOp& op, std::int64_t count) noexcept;
    void gather(const TileOp& op, std::int64_t count) noexcept;
    void panel(const TileOp& op) noexcept;
    void fill_panel(std::size_t number) noexcept;
    void scatter(const TileOp& op, std::int64_t count) noexcept;
    void write_index(const TileOp& op, std::int64_t count) noexcept;
    void fault(const TileOp& op, std::int64_t count) noexcept;
    void check(const TileOp& op, std::int64_t count) noexcept;
    void look(const TileOp& op, std::int64_t count) noexcept;
    void fold(std::size_t reduction, const std::byte* values, std::int64_t count) noexcept;
    void scan(const TileOp& op, std::int64_t count) noexcept;
    void pick(const TileOp& op, std::int64_t count) noexcept;
    void put(const TileOp& op, std::int64_t count) noexcept;
    /// Calls f(address, rows, row stride, columns, column stride) for the parts of an access in the tile.
    template <class F>
    void for_each_part(std::size_t access, std::int64_t count, F&& f) const noexcept;

    const TileProgram* program_ = nullptr;
    const jit::Code* code_ = nullptr;
    std::vector<char*> code_pointers_;
    std::vector<std::int64_t> code_rows_step_, code_step_, code_leaf_step_;
    std::vector<KernelArguments::Trap> code_traps_;
    std::vector<KernelArguments::Scan> code_scans_;
    std::vector<std::byte> code_values_;  ///< [reduction][code tile]: what is to be folded
    std::vector<void*> pointers_;
    std::vector<std::intptr_t> origins_;  ///< of the accesses: address of the block's first element
    std::vector<std::int64_t> steps_;     ///< [axis before the inner ones][access]: strides, so that a step is one loop
    std::vector<std::int64_t> index_values_;
    std::vector<Moving> moving_;
    std::vector<std::uint16_t> uniform_;
    std::vector<Cell> cells_;
    std::vector<std::byte> slots_;
    std::vector<Panel> panels_;
    std::vector<std::byte> panel_memory_;
    std::vector<std::byte> lanes_;
    std::vector<FoldTarget> targets_;
    std::vector<Failure> failures_;
    std::vector<NotFinite> not_finite_;
    unsigned char saw_not_finite_ = 0;
    std::int64_t block_number_ = kNoBlock;
    std::int64_t index_[bc::kMaxRank] = {};  ///< of the block, along the axes before the inner ones
    std::int64_t first_ = 0;                 ///< of the tile, in its block
    std::int64_t position_ = 0;              ///< of the tile, in the domain
    std::size_t lane_bytes_ = 0;             ///< of one reduction
    std::int64_t fold_first_ = 0, fold_width_ = 1;
    bool fold_fresh_ = true, only_before_scans_ = false;
    ReductionShape shape_{};  ///< of a kernel with scans
    Fold fold_ = Fold::Rows;
};

}  // namespace xlazy::be
