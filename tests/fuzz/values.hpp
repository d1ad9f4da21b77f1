// SPDX-License-Identifier: BSD-3-Clause
// Element values: deterministic contents of bases, and the comparison that every level uses.
#pragma once

#include "fuzz/random.hpp"
#include "xlazy/bytecode/program.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace xlazy::fuzz {

using Bytes = std::vector<std::byte>;

/// Calls `visit` with a value of the C++ type of `type`, for the enabled types.
template <class Visitor>
decltype(auto) with_type(bc::DType type, Visitor&& visit) {
    switch (type) {
#define XLAZY_DTYPE(id, name, ctype, kind, enabled) \
    case bc::DType::id:                             \
        return visit(ctype{});
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case bc::DType::none: break;
    }
    throw std::logic_error("a value of no type");
}

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

/// The enabled element types, in the order of the table.
const std::vector<bc::DType>& enabled_types();

/// What the values of one array look like.
enum class Flavour : std::uint8_t { Small, Unit, Wide, Special, WithZeros };
inline constexpr std::int64_t kFlavours = 5;

/// One value, a function of `hash` alone.
bc::Scalar random_scalar(bc::DType type, Flavour flavour, std::uint64_t hash);

/// The initial contents of base `base`: element i depends on seed, base and i only, so a shrunk program keeps its data.
Bytes initial_bytes(bc::DType type, std::int64_t size, std::uint64_t seed, std::uint32_t base);

/// Equal bits, or both NaN; parts of complex numbers each.
bool same_element(bc::DType type, const std::byte* a, const std::byte* b);

/// First element that differs, -1 if none does. Where `defined` is not empty, elements with 0 there do not count.
std::int64_t first_difference(bc::DType type, const Bytes& a, const Bytes& b, const std::vector<char>& defined);

/// A value for messages: exact, and decimal.
std::string show(const bc::Scalar& scalar);
std::string show(bc::DType type, const Bytes& bytes, std::int64_t index);

}  // namespace xlazy::fuzz
