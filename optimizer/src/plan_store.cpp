// SPDX-License-Identifier: BSD-3-Clause
#include "plan_store.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace xlazy::opt {

namespace {

template <class T>
std::size_t bytes_of(const std::vector<T>& values) noexcept {
    return values.capacity() * sizeof(T);
}

}  // namespace

std::size_t footprint(const bc::Plan& plan) noexcept {
    std::size_t bytes = sizeof(plan) + bytes_of(plan.kernels) + bytes_of(plan.scratch) + bytes_of(plan.steps) +
                        bytes_of(plan.guards) + bytes_of(plan.contracted);
    for (const bc::Kernel& kernel : plan.kernels) bytes += bytes_of(kernel.ops);
    return bytes;
}

bool PlanStore::fits(const Entry& entry, const Keys& keys, PassSet passes) const noexcept {
    return entry.passes == passes && entry.size_class == keys.geometry.size_class;
}

PlanStore::PlanPtr PlanStore::use(Position position) {
    position->used = ++clock_;
    if (position != entries_.begin()) entries_.splice(entries_.begin(), entries_, position);
    return position->plan;
}

PlanStore::PlanPtr PlanStore::find(const bc::Program& program, const Keys& keys, PassSet passes) {
    const auto bucket = by_hash_.find(keys.structure.hash);
    if (bucket == by_hash_.end()) return nullptr;
    const bc::StructureKey* equal = nullptr;  // compared already, and equal
    std::array<Position, PlanCache::kMaxVariants> candidates;
    std::size_t count = 0;
    for (const Position position : bucket->second) {
        if (!fits(*position, keys, passes)) continue;
        if (position->structure.get() != equal && *position->structure != keys.structure) continue;
        equal = position->structure.get();
        if (std::ranges::find(position->geometries, keys.geometry) != position->geometries.end()) return use(position);
        candidates[count++] = position;
    }
    for (const Position position : std::span(candidates.data(), count)) {
        if (!bc::guards_hold(*position->plan, program)) continue;
        add_geometry(*position, keys.geometry);
        return use(position);
    }
    return nullptr;
}

void PlanStore::insert(PlanPtr plan, const Keys& keys, PassSet passes) {
    std::shared_ptr<const bc::StructureKey> shared;
    std::size_t variants = 0;
    Position oldest = entries_.end();
    for (const Position position : by_hash_[keys.structure.hash]) {
        if (position->structure != shared && *position->structure != keys.structure) continue;
        shared = position->structure;
        if (!fits(*position, keys, passes)) continue;
        ++variants;
        if (oldest == entries_.end() || position->used < oldest->used) oldest = position;
    }
    if (variants >= PlanCache::kMaxVariants) erase(oldest);
    if (!shared) shared = std::make_shared<bc::StructureKey>(keys.structure);
    const std::size_t bytes = sizeof(Entry) + footprint(*plan) + bytes_of(shared->words);
    entries_.push_front({std::move(shared), keys.geometry.size_class, passes, std::move(plan), {}, 0, bytes, ++clock_});
    bytes_ += bytes;
    by_hash_[keys.structure.hash].push_back(entries_.begin());
    add_geometry(entries_.front(), keys.geometry);
}

/// Keeps the bounds; the entry itself, the most recently used one, stays.
void PlanStore::add_geometry(Entry& entry, const bc::GeometryKey& geometry) {
    const std::size_t before = entry.bytes;
    if (entry.geometries.size() < PlanCache::kMaxGeometries) {
        entry.geometries.push_back(geometry);
        entry.bytes += bytes_of(entry.geometries.back().words);
    } else {
        bc::GeometryKey& oldest = entry.geometries[entry.next_geometry];
        entry.next_geometry = (entry.next_geometry + 1) % PlanCache::kMaxGeometries;
        entry.bytes -= bytes_of(oldest.words);
        oldest = geometry;
        entry.bytes += bytes_of(oldest.words);
    }
    bytes_ += entry.bytes - before;
    while (entries_.size() > PlanCache::kMaxPlans || bytes_ > PlanCache::kMaxBytes) {
        const Position last = std::prev(entries_.end());
        if (&*last == &entry) return;
        erase(last);
    }
}

void PlanStore::erase(Position position) {
    const auto bucket = by_hash_.find(position->structure->hash);
    std::erase(bucket->second, position);
    if (bucket->second.empty()) by_hash_.erase(bucket);
    bytes_ -= position->bytes;
    entries_.erase(position);
}

void PlanStore::clear() noexcept {
    by_hash_.clear();
    entries_.clear();
    bytes_ = 0;
}

}  // namespace xlazy::opt
