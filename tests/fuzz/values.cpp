// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace xlazy::fuzz {
namespace {

template <class T>
T float_value(Flavour flavour, Random& random) {
    const auto unit = static_cast<double>(random.word() >> 11) * 0x1p-53;
    switch (flavour) {
        case Flavour::Small: return static_cast<T>(random.between(-8, 8)) / T(2);
        case Flavour::Unit: return static_cast<T>(unit);
        case Flavour::Wide: return static_cast<T>(std::ldexp(unit - 0.5, static_cast<int>(random.between(-30, 30))));
        case Flavour::WithZeros:
            return random.percent(20) ? (random.percent(50) ? T(-0.0) : T(0)) : static_cast<T>(unit);
        case Flavour::Special: break;
    }
    using Limits = std::numeric_limits<T>;
    constexpr T kSpecial[] = {T(0),
                              T(-0.0),
                              T(1),
                              T(-1),
                              T(2),
                              T(0.5),
                              T(-2.5),
                              T(3e9),
                              T(-3e9),
                              T(40000),
                              Limits::infinity(),
                              -Limits::infinity(),
                              Limits::quiet_NaN(),
                              Limits::denorm_min(),
                              -Limits::min(),
                              Limits::max(),
                              Limits::lowest(),
                              Limits::epsilon()};
    return random.percent(60) ? static_cast<T>(8 * (unit - 0.5)) : random.pick(kSpecial);
}

template <class T>
T integer_value(Flavour flavour, Random& random) {
    using Limits = std::numeric_limits<T>;
    constexpr T kSpecial[] = {T(0), T(1), T(-1), T(2), T(-2), Limits::max(), Limits::min(), T(Limits::max() - 1)};
    const auto small = static_cast<T>(random.between(1, 9));
    switch (flavour) {
        case Flavour::Small: return random.percent(50) ? small : static_cast<T>(-small);
        case Flavour::Unit: return small;
        case Flavour::Wide: return static_cast<T>(static_cast<T>(random.word()) | T(1));
        case Flavour::WithZeros: return random.percent(2) ? T(0) : small;
        case Flavour::Special: break;
    }
    return random.percent(60) ? small : random.pick(kSpecial);
}

template <class T>
T random_value(Flavour flavour, std::uint64_t hash) {
    Random random(hash);
    if constexpr (is_complex<T>) {
        using Part = typename T::value_type;
        const Part real = float_value<Part>(flavour, random);
        return {real, random.percent(20) ? Part(0) : float_value<Part>(flavour, random)};
    } else if constexpr (std::is_same_v<T, bool>)
        return random.percent(flavour == Flavour::WithZeros ? 10 : 50);
    else if constexpr (std::is_floating_point_v<T>)
        return float_value<T>(flavour, random);
    else
        return integer_value<T>(flavour, random);
}

template <class T>
std::string show_value(T value) {
    if constexpr (is_complex<T>)
        return fmt::format("({}, {})", show_value(value.real()), show_value(value.imag()));
    else if constexpr (std::is_floating_point_v<T>)
        return fmt::format("{:a} ({:.17g})", value, value);
    else
        return fmt::format("{}", value);
}

}  // namespace

const std::vector<bc::DType>& enabled_types() {
    static const std::vector<bc::DType> types = [] {
        std::vector<bc::DType> found;
        for (std::size_t i = 0; i < bc::kDTypeCount; ++i)
            if (bc::kDTypes[i].enabled) found.push_back(static_cast<bc::DType>(i));
        return found;
    }();
    return types;
}

bc::Scalar random_scalar(bc::DType type, Flavour flavour, std::uint64_t hash) {
    return with_type(type, [&](auto zero) { return bc::make_scalar(random_value<decltype(zero)>(flavour, hash)); });
}

Bytes initial_bytes(bc::DType type, std::int64_t size, std::uint64_t seed, std::uint32_t base) {
    const auto count = static_cast<std::size_t>(size);
    const std::uint64_t key = mix(seed, base);
    const auto flavour = static_cast<Flavour>(mix(key) % kFlavours);
    Bytes bytes(count * bc::size_of(type));
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        for (std::size_t i = 0; i < count; ++i) {
            const T value = random_value<T>(flavour, mix(key, i));
            std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
        }
    });
    return bytes;
}

bool same_element(bc::DType type, const std::byte* a, const std::byte* b) {
    if (bc::is_complex(type)) {
        const bc::DType part = bc::real_of(type);
        const std::size_t size = bc::size_of(part);
        return same_element(part, a, b) && same_element(part, a + size, b + size);
    }
    if (std::memcmp(a, b, bc::size_of(type)) == 0) return true;
    return with_type(type, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_floating_point_v<T>) {
            T x, y;
            std::memcpy(&x, a, sizeof(T));
            std::memcpy(&y, b, sizeof(T));
            return std::isnan(x) && std::isnan(y);
        } else {
            return false;
        }
    });
}

std::int64_t first_difference(bc::DType type, const Bytes& a, const Bytes& b, const std::vector<char>& defined) {
    if (a.size() != b.size()) return 0;
    if (a.empty() || (defined.empty() && std::memcmp(a.data(), b.data(), a.size()) == 0)) return -1;
    const std::size_t size = bc::size_of(type);
    for (std::size_t i = 0; i * size < a.size(); ++i) {
        if (!defined.empty() && defined[i] == 0) continue;
        if (!same_element(type, a.data() + i * size, b.data() + i * size)) return static_cast<std::int64_t>(i);
    }
    return -1;
}

std::string show(const bc::Scalar& scalar) {
    return with_type(scalar.type, [&](auto zero) { return show_value(bc::scalar_value<decltype(zero)>(scalar)); });
}

std::string show(bc::DType type, const Bytes& bytes, std::int64_t index) {
    return with_type(type, [&](auto zero) {
        decltype(zero) value;
        std::memcpy(&value, bytes.data() + static_cast<std::size_t>(index) * sizeof(value), sizeof(value));
        return show_value(value);
    });
}

}  // namespace xlazy::fuzz
