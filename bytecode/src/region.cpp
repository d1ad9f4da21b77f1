// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/region.hpp"

#include <algorithm>
#include <cstdlib>

namespace xlazy::bc {
namespace {

using Kind = MicroOp::Kind;
using Use = RegionStorage::Use;

/// What stays must be touched at one distance from the position; so often the distances are brought together.
constexpr int kMaxRounds = 8;
/// A scan over fewer elements after its axis goes by blocks of rows (docs/semantics.md), which a part of the columns
/// does not have.
constexpr std::int64_t kSteadyColumns = 17;

std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }

bool moves(const Dim& dim) noexcept { return dim.extent > 1 && dim.stride != 0; }

/// The same elements at the same indices of the cut axes, whatever axes along which nothing moves lie between.
bool same_rows(const CutAccess& a, const CutAccess& b) noexcept {
    if (a.offset != b.offset) return false;
    std::size_t i = 0, k = 0;
    for (;; ++i, ++k) {
        while (i < a.dims.size() && !moves(a.dims[i])) ++i;
        while (k < b.dims.size() && !moves(b.dims[k])) ++k;
        if (i == a.dims.size() || k == b.dims.size()) return i == a.dims.size() && k == b.dims.size();
        const bool cut_a = static_cast<int>(i) == a.place, cut_b = static_cast<int>(k) == b.place;
        if (a.dims[i] != b.dims[k] || cut_a != cut_b) return false;
    }
}

}  // namespace

RegionMap::RegionMap(const Program& program, const Plan& plan, std::uint32_t first)
    : program_(program), plan_(plan), first_(first) {
    for (const Step& step : plan.steps) {
        if (step.donor.kind != Storage::Kind::None && takes_over(plan, program, step)) gifts_.push_back(step);
    }
}

/// What takes the memory of another one is that one.
Storage RegionMap::place_of(Storage storage) const noexcept {
    for (std::size_t i = gifts_.size(); i-- > 0;) {
        if (gifts_[i].storage() == storage) storage = gifts_[i].donor;
    }
    return storage;
}

RegionStorage& RegionMap::storage_of(Storage storage, std::uint32_t version_of) {
    for (RegionStorage& each : storages_) {
        if (each.storage == storage && each.version_of == version_of) return each;
    }
    RegionStorage& added = storages_.emplace_back();
    added.storage = storage;
    added.version_of = version_of;
    return added;
}

/// Only kernels whose elements are numbered in the same way wherever they are cut, and whose scans have the same order.
bool RegionMap::takes(const Kernel& kernel, unsigned axis, std::span<const std::int64_t> extents) const noexcept {
    if (closed_ || axis >= extents.size() || element_count(extents) == 0) return false;
    return std::ranges::none_of(kernel.ops, [&](const MicroOp& op) {
        if (op.kind == Kind::GatherView || op.kind == Kind::ScatterView) return true;
        if (op.kind != Kind::Compute) return false;
        const bool scans = info(op.op).kind == OpKind::Scan;
        if (scans && op.axis < axis && element_count(extents.subspan(op.axis + 1u)) < kSteadyColumns) return true;
        return (scans || op.op == Op::index) && op.axis == axis;
    });
}

/// The conflicts of a storage's last use.
void RegionMap::note(std::uint32_t number) {
    const RegionStorage& storage = storages_[number];
    const auto last = static_cast<std::uint32_t>(storage.uses.size() - 1);
    const Use& mine = storage.uses[last];
    for (std::uint32_t i = 0; i < last; ++i) {
        const Use& other = storage.uses[i];
        if (other.kernel == mine.kernel || !(other.access.writes || mine.access.writes)) continue;
        if (!apart(other, mine)) conflicts_.push_back({number, i, last});
    }
}

bool RegionMap::apart(const Use& a, const Use& b) const noexcept {
    return a.access.view != ~0u && b.access.view != ~0u &&
           program_.views[a.access.view].base == program_.views[b.access.view].base &&
           relation(program_, a.access.view, b.access.view) == Relation::Disjoint;
}

