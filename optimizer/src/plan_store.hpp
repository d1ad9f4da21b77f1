// SPDX-License-Identifier: BSD-3-Clause
// The plans that a PlanCache holds: a bounded table, least recently used first to go. Not thread-safe.
#pragma once

#include "xlazy/optimizer/plan_cache.hpp"

#include <list>
#include <unordered_map>

namespace xlazy::opt {

/// What a batch's plan is looked up by.
struct Keys {
    bc::StructureKey structure;
    bc::GeometryKey geometry;

    void set(const bc::Program& program) {
        bc::structure_key(program, structure);
        bc::geometry_key(program, geometry);
    }
};

/// Memory that a plan holds, in bytes.
std::size_t footprint(const bc::Plan& plan) noexcept;

class PlanStore {
public:
    using PlanPtr = std::shared_ptr<const bc::Plan>;

    /// The plan of a batch with these keys, or null. It becomes the most recently used one.
    Planned find(const bc::Program& program, const Keys& keys, PassSet passes);
    Planned insert(PlanPtr plan, const Keys& keys, PassSet passes);
    void clear() noexcept;
    std::size_t size() const noexcept { return entries_.size(); }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    struct Geometry {
        bc::GeometryKey key;
        std::uint64_t number;  ///< for Planned
    };
    /// A plan and what it is good for.
    struct Entry {
        std::shared_ptr<const bc::StructureKey> structure;  ///< shared by the plans of one structure
        bc::SizeClass size_class;
        PassSet passes;
        PlanPtr plan;
        std::vector<Geometry> geometries;  ///< for which the plan is known to hold
        std::size_t next_geometry = 0;     ///< is replaced next
        std::size_t bytes = 0;             ///< of all of it
        std::uint64_t used = 0;            ///< when, by clock_
    };
    using Entries = std::list<Entry>;  // most recently used first
    using Position = Entries::iterator;

    bool fits(const Entry& entry, const Keys& keys, PassSet passes) const noexcept;
    Planned use(Position position, const Geometry& geometry);
    const Geometry& add_geometry(Entry& entry, const bc::GeometryKey& key);
    void shrink();
    void erase(Position position);

    Entries entries_;
    std::unordered_map<std::uint64_t, std::vector<Position>> by_hash_;  ///< of the structure
    std::size_t bytes_ = 0;
    std::uint64_t clock_ = 0;
    std::uint64_t next_geometry_ = 1;
};

}  // namespace xlazy::opt
