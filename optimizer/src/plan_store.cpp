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
                        bytes_of(plan.guards) + bytes_of(plan.spreads) + bytes_of(plan.contracted) +
                        bytes_of(plan.scalar_guards) + bytes_of(plan.merged) + bytes_of(plan.regions) +
                        bytes_of(plan.dispatches);
    for (const bc::Region& region : plan.regions) bytes += bytes_of(region.kernels) + bytes_of(region.locals);
    for (const bc::Kernel& kernel : plan.kernels) bytes += bytes_of(kernel.ops);
    for (const bc::Spread& spread : plan.spreads) bytes += bytes_of(spread.views) + bytes_of(spread.groups);
    return bytes;
}

bool PlanStore::fits(const Entry& entry, const Keys& keys, PassSet passes) const noexcept {
    return entry.passes == passes && entry.size_class == keys.geometry.size_class;
}

Planned PlanStore::use(Position position, const Geometry& geometry) {
    position->used = ++clock_;
    if (position != entries_.begin()) entries_.splice(entries_.begin(), entries_, position);
    return {position->plan, 0, geometry.number};
}

Planned PlanStore::find(const bc::Program& program, const Keys& keys, PassSet passes) {
    const auto bucket = by_hash_.find(keys.structure.hash);
    if (bucket == by_hash_.end()) return {};
    const bc::StructureKey* equal = nullptr;  // compared already, and equal
    std::array<Position, PlanCache::kMaxVariants> candidates;
    std::size_t count = 0;
    for (const Position position : bucket->second) {
        if (!fits(*position, keys, passes)) continue;
        if (position->structure.get() != equal && *position->structure != keys.structure) continue;
        equal = position->structure.get();
        for (const Geometry& geometry : position->geometries) {
            if (geometry.key != keys.geometry) continue;
            if (bc::scalar_guards_hold(*position->plan, program)) return use(position, geometry);
        }
        candidates[count++] = position;
    }
    for (const Position position : std::span(candidates.data(), count)) {
        if (!bc::guards_hold(*position->plan, program)) continue;
        const Planned planned = use(position, add_geometry(*position, keys.geometry));
        shrink();
        return planned;
    }
    return {};
}

Planned PlanStore::insert(PlanPtr plan, const Keys& keys, PassSet passes) {
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
    entries_.push_front({std::move(shared), keys.geometry.size_class, passes, std::move(plan), {}, 0, bytes, 0});
    bytes_ += bytes;
    by_hash_[keys.structure.hash].push_back(entries_.begin());
    const Planned planned = use(entries_.begin(), add_geometry(entries_.front(), keys.geometry));
    shrink();
    return planned;
}

const PlanStore::Geometry& PlanStore::add_geometry(Entry& entry, const bc::GeometryKey& key) {
    std::size_t place = entry.geometries.size();
    if (place < PlanCache::kMaxGeometries) {
        entry.geometries.emplace_back();
    } else {
        place = entry.next_geometry;
        entry.next_geometry = (place + 1) % PlanCache::kMaxGeometries;
    }
    Geometry& geometry = entry.geometries[place];
    const std::size_t before = bytes_of(geometry.key.words);
    geometry.key = key;
    geometry.number = next_geometry_++;
    entry.bytes += bytes_of(geometry.key.words) - before;
    bytes_ += bytes_of(geometry.key.words) - before;
    return geometry;
}

/// Keeps the bounds. The most recently used plan stays.
void PlanStore::shrink() {
    while (entries_.size() > PlanCache::kMaxPlans || (bytes_ > PlanCache::kMaxBytes && entries_.size() > 1))
        erase(std::prev(entries_.end()));
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