bool RegionMap::add(unsigned axis) {
    const std::size_t number = first_ + kernels_.size();
    if (number >= plan_.kernels.size()) return false;
    const Kernel& kernel = plan_.kernels[number];
    if (kernel.domain >= program_.domains.size()) return false;
    const std::span<const std::int64_t> extents = program_.domain_extents(kernel.domain);
    if (!takes(kernel, axis, extents)) return false;
    const auto position = static_cast<std::uint32_t>(kernels_.size());
    kernels_.push_back({axis, 0, 0});
    extents_.push_back(extents[axis]);
    for (std::uint32_t i = 0; i < kernel.ops.size(); ++i) {
        const MicroOp& op = kernel.ops[i];
        if (!touches_memory(op)) continue;
        Use use{position, i, cut_access_of(program_, plan_, kernel, op, axis)};
        const bool renews = use.access.writes && use.access.storage.kind == Storage::Kind::Base &&
                            kernel.version_of(use.access.storage.index) != Kernel::kNoVersion;
        closed_ = closed_ || (use.access.reduces && op.axis == axis);
        RegionStorage& storage = storage_of(place_of(use.access.storage), renews ? position : RegionStorage::kNoKernel);
        storage.written = storage.written || use.access.writes;
        storage.uses.push_back(std::move(use));
        note(static_cast<std::uint32_t>(&storage - storages_.data()));
    }
    return true;
}

void RegionMap::remove_last() {
    kernels_.pop_back();
    extents_.pop_back();
    closed_ = false;
    const auto count = static_cast<std::uint32_t>(kernels_.size());
    std::erase_if(conflicts_, [&](const Conflict& conflict) { return later(conflict).kernel == count; });
    for (RegionStorage& storage : storages_) {
        std::erase_if(storage.uses, [&](const Use& use) { return use.kernel == count; });
        storage.written = std::ranges::any_of(storage.uses, [](const Use& use) { return use.access.writes; });
    }
    while (!storages_.empty() && storages_.back().uses.empty()) storages_.pop_back();
}

bool RegionMap::place_rows() {
    for (RegionStorage& storage : storages_) {
        if (storage.written && !place_rows(storage)) return false;
    }
    // A base of which a kernel makes a new version is written by nobody else, and touched by nobody afterwards.
    return std::ranges::none_of(storages_, [&](const RegionStorage& version) {
        return version.version_of != RegionStorage::kNoKernel &&
               std::ranges::any_of(storages_, [&](const RegionStorage& other) {
                   return &other != &version && other.storage == version.storage &&
                          (other.written || other.uses.back().kernel > version.version_of);
               });
    });
}

bool RegionMap::place_rows(RegionStorage& storage) const {
    storage.stride = 0;
    const bool all_step = std::ranges::all_of(storage.uses, [](const Use& use) { return use.access.steps(); });
    if (!all_step) {
        // What a reduction of the cut axis gives is there at the end.
        storage.local = false;
        return storage.uses.size() == 1 && storage.uses[0].access.reduces && closes(storage.uses[0].kernel) &&
               plan_.kernels[first_ + storage.uses[0].kernel].ops[storage.uses[0].op].axis ==
                   kernels_[storage.uses[0].kernel].axis;
    }
    const CutAccess& one = storage.uses[0].access;
    storage.origin = std::ranges::min(storage.uses, {}, [](const Use& use) { return use.access.offset; }).access.offset;
    const std::int64_t stride = one.stride();
    const bool in_rows = stride > 0 && std::ranges::all_of(storage.uses, [&](Use& use) {
                             if (use.access.stride() != stride) return false;
                             const auto [low, high] = use.access.row_span();
                             const std::int64_t from = use.access.offset - storage.origin;
                             use.row = floor_div(from + low, stride);
                             return use.row == floor_div(from + high, stride);
                         });
    if (in_rows) {
        storage.stride = stride;
        return true;
    }
    return std::ranges::all_of(storage.uses, [&](Use& use) {
        use.row = 0;
        return same_rows(one, use.access);
    });
}

/// How far each kernel may be ahead. `most`: what they must not exceed.
/// @return false: some are too far ahead of others that touch what stays; `most` is less for the next try
bool RegionMap::find_heads(std::vector<std::int64_t>& most) {
    auto conflict = conflicts_.begin();
    for (std::uint32_t k = 0; k < kernels_.size(); ++k) {
        std::int64_t head = most[k];
        for (; conflict != conflicts_.end() && later(*conflict).kernel == k; ++conflict) {
            const Use &before = earlier(*conflict), &after = later(*conflict);
            head = std::min(head, kernels_[before.kernel].high + before.row - after.row);
        }
        kernels_[k].high = head;
    }
    bool settled = true;
    for (const Conflict& each : conflicts_) {
        if (storages_[each.storage].local) continue;
        const Use &before = earlier(each), &after = later(each);
        const std::int64_t together = kernels_[after.kernel].high + after.row - before.row;
        if (kernels_[before.kernel].high == together) continue;
        most[before.kernel] = std::min(most[before.kernel], together);
        settled = false;
    }
    return settled;
}

