// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/scan_run.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace xlazy::be {
namespace {

/// Rows are cut into parts of at least this many columns, and so that a carry stays in the first cache.
constexpr std::int64_t kMinColumns = 512, kCarryBytes = 16 << 10;

/// The part of [0, count) with that number.
std::pair<std::int64_t, std::int64_t> share(std::int64_t count, std::int64_t part, std::int64_t parts) noexcept {
    return {count * part / parts, count * (part + 1) / parts};
}

}  // namespace

ScanRun::ScanRun(const TileProgram& program, int threads)
    : program_(program), shape_(program.reduction_shape()), leaves_(shape_.leaves()), threads_(threads) {
    for (const Scan& scan : program.scans())
        element_size_ = std::max(element_size_, static_cast<std::int64_t>(scan.element_size));
    segments_ = leaves_ == 1 && shape_.n * shape_.inner <= program.tile();
    if (!segments_) {
        const std::int64_t most = std::max(kCarryBytes / element_size_, kMinColumns);
        column_parts_ = (shape_.inner + most - 1) / most;
        if (shape_.outer * column_parts_ < threads)
            column_parts_ = std::max(column_parts_, std::min<std::int64_t>(shape_.inner / kMinColumns, threads));
        const std::int64_t lines = shape_.outer * column_parts_;
        two_passes_ = lines < threads && lines * leaves_ > threads;
        levels_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(leaves_)));
    }
    row_bytes_ = (shape_.inner + column_parts_ - 1) / column_parts_ * element_size_;
    if (!two_passes_) return;
    for (const Scan& scan : program.scans()) {
        const std::int64_t count = shape_.outer * leaves_ * shape_.inner;
        totals_.emplace_back(static_cast<std::size_t>(count) * scan.element_size);
    }
}

std::size_t ScanRun::memory_bytes() const noexcept {
    return static_cast<std::size_t>((3 + levels_) * row_bytes_ + program_.tile() * element_size_);
}

ScanRun::Rows ScanRun::rows_of(TileWorker& worker, std::size_t scan) const noexcept {
    std::byte* const memory = worker.lane_memory(scan);
    return {memory, memory + row_bytes_, memory + 2 * row_bytes_, memory + 3 * row_bytes_,
            memory + (3 + levels_) * row_bytes_};
}

ScanRun::Line ScanRun::line_of(std::int64_t number) const noexcept {
    const auto [begin, end] = share(shape_.inner, number % column_parts_, column_parts_);
    return {number / column_parts_, begin, end};
}

std::byte* ScanRun::total_of(std::size_t scan, const Line& line, std::int64_t leaf) const noexcept {
    const auto size = static_cast<std::int64_t>(program_.scans()[scan].element_size);
    return totals_[scan].data() + ((line.outer * leaves_ + leaf) * shape_.inner + line.begin) * size;
}

void ScanRun::run(TileWorker& worker, int part) const noexcept {
    const std::int64_t lines = shape_.outer * column_parts_;
    if (segments_) {
        const std::int64_t length = shape_.n * shape_.inner;
        const auto [begin, end] = share(shape_.outer, part, threads_);
        worker.fold_segments();
        for (std::size_t i = 0; i < program_.scans().size(); ++i)
            worker.target(i).accumulators = rows_of(worker, i).carry;
        if (worker.scanning() != Folding::None) return worker.scan_leaves_by_code(begin, end);
        worker.run(begin * length, end * length);
    } else if (!two_passes_) {
        const auto [begin, end] = share(lines, part, threads_);
        for (std::int64_t line = begin; line < end; ++line) run_line(worker, line_of(line), 0, leaves_, true, false);
    } else {
        const auto [begin, end] = share(lines * leaves_, part, threads_ + 1);
        run_leaves(worker, begin, end, part == 0, true);
    }
}

void ScanRun::finish(TileWorker& worker, int part) const noexcept {
    const auto [begin, end] = share(shape_.outer * column_parts_ * leaves_, part + 1, threads_ + 1);
    run_leaves(worker, begin, end, true, false);
}

