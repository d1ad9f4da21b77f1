// SPDX-License-Identifier: BSD-3-Clause
// Element types of the bytecode. Everything here derives from dtype.def.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace xlazy::bc {

/// An element type; the rows of dtype.def in their order. Text form and width: docs/ops.md.
enum class DType : std::uint8_t {
#define XLAZY_DTYPE(id, name, type, kind, enabled) id,
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
    none,  ///< no value: a type outside the table, or an absent operand
};

/// Families of element types.
enum class DTypeKind : std::uint8_t { Bool, Int, UInt, Float, Complex, None };

inline constexpr std::size_t kDTypeCount = static_cast<std::size_t>(DType::none);

/// A row of dtype.def.
struct DTypeInfo {
    std::string_view name;
    std::uint8_t size;  ///< bytes an element
    DTypeKind kind;
    bool enabled;  ///< kernels exist
};

inline constexpr DTypeInfo kDTypes[kDTypeCount + 1] = {
#define XLAZY_DTYPE(id, name, type, kind, enabled) {name, sizeof(type), DTypeKind::kind, enabled != 0},
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
    {"none", 0, DTypeKind::None, false},
};

/// The type's row of the table.
constexpr const DTypeInfo& info(DType type) noexcept { return kDTypes[static_cast<std::size_t>(type)]; }
/// Bytes an element; 0 for none.
constexpr std::size_t size_of(DType type) noexcept { return info(type).size; }
/// Its name in the text form and in messages, for instance "f64".
constexpr std::string_view name_of(DType type) noexcept { return info(type).name; }
/// Signed or unsigned, not bool.
constexpr bool is_integer(DType type) noexcept {
    return info(type).kind == DTypeKind::Int || info(type).kind == DTypeKind::UInt;
}
/// f32 or f64.
constexpr bool is_float(DType type) noexcept { return info(type).kind == DTypeKind::Float; }
/// c64 or c128.
constexpr bool is_complex(DType type) noexcept { return info(type).kind == DTypeKind::Complex; }
/// Type of the real and the imaginary part of a complex type; other types stay.
constexpr DType real_of(DType type) noexcept {
    return type == DType::c64 ? DType::f32 : type == DType::c128 ? DType::f64 : type;
}

/// Type of the complex numbers with parts of a floating-point type; none for other types.
constexpr DType complex_of(DType type) noexcept {
    return type == DType::f32 ? DType::c64 : type == DType::f64 ? DType::c128 : DType::none;
}

/// DType of a name of the text form; DType::none if there is no such type.
DType dtype_from_name(std::string_view name) noexcept;

/// DType of a C++ type, DType::none for types that the bytecode does not have.
/// Integers map by signedness and size, so `long` and `long long` are both i64, and characters are the integers that
/// C++ takes them for.
template <class T>
constexpr DType dtype_of() noexcept {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, bool>)
        return DType::boolean;
    else if constexpr (std::is_same_v<U, float>)
        return DType::f32;
    else if constexpr (std::is_same_v<U, double>)
        return DType::f64;
    else if constexpr (std::is_same_v<U, std::complex<float>>)
        return DType::c64;
    else if constexpr (std::is_same_v<U, std::complex<double>>)
        return DType::c128;
    else if constexpr (std::is_integral_v<U>) {
        constexpr bool negative = std::is_signed_v<U>;
        if constexpr (sizeof(U) == 1)
            return negative ? DType::i8 : DType::u8;
        else if constexpr (sizeof(U) == 2)
            return negative ? DType::i16 : DType::u16;
        else if constexpr (sizeof(U) == 4)
            return negative ? DType::i32 : DType::u32;
        else if constexpr (sizeof(U) == 8)
            return negative ? DType::i64 : DType::u64;
        else
            return DType::none;
    } else
        return DType::none;
}

/// C++ type of a DType: `CType<DType::f64>` is double.
template <DType>
struct CTypeOf;
#define XLAZY_DTYPE(id, name, ctype, kind, enabled) \
    template <>                                     \
    struct CTypeOf<DType::id> {                     \
        using type = ctype;                         \
    };
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
/// The type of CTypeOf.
template <DType D>
using CType = typename CTypeOf<D>::type;

/// The type that C++'s usual arithmetic conversions give `a + b`; none if one of them is none.
DType promote(DType a, DType b) noexcept;

}  // namespace xlazy::bc
