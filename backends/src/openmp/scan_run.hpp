// SPDX-License-Identifier: BSD-3-Clause
// How a kernel's scans are cut into parts that threads run on their own. A line is one outer index and some columns; a
// thread goes through whole lines, leaf by leaf. Where there are fewer lines than threads, the leaves are cut into one
// share more than there are threads: first one thread finishes the first share, while the others only find out what the
// leaves of theirs come to; then each finishes the share behind its own.
#pragma once

#include "openmp/tile_worker.hpp"
#include "xlazy/backends/memory_pool.hpp"

namespace xlazy::be {

class ScanRun {
public:
    /// @throws std::bad_alloc
    ScanRun(const TileProgram& program, int threads);

    /// What every worker must have reserved.
    std::size_t memory_bytes() const noexcept;
    /// A part of the work, one of as many as there are threads.
    void run(TileWorker& worker, int part) const noexcept;
    /// Must `finish` follow, when all parts have run?
    bool two_passes() const noexcept { return two_passes_; }
    void finish(TileWorker& worker, int part) const noexcept;

private:
    struct Line {
        std::int64_t outer, begin, end;  ///< columns [begin, end)
        std::int64_t width() const noexcept { return end - begin; }
    };
    /// A worker's memory for one scan: rows.
    struct Rows {
        std::byte *carry, *prefix, *spare;
        std::byte* groups;  ///< of 1, 2, 4, ... leaves
        std::byte* tile;
    };

    Line line_of(std::int64_t number) const noexcept;
    Rows rows_of(TileWorker& worker, std::size_t scan) const noexcept;
    std::byte* total_of(std::size_t scan, const Line& line, std::int64_t leaf) const noexcept;
    /// All leaves of all lines, in order: [begin, end).
    void run_leaves(TileWorker& worker, std::int64_t begin, std::int64_t end, bool finishes, bool keeps) const noexcept;
    /// `finishes`: stores results. `keeps`: writes down what the leaves come to.
    void run_line(TileWorker& worker, const Line& line, std::int64_t first, std::int64_t last, bool finishes,
                  bool keeps) const noexcept;
    void run_leaf(TileWorker& worker, const Line& line, std::int64_t leaf) const noexcept;
    /// Leaf `number` has come to `total`.
    void add_leaf(TileWorker& worker, std::size_t scan, const std::byte* total, std::int64_t number,
                  std::int64_t width) const noexcept;
    /// What `leaves` leaves have come to, to the prefix.
    void combine_leaves(TileWorker& worker, std::size_t scan, std::int64_t leaves, std::int64_t width) const noexcept;
    /// row <- before combined with row
    void combine(std::size_t scan, const std::byte* before, std::byte* row, std::byte* spare,
                 std::int64_t width) const noexcept;

    const TileProgram& program_;
    const ReductionShape shape_;
    const std::int64_t leaves_;
    const int threads_;
    std::int64_t element_size_ = 1;  ///< the largest of the scans
    std::int64_t column_parts_ = 1;
    std::int64_t row_bytes_ = 0;
    int levels_ = 1;  ///< of groups
    bool segments_ = false;
    bool two_passes_ = false;
    std::vector<PoolMemory> totals_;  ///< by scan: [outer][leaf][inner]
};

}  // namespace xlazy::be
