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

/// Rows are cut into parts of at least this many elements.
constexpr std::int64_t kMinColumns = 512;
/// What the accumulators of a leaf may take: in the first cache beside the rows that are read; where each of several
/// lanes folds many rows before the next one does, in the second.
constexpr std::int64_t kRowBytes = 32 << 10, kLaneBytes = 256 << 10;
constexpr std::int64_t kGroup = 8;

/// The part of [0, count) that a thread does.
std::pair<std::int64_t, std::int64_t> share(std::int64_t count, int thread, int threads) noexcept {
    return {count * thread / threads, count * (thread + 1) / threads};
}

}  // namespace

ReductionRun::ReductionRun(const TileProgram& program, int threads, bool in_parts)
    : ReductionRun(program, threads, in_parts, nullptr, 0) {
    place_partials();
}

ReductionRun ReductionRun::part(const TileProgram& piece, std::int64_t first_index) const {
    ReductionRun run(piece, 1, true, this, first_index / shape_.leaf);
    for (const Partials& partials : partials_) run.partials_.emplace_back().data = partials.data;
    return run;
}

ReductionRun::ReductionRun(const TileProgram& program, int threads, bool in_parts, const ReductionRun* whole,
                           std::int64_t first_leaf)
    : program_(program),
      shape_(program.reduction_shape()),
      leaves_(shape_.leaves()),
      all_leaves_(whole != nullptr ? whole->leaves_ : leaves_),
      first_leaf_(first_leaf),
      mode_(choose_mode()) {
    only_memory_ = program.only_folds_memory();
    for (const Reduction& reduction : program.reductions())
        element_size_ = std::max(element_size_, static_cast<std::int64_t>(reduction.element_size));
    if (mode_ == Mode::Leaves) unit_leaves_ = std::min(leaves_, program.tile() / shape_.leaf);
    if (mode_ == Mode::Rows) choose_columns(threads);
    slots_ = all_leaves_;
    if (!in_parts) choose_group(threads);
}

void ReductionRun::place_partials() {
    for (const Reduction& reduction : program_.reductions()) {
        Partials& partials = partials_.emplace_back();
        partials.direct = leaves_ == 1 && reduction.dense;
        if (partials.direct) {
            partials.data = program_.nest().accesses()[reduction.access].base;
        } else {
            needs_combining_ = true;
            const auto count = static_cast<std::size_t>(shape_.outer * slots_ * shape_.inner);
            partials.memory = PoolMemory(count * reduction.element_size);
            partials.data = partials.memory.data();
        }
    }
}

ReductionRun::Mode ReductionRun::choose_mode() const noexcept {
    const std::vector<Reduction>& reductions = program_.reductions();
    const bool few_lanes = shape_.lanes == 1 || shape_.lanes * shape_.inner <= kMaxLaneValues ||
                           (shape_.n <= shape_.lanes && shape_.inner <= kMaxSegmentWidth);
    if (all_leaves_ == 1 && few_lanes && shape_.n * shape_.inner <= program_.tile()) return Mode::Segments;
    const bool have_leaves =
        std::ranges::all_of(reductions, [](const Reduction& each) { return each.leaves != nullptr; });
    if (shape_.lanes == 1 && shape_.inner == 1 && shape_.leaf <= program_.tile() && have_leaves) return Mode::Leaves;
    return Mode::Rows;
}

/// Rows are cut where the accumulators of a leaf would leave the caches, or where there are fewer leaves than threads.
void ReductionRun::choose_columns(int threads) noexcept {
    const std::int64_t lanes = std::min(shape_.lanes, shape_.n);
    const std::int64_t budget = lanes == 1 || shape_.n <= lanes ? kRowBytes : kLaneBytes;
    const std::int64_t most = std::max(budget / (lanes * element_size_) / kMinColumns, std::int64_t{1}) * kMinColumns;
    column_parts_ = (shape_.inner + most - 1) / most;
    if (shape_.outer * leaves_ * column_parts_ < 2 * threads)
        column_parts_ = std::max(column_parts_, std::min<std::int64_t>(shape_.inner / kMinColumns, threads));
    if (column_parts_ > 1) mode_ = Mode::Columns;
}

/// Leaves of many columns are combined as soon as there are some: all of them would leave the caches. Not where the
/// threads would get too few shares.
void ReductionRun::choose_group(int threads) noexcept {
    const bool rows = mode_ == Mode::Rows || mode_ == Mode::Columns;
    if (!rows || shape_.lanes != 1 || shape_.inner < kMinColumns) return;
    group_ = kGroup;
    while (group_ > 1 && shape_.outer * column_parts_ * (leaves_ / group_) < 4 * threads) group_ /= 2;
    if (group_ == 1) return;
    unit_leaves_ = group_;
    slots_ = (leaves_ + group_ - 1) / group_;
}

