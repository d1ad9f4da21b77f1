// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/scalar_form.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace xlazy::bc {
namespace {

/// Calls `visit` with the scalar's value in its own type. @return what it returns; `otherwise` for bool and complex
template <class Result, class Visit>
Result of_number(const Scalar& scalar, Result otherwise, Visit&& visit) noexcept {
    switch (scalar.type) {
#define XLAZY_DTYPE(id, name, type, kind, enabled)                                      \
    case DType::id:                                                                     \
        if constexpr (DTypeKind::kind != DTypeKind::Bool && std::is_arithmetic_v<type>) \
            return visit(scalar_value<type>(scalar));                                   \
        else                                                                            \
            return otherwise;
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case DType::none: break;
    }
    return otherwise;
}

template <class T>
bool has_exact_reciprocal(T value) noexcept {
    int exponent = 0;
    if (!std::isfinite(value) || std::abs(std::frexp(value, &exponent)) != T(0.5)) return false;
    return std::isnormal(value) && std::isnormal(T(1) / value);
}

template <class T>
bool holds(T value, ScalarFact fact) noexcept {
    constexpr bool is_float = std::is_floating_point_v<T>;
    switch (fact) {
        case ScalarFact::ExactReciprocal:
            if constexpr (is_float) return has_exact_reciprocal(value);
            return false;
        case ScalarFact::PowerOfTwo:
            if constexpr (!is_float)
                return value > 0 && std::has_single_bit(static_cast<std::make_unsigned_t<T>>(value));
            return false;
        case ScalarFact::Zero: return value == 0 && !std::signbit(static_cast<double>(value));
        case ScalarFact::MinusZero: return is_float && value == 0 && std::signbit(static_cast<double>(value));
        case ScalarFact::One: return value == T(1);
        case ScalarFact::Two: return value == T(2);
    }
    return false;
}

template <class T>
T form_value(T value, ScalarForm form) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
        return form == ScalarForm::Reciprocal ? T(1) / value : value;
    } else {
        using Unsigned = std::make_unsigned_t<T>;
        const auto bits = static_cast<Unsigned>(value);
        switch (form) {
            case ScalarForm::Exponent: return static_cast<T>(std::bit_width(bits) - 1);
            case ScalarForm::Below: return static_cast<T>(static_cast<Unsigned>(bits - 1u));
            case ScalarForm::Negative: return static_cast<T>(static_cast<Unsigned>(0u - bits));
            case ScalarForm::SignShift: return static_cast<T>(std::numeric_limits<Unsigned>::digits - 1);
            case ScalarForm::Value:
            case ScalarForm::Reciprocal: break;
        }
        return value;
    }
}

}  // namespace

bool has_form(DType type, ScalarForm form) noexcept {
    if (type >= DType::none) return false;
    if (form == ScalarForm::Value) return true;
    if (form == ScalarForm::Reciprocal) return info(type).kind == DTypeKind::Float;
    return form <= ScalarForm::SignShift && is_integer(type);
}

Scalar form_of(const Scalar& scalar, ScalarForm form) noexcept {
    return of_number(scalar, scalar, [&](auto value) { return make_scalar(form_value(value, form)); });
}

bool fact_holds(const Scalar& scalar, ScalarFact fact) noexcept {
    return of_number(scalar, false, [&](auto value) { return holds(value, fact); });
}

bool same_scalar(const Scalar& a, const Scalar& b) noexcept {
    return a.type == b.type && std::memcmp(a.bits, b.bits, size_of(a.type)) == 0;
}

bool guard_holds(const ScalarGuard& guard, const Program& program) noexcept {
    const Scalar& scalar = program.scalars[guard.slot];
    return guard.fact ? fact_holds(scalar, *guard.fact) : same_scalar(scalar, program.scalars[guard.same_as]);
}

}  // namespace xlazy::bc
