// SPDX-License-Identifier: BSD-3-Clause
// Runs the kernels of a region piece by piece, each thread a stretch of the region's positions.
//
// What is local to the region has memory for a few rows a thread. A thread goes through its stretch in order, so it
// makes each row once and keeps those that later pieces still read; where the buffer ends, they move to its front.
#pragma once

#include "openmp/scan_run.hpp"
#include "openmp/reduction_run.hpp"
#include "xlazy/bytecode/region.hpp"

#include <span>

namespace xlazy::be {

/// How a region is cut, for all threads.
struct RegionCut {
    std::int64_t positions = 0;  ///< of the region
    std::int64_t piece = 1;      ///< positions at a time
    int threads = 1;
    std::int64_t pieces() const noexcept { return (positions + piece - 1) / piece; }
};

/// How many threads can share a region; 0: its kernels had better run one after the other, each on all threads.
int threads_of_region(const bc::Region& region, const Bindings& bindings, int threads) noexcept;
RegionCut cut_region(const bc::RegionMap& map, const Bindings& bindings, int threads, std::int64_t piece_bytes);

/// One thread's part.
class RegionWorker {
public:
    /// @param bindings of each kernel of the region; all of them outlive the worker
    RegionWorker(const bc::RegionMap& map, const RegionCut& cut, std::span<const Bindings> bindings,
                 const OpenMpOptions& options);

    std::uint64_t bytes_of_rows() const noexcept;
    /// For the rows that it keeps; before all else. @throws std::bad_alloc
    void take_memory();
    /// The last kernel, not cut: as in every piece, but for the extent of an axis. It is not to be run.
    /// @throws std::bad_alloc
    void bind_closing(TileProgram& program, TileProgram::Choices choices);
    /// The pieces [begin, end). `closing`: the last kernel's reduction, if it reduces the cut axis, else null.
    /// @throws std::bad_alloc
    void run(std::int64_t begin, std::int64_t end, const ReductionRun* closing);
    /// What failed in them.
    const Traps& traps() const noexcept { return traps_; }

private:
    /// Rows of a local storage.
    struct Rows {
        const bc::RegionStorage* storage = nullptr;
        std::int64_t row_bytes = 0, capacity = 0;
        std::int64_t first = 0, end = 0;  ///< rows that are there
        PoolMemory memory{};
    };
    struct Bound {
        std::int64_t count;
        TileProgram program{};
        const jit::Code* code = nullptr;
    };
    /// Indices of a kernel's axis.
    struct Range {
        std::int64_t begin, end;
    };

    void begin_stretch(std::int64_t position);
    void make_room(Rows& rows, std::int64_t position, std::int64_t count);
    Range range_of(std::size_t kernel, std::int64_t position, std::int64_t count) const noexcept;
    void run_kernel(std::size_t kernel, Range range, const ReductionRun* closing);
    void note_traps(std::size_t kernel, const Bound& bound, std::int64_t first);
    void run_part(std::size_t kernel, std::int64_t first, std::int64_t count, const ReductionRun* closing);
    Bound& bound_for(std::size_t kernel, std::int64_t first, std::int64_t count);
    std::vector<RowWindow> windows_of(std::size_t kernel, std::int64_t first);
    RowWindow window_of(const Rows& rows, const bc::RegionStorage::Use& use, std::int64_t first) const;
    bool hands_on(std::size_t kernel) const noexcept;

    const bc::RegionMap& map_;
    const RegionCut cut_;
    std::span<const Bindings> bindings_;
    const OpenMpOptions& options_;
    std::vector<Rows> rows_;
    std::vector<std::vector<std::unique_ptr<Bound>>> bound_;  ///< of each kernel
    TileWorker worker_;
    Traps traps_;
    std::int64_t stretch_ = 0;  ///< where it began
};

}  // namespace xlazy::be