std::size_t ReductionRun::lane_bytes() const noexcept {
    if (mode_ == Mode::Segments || (shape_.lanes == 1 && group_ == 1)) return 0;
    const std::int64_t width = (shape_.inner + column_parts_ - 1) / column_parts_;
    if (group_ > 1) return static_cast<std::size_t>(group_ * width * element_size_);
    return static_cast<std::size_t>(std::min(shape_.lanes, shape_.n) * width * element_size_);
}

void ReductionRun::fold(TileWorker& worker, int thread, int threads) const noexcept {
    if (worker.folding() == Folding::Leaf) return fold_leaves_by_code(worker, thread, threads);
    if (worker.folding() == Folding::Rows) return fold_rows_by_code(worker, thread, threads);
    if (mode_ == Mode::Segments) {
        const auto [begin, end] = share(shape_.outer, thread, threads);
        for (std::size_t i = 0; i < partials_.size(); ++i) worker.target(i).results = partials_[i].data;
        worker.fold_segments();
        worker.run(begin * shape_.n * shape_.inner, end * shape_.n * shape_.inner);
        return;
    }
    const auto [begin, end] = share(units(), thread, threads);
    for (std::int64_t unit = begin; unit < end; ++unit) fold_unit(worker, unit_of(unit));
}

/// Rows along the reduced axis: of one leaf each, or leaf by leaf.
void ReductionRun::fold_leaves_by_code(TileWorker& worker, int thread, int threads) const noexcept {
    const auto aim = [&](std::int64_t leaf) {
        for (std::size_t i = 0; i < partials_.size(); ++i) {
            const auto size = static_cast<std::int64_t>(program_.reductions()[i].element_size);
            worker.target(i).values = partials_[i].data + leaf * size;
        }
    };
    if (all_leaves_ == 1) {
        const auto [begin, end] = share(shape_.outer, thread, threads);
        aim(begin);
        return worker.fold_leaves_by_code(begin * shape_.n, end * shape_.n);
    }
    const auto [begin, end] = share(shape_.outer * leaves_, thread, threads);
    for (std::int64_t unit = begin; unit < end;) {
        const std::int64_t outer = unit / leaves_, leaf = unit % leaves_, first = outer * shape_.n + leaf * shape_.leaf;
        aim(outer * all_leaves_ + first_leaf_ + leaf);
        const std::int64_t width = std::min(shape_.leaf, (outer + 1) * shape_.n - first);
        const std::int64_t whole = std::min(shape_.n / shape_.leaf - leaf, end - unit);
        const std::int64_t some = std::max<std::int64_t>(whole, 1);
        worker.fold_leaves_by_code(first, some, width);
        unit += some;
    }
}

void ReductionRun::fold_rows_by_code(TileWorker& worker, int thread, int threads) const noexcept {
    const auto [begin, end] = share(units(), thread, threads);
    for (std::int64_t number = begin; number < end; ++number) {
        const Unit unit = unit_of(number);
        if (group_ > 1) {
            fold_group(worker, unit);
            continue;
        }
        for (std::size_t i = 0; i < partials_.size(); ++i) worker.target(i).values = result(i, unit);
        worker.fold_rows_by_code((unit.outer * shape_.n + unit.first_index) * shape_.inner + unit.begin, unit.indices,
                                 unit.end - unit.begin);
    }
}

void ReductionRun::keep_leaves(ExtremeLeaves& leaves) {
    if (needs_combining_ && shape_.outer == 1 && shape_.inner == 1 && slots_ == all_leaves_)
        kept_leaves_ = leaves.reserve(all_leaves_);
}

void ReductionRun::fold_only(TileWorker& worker, std::int64_t leaf) const noexcept {
    const std::int64_t first = leaf * shape_.leaf, width = std::min(shape_.leaf, shape_.n - first);
    const Unit unit{0, leaf, first, width, 0, 1};
    if (worker.folding() == Folding::Leaf) {
        worker.target(0).values = result(0, unit);
        worker.fold_leaves_by_code(first, 1, width);
    } else {
        fold_unit(worker, unit);
    }
    copy_out(program_.reductions()[0], result(0, unit), 0, 0, 1);
}

std::int64_t ReductionRun::units() const noexcept {
    return shape_.outer * ((leaves_ + unit_leaves_ - 1) / unit_leaves_) * column_parts_;
}

