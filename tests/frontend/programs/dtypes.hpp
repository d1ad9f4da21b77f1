// SPDX-License-Identifier: BSD-3-Clause
// For the programs over all element types: values, names, and the types that C++ gives an operation.
#pragma once

#include "program.hpp"

#include <complex>
#include <deque>

#include <xtensor/xmath.hpp>
#include <xtensor/xoperation.hpp>

namespace programs {

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using c64 = std::complex<float>;
using c128 = std::complex<double>;

template <class... T>
struct Types {};

using Integers = Types<i8, i16, i32, i64, u8, u16, u32, u64>;
using Reals = Types<bool, i8, i16, i32, i64, u8, u16, u32, u64, float, double>;

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::complex<T>> = true;

template <class T>
constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T>
const char* type_text() {
    if constexpr (std::is_same_v<T, bool>)
        return "bool";
    else if constexpr (is_complex<T>)
        return sizeof(T) == 8 ? "c64" : "c128";
    else if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? "f32" : "f64";
    else if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 1 ? "i8" : sizeof(T) == 2 ? "i16" : sizeof(T) == 4 ? "i32" : "i64";
    else
        return sizeof(T) == 1 ? "u8" : sizeof(T) == 2 ? "u16" : sizeof(T) == 4 ? "u32" : "u64";
}

/// A name that lasts.
inline const char* lasting(std::string name) {
    static std::deque<std::string> names;
    return names.emplace_back(std::move(name)).c_str();
}
template <class... T>
const char* label(const char* operation) {
    std::string name = operation;
    ((name += std::string(" ") + type_text<T>()), ...);
    return lasting(std::move(name));
}

/// Type of `T() + U()` as C++ and xtensor have it.
template <class T, class U>
struct sum_of {
    using type = decltype(T() + U());
};
template <class T, class U>
struct sum_of<std::complex<T>, U> {
    using type = std::complex<typename sum_of<T, U>::type>;
};
template <class T, class U>
struct sum_of<T, std::complex<U>> {
    using type = std::complex<typename sum_of<T, U>::type>;
};
template <class T, class U>
struct sum_of<std::complex<T>, std::complex<U>> {
    using type = std::complex<typename sum_of<T, U>::type>;
};

/// The expression's elements have type T.
template <class T, class E>
constexpr bool has_type = std::is_same_v<typename std::decay_t<E>::value_type, T>;

/// Small numbers, the limits of the type, and those that signed and unsigned types see differently.
template <class T>
xt::xarray<T> values(std::uint64_t seed) {
    Numbers numbers(seed);
    auto result = xt::xarray<T>::from_shape({40});
    for (auto& value : result) {
        if constexpr (is_complex<T>) {
            using P = typename T::value_type;
            value = T(numbers.template small<P>(), numbers.template small<P>());
        } else {
            value = numbers.template small<T>();
        }
    }
    if constexpr (is_integer<T>) {
        const std::size_t at = numbers.below(20);
        result(at) = std::numeric_limits<T>::max();
        result(at + 1) = std::numeric_limits<T>::min();
        result(at + 2) = static_cast<T>(-1);
    }
    return result;
}

/// As values, none of them 0 and, since stock stops at minimum / -1, none -1.
template <class T>
xt::xarray<T> divisors(std::uint64_t seed) {
    xt::xarray<T> result = values<T>(seed);
    for (auto& value : result) {
        if (value == T(0) || value == static_cast<T>(-1)) value = T(1);
    }
    return result;
}

}  // namespace programs
