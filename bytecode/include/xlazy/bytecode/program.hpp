// SPDX-License-Identifier: BSD-3-Clause
// A batch of recorded statements and its side tables. Values only: it prints, parses, hashes and travels.
#pragma once

#include "xlazy/bytecode/instruction.hpp"
#include "xlazy/bytecode/origin.hpp"

#include <cstring>
#include <span>
#include <vector>

namespace xlazy::bc {

inline constexpr unsigned kMaxRank = 16;

/// Extent and stride (in elements; 0 and negative allowed) of one axis.
struct Dim {
    std::int64_t extent;
    std::int64_t stride;
    friend constexpr bool operator==(const Dim&, const Dim&) noexcept = default;
};

/// A strided window on a base. Its dims lie in Program::dims, `rank` of them from `dims_begin`.
struct View {
    std::uint32_t base;
    std::uint32_t rank;
    std::uint32_t dims_begin;
    std::int64_t offset;  ///< in elements from the base's start
};

/// The shape an instruction runs over. Its extents lie in Program::extents. Interned: within a batch, equal shapes
/// have equal indices.
struct Domain {
    std::uint32_t rank;
    std::uint32_t extents_begin;
};

/// What the batch knows of an array's storage.
struct BaseInfo {
    DType type;
    bool initialised;   ///< has a value before the batch runs
    bool live;          ///< can be read after the batch: what the batch writes to it must be there
    std::int64_t size;  ///< elements
};

/// A scalar's bits, in the low bytes (little endian) of `bits`; the second word is for c128.
struct Scalar {
    DType type;
    std::uint64_t bits[2];
};

/// A C++ value as a scalar of its element type.
template <class T>
Scalar make_scalar(T value) noexcept {
    static_assert(dtype_of<T>() != DType::none);
    Scalar scalar{dtype_of<T>(), {0, 0}};
    std::memcpy(scalar.bits, &value, sizeof(T));
    return scalar;
}
/// The value back; T must be the C++ type of the scalar's element type.
template <class T>
T scalar_value(const Scalar& scalar) noexcept {
    T value;
    std::memcpy(&value, scalar.bits, sizeof(T));
    return value;
}

/// The scalar as the op `cast` converts elements.
/// @throws std::invalid_argument if one of the types is none
Scalar convert_scalar(const Scalar& scalar, DType to);

/// The batch. `origins[i]` is the user's line of instruction i; it lies apart so that structure compares without lines.
struct Program {
    std::vector<Instruction> instructions;
    std::vector<OriginId> origins;
    std::vector<View> views;
    std::vector<Dim> dims;
    std::vector<Domain> domains;
    std::vector<std::int64_t> extents;
    std::vector<Scalar> scalars;
    std::vector<BaseInfo> bases;
    std::uint32_t temp_count = 0;
    std::uint32_t statement_count = 0;

    /// Extents and strides of a view, outermost axis first.
    std::span<const Dim> dims_of(const View& view) const noexcept { return {dims.data() + view.dims_begin, view.rank}; }
    /// Extents of a domain, outermost axis first.
    std::span<const std::int64_t> extents_of(const Domain& domain) const noexcept {
        return {extents.data() + domain.extents_begin, domain.rank};
    }
    /// Of domain number `domain`.
    std::span<const std::int64_t> domain_extents(std::uint32_t domain) const noexcept {
        return extents_of(domains[domain]);
    }

    /// Appends; the dims are copied and may lie in this program. @return the new view's index
    std::uint32_t add_view(std::uint32_t base, std::int64_t offset, std::span<const Dim> view_dims);
    /// Finds or appends the domain with these extents, which may lie in this program. To take a statement back, the
    /// tables `domains` and `extents` may be truncated behind its back. @return its index
    std::uint32_t intern_domain(std::span<const std::int64_t> domain_extents);
    /// Empties all tables and keeps their memory.
    void clear() noexcept;

    /// Hash table of the domains (indices + 1, 0 is free), kept by intern_domain.
    std::vector<std::uint32_t> domain_table_;
    std::uint32_t domain_slots_used_ = 0;
    std::uint32_t last_domain_ = 0;  ///< found or appended last
};

/// Number of elements of a shape; 1 for rank 0; the greatest int64 where it does not fit.
std::int64_t element_count(std::span<const std::int64_t> extents) noexcept;

/// DType of the value that an operand of `instruction` holds: a view's base, a scalar's type, or, for temporaries, what
/// the instruction says (`in[0]` of select and `in[2]` of masked ops are bool).
DType operand_type(const Instruction& instruction, unsigned operand) noexcept;

}  // namespace xlazy::bc