ReductionRun::Unit ReductionRun::unit_of(std::int64_t number) const noexcept {
    Unit unit;
    const std::int64_t parts = (leaves_ + unit_leaves_ - 1) / unit_leaves_;
    const auto columns = static_cast<int>(number % column_parts_);
    unit.leaf = number / column_parts_ % parts * unit_leaves_;
    unit.outer = number / column_parts_ / parts;
    unit.first_index = unit.leaf * shape_.leaf;
    unit.indices = std::min(unit_leaves_ * shape_.leaf, shape_.n - unit.first_index);
    std::tie(unit.begin, unit.end) = share(shape_.inner, columns, static_cast<int>(column_parts_));
    return unit;
}

/// Where the unit's first value goes.
std::byte* ReductionRun::result(std::size_t reduction, const Unit& unit) const noexcept {
    const auto size = static_cast<std::int64_t>(program_.reductions()[reduction].element_size);
    const std::int64_t slot = unit.outer * slots_ + (first_leaf_ + unit.leaf) / group_;
    return partials_[reduction].data + (slot * shape_.inner + unit.begin) * size;
}

/// Leaf by leaf, each to rows of the worker's own, which the tree then combines.
void ReductionRun::fold_group(TileWorker& worker, const Unit& unit) const noexcept {
    const std::int64_t leaves = (unit.indices + shape_.leaf - 1) / shape_.leaf, width = unit.end - unit.begin;
    const auto row = [&](std::size_t i, std::int64_t leaf) {
        return worker.lane_memory(i) + leaf * width * static_cast<std::int64_t>(program_.reductions()[i].element_size);
    };
    for (std::int64_t k = 0; k < leaves; ++k) {
        Unit leaf = unit;
        leaf.first_index += k * shape_.leaf;
        leaf.indices = std::min(shape_.leaf, unit.indices - k * shape_.leaf);
        for (std::size_t i = 0; i < partials_.size(); ++i)
            worker.target(i).accumulators = worker.target(i).values = row(i, k);
        fold_leaf(worker, leaf);
    }
    for (std::size_t i = 0; i < partials_.size(); ++i) {
        const Reduction& reduction = program_.reductions()[i];
        for (std::int64_t step = 1; step < leaves; step *= 2) {
            for (std::int64_t leaf = 0; leaf + step < leaves; leaf += 2 * step)
                reduction.fold(row(i, leaf + step), 1, width, width, row(i, leaf), false);
        }
        std::memcpy(result(i, unit), row(i, 0), static_cast<std::size_t>(width) * reduction.element_size);
    }
}

/// Of one lane, to the targets' accumulators, or to their values by code that folds rows.
void ReductionRun::fold_leaf(TileWorker& worker, const Unit& leaf) const noexcept {
    if (worker.folding() == Folding::Rows) {
        const std::int64_t first = (leaf.outer * shape_.n + leaf.first_index) * shape_.inner;
        return worker.fold_rows_by_code(first + leaf.begin, leaf.indices, leaf.end - leaf.begin);
    }
    if (!only_memory_) return fold_tiles(worker, leaf);
    for (std::size_t i = 0; i < partials_.size(); ++i)
        fold_memory(program_.reductions()[i], leaf, worker.target(i).accumulators);
}

void ReductionRun::fold_unit(TileWorker& worker, const Unit& unit) const noexcept {
    if (group_ > 1) return fold_group(worker, unit);
    const std::vector<Reduction>& reductions = program_.reductions();
    if (only_memory_ && shape_.inner == 1 && mode_ == Mode::Rows) {  // one call for the lanes and what they come to
        for (std::size_t i = 0; i < reductions.size(); ++i)
            reductions[i].segments(source_of(reductions[i], unit), 1, unit.indices, 1, shape_.lanes, result(i, unit));
        return;
    }
    for (std::size_t i = 0; i < reductions.size(); ++i) {
        worker.target(i).accumulators = shape_.lanes > 1 ? worker.lane_memory(i) : result(i, unit);
        if (only_memory_) fold_memory(reductions[i], unit, worker.target(i).accumulators);
    }
    if (!only_memory_) fold_tiles(worker, unit);
    if (shape_.lanes == 1) return;
    for (std::size_t i = 0; i < reductions.size(); ++i) {
        const std::int64_t width = unit.end - unit.begin;
        fold_lanes(reductions[i], worker.lane_memory(i), std::min(shape_.lanes, unit.indices), width);
        std::memcpy(result(i, unit), worker.lane_memory(i),
                    static_cast<std::size_t>(width) * reductions[i].element_size);
    }
}

