// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/region_run.hpp"

#include "reduction_rule.hpp"
#include "xlazy/backends/traps.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace xlazy::be {
namespace {

using bc::RegionStorage;

/// Positions of a thread for each row that it makes again at its beginning.
constexpr std::int64_t kPositionsPerRow = 4;
/// Shorter pieces than this are run row by row: they are rare, and a program for each length would cost more.
constexpr std::int64_t kLeastBound = 8;
/// A buffer has room for so many times the rows that are kept, so that they move to its front rarely.
constexpr std::int64_t kSlack = 2;

/// Rows that a thread makes again at its beginning.
std::int64_t rows_again(const bc::Region& region) noexcept {
    std::int64_t most = 0;
    for (const bc::RegionKernel& kernel : region.kernels) most = std::max(most, kernel.high - kernel.low);
    return most;
}

}  // namespace

int threads_of_region(const bc::Region& region, const Bindings& bindings, int threads) noexcept {
    std::int64_t positions = 0;
    for (std::uint32_t i = 0; i < region.kernels.size(); ++i) {
        const bc::Kernel& kernel = bindings.plan->kernels[region.first + i];
        const std::span<const std::int64_t> extents = bindings.program->domain_extents(kernel.domain);
        if (bc::element_count(extents) == 0) return 0;
        positions = std::max(positions, extents[region.kernels[i].axis] - region.kernels[i].high);
    }
    const std::int64_t least = std::max<std::int64_t>(1, kPositionsPerRow * rows_again(region));
    const std::int64_t most = std::max<std::int64_t>(1, positions / least);
    return most * 2 <= threads ? 0 : static_cast<int>(std::min<std::int64_t>(most, threads));
}

RegionCut cut_region(const bc::RegionMap& map, const Bindings& bindings, int threads, std::int64_t piece_bytes) {
    RegionCut cut;
    cut.positions = map.positions();
    std::int64_t bytes = 0;
    for (const RegionStorage& storage : map.storages()) bytes += map.row_bytes(storage);
    const std::int64_t fair = (cut.positions + threads - 1) / threads;
    cut.piece = std::clamp<std::int64_t>(piece_bytes / std::max<std::int64_t>(bytes, 1), 1, fair);
    const std::size_t last = map.size() - 1;
    if (map.closes(last)) {
        const bc::Kernel& kernel = bindings.plan->kernels[map.end() - 1];
        const std::span<const std::int64_t> extents = bindings.program->domain_extents(kernel.domain);
        const std::int64_t leaf = reduction_leaf(bc::element_count(extents.subspan(map.kernel(last).axis + 1)));
        cut.piece = std::max<std::int64_t>(cut.piece / leaf, 1) * leaf;
    }
    cut.threads = static_cast<int>(std::min<std::int64_t>(threads, cut.pieces()));
    return cut;
}

RegionWorker::RegionWorker(const bc::RegionMap& map, const RegionCut& cut, std::span<const Bindings> bindings,
                           const OpenMpOptions& options)
    : map_(map), cut_(cut), bindings_(bindings), options_(options), bound_(map.size()) {
    for (const RegionStorage& storage : map.storages()) {
        if (!storage.local) continue;
        Rows rows;
        rows.storage = &storage;
        const std::int64_t element = storage.uses[0].access.element_size;
        rows.row_bytes = storage.stride != 0 ? storage.stride * element : map.row_bytes(storage);
        std::int64_t ahead = 0;
        for (const RegionStorage::Use& use : storage.uses) ahead = std::max(ahead, map.kernel(use.kernel).high);
        const std::int64_t kept = map.rows_kept(storage) + ahead;
        rows.capacity = cut.piece + (1 + kSlack) * kept;
        rows_.push_back(std::move(rows));
    }
}

void RegionWorker::run(std::int64_t begin, std::int64_t end, const ReductionRun* closing) {
    if (begin == end) return;
    begin_stretch(begin * cut_.piece);
    for (std::int64_t piece = begin; piece < end; ++piece) {
        const std::int64_t position = piece * cut_.piece;
        const std::int64_t count = std::min(cut_.piece, cut_.positions - position);
        for (Rows& rows : rows_) make_room(rows, position, count);
        for (std::size_t k = 0; k < map_.size(); ++k) run_kernel(k, range_of(k, position, count), closing);
    }
}

