// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/program.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace xlazy::bc {
namespace {

template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

template <class To, class From>
To convert(From value) noexcept {
    if constexpr (is_complex_type<From>) {
        if constexpr (std::is_same_v<To, bool>)
            return value != From(0);
        else if constexpr (is_complex_type<To>)
            return static_cast<To>(value);
        else
            return convert<To>(value.real());
    } else if constexpr (is_complex_type<To>) {
        return To(convert<typename To::value_type>(value));
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
        constexpr To least = std::numeric_limits<To>::min();
        const auto low = static_cast<From>(least);
        const From high = static_cast<From>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;
        const From whole = std::trunc(value);
        return whole >= low && whole < high ? static_cast<To>(value) : least;
    } else {
        return static_cast<To>(value);
    }
}

template <class From>
Scalar convert_from(From value, DType to) {
    switch (to) {
#define XLAZY_DTYPE(id, name, type, kind, enabled) \
    case DType::id:                                \
        return make_scalar(convert<type>(value));
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case DType::none: break;
    }
    throw std::invalid_argument("a conversion to no type");
}

}  // namespace

Scalar convert_scalar(const Scalar& scalar, DType to) {
    switch (scalar.type) {
#define XLAZY_DTYPE(id, name, type, kind, enabled) \
    case DType::id:                                \
        return convert_from(scalar_value<type>(scalar), to);
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case DType::none: break;
    }
    throw std::invalid_argument("a conversion from no type");
}

}  // namespace xlazy::bc