/// The values are computed, tile by tile.
void ReductionRun::fold_tiles(TileWorker& worker, const Unit& unit) const noexcept {
    const std::int64_t first = (unit.outer * shape_.n + unit.first_index) * shape_.inner;
    if (mode_ != Mode::Columns) {
        if (mode_ == Mode::Leaves)
            worker.fold_leaves();
        else
            worker.fold_rows(first, shape_.lanes * shape_.inner, true);
        worker.run(first, first + unit.indices * shape_.inner);
        return;
    }
    // Lane by lane, so that its accumulators stay in the first cache.
    const std::int64_t width = unit.end - unit.begin, lanes = std::min(shape_.lanes, unit.indices);
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
        for (std::int64_t i = lane; i < unit.indices; i += shape_.lanes) {
            const std::int64_t row = first + i * shape_.inner;
            worker.fold_rows(row + unit.begin, width, i == lane);
            worker.run(row + unit.begin, row + unit.end);
        }
        for (std::size_t i = 0; i < partials_.size(); ++i) {
            worker.target(i).accumulators += width * static_cast<std::int64_t>(program_.reductions()[i].element_size);
        }
    }
}

const std::byte* ReductionRun::source_of(const Reduction& reduction, const Unit& unit) const noexcept {
    const LoopNest& nest = program_.nest();
    const Access& source = nest.accesses()[*reduction.source];
    const auto axis = static_cast<unsigned>(nest.reduced());
    const std::byte* start = source.base + unit.first_index * source.strides[axis];
    std::int64_t outer = unit.outer;
    for (unsigned k = axis; k-- > 0;) {
        start += outer % nest.extent(k) * source.strides[k];
        outer /= nest.extent(k);
    }
    return start + unit.begin * static_cast<std::int64_t>(reduction.element_size);
}

/// Straight from memory.
void ReductionRun::fold_memory(const Reduction& reduction, const Unit& unit, std::byte* accumulators) const noexcept {
    const std::byte* start = source_of(reduction, unit);
    if (mode_ == Mode::Leaves) return reduction.leaves(start, unit.indices, shape_.leaf, accumulators);
    const auto size = static_cast<std::int64_t>(reduction.element_size);
    const std::int64_t step =
        program_.nest().accesses()[*reduction.source].strides[program_.nest().reduced()];  // bytes an index
    const std::int64_t width = unit.end - unit.begin, lanes = shape_.lanes;
    if (step == width * size && lanes * width * size <= kRowBytes) {  // the lanes lie side by side
        const std::int64_t all = lanes * width, rows = unit.indices / lanes, rest = unit.indices % lanes * width;
        if (rows > 0) reduction.fold(start, rows, all, all, accumulators, true);
        if (rest > 0) reduction.fold(start + rows * all * size, 1, rest, all, accumulators, rows == 0);
        return;
    }
    for (std::int64_t lane = 0; lane < std::min(lanes, unit.indices); ++lane) {
        reduction.fold(start + lane * step, (unit.indices - lane + lanes - 1) / lanes, width, lanes * step / size,
                       accumulators + lane * width * size, true);
    }
}

void ReductionRun::fold_lanes(const Reduction& reduction, std::byte* lanes, std::int64_t present,
                              std::int64_t width) const noexcept {
    const std::int64_t lane_bytes = width * static_cast<std::int64_t>(reduction.element_size);
    for (std::int64_t half = shape_.lanes / 2; half > 0; half /= 2) {
        if (present <= half) continue;
        const std::int64_t values = (present - half) * width;
        reduction.fold(lanes + half * lane_bytes, 1, values, values, lanes, false);
        present = half;
    }
}

void ReductionRun::combine(int thread, int threads) const noexcept {
    for (std::size_t i = 0; i < partials_.size(); ++i) {
        if (partials_[i].direct) continue;
        const Reduction& reduction = program_.reductions()[i];
        const std::int64_t line_bytes = slots_ * shape_.inner * static_cast<std::int64_t>(reduction.element_size);
        const auto [first, last] = share(shape_.outer * shape_.inner, thread, threads);
        for (std::int64_t position = first; position < last;) {
            const std::int64_t outer = position / shape_.inner, begin = position % shape_.inner;
            const std::int64_t end = std::min(shape_.inner, begin + last - position);
            std::byte* leaves = partials_[i].data + outer * line_bytes;
            if (kept_leaves_ != nullptr) std::memcpy(kept_leaves_, leaves, static_cast<std::size_t>(line_bytes));
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
    if (shape_.inner == 1 && reduction.tree != nullptr) return reduction.tree(leaves, slots_);
    const auto at = [&](std::int64_t leaf) { return leaves + (leaf * shape_.inner + begin) * size; };
    for (std::int64_t step = 1; step < slots_; step *= 2) {
        for (std::int64_t leaf = 0; leaf + step < slots_; leaf += 2 * step) {
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
