// SPDX-License-Identifier: BSD-3-Clause
// What two batches must have in common to run by the same plan (structure), and what may differ (geometry).
//
// Structure: ops, dtypes, flags, axes, statements, operand numbering, each view's base and rank and the stride class of
// its innermost dimension (0, 1, other; extents of 0 and 1 count as class 1, since xtensor gives them stride 0), each
// domain's rank, bases' dtypes, liveness and whether they have a value, scalar dtypes. Lines, extents, offsets, strides
// and scalar values are data.
// Geometry: the extents, strides, offsets and the bases' sizes; each view's offset is encoded against the previous view
// of the same base, so views that move together give the same key.
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
/// How large the memory is that a batch works on: what decides whether a pass over it costs time.
enum class SizeClass : std::uint8_t {
    L1,      ///< up to 32 KiB
    L2,      ///< up to 1 MiB
    L3,      ///< up to 32 MiB
    Memory,  ///< more
};
/// @param bytes of the working set: of each base, what the batch's views show of it
SizeClass size_class(std::int64_t bytes) noexcept;

/// Exact encoding of the geometry; for batches of equal structure, equal encodings mean that every relation between
/// views and every extent is the same.
struct GeometryKey {
    std::uint64_t hash = 0;
    SizeClass size_class = SizeClass::L1;
    std::vector<std::int64_t> words;
    friend bool operator==(const GeometryKey& a, const GeometryKey& b) noexcept {
        return a.hash == b.hash && a.words == b.words;
    }
};

/// Both overwrite `key` and reuse its memory: no allocation once a program of this size was seen.
void structure_key(const Program& program, StructureKey& key);
/// As structure_key. @param key is overwritten
void geometry_key(const Program& program, GeometryKey& key);

/// The elements of its base that a view lies between, both included; `first` > `last` for a view without elements.
struct Interval {
    std::int64_t first, last;
    /// No element.
    bool empty() const noexcept { return first > last; }
};
/// From the extents and strides of the view; O(rank).
Interval interval_of(const Program& program, std::uint32_t view) noexcept;

/// Can one element be reached by several indices? (Stride 0, or a sliding window. Exact for what slices of a dense
/// array can be; true where it is not known.)
bool repeats_elements(const Program& program, std::uint32_t view) noexcept;

/// Same extents and strides from the last axis on; what is left over in front has extent 1.
bool same_window(std::span<const Dim> a, std::span<const Dim> b) noexcept;

/// Have two windows of one memory an element in common? As relation() says it; strides may be negative.
bool windows_meet(std::int64_t offset_a, std::span<const Dim> a, std::int64_t offset_b,
                  std::span<const Dim> b) noexcept;

/// How two views lie to each other.
enum class Relation : std::uint8_t {
    Disjoint,   ///< no element in common; also where one of them has no element
    Identical,  ///< same element at every index, another one at every other index: same base, offset, and from the last
                ///< axis on the same extents and strides (extents of 1 in front may be left out); nothing repeats
    Overlap,    ///< anything else: they may have elements in common at different indices. So is a view that repeats
                ///< elements to itself: to write it index by index while it is read is not "right side first"
};
/// Disjoint and Identical are never wrong. Overlap may be said of disjoint views, but not of slices of one dense array,
/// nor of others where the search for a common element ends early (nearly always). Views of other bases are Disjoint.
Relation relation(const Program& program, std::uint32_t view_a, std::uint32_t view_b) noexcept;

}  // namespace xlazy::bc
