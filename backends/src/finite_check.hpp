// SPDX-License-Identifier: BSD-3-Clause
// XLAZY_CHECK=nan: which operations can make a NaN or an infinity of finite operands.
#pragma once

#include "isa/kernel_table.hpp"
#include "xlazy/backends/backend.hpp"

#include <cstring>
#include <vector>

namespace xlazy::be {

constexpr bool is_inexact(bc::DType type) noexcept { return bc::is_float(type) || bc::is_complex(type); }

/// Can the value of this compute or reduction be infinite or NaN where all operands are finite?
constexpr bool may_lose_finiteness(const bc::MicroOp& op) noexcept {
    using bc::Op;
    if (!is_inexact(op.result)) return false;
    // What a scan lost may have been lost at an earlier index: Trap::Kind::NotFinite of scans is the reference's.
    if (op.kind == bc::MicroOp::Kind::Compute && bc::info(op.op).kind == bc::OpKind::Scan) return false;
    switch (op.op) {
        case Op::cast: return is_inexact(op.type) && bc::size_of(op.result) < bc::size_of(op.type);
        case Op::abs: return bc::is_complex(op.type);
        case Op::copy:
        case Op::select:
        case Op::min:
        case Op::max:
        case Op::clip:
        case Op::neg:
        case Op::floor:
        case Op::ceil:
        case Op::trunc:
        case Op::round:
        case Op::rint:
        case Op::fmax:
        case Op::fmin:
        case Op::sign:
        case Op::real:
        case Op::imag:
        case Op::make_complex:
        case Op::conj:
        case Op::arg:
        case Op::amin:
        case Op::amax: return false;
        default: return true;
    }
}

/// Is the result of a computation infinite or NaN wherever this operand is?
constexpr bool keeps_not_finite(const bc::MicroOp& op, unsigned operand) noexcept {
    using bc::Op;
    if (!bc::is_float(op.type) || !bc::is_float(op.result)) return false;
    switch (op.op) {
        case Op::copy:
        case Op::cast:
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::neg:
        case Op::abs:
        case Op::fma:
        case Op::sqrt:
        case Op::cbrt:
        case Op::floor:
        case Op::ceil:
        case Op::trunc:
        case Op::round:
        case Op::rint:
        case Op::hypot:
        case Op::log:
        case Op::log2:
        case Op::log10:
        case Op::log1p:
        case Op::sin:
        case Op::cos:
        case Op::tan:
        case Op::sinh:
        case Op::cosh:
        case Op::asinh:
        case Op::sum:
        case Op::prod:
        case Op::cumsum:
        case Op::cumprod: return true;
        case Op::div:
        case Op::fmod: return operand == 0;
        default: return false;
    }
}

/// The values of a kernel of which it is enough to see that they are finite, to know that no operation has made
/// something else of finite numbers: where a value shows in another one that is looked at, or in the result of a
/// reduction, that is enough.
inline std::vector<bool> values_to_look_at(const bc::Kernel& kernel) {
    using Kind = bc::MicroOp::Kind;
    const std::size_t count = kernel.ops.size();
    const auto reduces = [](Kind kind) { return kind == Kind::ReduceView || kind == Kind::ReduceScratch; };
    std::vector<bool> made(count), shown(count), look(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bc::MicroOp& op = kernel.ops[i];
        if (op.kind != Kind::Compute || !is_inexact(op.result)) continue;
        made[i] = bc::info(op.op).kind == bc::OpKind::Scan || may_lose_finiteness(op);
        for (const bc::ValueId in : op.in) made[i] = made[i] || (in != bc::kNoValue && made[in]);
    }
    for (std::size_t i = count; i-- > 0;) {
        const bc::MicroOp& op = kernel.ops[i];
        look[i] = made[i] && !shown[i];
        const bool shows = op.kind == Kind::Compute ? look[i] || shown[i] : reduces(op.kind);
        for (unsigned k = 0; k < 3 && shows; ++k) {
            if (op.in[k] != bc::kNoValue && keeps_not_finite(op, k)) shown[op.in[k]] = true;
        }
    }
    return look;
}

/// Index of the first element with a part that is a NaN or an infinity, `count` if there is none. Integers are finite.
inline std::int64_t first_not_finite_of(bc::DType type, const void* values, std::int64_t count) {
    if (!is_inexact(type)) return count;
    const std::int64_t parts = bc::is_complex(type) ? 2 : 1;
    const std::size_t part_size = bc::size_of(type) / static_cast<std::size_t>(parts);
    return kernels().not_finite[size_index(part_size)](values, count * parts) / parts;
}

/// A value at `position` of `values`, or the only one there is.
inline bc::Scalar value_at(bc::DType type, const void* values, std::int64_t position) noexcept {
    bc::Scalar scalar{type, {0, 0}};
    const std::size_t size = bc::size_of(type);
    std::memcpy(scalar.bits, static_cast<const std::byte*>(values) + static_cast<std::size_t>(position) * size, size);
    return scalar;
}

/// The values of an operation, one an element or a single one.
struct CheckedValues {
    const void* values;
    bool single;
    const void* at(bc::DType type, std::int64_t position) const noexcept {
        return static_cast<const std::byte*>(values) +
               (single ? 0 : static_cast<std::size_t>(position) * bc::size_of(type));
    }
};

/// Index of the first element that is not finite although the operands are, `count` if there is none.
inline std::int64_t first_made_not_finite(bc::DType result, const void* values, std::int64_t count, bc::DType type,
                                          const CheckedValues* operands, unsigned arity) {
    const std::size_t size = bc::size_of(result);
    for (std::int64_t at = 0; at < count; ++at) {
        at += first_not_finite_of(result, static_cast<const std::byte*>(values) + static_cast<std::size_t>(at) * size,
                                  count - at);
        if (at == count) break;
        bool finite = true;
        for (unsigned i = 0; i < arity; ++i)
            finite = finite && first_not_finite_of(type, operands[i].at(type, at), 1) == 1;
        if (finite) return at;
    }
    return count;
}

}  // namespace xlazy::be
