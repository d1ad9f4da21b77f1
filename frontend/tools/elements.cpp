// SPDX-License-Identifier: BSD-3-Clause
#include "elements.hpp"

#include <complex>
#include <cstring>
#include <type_traits>

using namespace xlazy;

namespace {

/// Well mixed bits of a seed and a position (splitmix64, S. Vigna).
std::uint64_t mixed(std::uint64_t seed, std::uint64_t position) {
    std::uint64_t z = seed * 0x9e3779b97f4a7c15u + position * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

template <class T>
T input_value(std::uint64_t bits) {
    if constexpr (std::is_same_v<T, bool>)
        return (bits & 1) != 0;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(1 + bits % 100);
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(0.5 + static_cast<double>(bits >> 11) * 0x1p-53);
    else {
        using Real = typename T::value_type;
        return T(input_value<Real>(bits), input_value<Real>(mixed(bits, 1)));
    }
}

}  // namespace

void fill(bc::DType type, void* memory, std::size_t size, std::uint64_t seed) {
    switch (type) {
#define XLAZY_DTYPE(id, name, ctype, kind, enabled)                                                                 \
    case bc::DType::id:                                                                                             \
        for (std::size_t i = 0; i < size; ++i) static_cast<ctype*>(memory)[i] = input_value<ctype>(mixed(seed, i)); \
        break;
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case bc::DType::none: break;
    }
}

namespace {

/// All NaNs count as one.
template <class T>
std::uint64_t checksum_of(const T* values, std::size_t size) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < size; ++i) {
        unsigned char bytes[sizeof(T)] = {};
        if (!(values[i] != values[i]))
            std::memcpy(bytes, values + i, sizeof(T));
        else
            bytes[0] = 1;
        for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    }
    return hash;
}

}  // namespace

std::uint64_t checksum(bc::DType type, const void* memory, std::size_t size) {
    switch (type) {
#define XLAZY_DTYPE(id, name, ctype, kind, enabled) \
    case bc::DType::id: return checksum_of(static_cast<const ctype*>(memory), size);
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case bc::DType::none: break;
    }
    return 0;
}
