// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/tile_worker.hpp"

#include "finite_check.hpp"

#include <immintrin.h>

#include <algorithm>

namespace xlazy::be {
namespace {

/// Slots begin at a page, so that they do not share cache lines, and tiles of different sizes the same sets of the
/// cache.
constexpr std::size_t kSlotAlignment = 4096;
constexpr std::size_t kCacheLine = 64;
/// Operands are fetched ahead by parts, one before each op, so that requests do not wait for each other; if there are
/// few ops, at once. Measured: these distances in bytes are the best ones.
constexpr std::size_t kFewOps = 4;
constexpr std::int64_t kAtOnce = 1024, kByParts = 2048;

void* at(std::intptr_t address) noexcept { return reinterpret_cast<void*>(address); }

}  // namespace

void TileWorker::prepare(const TileProgram& program, const jit::Code* code) {
    program_ = &program;
    code_ = code;
    const std::size_t accesses = program.nest().accesses().size();
    pointers_.resize(program.pointers());
    origins_.resize(accesses);
    index_values_.resize(accesses);
    steps_.resize(accesses * program.inner_axis());
    for (unsigned axis = 0; axis < program.inner_axis(); ++axis) {
        for (std::size_t i = 0; i < accesses; ++i)
            steps_[axis * accesses + i] = program.nest().accesses()[i].strides[axis];
    }
    moving_.clear();
    uniform_.clear();
    for (std::size_t i = 0; i < accesses; ++i) {
        const Access& access = program.nest().accesses()[i];
        if (program.layout(i) == Layout::Dense) moving_.push_back({static_cast<std::uint16_t>(i), access.element_size});
        if (program.layout(i) != Layout::Uniform) continue;
        uniform_.push_back(static_cast<std::uint16_t>(i));
        pointers_[i] = &index_values_[i];  // the coordinate of an index; memory gets its address block by block
    }
    pointers_[program.null_pointer()] = nullptr;
    for (std::size_t i = 0; i < program.scalars().size(); ++i) {
        pointers_[program.scalars_begin() + i] = const_cast<void*>(program.scalars()[i]);
    }
    cells_.resize(std::max(cells_.size(), program.cells()));
    for (std::size_t i = 0; i < program.cells(); ++i) pointers_[program.cells_begin() + i] = &cells_[i];
    const std::size_t slot_bytes = program.slot_bytes();
    if (const std::size_t need = program.slots() * slot_bytes; need > 0 && slots_.size() < need + kSlotAlignment) {
        slots_.resize(need + kSlotAlignment);
    }
    auto slot = reinterpret_cast<std::intptr_t>(slots_.data());
    slot = (slot + static_cast<std::intptr_t>(kSlotAlignment) - 1) & ~(static_cast<std::intptr_t>(kSlotAlignment) - 1);
    for (std::size_t i = 0; i < program.slots(); ++i, slot += static_cast<std::intptr_t>(slot_bytes)) {
        pointers_[program.slots_begin() + i] = at(slot);
    }
    prepare_panels();
    targets_.assign(program.reductions().size() + program.scans().size(), FoldTarget{});
    if (!program.scans().empty()) shape_ = program.reduction_shape();
    only_before_scans_ = false;
    failures_.assign(program.faults().size(), Failure{kNoFailure, {}});
    saw_not_finite_ = 0;
    not_finite_.assign(program.checks().size(), NotFinite{});
    block_number_ = kNoBlock;
    if (code_ != nullptr) prepare_code();
}

void TileWorker::prepare_panels() {
    panels_.clear();
    std::size_t bytes = 0;
    for (const std::uint16_t access : program_->panels()) {
        const LoopNest& nest = program_->nest();
        const auto size = static_cast<std::size_t>(nest.accesses()[access].element_size);
        std::size_t row_bytes = static_cast<std::size_t>(nest.extent(nest.rank() - 1)) * size;
        row_bytes = (row_bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
        if (row_bytes % kSlotAlignment == 0) row_bytes += kCacheLine;  // rows would share sets of the cache
        panels_.push_back({access, size_index(size), static_cast<std::int64_t>(row_bytes), bytes});
        bytes += row_bytes * (kPanelRowBytes / size);
    }
    if (bytes > panel_memory_.size()) panel_memory_.resize(bytes);
}

void TileWorker::reserve_lanes(std::size_t bytes) {
    lane_bytes_ = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    lanes_.resize(std::max(lanes_.size(), targets_.size() * lane_bytes_ + kCacheLine));
}

std::byte* TileWorker::lane_memory(std::size_t reduction) noexcept {
    const auto start = (reinterpret_cast<std::uintptr_t>(lanes_.data()) + kCacheLine - 1) / kCacheLine * kCacheLine;
    return reinterpret_cast<std::byte*>(start) + reduction * lane_bytes_;
}

void TileWorker::run(std::int64_t begin, std::int64_t end) noexcept {
    if (code_ != nullptr) return run_code(begin, end);
    const std::int64_t block = program_->block();
    while (begin < end) {
        const std::int64_t number = begin / block;
        if (number == block_number_ + 1)
            next_block();
        else if (number != block_number_)
            seek(number);
        const std::int64_t start = number * block, stop = std::min(end, start + block);
        for (; begin < stop; begin += program_->tile()) {
            tile(begin - start, std::min(program_->tile(), stop - begin));
        }
        begin = stop;
    }
    if (program_->streams()) _mm_sfence();
}

/// Sets the origins to a block's first element.
void TileWorker::seek(std::int64_t block) noexcept {
    block_number_ = block;
    const LoopNest& nest = program_->nest();
    for (unsigned axis = program_->inner_axis(); axis-- > 0;) {
        index_[axis] = block % nest.extent(axis);
        block /= nest.extent(axis);
    }
    for (std::size_t i = 0; i < origins_.size(); ++i)
        origins_[i] = reinterpret_cast<std::intptr_t>(nest.accesses()[i].base);
    for (unsigned axis = 0; axis < program_->inner_axis(); ++axis) move_origins(axis, index_[axis]);
    set_uniform();
}

void TileWorker::next_block() noexcept {
    ++block_number_;
    const LoopNest& nest = program_->nest();
    unsigned axis = program_->inner_axis() - 1;
    for (; index_[axis] + 1 == nest.extent(axis); --axis) {
        move_origins(axis, -index_[axis]);
        index_[axis] = 0;
    }
    ++index_[axis];
    move_origins(axis, 1);
    set_uniform();
}

void TileWorker::move_origins(unsigned axis, std::int64_t indices) noexcept {
    const std::int64_t* steps = steps_.data() + axis * origins_.size();
    for (std::size_t i = 0; i < origins_.size(); ++i) origins_[i] += indices * steps[i];
}

/// Accesses that are uniform in the block: their element, or the coordinate.
void TileWorker::set_uniform() noexcept {
    for (const std::uint16_t i : uniform_) {
        if (program_->nest().accesses()[i].base == nullptr)
            index_values_[i] = origins_[i];
        else
            pointers_[i] = at(origins_[i]);
    }
}

void TileWorker::tile(std::int64_t first, std::int64_t count) noexcept {
    first_ = first;
    position_ = block_number_ * program_->block() + first;
    for (const Moving& moving : moving_) pointers_[moving.access] = at(origins_[moving.access] + first * moving.step);
    void* const* p = pointers_.data();
    const std::vector<TileOp>& ops = program_->ops();
    const std::int64_t parts = program_->fetched().empty() ? 0 : ops.size() < kFewOps ? 1 : std::ssize(ops);
    std::int64_t part = 0;
    for (const TileOp& op : ops) {
        if (only_before_scans_ && !op.before_scan) continue;
        if (part < parts) fetch_ahead(part++, parts, count);
        if (op.kind == TileOp::Kind::Map) [[likely]]
            op.map(p[op.a], p[op.b], p[op.c], p[op.out], count);
        else
            step(op, count);
    }
}

/// Asks for a part of the operands' next tile.
void TileWorker::fetch_ahead(std::int64_t part, std::int64_t parts, std::int64_t count) noexcept {
    constexpr std::int64_t line_bytes = kCacheLine;
    for (const std::uint16_t access : program_->fetched()) {
        const std::int64_t lines = count * program_->nest().accesses()[access].element_size / line_bytes;
        const auto* const next = static_cast<const std::byte*>(pointers_[access]) + (parts == 1 ? kAtOnce : kByParts);
        for (std::int64_t line = lines * part / parts; line < lines * (part + 1) / parts; ++line)
            __builtin_prefetch(next + line * line_bytes);
    }
}

void TileWorker::step(const TileOp& op, std::int64_t count) noexcept {
    using Kind = TileOp::Kind;
    void* const* p = pointers_.data();
    switch (op.kind) {
        case Kind::Map: op.map(p[op.a], p[op.b], p[op.c], p[op.out], count); break;
        case Kind::MapOnce: op.map(p[op.a], p[op.b], p[op.c], p[op.out], 1); break;
        case Kind::Fault: fault(op, count); break;
        case Kind::FaultOnce: fault(op, 1); break;
        case Kind::Fill: op.gather(p[op.out], p[op.a], 1, 0, count, 0); break;
        case Kind::Copy: op.gather(p[op.out], p[op.a], 1, 0, count, std::int64_t{1} << op.size_index); break;
        case Kind::Stream: op.stream(p[op.out], p[op.a], static_cast<std::size_t>(count) << op.size_index); break;
        case Kind::GatherOne: op.gather(p[op.out], p[op.a], 1, 0, 1, 0); break;
        case Kind::Gather: gather(op, count); break;
        case Kind::Panel: panel(op); break;
        case Kind::Scatter: scatter(op, count); break;
        case Kind::Index: write_index(op, count); break;
        case Kind::Fold: fold(op.extra, static_cast<const std::byte*>(p[op.a]), count); break;
        case Kind::Check: check(op, count); break;
        case Kind::CheckOnce: check(op, 1); break;
        case Kind::Look: look(op, count); break;
        case Kind::LookOnce: look(op, 1); break;
        case Kind::Scan: scan(op, count); break;
        case Kind::Pick: pick(op, count); break;
        case Kind::Put: put(op, count); break;
    }
}

template <class F>
void TileWorker::for_each_part(std::size_t number, std::int64_t count, F&& f) const noexcept {
    const LoopNest& nest = program_->nest();
    const Access& access = nest.accesses()[number];
    const unsigned last = nest.rank() - 1, inner = program_->inner_axis();
    const std::int64_t columns = nest.extent(last), column_stride = access.strides[last];
    const std::int64_t origin = origins_[number];
    if (inner == last) return f(origin + first_ * column_stride, 1, 0, count, column_stride);

    const std::int64_t rows = nest.extent(last - 1), row_stride = access.strides[last - 1];
    std::int64_t column = first_ % columns, row = first_ / columns;
    std::int64_t plane = row / rows;
    row %= rows;
    while (count > 0) {
        std::int64_t address = origin + row * row_stride + column * column_stride, rest = plane;
        for (unsigned axis = last - 1; axis-- > inner;) {
            address += rest % nest.extent(axis) * access.strides[axis];
            rest /= nest.extent(axis);
        }
        const bool whole = column == 0 && count >= columns;
        const std::int64_t part_rows = whole ? std::min(count / columns, rows - row) : 1;
        const std::int64_t part_columns = whole ? columns : std::min(count, columns - column);
        f(address, part_rows, row_stride, part_columns, column_stride);
        count -= part_rows * part_columns;
        column = 0;
        row += part_rows;
        if (row == rows) {
            row = 0;
            ++plane;
        }
    }
}

void TileWorker::gather(const TileOp& op, std::int64_t count) noexcept {
    auto* to = static_cast<std::byte*>(pointers_[op.out]);
    for_each_part(op.extra, count,
                  [&](std::intptr_t address, std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
                      std::int64_t column_stride) {
                      op.gather(to, at(address), rows, row_stride, columns, column_stride);
                      to += (rows * columns) << op.size_index;
                  });
}

void TileWorker::panel(const TileOp& op) noexcept {
    Panel& panel = panels_[op.extra];
    if (block_number_ < panel.begin || block_number_ >= panel.end) fill_panel(op.extra);
    pointers_[panel.access] = panel_memory_.data() + panel.memory + (block_number_ - panel.begin) * panel.row_bytes +
                              (first_ << panel.size_index);
}

/// With the rows of the line that this block's row begins in.
void TileWorker::fill_panel(std::size_t number) noexcept {
    Panel& panel = panels_[number];
    const LoopNest& nest = program_->nest();
    const unsigned last = nest.rank() - 1;
    const std::int64_t columns = nest.extent(last), column_stride = nest.accesses()[panel.access].strides[last];
    const std::int64_t size = std::int64_t{1} << panel.size_index, most = kPanelRowBytes / size;
    const std::int64_t row = index_[last - 1], behind = (origins_[panel.access] % kPanelRowBytes) / size;
    const std::int64_t begin = std::max<std::int64_t>(row - behind, 0);
    const std::int64_t rows = std::min(most, nest.extent(last - 1) - begin);
    const std::int64_t start = origins_[panel.access] - (row - begin) * size;
    std::byte* const to = panel_memory_.data() + panel.memory;
    if (rows == most) {
        kernels().panel[panel.size_index](at(start), column_stride, columns, to, panel.row_bytes);
    } else {
        for (std::int64_t i = 0; i < rows; ++i)
            kernels().gather[panel.size_index](to + i * panel.row_bytes, at(start + i * size), 1, 0, columns,
                                               column_stride);
    }
    panel.begin = block_number_ - (row - begin);
    panel.end = panel.begin + rows;
}

void TileWorker::scatter(const TileOp& op, std::int64_t count) noexcept {
    const auto* from = static_cast<const std::byte*>(pointers_[op.a]);
    for_each_part(op.extra, count,
                  [&](std::intptr_t address, std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
                      std::int64_t column_stride) {
                      op.scatter(from, at(address), rows, row_stride, columns, column_stride);
                      from += (rows * columns) << op.size_index;
                  });
}

void TileWorker::write_index(const TileOp& op, std::int64_t count) noexcept {
    auto* to = static_cast<std::int64_t*>(pointers_[op.out]);
    for_each_part(op.extra, count,
                  [&](std::intptr_t value, std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
                      std::int64_t column_stride) {
                      for (std::int64_t row = 0; row < rows; ++row, value += row_stride) {
                          for (std::int64_t column = 0; column < columns; ++column)
                              *to++ = value + column * column_stride;
                      }
                  });
}

void TileWorker::fault(const TileOp& op, std::int64_t count) noexcept {
    void* const* p = pointers_.data();
    const std::int64_t failed = op.fault(p[op.a], p[op.b], p[op.c], p[op.out], count);
    Failure& failure = failures_[op.extra];
    if (failed == count || position_ + failed >= failure.index) return;
    const FaultSite& site = program_->faults()[op.extra];
    failure.index = position_ + failed;
    const std::size_t size = bc::size_of(site.type);
    for (unsigned operand = 0; operand < 2; ++operand) {
        const bool single = site.form == (operand == 0 ? Form::sv : Form::vs);
        const auto* values = static_cast<const std::byte*>(p[operand == 0 ? op.a : op.b]);
        failure.operands[operand] = {site.type, {0, 0}};
        std::memcpy(failure.operands[operand].bits, values + (single ? 0 : static_cast<std::size_t>(failed) * size),
                    size);
    }
}

void TileWorker::check(const TileOp& op, std::int64_t count) noexcept {
    void* const* p = pointers_.data();
    const CheckSite& site = program_->checks()[op.extra];
    NotFinite& found = not_finite_[op.extra];
    if (site.reduction) {
        if (found.index == kNoFailure && first_not_finite_of(site.op->type, p[op.a], count) != count) found.index = 0;
        return;
    }
    if (position_ >= found.index) return;
    if (first_not_finite_of(site.op->result, p[op.out], count) == count) return;
    const CheckedValues operands[] = {{p[op.a], site.single[0]}, {p[op.b], site.single[1]}, {p[op.c], site.single[2]}};
    const unsigned arity = bc::info(site.op->op).arity;
    const std::int64_t at = first_made_not_finite(site.op->result, p[op.out], count, site.op->type, operands, arity);
    if (at == count) return;
    found.index = position_ + at;
    found.value = value_at(site.op->result, p[op.out], at);
    for (unsigned i = 0; i < std::min(arity, 2u); ++i)
        found.operands[i] = value_at(site.op->type, operands[i].at(site.op->type, at), 0);
}

/// What comes before scans is computed twice; the second time is enough.
void TileWorker::look(const TileOp& op, std::int64_t count) noexcept {
    if (saw_not_finite_ != 0 || only_before_scans_) return;
    const std::int64_t parts = count * op.extra;
    if (kernels().not_finite[op.size_index](pointers_[op.a], parts) != parts) saw_not_finite_ = 1;
}

namespace {

/// Calls f(std::integral_constant) with the size of elements.
template <class F>
void with_size(std::uint8_t size_index, F&& f) {
    switch (size_index) {
        case 0: return f(std::integral_constant<std::size_t, 1>{});
        case 1: return f(std::integral_constant<std::size_t, 2>{});
        case 2: return f(std::integral_constant<std::size_t, 4>{});
        case 3: return f(std::integral_constant<std::size_t, 8>{});
        default: return f(std::integral_constant<std::size_t, 16>{});
    }
}

/// Where element `number` lies, if there is one; else null.
std::byte* element(const Numbered& view, std::int64_t number) noexcept {
    if (static_cast<std::uint64_t>(number) >= static_cast<std::uint64_t>(view.count)) return nullptr;
    if (view.dims.empty()) return view.start + number * view.step;
    std::byte* address = view.start;
    for (std::size_t axis = view.dims.size(); axis-- > 0; number /= view.dims[axis].extent)
        address += number % view.dims[axis].extent * view.dims[axis].stride;
    return address;
}

}  // namespace

void TileWorker::pick(const TileOp& op, std::int64_t count) noexcept {
    const Numbered& view = program_->numbered()[op.extra];
    const auto* const numbers = static_cast<const std::int64_t*>(pointers_[op.a]);
    with_size(op.size_index, [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
        auto* to = static_cast<std::byte*>(pointers_[op.out]);
        for (std::int64_t i = 0; i < count; ++i, to += Size) {
            if (const std::byte* const from = element(view, numbers[i]))
                std::memcpy(to, from, Size);
            else
                std::memset(to, 0, Size);
        }
    });
}

void TileWorker::put(const TileOp& op, std::int64_t count) noexcept {
    const Numbered& view = program_->numbered()[op.extra];
    const auto* const numbers = static_cast<const std::int64_t*>(pointers_[op.b]);
    with_size(op.size_index, [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
        const auto* from = static_cast<const std::byte*>(pointers_[op.a]);
        for (std::int64_t i = 0; i < count; ++i, from += Size) {
            if (std::byte* const to = element(view, numbers[i])) std::memcpy(to, from, Size);
        }
    });
}

void TileWorker::fold(std::size_t number, const std::byte* values, std::int64_t count) noexcept {
    const Reduction& reduction = program_->reductions()[number];
    const FoldTarget& target = targets_[number];
    const auto size = static_cast<std::int64_t>(reduction.element_size);
    if (fold_ == Fold::Segments) {
        const ReductionShape shape = program_->reduction_shape();
        const std::int64_t length = shape.n * shape.inner;
        reduction.segments(values, count / length, shape.n, shape.inner, shape.lanes,
                           target.results + position_ / length * shape.inner * size);
        return;
    }
    if (fold_ == Fold::Leaves)
        return reduction.leaves(values, count, program_->reduction_shape().leaf, target.accumulators);
    std::int64_t row = (position_ - fold_first_) / fold_width_, column = (position_ - fold_first_) % fold_width_;
    while (count > 0) {
        const bool whole = column == 0 && count >= fold_width_;
        const std::int64_t rows = whole ? count / fold_width_ : 1;
        const std::int64_t columns = whole ? fold_width_ : std::min(count, fold_width_ - column);
        reduction.fold(values, rows, columns, columns, target.accumulators + column * size, row == 0 && fold_fresh_);
        count -= rows * columns;
        values += rows * columns * size;
        row += rows;
        column = 0;
    }
}

void TileWorker::scan(const TileOp& op, std::int64_t count) noexcept {
    const Scan& scan = program_->scans()[op.extra];
    const FoldTarget& target = targets_[op.extra];
    const auto* values = static_cast<const std::byte*>(pointers_[op.a]);
    std::byte* out = target.instead != nullptr ? target.instead : static_cast<std::byte*>(pointers_[op.out]);
    const auto size = static_cast<std::int64_t>(scan.element_size);
    if (fold_ == Fold::Segments) {
        scan.scan(values, count / (shape_.n * shape_.inner), shape_.n, shape_.inner, shape_.lanes,
                  {target.accumulators, nullptr, true}, out);
        return;
    }
    std::int64_t row = (position_ - fold_first_) / fold_width_, column = (position_ - fold_first_) % fold_width_;
    while (count > 0) {
        const bool whole = column == 0 && count >= fold_width_;
        const std::int64_t rows = whole ? count / fold_width_ : 1;
        const std::int64_t columns = whole ? fold_width_ : std::min(count, fold_width_ - column);
        const std::byte* const prefix = target.prefix == nullptr ? nullptr : target.prefix + column * size;
        scan.scan(values, 1, rows, columns, shape_.lanes,
                  {target.accumulators + column * size, prefix, row == 0 && fold_fresh_}, out);
        count -= rows * columns;
        values += rows * columns * size;
        out += rows * columns * size;
        row += rows;
        column = whole ? 0 : (column + columns) % fold_width_;
    }
}

}  // namespace xlazy::be
