// SPDX-License-Identifier: BSD-3-Clause
// What two batches must have in common to run by the same plan (structure), and what may differ (geometry).
//
// Structure: ops, dtypes, flags, axes, operand numbering, each view's base and rank and the stride class of its innermost
// dimension (0, 1, other; extents of 0 and 1 count as class 1, since xtensor gives them stride 0), each domain's rank,
// bases' dtypes and liveness, scalar dtypes. Lines, extents, offsets, strides and scalar values are data.
// Geometry: the extents, strides and offsets, each view delta-encoded against the previous view of the same base.
#pragma once

#include "xlazy/bytecode/program.hpp"

namespace xlazy::bc {

/// Exact encoding of the structure; equal encodings, equal structure. `hash` is a hash of it (XXH3).
struct StructureKey {
    std::uint64_t hash = 0;
    std::vector<std::uint32_t> words;
    friend bool operator==(const StructureKey& a, const StructureKey& b) noexcept {
        return a.hash == b.hash && a.words == b.words;
    }
};
/// Exact encoding of the geometry.
struct GeometryKey {
    std::uint64_t hash = 0;
    std::vector<std::int64_t> words;
    friend bool operator==(const GeometryKey& a, const GeometryKey& b) noexcept {
        return a.hash == b.hash && a.words == b.words;
    }
};

/// Both overwrite `key` and reuse its memory: no allocation once a program of this size was seen.
void structure_key(const Program& program, StructureKey& key);
void geometry_key(const Program& program, GeometryKey& key);

/// How two views lie to each other.
enum class Relation : std::uint8_t {
    Disjoint,   ///< no element in common
    Identical,  ///< same base, and once both are broadcast to a common domain, the same element at every index
    Overlap,    ///< anything else: they may have elements in common at different indices
};
/// Exact for lattices of equal strides, conservative (Overlap) otherwise. Views of different bases are Disjoint.
Relation relation(const Program& program, std::uint32_t view_a, std::uint32_t view_b) noexcept;

}  // namespace xlazy::bc
