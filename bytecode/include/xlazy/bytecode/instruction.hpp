// SPDX-License-Identifier: BSD-3-Clause
// One recorded operation: 32 bytes, no pointers, comparable with memcmp.
#pragma once

#include "xlazy/bytecode/op.hpp"

#include <type_traits>

namespace xlazy::bc {

/// What an instruction reads or writes: a view, an SSA temporary of the statement, or a scalar slot of the batch.
/// Kind in the top two bits, index below.
class Operand {
public:
    /// What the index counts.
    enum class Kind : std::uint32_t { None = 0, View = 1, Temp = 2, Scalar = 3 };
    static constexpr std::uint32_t kMaxIndex = (1u << 30) - 1;

    constexpr Operand() noexcept = default;
    /// View `index` of the batch; indices are at most kMaxIndex.
    static constexpr Operand view(std::uint32_t index) noexcept { return Operand(Kind::View, index); }
    /// SSA temporary `index` of the statement.
    static constexpr Operand temp(std::uint32_t index) noexcept { return Operand(Kind::Temp, index); }
    /// Slot `index` of the batch's scalars.
    static constexpr Operand scalar(std::uint32_t index) noexcept { return Operand(Kind::Scalar, index); }

    /// None for an operand that is absent.
    constexpr Kind kind() const noexcept { return static_cast<Kind>(bits_ >> 30); }
    /// Number of the view, temporary or slot; 0 for None.
    constexpr std::uint32_t index() const noexcept { return bits_ & kMaxIndex; }
    /// An array's elements.
    constexpr bool is_view() const noexcept { return kind() == Kind::View; }
    /// A value inside the statement.
    constexpr bool is_temp() const noexcept { return kind() == Kind::Temp; }
    /// One number for all indices.
    constexpr bool is_scalar() const noexcept { return kind() == Kind::Scalar; }
    constexpr explicit operator bool() const noexcept { return bits_ != 0; }
    friend constexpr bool operator==(Operand, Operand) noexcept = default;

private:
    constexpr Operand(Kind kind, std::uint32_t index) noexcept
        : bits_((static_cast<std::uint32_t>(kind) << 30) | index) {}
    std::uint32_t bits_ = 0;
};

/// `out <- op(in...)` for every index of the domain.
///
/// Map: operands are broadcast to the domain (aligned at the last axis; an extent of 1 repeats); `out` has the domain's
/// shape, a view may leave out or add extents of 1 in front.
/// Reduce: the domain is the operand's shape; `out` lacks axis `axis`, or keeps it with extent 1 (kKeepAxis).
/// Scan: the domain is the operand's shape, and `out` has it; an element is made of those up to its index along `axis`.
/// Generate (index): the value is the position along `axis`.
/// Gather: in[0] is a view, whose elements are numbered in row-major order; in[1] is broadcast to the domain.
/// Scatter: in[0] and in[1] are broadcast to the domain; `out` and in[2] are one view, of any shape.
/// in_range: `axis` is that of the user's array, for messages; the domain need not have it.
/// Library: whole arrays; the operands are views or scalars, `out` is a view of a base that no operand shows, and of
/// the shape that the routine gives. The domain has rank 0. `axis` means what the op's row says.
struct Instruction {
    static constexpr std::uint8_t kKeepAxis = 1;  ///< flag of reductions: the reduced axis stays, with extent 1
    static constexpr std::uint8_t kMasked = 2;    ///< flag of ops that can fail: in[2] is a bool mask, see ops.def

    Op op = Op::copy;
    DType type = DType::none;    ///< of the operands (select: of b and c)
    DType result = DType::none;  ///< of `out`
    std::uint8_t flags = 0;
    std::uint8_t axis = 0;        ///< of reductions, scans, generators and library calls
    std::uint16_t reserved_ = 0;  ///< zero, so that records compare with memcmp
    std::uint32_t statement = 0;  ///< number of the user's statement within the batch
    std::uint32_t domain = 0;     ///< index of the shape that is iterated over
    Operand out;                  ///< a view or a temporary
    Operand in[3];
};
static_assert(sizeof(Instruction) == 32);
static_assert(std::is_trivially_copyable_v<Instruction>);
static_assert(std::has_unique_object_representations_v<Instruction>, "no padding");

/// Number of operands in use, the mask included.
constexpr unsigned operand_count(const Instruction& instruction) noexcept {
    return (instruction.flags & Instruction::kMasked) != 0 ? 3u : info(instruction.op).arity;
}

}  // namespace xlazy::bc
