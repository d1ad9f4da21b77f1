// SPDX-License-Identifier: BSD-3-Clause
// Small programs after those of benchpress (bh107/benchpress), in plain xtensor: compiled against xtensor alone, and
// with the wrapper headers.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace programs {

using Vector = xt::xtensor<double, 1>;
using Matrix = xt::xtensor<double, 2>;
using Cube = xt::xtensor<double, 3>;

/// What a program computes of a size in so many steps: some numbers that depend on all of it.
using Program = std::vector<double> (*)(std::size_t size, std::size_t steps);

inline std::map<std::string, Program>& all() {
    static std::map<std::string, Program> programs;
    return programs;
}

struct Registration {
    Registration(const char* name, Program program) { all()[name] = program; }
};

/// Numbers in [0, 1) that look random and are the same everywhere.
template <class A>
A scattered(const typename A::shape_type& shape, double seed) {
    A result(shape);
    std::size_t count = 1;
    for (const auto extent : shape) count *= extent;
    const Vector i = xt::arange<double>(static_cast<double>(count));
    const Vector x = xt::fmod(xt::abs(xt::sin(i * 12.9898 + seed) * 43758.5453), 1.0);
    std::copy(x.begin(), x.end(), result.begin());
    return result;
}

}  // namespace programs

#define PROGRAM(name)                                                     \
    static std::vector<double> name(std::size_t size, std::size_t steps); \
    static const programs::Registration registered_##name(#name, name);   \
    static std::vector<double> name([[maybe_unused]] std::size_t size, [[maybe_unused]] std::size_t steps)
