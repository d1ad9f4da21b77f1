// SPDX-License-Identifier: BSD-3-Clause
// How a kernel's reductions are cut into parts that threads run on their own, and put together again.
#pragma once

#include "openmp/tile_worker.hpp"

namespace xlazy::be {

/// Memory of the pool for as long as it is needed.
class PoolMemory {
public:
    PoolMemory() = default;
    explicit PoolMemory(std::size_t bytes);
    ~PoolMemory();
    PoolMemory(PoolMemory&& other) noexcept;
    PoolMemory& operator=(PoolMemory&& other) noexcept;
    std::byte* data() const noexcept { return data_; }

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// One run of a kernel with reductions. Phase one fills [outer][leaves][inner], phase two combines the leaves; between
/// them all threads must have met.
class ReductionRun {
public:
    /// @throws std::bad_alloc
    ReductionRun(const TileProgram& program, int threads);

    void fold(TileWorker& worker, int thread, int threads) const noexcept;
    bool needs_combining() const noexcept { return needs_combining_; }
    void combine(int thread, int threads) const noexcept;

private:
    struct Partials {
        std::byte* data = nullptr;  ///< the result itself where one leaf is all and the result is dense
        PoolMemory memory;
        bool direct = false;
    };

    /// A leaf of one outer index, or some columns of it.
    struct Unit {
        std::int64_t outer, leaf, first_index, indices, begin, end;  ///< columns [begin, end)
    };
    Unit unit_of(std::int64_t number) const noexcept;
    void fold_unit(TileWorker& worker, const Unit& unit) const noexcept;
    void fold_memory(const Reduction& reduction, const Unit& unit, std::byte* accumulators) const noexcept;
    void fold_lanes(const Reduction& reduction, std::byte* lanes, std::int64_t present) const noexcept;
    void combine_leaves(const Reduction& reduction, std::byte* leaves, std::int64_t begin,
                        std::int64_t end) const noexcept;
    void copy_out(const Reduction& reduction, const std::byte* values, std::int64_t outer, std::int64_t begin,
                  std::int64_t end) const noexcept;

    const TileProgram& program_;
    ReductionShape shape_;
    std::int64_t lanes_, leaf_, leaves_;
    std::int64_t column_parts_ = 1;  ///< parts that the rows of a leaf are cut into
    bool segments_ = false;
    bool only_memory_ = false;
    bool needs_combining_ = false;
    std::vector<Partials> partials_;
};

}  // namespace xlazy::be
