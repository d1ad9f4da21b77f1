// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/reduction_run.hpp"

#include "reduction_rule.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace xlazy::be {
namespace {

/// Rows are cut into parts no narrower than this many elements.
constexpr std::int64_t kMinColumns = 1024;

/// The part of [0, count) that a thread does.
std::pair<std::int64_t, std::int64_t> share(std::int64_t count, int thread, int threads) noexcept {
    return {count * thread / threads, count * (thread + 1) / threads};
}

}  // namespace

PoolMemory::PoolMemory(std::size_t bytes) : data_(static_cast<std::byte*>(pool_allocate(bytes))), bytes_(bytes) {}
PoolMemory::~PoolMemory() {
    if (data_ != nullptr) pool_free(data_, bytes_);
}
PoolMemory::PoolMemory(PoolMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
PoolMemory& PoolMemory::operator=(PoolMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

ReductionRun::ReductionRun(const TileProgram& program, int threads)
    : program_(program), shape_(program.reduction_shape()) {
    lanes_ = reduction_lanes(shape_.inner);
    leaf_ = reduction_leaf(shape_.inner);
    leaves_ = (shape_.n + leaf_ - 1) / leaf_;
    only_memory_ = program.only_folds_memory();
    segments_ = leaves_ == 1 && shape_.n * shape_.inner <= program.tile();
    if (!segments_ && lanes_ == 1) {
        const std::int64_t units = shape_.outer * leaves_;
        if (units < 2 * threads) column_parts_ = std::clamp<std::int64_t>(shape_.inner / kMinColumns, 1, threads);
    }
    for (const Reduction& reduction : program.reductions()) {
        Partials& partials = partials_.emplace_back();
        partials.direct = leaves_ == 1 && reduction.dense;
        if (partials.direct) {
            partials.data = program.nest().accesses()[reduction.access].base;
        } else {
            needs_combining_ = true;
            const auto count = static_cast<std::size_t>(shape_.outer * leaves_ * shape_.inner);
            partials.memory = PoolMemory(count * reduction.element_size);
            partials.data = partials.memory.data();
        }
    }
}

void ReductionRun::fold(TileWorker& worker, int thread, int threads) const noexcept {
    if (segments_) {
        const auto [begin, end] = share(shape_.outer, thread, threads);
        for (std::size_t i = 0; i < partials_.size(); ++i) worker.target(i).results = partials_[i].data;
        worker.fold_segments();
        worker.run(begin * shape_.n * shape_.inner, end * shape_.n * shape_.inner);
        return;
    }
    const auto [begin, end] = share(shape_.outer * leaves_ * column_parts_, thread, threads);
    for (std::int64_t unit = begin; unit < end; ++unit) fold_unit(worker, unit_of(unit));
}

ReductionRun::Unit ReductionRun::unit_of(std::int64_t number) const noexcept {
    Unit unit;
    const auto part = static_cast<int>(number % column_parts_);
    unit.leaf = number / column_parts_ % leaves_;
    unit.outer = number / column_parts_ / leaves_;
    unit.first_index = unit.leaf * leaf_;
    unit.indices = std::min(leaf_, shape_.n - unit.first_index);
    std::tie(unit.begin, unit.end) = share(shape_.inner, part, static_cast<int>(column_parts_));
    return unit;
}

void ReductionRun::fold_unit(TileWorker& worker, const Unit& unit) const noexcept {
    const std::vector<Reduction>& reductions = program_.reductions();
    const auto result = [&](std::size_t i) {
        const auto size = static_cast<std::int64_t>(reductions[i].element_size);
        return partials_[i].data + (unit.outer * leaves_ + unit.leaf) * shape_.inner * size;
    };
    for (std::size_t i = 0; i < reductions.size(); ++i) {
        worker.target(i).accumulators = lanes_ > 1 ? worker.lane_memory(i) : result(i);
        if (only_memory_) fold_memory(reductions[i], unit, worker.target(i).accumulators);
    }
    if (!only_memory_) {
        const std::int64_t first = (unit.outer * shape_.n + unit.first_index) * shape_.inner;
        worker.fold_rows(first, lanes_ * shape_.inner);
        if (column_parts_ == 1) {
            worker.run(first, first + unit.indices * shape_.inner);
        } else {
            for (std::int64_t i = 0; i < unit.indices; ++i) {
                worker.run(first + i * shape_.inner + unit.begin, first + i * shape_.inner + unit.end);
            }
        }
    }
    if (lanes_ == 1) return;
    for (std::size_t i = 0; i < reductions.size(); ++i) {
        fold_lanes(reductions[i], worker.lane_memory(i), std::min(lanes_, unit.indices));
        std::memcpy(result(i), worker.lane_memory(i),
                    static_cast<std::size_t>(shape_.inner) * reductions[i].element_size);
    }
}

/// Straight from memory: whole rows, as many as the leaf has.
void ReductionRun::fold_memory(const Reduction& reduction, const Unit& unit, std::byte* accumulators) const noexcept {
    const LoopNest& nest = program_.nest();
    const Access& source = nest.accesses()[*reduction.source];
    const auto axis = static_cast<unsigned>(nest.reduced());
    const auto size = static_cast<std::int64_t>(reduction.element_size);
    const std::byte* start = source.base + unit.first_index * source.strides[axis];
    std::int64_t outer = unit.outer;
    for (unsigned k = axis; k-- > 0;) {
        start += outer % nest.extent(k) * source.strides[k];
        outer /= nest.extent(k);
    }
    if (lanes_ == 1) {
        reduction.fold(start + unit.begin * size, unit.indices, unit.end - unit.begin, source.strides[axis] / size,
                       accumulators + unit.begin * size, true);
        return;
    }
    const std::int64_t width = lanes_ * shape_.inner, rows = unit.indices / lanes_;
    const std::int64_t rest = unit.indices % lanes_ * shape_.inner;
    if (rows > 0) reduction.fold(start, rows, width, width, accumulators, true);
    if (rest > 0) reduction.fold(start + rows * width * size, 1, rest, width, accumulators, rows == 0);
}

void ReductionRun::fold_lanes(const Reduction& reduction, std::byte* lanes, std::int64_t present) const noexcept {
    const std::int64_t lane_bytes = shape_.inner * static_cast<std::int64_t>(reduction.element_size);
    for (std::int64_t half = lanes_ / 2; half > 0; half /= 2) {
        if (present <= half) continue;
        const std::int64_t values = (present - half) * shape_.inner;
        reduction.fold(lanes + half * lane_bytes, 1, values, values, lanes, false);
        present = half;
    }
}

void ReductionRun::combine(int thread, int threads) const noexcept {
    for (std::size_t i = 0; i < partials_.size(); ++i) {
        if (partials_[i].direct) continue;
        const Reduction& reduction = program_.reductions()[i];
        const std::int64_t line_bytes = leaves_ * shape_.inner * static_cast<std::int64_t>(reduction.element_size);
        const auto [first, last] = share(shape_.outer * shape_.inner, thread, threads);
        for (std::int64_t position = first; position < last;) {
            const std::int64_t outer = position / shape_.inner, begin = position % shape_.inner;
            const std::int64_t end = std::min(shape_.inner, begin + last - position);
            std::byte* leaves = partials_[i].data + outer * line_bytes;
            combine_leaves(reduction, leaves, begin, end);
            copy_out(reduction, leaves, outer, begin, end);
            position += end - begin;
        }
    }
}

/// Columns [begin, end) of leaves[leaves][inner], to the first leaf.
void ReductionRun::combine_leaves(const Reduction& reduction, std::byte* leaves, std::int64_t begin,
                                  std::int64_t end) const noexcept {
    const auto size = static_cast<std::int64_t>(reduction.element_size);
    const auto at = [&](std::int64_t leaf) { return leaves + (leaf * shape_.inner + begin) * size; };
    for (std::int64_t step = 1; step < leaves_; step *= 2) {
        for (std::int64_t leaf = 0; leaf + step < leaves_; leaf += 2 * step) {
            reduction.fold(at(leaf + step), 1, end - begin, end - begin, at(leaf), false);
        }
    }
}

/// Writes values[begin, end) of one outer index to the result's memory.
void ReductionRun::copy_out(const Reduction& reduction, const std::byte* values, std::int64_t outer, std::int64_t begin,
                            std::int64_t end) const noexcept {
    const LoopNest& nest = program_.nest();
    const Access& result = nest.accesses()[reduction.access];
    const auto size = static_cast<std::int64_t>(reduction.element_size);
    const ScatterFn scatter = kernels().scatter[size_index(reduction.element_size)];
    const auto reduced = static_cast<unsigned>(nest.reduced());
    std::byte* start = result.base;
    for (unsigned axis = reduced; axis-- > 0;) {
        start += outer % nest.extent(axis) * result.strides[axis];
        outer /= nest.extent(axis);
    }
    const unsigned last = nest.rank() - 1;
    if (reduced == last) {
        scatter(values, start, 1, 0, 1, 0);
        return;
    }
    const std::int64_t columns = nest.extent(last);
    while (begin < end) {
        const std::int64_t column = begin % columns, count = std::min(columns - column, end - begin);
        std::byte* to = start + column * result.strides[last];
        std::int64_t row = begin / columns;
        for (unsigned axis = last; axis-- > reduced + 1;) {
            to += row % nest.extent(axis) * result.strides[axis];
            row /= nest.extent(axis);
        }
        scatter(values + begin * size, to, 1, 0, count, result.strides[last]);
        begin += count;
    }
}

}  // namespace xlazy::be
