// SPDX-License-Identifier: BSD-3-Clause
// What a plan may know of scalars, whose values are data: facts that guard it, and numbers that follow from a scalar
// and are computed when the plan is bound.
#pragma once

#include "xlazy/bytecode/program.hpp"

#include <optional>
#include <string_view>

namespace xlazy::bc {

/// What a kernel takes of a scalar slot: a value of the slot's type.
enum class ScalarForm : std::uint8_t {
    Value,       ///< the scalar s itself
    Reciprocal,  ///< 1 / s, of floats
    Exponent,    ///< log2 s, of integers that are powers of two
    Below,       ///< s - 1, of integers
    Negative,    ///< -s, of integers; wraps
    SignShift,   ///< number of bits - 1, of integers: x >> it is -1 or 0
};
inline constexpr std::string_view kScalarFormNames[] = {"value", "reciprocal", "exponent",
                                                        "below", "negative",   "sign-shift"};

/// Does the form exist for scalars of this type?
bool has_form(DType type, ScalarForm form) noexcept;
/// The form's value. `form` exists for the scalar's type.
Scalar form_of(const Scalar& scalar, ScalarForm form) noexcept;

/// Properties of a scalar's value. False for complex scalars.
enum class ScalarFact : std::uint8_t {
    ExactReciprocal,  ///< a float, a power of two times 1 or -1, whose reciprocal is a normal number
    PowerOfTwo,       ///< a positive integer power of two, 1 included
    Zero,             ///< an integer 0 or a float +0
    MinusZero,        ///< a float -0
    One,
    Two,
};
inline constexpr std::string_view kScalarFactNames[] = {"exact-reciprocal", "power-of-two", "zero",
                                                        "minus-zero",       "one",          "two"};

/// Has the scalar the property? Compares bits, so -0 is not Zero.
bool fact_holds(const Scalar& scalar, ScalarFact fact) noexcept;
/// Types and bits are equal.
bool same_scalar(const Scalar& a, const Scalar& b) noexcept;

/// A fact about scalars that a plan relied on: about one slot, or, without a fact, that two slots hold equal bits.
struct ScalarGuard {
    std::uint32_t slot = 0;
    std::optional<ScalarFact> fact;
    std::uint32_t same_as = 0;  ///< the other slot where there is no fact
    friend bool operator==(const ScalarGuard&, const ScalarGuard&) noexcept = default;
};
/// Does the fact hold for this batch's scalars?
bool guard_holds(const ScalarGuard& guard, const Program& program) noexcept;

}  // namespace xlazy::bc
