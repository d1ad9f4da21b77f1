// SPDX-License-Identifier: BSD-3-Clause
// XLAZY_CHECK=nan: which operations can make a NaN or an infinity of finite operands.
#pragma once

#include "isa/kernel_table.hpp"
#include "xlazy/backends/backend.hpp"

#include <cstring>

namespace xlazy::be {

constexpr bool is_inexact(bc::DType type) noexcept { return bc::is_float(type) || bc::is_complex(type); }

/// Can the value of this compute or reduction be infinite or NaN where all operands are finite?
constexpr bool may_lose_finiteness(const bc::MicroOp& op) noexcept {
    using bc::Op;
    if (!is_inexact(op.result)) return false;
    // What a scan lost may have been lost at an earlier index.
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