/// Where each kernel must begin at a thread's first position.
bool RegionMap::find_tails() {
    for (RegionKernel& kernel : kernels_) kernel.low = kernel.high;
    for (std::size_t i = conflicts_.size(); i-- > 0;) {
        const Conflict& conflict = conflicts_[i];
        const Use &before = earlier(conflict), &after = later(conflict);
        if (!storages_[conflict.storage].local || !before.access.writes || after.access.writes) continue;
        RegionKernel& maker = kernels_[before.kernel];
        maker.low = std::min(maker.low, kernels_[after.kernel].low + after.row - before.row);
    }
    return std::ranges::all_of(storages_, [&](const RegionStorage& storage) {
        return !storage.written || storage.local || std::ranges::all_of(storage.uses, [&](const Use& use) {
            return kernels_[use.kernel].low == kernels_[use.kernel].high;
        });
    });
}

bool RegionMap::schedule() {
    // The conflicts of a kernel must be seen after those of all kernels behind it.
    std::ranges::stable_sort(conflicts_, {}, [&](const Conflict& conflict) { return later(conflict).kernel; });
    // A kernel that meets nothing of the region's is at its position.
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    std::vector<std::int64_t> most(kernels_.size(), 0);
    for (const Conflict& conflict : conflicts_) most[later(conflict).kernel] = kFar;
    int round = 0;
    while (!find_heads(most)) {
        if (++round == kMaxRounds) return false;
    }
    if (!find_tails()) return false;
    if (closed_) {
        const RegionKernel& last = kernels_.back();
        if (last.low != 0 || last.high != 0 || extents_.back() != positions()) return false;
    }
    return true;
}

std::int64_t RegionMap::positions() const noexcept {
    std::int64_t count = 0;
    for (std::size_t k = 0; k < kernels_.size(); ++k) count = std::max(count, extents_[k] - kernels_[k].high);
    return count;
}

std::int64_t RegionMap::row_bytes(const RegionStorage& storage) const noexcept {
    std::int64_t most = 0;
    for (const Use& use : storage.uses) {
        if (!use.access.steps()) continue;
        std::int64_t elements = 1;
        for (std::size_t i = 0; i < use.access.dims.size(); ++i) {
            if (static_cast<int>(i) != use.access.place && moves(use.access.dims[i]))
                elements *= use.access.dims[i].extent;
        }
        most = std::max(most, elements);
    }
    return storage.uses.empty() ? 0 : most * storage.uses[0].access.element_size;
}

std::int64_t RegionMap::rows_kept(const RegionStorage& storage) const noexcept {
    std::int64_t first = 0, end = 0;
    for (const Use& use : storage.uses) {
        const RegionKernel& kernel = kernels_[use.kernel];
        const bool known = &use != storage.uses.data();
        first = known ? std::min(first, kernel.low + use.row) : kernel.low + use.row;
        end = known ? std::max(end, kernel.high + use.row) : kernel.high + use.row;
    }
    return end - first;
}

std::optional<RegionMap> map_of(const Region& region, const Plan& plan, const Program& program) {
    RegionMap map(program, plan, region.first);
    for (const RegionKernel& kernel : region.kernels) {
        if (!map.add(kernel.axis)) return std::nullopt;
    }
    const auto found =
        map.region([&](Storage storage) { return std::ranges::find(region.locals, storage) != region.locals.end(); });
    if (!found || !(*found == region)) return std::nullopt;
    return map;
}

bool region_holds(const Region& region, const Plan& plan, const Program& program) {
    for (std::uint32_t k = region.first; k < region.end(); ++k) {
        if (element_count(program.domain_extents(plan.kernels[k].domain)) == 0) return true;
    }
    return map_of(region, plan, program).has_value();
}

StepRange steps_of(const Region& region, const Plan& plan) noexcept {
    StepRange range;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        if (plan.steps[i].kind != Step::Kind::Run) continue;
        if (plan.steps[i].index == region.first) range.begin = i;
        if (plan.steps[i].index + 1 == region.end()) range.end = i + 1;
    }
    while (range.begin > 0 && plan.steps[range.begin - 1].allocates()) --range.begin;
    while (range.end < plan.steps.size() && plan.steps[range.end].frees()) ++range.end;
    return range;
}

}  // namespace xlazy::bc
