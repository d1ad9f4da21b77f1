// SPDX-License-Identifier: BSD-3-Clause
// The part of a worker that runs compiled code: whole rows of the nest's last axis, as many as lie evenly. Reductions
// whose leaves the code does not fold itself get their values a tile at a time, and fold them as the interpreter does.
#include "openmp/tile_worker.hpp"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

namespace xlazy::be {
namespace {

char* at(std::intptr_t address) noexcept { return reinterpret_cast<char*>(address); }

}  // namespace

void TileWorker::prepare_code() {
    const LoopNest& nest = program_->nest();
    const unsigned last = nest.rank() - 1, axis = program_->code_axis();
    const std::size_t count = nest.accesses().size();
    code_pointers_.resize(count);
    code_rows_step_.resize(count);
    code_step_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Access& access = nest.accesses()[i];
        code_step_[i] = access.strides[last];
        code_rows_step_[i] = axis == 0 ? 0 : access.strides[axis - 1];
    }
    for (const Reduction& reduction : program_->reductions()) {
        const auto size = static_cast<std::int64_t>(reduction.element_size);
        code_step_[reduction.access] = size;
        code_rows_step_[reduction.access] =
            program_->code_folding() == Folding::Leaf ? size : size * nest.count(axis, nest.rank());
    }
    for (const Panel& panel : panels_) code_step_[panel.access] = std::int64_t{1} << panel.size_index;
    if (program_->code_folding() == Folding::Leaf) {
        const std::int64_t leaf = program_->reduction_shape().leaf;
        code_leaf_step_.resize(count);
        for (std::size_t i = 0; i < count; ++i) code_leaf_step_[i] = code_step_[i] * leaf;
        for (const Reduction& reduction : program_->reductions())
            code_leaf_step_[reduction.access] = static_cast<std::int64_t>(reduction.element_size);
    }
    const std::size_t values =
        program_->reductions().size() * static_cast<std::size_t>(program_->code_tile()) * sizeof(Cell);
    if (code_values_.size() < values + kLine) code_values_.resize(values + kLine);
    code_scans_.resize(program_->scans().size());
    code_traps_.assign(program_->faults().size(), {kNoFailure, {}});
}

void TileWorker::run_code(std::int64_t begin, std::int64_t end) noexcept {
    const std::size_t reductions = program_->reductions().size();
    if (reductions == 0) {
        compute(begin, end);
    } else {
        const auto start = (reinterpret_cast<std::uintptr_t>(code_values_.data()) + kLine - 1) / kLine * kLine;
        const std::int64_t tile = program_->code_tile();
        const auto values = [&](std::size_t i) {
            return reinterpret_cast<std::byte*>(start) +
                   static_cast<std::int64_t>(i) * tile * static_cast<std::int64_t>(sizeof(Cell));
        };
        for (std::size_t i = 0; i < reductions; ++i) targets_[i].values = values(i);
        for (; begin < end; begin += tile) {
            const std::int64_t count = std::min(tile, end - begin);
            position_ = begin;
            compute(begin, begin + count);
            for (std::size_t i = 0; i < reductions; ++i) fold(i, values(i), count);
        }
    }
    note_traps();
    if (program_->streams()) _mm_sfence();
}

void TileWorker::fold_leaves_by_code(std::int64_t begin, std::int64_t end) noexcept {
    position_ = begin;
    compute(begin, end);
    note_traps();
    if (program_->streams()) _mm_sfence();
}

void TileWorker::fold_leaves_by_code(std::int64_t position, std::int64_t leaves, std::int64_t width) noexcept {
    position_ = position;
    const LoopNest& nest = program_->nest();
    call_code(position, position % nest.extent(nest.rank() - 1), leaves, width, code_leaf_step_.data());
    note_traps();
    if (program_->streams()) _mm_sfence();
}

void TileWorker::fold_rows_by_code(std::int64_t position, std::int64_t rows, std::int64_t width) noexcept {
    position_ = position;
    call_code(position, 0, rows, width, code_rows_step_.data());
    if (program_->streams()) _mm_sfence();
}

void TileWorker::aim_scans() noexcept {
    for (std::size_t i = 0; i < code_scans_.size(); ++i)
        code_scans_[i] = {targets_[i].accumulators, targets_[i].prefix};
}

