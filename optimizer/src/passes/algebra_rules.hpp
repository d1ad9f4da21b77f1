// SPDX-License-Identifier: BSD-3-Clause
// The rule table of `algebra` as terms that a program can walk.
#pragma once

#include "xlazy/bytecode/op.hpp"
#include "xlazy/bytecode/scalar_form.hpp"

#include <array>
#include <optional>
#include <span>

namespace xlazy::opt {

enum class RuleTypes : std::uint8_t {
    All,
    Ordered,
    Number,
    Real,
    Integer,
    SignedInteger,
    Unsigned,
    IntegerOrBool,
    Signed,
    Float,
    Complex,
    Bool,
};
bool in_types(bc::DType type, RuleTypes types) noexcept;

enum class RuleCondition : std::uint8_t { None, Quiet, SameType, Lossless };

/// A node of a term.
struct TermNode {
    enum class Kind : std::uint8_t { Variable, Slot, Apply };
    Kind kind = Kind::Variable;
    bc::ScalarForm form = bc::ScalarForm::Value;  ///< Slot
    bc::Op op = bc::Op::copy;                     ///< Apply
    std::uint8_t variable = 0;                    ///< Variable: below kTermVariables
    std::uint8_t in[3] = {};                      ///< Apply: its operands' nodes
};
inline constexpr std::size_t kTermVariables = 3;
inline constexpr std::size_t kTermNodes = 12;

/// Operands stand before what is applied to them; the root is the last node.
struct Term {
    std::array<TermNode, kTermNodes> nodes{};
    std::uint8_t size = 0;
    constexpr std::uint8_t root() const noexcept { return static_cast<std::uint8_t>(size - 1); }
};

struct Rule {
    std::string_view name;
    std::string_view equation;
    RuleTypes types;  ///< of variable 0
    Term left, right;
    std::optional<bc::ScalarFact> fact;
    RuleCondition condition;
};
std::span<const Rule> algebra_rules() noexcept;

/// Does every value of `from` survive a conversion to `through`, so that a conversion to `to` gives the same from both?
/// Except for signalling NaNs where `from` and `to` are the same float type.
bool lossless(bc::DType from, bc::DType through, bc::DType to) noexcept;

}  // namespace xlazy::opt
