// SPDX-License-Identifier: BSD-3-Clause
#include "passes/algebra_rules.hpp"

#include <concepts>
#include <initializer_list>

namespace xlazy::opt {

using bc::DType;
using bc::DTypeKind;

// What the rules are written in: a function an op.
namespace terms {
namespace {

constexpr Term variable(std::uint8_t number) {
    Term term;
    term.nodes[0].variable = number;
    term.size = 1;
    return term;
}
constexpr Term slot(bc::ScalarForm form) {
    Term term;
    term.nodes[0].kind = TermNode::Kind::Slot;
    term.nodes[0].form = form;
    term.size = 1;
    return term;
}

constexpr Term apply(bc::Op op, std::initializer_list<Term> operands) {
    Term term;
    TermNode root;
    root.kind = TermNode::Kind::Apply;
    root.op = op;
    unsigned number = 0;
    for (const Term& operand : operands) {
        const std::uint8_t first = term.size;
        for (std::uint8_t i = 0; i < operand.size; ++i) {
            TermNode node = operand.nodes[i];
            for (std::uint8_t& in : node.in) in = static_cast<std::uint8_t>(in + first);
            term.nodes[term.size++] = node;
        }
        root.in[number++] = term.root();
    }
    term.nodes[term.size++] = root;
    return term;
}

#define XLAZY_OP(id, arity, kind, in, result, fault, maths, expression, doc)         \
    [[maybe_unused]] constexpr Term id(const std::same_as<Term> auto&... operands) { \
        static_assert(sizeof...(operands) == arity);                                 \
        return apply(bc::Op::id, {operands...});                                     \
    }
#include "xlazy/bytecode/ops.def"
#undef XLAZY_OP

constexpr Term a = variable(0), b = variable(1), m = variable(2);
constexpr Term s = slot(bc::ScalarForm::Value);
constexpr Term reciprocal(const Term&) { return slot(bc::ScalarForm::Reciprocal); }
constexpr Term exponent(const Term&) { return slot(bc::ScalarForm::Exponent); }
constexpr Term below(const Term&) { return slot(bc::ScalarForm::Below); }
constexpr Term negative(const Term&) { return slot(bc::ScalarForm::Negative); }
constexpr Term sign_shift(const Term&) { return slot(bc::ScalarForm::SignShift); }

using enum bc::ScalarFact;
constexpr std::nullopt_t None = std::nullopt;

constexpr Rule kRules[] = {
#define XLAZY_RULE(name, types, left, right, fact, condition) \
    {#name, #left " = " #right, RuleTypes::types, left, right, fact, RuleCondition::condition},
#include "passes/algebra_rules.def"
#undef XLAZY_RULE
};

}  // namespace
}  // namespace terms

std::span<const Rule> algebra_rules() noexcept { return terms::kRules; }

bool in_types(DType type, RuleTypes types) noexcept {
    const DTypeKind kind = bc::info(type).kind;
    const bool integer = bc::is_integer(type);
    switch (types) {
        case RuleTypes::All: return true;
        case RuleTypes::Ordered: return kind != DTypeKind::Complex;
        case RuleTypes::Number: return kind != DTypeKind::Bool;
        case RuleTypes::Real: return integer || kind == DTypeKind::Float;
        case RuleTypes::Integer: return integer;
        case RuleTypes::SignedInteger: return kind == DTypeKind::Int;
        case RuleTypes::Unsigned: return kind == DTypeKind::UInt;
        case RuleTypes::IntegerOrBool: return integer || kind == DTypeKind::Bool;
        case RuleTypes::Signed: return kind == DTypeKind::Int || kind == DTypeKind::Float;
        case RuleTypes::Float: return kind == DTypeKind::Float;
        case RuleTypes::Complex: return kind == DTypeKind::Complex;
        case RuleTypes::Bool: return kind == DTypeKind::Bool;
    }
    return false;
}

namespace {

/// Bits of magnitude that a type holds exactly.
unsigned precision(DType type) noexcept {
    const auto bits = static_cast<unsigned>(8 * bc::size_of(type));
    switch (bc::info(type).kind) {
        case DTypeKind::Bool: return 1;
        case DTypeKind::Int: return bits - 1;
        case DTypeKind::UInt: return bits;
        case DTypeKind::Float: return type == DType::f32 ? 24 : 53;
        case DTypeKind::None:
        case DTypeKind::Complex: break;
    }
    return 0;
}

bool is_signed(DType type) noexcept {
    return bc::info(type).kind == DTypeKind::Int || bc::info(type).kind == DTypeKind::Float;
}

/// Has `to` every value of `from`?
bool contains(DType to, DType from) noexcept {
    if (bc::is_complex(to) || bc::is_complex(from)) return false;
    if (bc::is_float(from) && !bc::is_float(to)) return false;
    return precision(to) >= precision(from) && (is_signed(to) || !is_signed(from));
}

}  // namespace

bool lossless(DType from, DType through, DType to) noexcept {
    if (bc::is_complex(to) || !contains(through, from)) return false;
    // A float that does not fit an integer becomes its minimum, an integer wraps.
    const bool by_float = bc::is_float(through) && !bc::is_float(from);
    return !by_float || !bc::is_integer(to) || contains(to, from);
}

}  // namespace xlazy::opt