void TileWorker::scan_leaf_by_code(std::int64_t position, std::int64_t column, std::int64_t indices,
                                   std::int64_t width) noexcept {
    aim_scans();
    if (program_->code_scanning() == Folding::Leaf)
        call_code(position, position % shape_.n, 1, indices, code_rows_step_.data());
    else
        call_code(position + column, column, indices, width, code_rows_step_.data());
    note_traps();
    if (program_->streams()) _mm_sfence();
}

void TileWorker::scan_leaves_by_code(std::int64_t begin, std::int64_t end) noexcept {
    aim_scans();
    if (program_->code_scanning() == Folding::Leaf) {
        compute(begin * shape_.n, end * shape_.n);
    } else {
        for (; begin < end; ++begin)
            call_code(begin * shape_.n * shape_.inner, 0, shape_.n, shape_.inner, code_rows_step_.data());
    }
    note_traps();
    if (program_->streams()) _mm_sfence();
}

/// All values of the positions [begin, end).
void TileWorker::compute(std::int64_t begin, std::int64_t end) noexcept {
    const LoopNest& nest = program_->nest();
    const unsigned axis = program_->code_axis();
    const std::int64_t columns = nest.count(axis, nest.rank()), rows = axis == 0 ? 1 : nest.extent(axis - 1);
    while (begin < end) {
        const std::int64_t row = begin / columns, column = begin % columns;
        std::int64_t some = 1, width = std::min(columns - column, end - begin);
        if (width == columns && panels_.empty()) some = std::min((end - begin) / columns, rows - row % rows);
        call_code(begin, column, some, width, code_rows_step_.data());
        begin += some * width;
    }
}

/// `rows` whole rows, or a part of one, from a position on.
void TileWorker::call_code(std::int64_t position, std::int64_t column, std::int64_t rows, std::int64_t columns,
                           const std::int64_t* rows_step) noexcept {
    const LoopNest& nest = program_->nest();
    const unsigned last = nest.rank() - 1;
    std::int64_t index[bc::kMaxRank], rest = position;
    for (unsigned axis = nest.rank(); axis-- > 0; rest /= nest.extent(axis)) index[axis] = rest % nest.extent(axis);
    for (std::size_t i = 0; i < code_pointers_.size(); ++i) {
        const Access& access = nest.accesses()[i];
        auto address = reinterpret_cast<std::intptr_t>(access.base);
        for (unsigned axis = 0; axis < nest.rank(); ++axis) address += index[axis] * access.strides[axis];
        code_pointers_[i] = at(address);
    }
    for (std::size_t i = 0; i < program_->reductions().size(); ++i) {
        const Reduction& reduction = program_->reductions()[i];
        const std::int64_t values =
            (position - position_) / (program_->code_folding() == Folding::Leaf ? nest.extent(last) : 1);
        code_pointers_[reduction.access] =
            reinterpret_cast<char*>(targets_[i].values) + values * static_cast<std::int64_t>(reduction.element_size);
    }
    if (!panels_.empty()) {
        const std::int64_t row = position / nest.extent(last);
        if (row == block_number_ + 1)
            next_block();
        else if (row != block_number_)
            seek(row);
        for (std::size_t i = 0; i < panels_.size(); ++i) {
            Panel& panel = panels_[i];
            if (row < panel.begin || row >= panel.end) fill_panel(i);
            code_pointers_[panel.access] = reinterpret_cast<char*>(panel_memory_.data()) + panel.memory +
                                           (row - panel.begin) * panel.row_bytes + (column << panel.size_index);
        }
    }
    const KernelArguments arguments{code_pointers_.data(),
                                    rows_step,
                                    code_step_.data(),
                                    program_->code_scalars(),
                                    code_->calls.data(),
                                    code_traps_.data(),
                                    rows,
                                    columns,
                                    position,
                                    code_scans_.data(),
                                    only_before_scans_,
                                    &saw_not_finite_};
    code_->function(&arguments);
}

void TileWorker::note_traps() noexcept {
    for (std::size_t i = 0; i < code_traps_.size(); ++i) {
        const KernelArguments::Trap& trap = code_traps_[i];
        if (trap.index == kNoFailure) continue;
        failures_[i].index = trap.index;
        const bc::DType type = program_->faults()[i].type;
        for (unsigned operand = 0; operand < 2; ++operand) {
            failures_[i].operands[operand] = {type, {0, 0}};
            std::memcpy(failures_[i].operands[operand].bits, trap.operands[operand], bc::size_of(type));
        }
    }
}

}  // namespace xlazy::be