std::uint64_t RegionWorker::bytes_of_rows() const noexcept {
    std::int64_t bytes = 0;
    for (const Rows& rows : rows_) bytes += rows.capacity * rows.row_bytes;
    return static_cast<std::uint64_t>(bytes);
}

void RegionWorker::take_memory() {
    for (Rows& rows : rows_) {
        if (rows.memory.data() == nullptr)
            rows.memory = PoolMemory(static_cast<std::size_t>(rows.capacity * rows.row_bytes));
    }
}

/// The order of a nest's axes follows from its memory, so local memory must be as in the pieces.
void RegionWorker::bind_closing(TileProgram& program, TileProgram::Choices choices) {
    begin_stretch(0);
    const std::size_t last = map_.size() - 1;
    const std::vector<RowWindow> windows = windows_of(last, 0);
    choices.windows = windows;
    program.bind(bindings_[last].plan->kernels[map_.end() - 1], bindings_[last], choices);
}

void RegionWorker::begin_stretch(std::int64_t position) {
    stretch_ = position;
    for (Rows& rows : rows_) {
        rows.first = std::numeric_limits<std::int64_t>::max();
        for (const RegionStorage::Use& use : rows.storage->uses)
            rows.first = std::min(rows.first, range_of(use.kernel, position, 0).begin + use.row);
        rows.end = rows.first;
    }
}

/// What the kernel does of a piece.
RegionWorker::Range RegionWorker::range_of(std::size_t kernel, std::int64_t position,
                                           std::int64_t count) const noexcept {
    const bc::RegionKernel& distance = map_.kernel(kernel);
    const std::int64_t extent = map_.extent(kernel);
    std::int64_t begin = position + (position == stretch_ ? distance.low : distance.high);
    if (position == 0) begin = 0;
    begin = std::clamp<std::int64_t>(begin, 0, extent);
    return {begin, std::clamp<std::int64_t>(position + count + distance.high, begin, extent)};
}

/// Of a piece's rows, those that are not there yet come behind the others.
void RegionWorker::make_room(Rows& rows, std::int64_t position, std::int64_t count) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max(), end = rows.end;
    for (const RegionStorage::Use& use : rows.storage->uses) {
        const Range range = range_of(use.kernel, position, count);
        end = std::max(end, range.end + use.row);
        // A kernel that is done, having fewer rows than others, needs none of these.
        if (range.begin < map_.extent(use.kernel)) first = std::min(first, range.begin + use.row);
    }
    if (end - rows.first > rows.capacity) {
        first = std::min(first, end);
        std::byte* const memory = rows.memory.data();
        std::memmove(memory, memory + (first - rows.first) * rows.row_bytes,
                     static_cast<std::size_t>(std::max<std::int64_t>(rows.end - first, 0) * rows.row_bytes));
        rows.first = first;
    }
    rows.end = end;
}

void RegionWorker::run_kernel(std::size_t kernel, Range range, const ReductionRun* closing) {
    const bool closes = map_.closes(kernel);
    while (range.begin < range.end) {
        const std::int64_t left = range.end - range.begin;
        const std::int64_t count = left >= cut_.piece ? cut_.piece : closes || left >= kLeastBound ? left : 1;
        run_part(kernel, range.begin, count, closes ? closing : nullptr);
        range.begin += count;
    }
}

void RegionWorker::run_part(std::size_t kernel, std::int64_t first, std::int64_t count, const ReductionRun* closing) {
    const Bound& bound = bound_for(kernel, first, count);
    const TileProgram& program = bound.program;
    worker_.prepare(program, bound.code);
    if (!program.scans().empty()) {
        const ScanRun scan(program, 1);
        worker_.reserve_lanes(scan.memory_bytes());
        scan.run(worker_, 0);
    } else if (program.reductions().empty()) {
        worker_.run(0, program.nest().count());
    } else {
        const ReductionRun reduction = closing != nullptr ? closing->part(program, first) : ReductionRun(program, 1);
        worker_.reserve_lanes(reduction.lane_bytes());
        reduction.fold(worker_, 0, 1);
        if (closing == nullptr && reduction.needs_combining()) reduction.combine(0, 1);
    }
    if (!program.faults().empty()) note_traps(kernel, bound, first);
}

