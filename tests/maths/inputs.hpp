// SPDX-License-Identifier: BSD-3-Clause
// Arguments for the maths library's functions, and their values on an instruction set.
#pragma once

#include "isa/kernel_table.hpp"
#include "xlazy/bytecode/op.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace xlazy::test {

struct MathsFunction {
    bc::Op op;
    int arity;
};
inline const std::vector<MathsFunction>& maths_functions() {
    static const std::vector<MathsFunction> functions{
#define XLAZY_MATHS(id, arity, file) {bc::Op::id, arity},
#include "math/functions.def"
    };
    return functions;
}

inline const std::vector<MathsFunction>& complex_functions() {
    static const std::vector<MathsFunction> functions{
#define XLAZY_COMPLEX_MATHS(id, arity, result) {bc::Op::id, arity},
#include "math/functions.def"
    };
    return functions;
}

/// Units in the last place that a function's error may have.
inline double most_ulps(bc::Op op) noexcept { return op == bc::Op::tgamma || op == bc::Op::lgamma ? 2 : 1; }

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
bool same_number(T a, T b) {
    return (a != a && b != b) || std::bit_cast<BitsOf<T>>(a) == std::bit_cast<BitsOf<T>>(b);
}

/// Zeros, ones, infinities, NaNs, subnormals, the limits of range of exponentials, and neighbours of all.
template <class T>
std::vector<T> special_values() {
    using Limits = std::numeric_limits<T>;
    const double numbers[] = {0,        0.25,
                              0.5,      0.75,
                              1,        1.25,
                              1.5,      2,
                              3,        4,
                              5,        6,
                              8,        10,
                              27,       100,
                              1000,     1e5,
                              1e10,     1e22,
                              1e30,     1e-5,
                              1e-9,     1e-30,
                              M_PI,     M_E,
                              M_LN2,    19.06,
                              88.722,   89.415,
                              103.972,  104,
                              126,      127,
                              128,      149.5,
                              150,      708.4,
                              709.8,    710.5,
                              745.2,    1022,
                              1023,     1024,
                              1074,     1075,
                              1e8,      M_PI / 2,
                              M_PI / 4, 1.0 / 3,
                              170.6,    26.55,
                              27.3,     9.02,
                              10.06,    5.95,
                              16777216, 9007199254740992};
    std::vector<T> values{Limits::infinity(),   Limits::quiet_NaN(),   Limits::max(),     Limits::min(),
                          Limits::denorm_min(), Limits::min() / 3,     Limits::epsilon(), Limits::max() / 3,
                          Limits::max() / 2,    Limits::max() * T(0.4)};
    for (const double number : numbers) {
        T up = static_cast<T>(number), down = up;
        values.push_back(up);
        for (int step = 0; step < 2; ++step) {
            values.push_back(up = std::nextafter(up, Limits::infinity()));
            values.push_back(down = std::nextafter(down, -Limits::infinity()));
        }
    }
    for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
    return values;
}

/// Random numbers of several kinds: any bits, any magnitude near 1, near 1, and small.
template <class T>
std::vector<T> random_arguments(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1), exponent(-20, 10);
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        switch (i % 4) {
            case 0: values[i] = std::bit_cast<T>(static_cast<BitsOf<T>>(random())); break;
            case 1: values[i] = static_cast<T>(unit(random) * std::exp2(exponent(random))); break;
            case 2: values[i] = static_cast<T>(1 + unit(random) * std::exp2(exponent(random) - 10)); break;
            default: values[i] = static_cast<T>(unit(random) * 20); break;
        }
    }
    return values;
}

/// Arguments whose parts are of every kind, on and off the axes, near the unit circle and near the points 1 and i.
template <class T>
std::vector<std::complex<T>> complex_arguments(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto part = [&] {
        switch (random() % 5) {
            case 0: return unit(random) * 4;
            case 1: return unit(random) * std::exp2(unit(random) * (sizeof(T) == 8 ? 500 : 60));
            case 2: return (unit(random) > 0 ? 1 : -1) * (1 + unit(random) * std::exp2(-20 + 20 * unit(random)));
            case 3: return unit(random) * std::exp2(15 * unit(random) - 15);
            default: return unit(random) * 600;
        }
    };
    std::vector<std::complex<T>> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double angle = unit(random) * 3.2;
        values[i] = i % 7 == 0 ? std::complex<T>(static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle)))
                               : std::complex<T>(static_cast<T>(part()), static_cast<T>(part()));
    }
    return values;
}

/// Values of the tile interpreter's loop on the instruction set in use.
template <class T>
std::vector<T> values_of(bc::Op op, const std::vector<T>& a, const std::vector<T>& b) {
    std::vector<T> out(a.size());
    be::map_kernel(op, bc::dtype_of<T>(), be::Form::vv)(a.data(), b.data(), nullptr, out.data(),
                                                        static_cast<std::int64_t>(a.size()));
    return out;
}

}  // namespace xlazy::test
