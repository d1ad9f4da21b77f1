// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/optimizer/plan_cache.hpp"

#include "pass_set.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>

namespace xlazy::opt {

namespace {

/// A plan and what it is good for.
struct Entry {
    std::shared_ptr<const bc::StructureKey> structure;  ///< shared by the plans of one structure
    PassSet passes;
    std::shared_ptr<const bc::Plan> plan;
    std::vector<bc::GeometryKey> geometries;  ///< for which the plan is known to hold
    std::size_t next_geometry = 0;            ///< is replaced next
};

/// Room for a batch's keys, used again, so that a batch whose size was seen before allocates nothing.
struct Keys {
    bc::StructureKey structure;
    bc::GeometryKey geometry;
};

using Entries = std::list<Entry>;  // most recently used first
using Position = Entries::iterator;

}  // namespace

struct PlanCache::Impl {
    std::mutex mutex;
    Entries entries;
    std::unordered_map<std::uint64_t, std::vector<Position>> by_hash;  ///< of the structure
    std::vector<std::unique_ptr<Keys>> spare_keys;

    std::unique_ptr<Keys> take_keys();
    std::shared_ptr<const bc::Plan> find(const bc::Program& program, const bc::StructureKey& structure,
                                         const bc::GeometryKey& geometry, PassSet passes);
    void insert(std::shared_ptr<const bc::Plan> plan, const bc::StructureKey& structure,
                const bc::GeometryKey& geometry, PassSet passes);
    void erase(Position position);
    static void add_geometry(Entry& entry, const bc::GeometryKey& geometry);
};

// Not kept by threads: arrays may be used when a thread's own variables are gone.
std::unique_ptr<Keys> PlanCache::Impl::take_keys() {
    const std::lock_guard lock(mutex);
    if (spare_keys.empty()) return std::make_unique<Keys>();
    std::unique_ptr<Keys> keys = std::move(spare_keys.back());
    spare_keys.pop_back();
    return keys;
}

PlanCache::PlanCache() : impl_(std::make_unique<Impl>()) {}
PlanCache::~PlanCache() = default;

std::shared_ptr<const bc::Plan> PlanCache::Impl::find(const bc::Program& program, const bc::StructureKey& structure,
                                                      const bc::GeometryKey& geometry, PassSet passes) {
    const auto bucket = by_hash.find(structure.hash);
    if (bucket == by_hash.end()) return nullptr;
    const bc::StructureKey* equal = nullptr;  // compared already, and equal
    std::array<Position, kMaxVariants> candidates;
    std::size_t count = 0;
    for (const Position position : bucket->second) {
        if (position->passes != passes) continue;
        if (position->structure.get() != equal && *position->structure != structure) continue;
        equal = position->structure.get();
        if (std::ranges::find(position->geometries, geometry) != position->geometries.end()) {
            entries.splice(entries.begin(), entries, position);
            return position->plan;
        }
        candidates[count++] = position;
    }
    for (const Position position : std::span(candidates.data(), count)) {
        if (!bc::guards_hold(*position->plan, program)) continue;
        add_geometry(*position, geometry);
        entries.splice(entries.begin(), entries, position);
        return position->plan;
    }
    return nullptr;
}

void PlanCache::Impl::insert(std::shared_ptr<const bc::Plan> plan, const bc::StructureKey& structure,
                             const bc::GeometryKey& geometry, PassSet passes) {
    std::shared_ptr<const bc::StructureKey> shared;
    std::size_t variants = 0;
    Position oldest = entries.end();
    for (Position position = entries.begin(); position != entries.end(); ++position) {
        if (position->structure->hash != structure.hash || position->passes != passes) continue;
        if (position->structure != shared && *position->structure != structure) continue;
        shared = position->structure;
        ++variants;
        oldest = position;
    }
    if (variants >= kMaxVariants) erase(oldest);
    if (entries.size() >= kMaxPlans) erase(std::prev(entries.end()));
    if (!shared) shared = std::make_shared<bc::StructureKey>(structure);
    entries.push_front({std::move(shared), passes, std::move(plan), {}, 0});
    add_geometry(entries.front(), geometry);
    by_hash[structure.hash].push_back(entries.begin());
}

void PlanCache::Impl::erase(Position position) {
    const auto bucket = by_hash.find(position->structure->hash);
    std::erase(bucket->second, position);
    if (bucket->second.empty()) by_hash.erase(bucket);
    entries.erase(position);
}

void PlanCache::Impl::add_geometry(Entry& entry, const bc::GeometryKey& geometry) {
    if (entry.geometries.size() < kMaxGeometries) {
        entry.geometries.push_back(geometry);
        return;
    }
    entry.geometries[entry.next_geometry] = geometry;
    entry.next_geometry = (entry.next_geometry + 1) % kMaxGeometries;
}

std::shared_ptr<const bc::Plan> PlanCache::get(const bc::Program& program, const PlanOptions& options, bool& hit) {
    std::unique_ptr<Keys> keys = impl_->take_keys();
    bc::structure_key(program, keys->structure);
    bc::geometry_key(program, keys->geometry);
    const PassSet passes = normalised(options.passes);
    {
        const std::lock_guard lock(impl_->mutex);
        if (auto plan = impl_->find(program, keys->structure, keys->geometry, passes)) {
            impl_->spare_keys.push_back(std::move(keys));
            hit = true;
            return plan;
        }
    }
    hit = false;
    // Outside the lock: another thread may plan the same batch meanwhile; the first one's plan is kept.
    auto plan = std::make_shared<const bc::Plan>(make_plan(program, options));
    const std::lock_guard lock(impl_->mutex);
    if (auto known = impl_->find(program, keys->structure, keys->geometry, passes)) return known;
    impl_->insert(plan, keys->structure, keys->geometry, passes);
    impl_->spare_keys.push_back(std::move(keys));
    return plan;
}

void PlanCache::clear() noexcept {
    const std::lock_guard lock(impl_->mutex);
    impl_->by_hash.clear();
    impl_->entries.clear();
}

std::size_t PlanCache::size() const noexcept {
    const std::lock_guard lock(impl_->mutex);
    return impl_->entries.size();
}

}  // namespace xlazy::opt