void ScanRun::run_leaves(TileWorker& worker, std::int64_t begin, std::int64_t end, bool finishes,
                         bool keeps) const noexcept {
    while (begin < end) {
        const std::int64_t line = begin / leaves_, first = begin % leaves_;
        const std::int64_t last = std::min(leaves_, first + end - begin);
        run_line(worker, line_of(line), first, last, finishes, keeps);
        begin += last - first;
    }
}

void ScanRun::run_line(TileWorker& worker, const Line& line, std::int64_t first, std::int64_t last, bool finishes,
                       bool keeps) const noexcept {
    const std::size_t scans = program_.scans().size();
    worker.only_before_scans(!finishes);
    for (std::size_t i = 0; i < scans; ++i) {
        const Rows rows = rows_of(worker, i);
        worker.target(i).accumulators = rows.carry;
        worker.target(i).instead = finishes ? nullptr : rows.tile;
        for (std::int64_t leaf = 0; finishes && leaf < first; ++leaf)
            add_leaf(worker, i, total_of(i, line, leaf), leaf, line.width());
    }
    for (std::int64_t leaf = first; leaf < last; ++leaf) {
        for (std::size_t i = 0; i < scans; ++i) {
            const bool prefixed = finishes && leaf > 0;
            if (prefixed) combine_leaves(worker, i, leaf, line.width());
            worker.target(i).prefix = prefixed ? rows_of(worker, i).prefix : nullptr;
        }
        run_leaf(worker, line, leaf);
        for (std::size_t i = 0; i < scans; ++i) {
            const std::byte* const total = rows_of(worker, i).carry;
            if (finishes) add_leaf(worker, i, total, leaf, line.width());
            if (keeps) {
                std::memcpy(total_of(i, line, leaf), total,
                            static_cast<std::size_t>(line.width()) * program_.scans()[i].element_size);
            }
        }
    }
}

void ScanRun::run_leaf(TileWorker& worker, const Line& line, std::int64_t leaf) const noexcept {
    const std::int64_t begin = leaf * shape_.leaf, end = std::min(shape_.n, begin + shape_.leaf);
    const std::int64_t first = line.outer * shape_.n * shape_.inner;
    if (worker.scanning() != Folding::None)
        return worker.scan_leaf_by_code(first + begin * shape_.inner, line.begin, end - begin, line.width());
    if (column_parts_ == 1) {
        worker.fold_rows(first + begin * shape_.inner, shape_.inner, true);
        worker.run(first + begin * shape_.inner, first + end * shape_.inner);
        return;
    }
    for (std::int64_t index = begin; index < end; ++index) {
        const std::int64_t row = first + index * shape_.inner;
        worker.fold_rows(row + line.begin, line.width(), index == begin);
        worker.run(row + line.begin, row + line.end);
    }
}

/// As one adds to a binary number: equal groups are combined.
void ScanRun::add_leaf(TileWorker& worker, std::size_t scan, const std::byte* total, std::int64_t number,
                       std::int64_t width) const noexcept {
    const Rows rows = rows_of(worker, scan);
    const auto bytes = static_cast<std::size_t>(width) * program_.scans()[scan].element_size;
    std::byte* const sum = rows.prefix;  // nobody needs it between two leaves
    std::memcpy(sum, total, bytes);
    std::byte* group = rows.groups;
    for (; number % 2 != 0; number /= 2, group += row_bytes_) combine(scan, group, sum, rows.spare, width);
    std::memcpy(group, sum, bytes);
}

void ScanRun::combine_leaves(TileWorker& worker, std::size_t scan, std::int64_t leaves,
                             std::int64_t width) const noexcept {
    const Rows rows = rows_of(worker, scan);
    const auto bytes = static_cast<std::size_t>(width) * program_.scans()[scan].element_size;
    bool fresh = true;
    for (const std::byte* group = rows.groups; leaves > 0; leaves /= 2, group += row_bytes_) {
        if (leaves % 2 == 0) continue;
        if (fresh)
            std::memcpy(rows.prefix, group, bytes);
        else
            combine(scan, group, rows.prefix, rows.spare, width);
        fresh = false;
    }
}

void ScanRun::combine(std::size_t scan, const std::byte* before, std::byte* row, std::byte* spare,
                      std::int64_t width) const noexcept {
    program_.scans()[scan].scan(row, 1, 1, width, 1, {spare, before, true}, row);
}

}  // namespace xlazy::be
