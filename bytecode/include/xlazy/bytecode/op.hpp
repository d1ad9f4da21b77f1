// SPDX-License-Identifier: BSD-3-Clause
// The ops of the bytecode and their properties. Everything here derives from ops.def.
#pragma once

#include "xlazy/bytecode/dtype.hpp"

namespace xlazy::bc {

/// An operation; the rows of ops.def in their order.
enum class Op : std::uint16_t {
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) id,
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
};

/// How an op goes through its operands; ops.def says each.
enum class OpKind : std::uint8_t { Map, Reduce, Scan, Generate, Gather, Scatter, Library };
/// Operand types that are legal.
enum class OperandTypes : std::uint8_t {
    All,
    Ordered,  ///< all but complex
    Number,   ///< all but bool
    Integer,
    IntegerOrBool,
    Float,
    Inexact,  ///< Float or Complex
    Complex,
    Bool,
    Index,  ///< i64
    Word,   ///< u64
};
/// The result's type, from the operands' type; Any: the instruction says it.
enum class ResultType : std::uint8_t { Same, Bool, Real, Complex, Any };
/// The condition on which an element, or a routine, fails.
enum class Fault : std::uint8_t { None, DivideByZero, OutOfRange, Singular, NotPositive, NotConverged };
/// Exact: IEEE arithmetic; Vector: a function of the maths library (docs/maths.md).
enum class Maths : std::uint8_t { Exact, Vector };

/// A row of ops.def.
struct OpInfo {
    std::string_view name;
    std::uint8_t arity;
    OpKind kind;
    OperandTypes in;
    ResultType result;
    Fault fault;
    Maths maths;
    std::string_view expression;
    std::string_view doc;
};

inline constexpr OpInfo kOps[] = {
#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc) \
    {#id, arity, OpKind::kind, OperandTypes::in, ResultType::result, Fault::fault, Maths::maths, #expression, doc},
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP
};
inline constexpr std::size_t kOpCount = sizeof(kOps) / sizeof(kOps[0]);

/// The op's row of the table.
constexpr const OpInfo& info(Op op) noexcept { return kOps[static_cast<std::size_t>(op)]; }
/// Its name in the text form and in messages.
constexpr std::string_view name_of(Op op) noexcept { return info(op).name; }

/// Is `type` a legal operand type of `op`, and do kernels exist for it? For `select` this is the type of b and c.
constexpr bool accepts(Op op, DType type) noexcept {
    if (!info(type).enabled) return false;
    const DTypeKind kind = info(type).kind;
    const bool integer = kind == DTypeKind::Int || kind == DTypeKind::UInt;
    switch (info(op).in) {
        case OperandTypes::All: return true;
        case OperandTypes::Ordered: return kind != DTypeKind::Complex;
        case OperandTypes::Number: return kind != DTypeKind::Bool;
        case OperandTypes::Integer: return integer;
        case OperandTypes::IntegerOrBool: return integer || kind == DTypeKind::Bool;
        case OperandTypes::Float: return kind == DTypeKind::Float;
        case OperandTypes::Inexact: return kind == DTypeKind::Float || kind == DTypeKind::Complex;
        case OperandTypes::Complex: return kind == DTypeKind::Complex;
        case OperandTypes::Bool: return kind == DTypeKind::Bool;
        case OperandTypes::Index: return type == DType::i64;
        case OperandTypes::Word: return type == DType::u64;
    }
    return false;
}

/// The result's type for operands of `type`; none where the instruction says it.
constexpr DType result_of(Op op, DType type) noexcept {
    switch (info(op).result) {
        case ResultType::Same: return type;
        case ResultType::Bool: return DType::boolean;
        case ResultType::Real: return real_of(type);
        case ResultType::Complex: return complex_of(type);
        case ResultType::Any: break;
    }
    return DType::none;
}

/// How elements of this type are computed: sqrt and abs of complex numbers are functions of the maths library.
constexpr Maths maths_of(Op op, DType type) noexcept {
    return is_complex(type) && (op == Op::sqrt || op == Op::abs) ? Maths::Vector : info(op).maths;
}

/// Can an element of this op, or the routine, fail on its data? (Floating-point division cannot.)
constexpr bool can_fail(Op op, DType type) noexcept {
    const Fault fault = info(op).fault;
    return fault == Fault::DivideByZero ? is_integer(type) : fault != Fault::None;
}

/// Does the instruction's axis mean something?
constexpr bool has_axis(Op op) noexcept {
    const OpKind kind = info(op).kind;
    return kind == OpKind::Reduce || kind == OpKind::Scan || kind == OpKind::Generate || kind == OpKind::Library ||
           op == Op::in_range;
}

/// The value of a reduction along an axis without indices; None: there is no such value.
enum class Identity : std::uint8_t { None, Zero, One };
/// Zero for sum and any, One for prod and all; ops with None throw on an axis without indices.
constexpr Identity identity_of(Op op) noexcept {
    switch (op) {
        case Op::sum:
        case Op::any: return Identity::Zero;
        case Op::prod:
        case Op::all: return Identity::One;
        default: return Identity::None;
    }
}

/// Finds an op by its name in the text form; false if there is none.
bool op_from_name(std::string_view name, Op& op) noexcept;

}  // namespace xlazy::bc
