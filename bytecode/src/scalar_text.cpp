// SPDX-License-Identifier: BSD-3-Clause
#include "scalar_text.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>

namespace xlazy::bc {
namespace {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
std::string float_text(T value) {
    const auto bits = std::bit_cast<BitsOf<T>>(value);
    char buffer[48];
    if (std::isnan(value)) {
        if (bits == std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::quiet_NaN())) return "nan";
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, bits, 16).ptr;
        return "nan:" + std::string(buffer, end);
    }
    const std::string sign = std::signbit(value) ? "-" : "";
    if (std::isinf(value)) return sign + "inf";
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::hex).ptr;
    return sign + "0x" + std::string(buffer, end);
}

bool consume(std::string_view& text, std::string_view prefix) noexcept {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// The whole text is a number.
template <class T, class... Format>
bool number_from_text(std::string_view text, T& value, Format... format) noexcept {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, format...);
    return error == std::errc() && stop == end;
}

template <class T>
bool float_from_text(std::string_view text, T& value) noexcept {
    if (text == "nan") {
        value = std::numeric_limits<T>::quiet_NaN();
        return true;
    }
    if (consume(text, "nan:")) {
        BitsOf<T> bits = 0;
        if (!number_from_text(text, bits, 16)) return false;
        value = std::bit_cast<T>(bits);
        return std::isnan(value);
    }
    const bool negative = consume(text, "-");
    if (text.starts_with('-')) return false;
    if (text == "inf") value = std::numeric_limits<T>::infinity();
    else if (consume(text, "0x")) {
        if (text.starts_with('-') || !number_from_text(text, value, std::chars_format::hex)) return false;
    } else if (!number_from_text(text, value)) return false;
    if (negative) value = -value;
    return true;
}

template <class T>
struct Codec {  // integers
    static std::string text(T value) { return std::to_string(value); }
    static bool read(std::string_view text, T& value) noexcept { return number_from_text(text, value); }
};
template <>
struct Codec<bool> {
    static std::string text(std::uint8_t value) { return value != 0 ? "true" : "false"; }
    static bool read(std::string_view text, bool& value) noexcept {
        value = text == "true";
        return value || text == "false";
    }
};
template <std::floating_point T>
struct Codec<T> {
    static std::string text(T value) { return float_text(value); }
    static bool read(std::string_view text, T& value) noexcept { return float_from_text(text, value); }
};
template <class T>
struct Codec<std::complex<T>> {
    static std::string text(std::complex<T> value) { return float_text(value.real()) + ',' + float_text(value.imag()); }
    static bool read(std::string_view text, std::complex<T>& value) noexcept {
        const std::size_t comma = text.find(',');
        T real, imag;
        if (comma == std::string_view::npos || !float_from_text(text.substr(0, comma), real) ||
            !float_from_text(text.substr(comma + 1), imag)) {
            return false;
        }
        value = {real, imag};
        return true;
    }
};

template <class T>
bool read_scalar(std::string_view text, Scalar& scalar) noexcept {
    T value{};
    if (!Codec<T>::read(text, value)) return false;
    scalar = make_scalar(value);
    return true;
}

}  // namespace

std::string scalar_text(const Scalar& scalar) {
    // Only 0 and 1 may become a bool.
    if (scalar.type == DType::boolean) return Codec<bool>::text(scalar_value<std::uint8_t>(scalar));
    switch (scalar.type) {
#define XLAZY_DTYPE(id, name, type, kind, enabled) \
    case DType::id:                                \
        return Codec<type>::text(scalar_value<type>(scalar));
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case DType::none: break;
    }
    return "none";
}

bool scalar_from_text(std::string_view text, DType type, Scalar& scalar) {
    switch (type) {
#define XLAZY_DTYPE(id, name, type, kind, enabled) \
    case DType::id:                                \
        return read_scalar<type>(text, scalar);
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case DType::none: break;
    }
    return false;
}

}  // namespace xlazy::bc
