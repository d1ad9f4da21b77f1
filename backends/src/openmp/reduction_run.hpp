// SPDX-License-Identifier: BSD-3-Clause
// How a kernel's reductions are cut into parts that threads run on their own, and put together again.
#pragma once

#include "openmp/extreme_leaves.hpp"
#include "openmp/tile_worker.hpp"
#include "xlazy/backends/memory_pool.hpp"

namespace xlazy::be {

/// One run of a kernel with reductions. Phase one fills [outer][leaves][inner], phase two combines the leaves; between
/// them all threads must have met.
class ReductionRun {
public:
    /// `in_parts`: phase one is done by parts of it. @throws std::bad_alloc
    ReductionRun(const TileProgram& program, int threads, bool in_parts = false);
    /// Of the same kernel a piece, whose first index along the reduced axis is that and begins a leaf: its phase one
    /// fills leaves of this run, which combines them.
    ReductionRun part(const TileProgram& piece, std::int64_t first_index) const;

    /// What every worker that folds must have reserved.
    std::size_t lane_bytes() const noexcept;
    void fold(TileWorker& worker, int thread, int threads) const noexcept;
    bool needs_combining() const noexcept { return needs_combining_; }
    void combine(int thread, int threads) const noexcept;

    /// What the leaves come to is copied there before it is combined, of a run with one result.
    void keep_leaves(ExtremeLeaves& leaves);
    /// In place of both phases, of a run with one result that this leaf alone decides.
    void fold_only(TileWorker& worker, std::int64_t leaf) const noexcept;

private:
    /// What phase one does at a time.
    enum class Mode : std::uint8_t {
        Segments,  ///< many outer indices, one short leaf each
        Leaves,    ///< some leaves of one lane along consecutive memory
        Rows,      ///< a leaf
        Columns,   ///< some columns of a leaf
    };
    struct Partials {
        std::byte* data = nullptr;  ///< the result itself where one leaf is all and the result is dense
        PoolMemory memory;
        bool direct = false;
    };

    struct Unit {
        std::int64_t outer, leaf, first_index, indices, begin, end;  ///< columns [begin, end)
    };
    /// The leaves go where `whole` has them, the first to its leaf `first_leaf`.
    ReductionRun(const TileProgram& program, int threads, bool in_parts, const ReductionRun* whole,
                 std::int64_t first_leaf);
    void place_partials();
    Mode choose_mode() const noexcept;
    void choose_columns(int threads) noexcept;
    void choose_group(int threads) noexcept;
    void fold_leaves_by_code(TileWorker& worker, int thread, int threads) const noexcept;
    void fold_rows_by_code(TileWorker& worker, int thread, int threads) const noexcept;
    std::int64_t units() const noexcept;
    Unit unit_of(std::int64_t number) const noexcept;
    std::byte* result(std::size_t reduction, const Unit& unit) const noexcept;
    void fold_unit(TileWorker& worker, const Unit& unit) const noexcept;
    void fold_group(TileWorker& worker, const Unit& unit) const noexcept;
    void fold_leaf(TileWorker& worker, const Unit& leaf) const noexcept;
    void fold_tiles(TileWorker& worker, const Unit& unit) const noexcept;
    void fold_memory(const Reduction& reduction, const Unit& unit, std::byte* accumulators) const noexcept;
    const std::byte* source_of(const Reduction& reduction, const Unit& unit) const noexcept;
    void fold_lanes(const Reduction& reduction, std::byte* lanes, std::int64_t present,
                    std::int64_t width) const noexcept;
    void combine_leaves(const Reduction& reduction, std::byte* leaves, std::int64_t begin,
                        std::int64_t end) const noexcept;
    void copy_out(const Reduction& reduction, const std::byte* values, std::int64_t outer, std::int64_t begin,
                  std::int64_t end) const noexcept;

    const TileProgram& program_;
    ReductionShape shape_;
    std::int64_t leaves_;
    std::int64_t all_leaves_;        ///< of an outer index
    std::int64_t first_leaf_ = 0;    ///< of them
    std::int64_t element_size_ = 1;  ///< the largest of the reductions
    std::int64_t column_parts_ = 1;  ///< parts that the rows of a leaf are cut into
    std::int64_t unit_leaves_ = 1;   ///< leaves of a unit
    std::int64_t group_ = 1;         ///< leaves that are combined to one while they are in the second cache
    std::int64_t slots_;             ///< groups of an outer index
    Mode mode_;
    bool only_memory_ = false;
    bool needs_combining_ = false;
    std::vector<Partials> partials_;
    std::byte* kept_leaves_ = nullptr;
};

}  // namespace xlazy::be