/// A piece counts its own positions. Rows that two threads make fail in both, which is one failure.
void RegionWorker::note_traps(std::size_t kernel, const Bound& bound, std::int64_t first) {
    const Bindings& bindings = bindings_[kernel];
    const bc::Kernel& code = bindings.plan->kernels[map_.first() + kernel];
    const std::span<const std::int64_t> extents = bindings.program->domain_extents(code.domain);
    const std::int64_t inner = bc::element_count(extents.subspan(map_.kernel(kernel).axis + 1));
    for (std::size_t i = 0; i < bound.program.faults().size(); ++i) {
        const TileWorker::Failure& failure = worker_.failures()[i];
        if (failure.index == TileWorker::kNoFailure) continue;
        const std::int64_t row = failure.index / inner;
        const std::int64_t before = row / bound.count, at = row % bound.count;
        const std::int64_t index = (before * map_.extent(kernel) + first + at) * inner + failure.index % inner;
        add_trap(traps_, {bound.program.faults()[i].instruction, index, {failure.operands[0], failure.operands[1]}});
    }
}

/// The kernel for so many indices, at its place.
RegionWorker::Bound& RegionWorker::bound_for(std::size_t kernel, std::int64_t first, std::int64_t count) {
    std::vector<RowWindow> windows = windows_of(kernel, first);
    for (const std::unique_ptr<Bound>& bound : bound_[kernel]) {
        if (bound->count != count) continue;
        bound->program.move_to(first);
        for (const RowWindow& window : windows) bound->program.place(window.op, window.start);
        return *bound;
    }
    Bound& bound = *bound_[kernel].emplace_back(std::make_unique<Bound>());
    bound.count = count;
    TileProgram::Choices choices;
    choices.superinstructions = options_.superinstructions;
    choices.streamed_bytes = hands_on(kernel) ? std::numeric_limits<std::int64_t>::max()
                                              : options_.streamed_bytes / map_.extent(kernel) * count;
    choices.cut_axis = static_cast<int>(map_.kernel(kernel).axis);
    choices.cut_count = count;
    choices.windows = windows;
    choices.compiled = options_.compiled;
    const Bindings& bindings = bindings_[kernel];
    bound.program.bind(bindings.plan->kernels[map_.first() + kernel], bindings, choices);
    bound.code = bound.program.code(std::max<std::int64_t>(map_.extent(kernel) / count / cut_.threads, 1));
    bound.program.move_to(first);
    for (const RowWindow& window : windows) bound.program.place(window.op, window.start);
    return bound;
}

/// The rows of local storages that the kernel touches from an index on.
std::vector<RowWindow> RegionWorker::windows_of(std::size_t kernel, std::int64_t first) {
    std::vector<RowWindow> windows;
    for (const Rows& rows : rows_) {
        for (const RegionStorage::Use& use : rows.storage->uses) {
            if (use.kernel == kernel) windows.push_back(window_of(rows, use, first));
        }
    }
    return windows;
}

RowWindow RegionWorker::window_of(const Rows& rows, const RegionStorage::Use& use, std::int64_t first) const {
    const RegionStorage& storage = *rows.storage;
    std::byte* const row = rows.memory.data() + (first + use.row - rows.first) * rows.row_bytes;
    RowWindow window{use.op, row, use.access.dims};
    if (storage.stride != 0) {
        window.start += (use.access.offset - storage.origin - use.row * storage.stride) * use.access.element_size;
        return window;
    }
    // All uses go through one window: its rows are laid out densely.
    std::int64_t stride = 1;
    for (std::size_t i = window.dims.size(); i-- > 0;) {
        bc::Dim& dim = window.dims[i];
        if (static_cast<int>(i) == use.access.place || dim.extent <= 1 || dim.stride == 0) continue;
        dim.stride = stride;
        stride *= dim.extent;
    }
    window.dims[static_cast<std::size_t>(use.access.place)].stride = stride;
    return window;
}

/// Does another kernel of the region read what this one writes?
bool RegionWorker::hands_on(std::size_t kernel) const noexcept {
    return std::ranges::any_of(map_.storages(), [&](const RegionStorage& storage) {
        return storage.uses.size() > 1 && std::ranges::any_of(storage.uses, [&](const RegionStorage::Use& use) {
                   return use.kernel == kernel && use.access.writes;
               });
    });
}

}  // namespace xlazy::be
