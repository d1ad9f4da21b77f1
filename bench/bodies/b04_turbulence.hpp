// SPDX-License-Identifier: BSD-3-Clause
// A step of the turbulent kinetic energy of an ocean model: what the benchmark turbulent_kinetic_energy of
// pyhpc-benchmarks computes. The closure of P. Gaspar, Y. Gregoris, J.-M. Lefevre (J. Geophys. Res. 95, 1990): mixing
// between the levels is implicit, a tridiagonal system for each column (L. H. Thomas, 1949); then diffusion along the
// levels, and advection with the superbee limiter (P. L. Roe, 1985). Shapes are (x, y, z); masks are 1 in water.
#pragma once

#include "bodies/body.hpp"

#include <utility>

namespace xlazy_bench::b04 {

using Field = xa::xtensor<double, 3>;
using Plane = xa::xtensor<double, 2>;
using Line = xa::xtensor<double, 1>;

struct Ocean {
    Field u, v, w;                         ///< velocities at east, north and top faces
    Field mask_u, mask_v, mask_w;          ///< of these faces
    Field mixing, mixing_length, forcing;  ///< at the levels
    Plane surface;                         ///< forcing
    Line dxt, dxu, dyt, dyu, dzt, dzw, cos_t, cos_u;
};

inline constexpr double kStep = 3600.0, kDissipation = 0.7, kLateral = 2000.0, kTiny = 1e-20;

/// begin to end of an axis; end <= 0 counts from its end.
struct Window {
    std::ptrdiff_t begin, end;
};
inline constexpr Window kAll{0, 0}, kLower{0, -1}, kUpper{1, 0}, kInner{2, -2};

inline auto slice(Window w, std::size_t extent) {
    return xa::range(w.begin, w.end > 0 ? w.end : static_cast<std::ptrdiff_t>(extent) + w.end);
}
template <class A>
auto part(A& a, Window x, Window y, Window z) {
    const auto& shape = a.shape();
    return xa::view(a, slice(x, shape[0]), slice(y, shape[1]), slice(z, shape[2]));
}
template <class A>
auto level(A& a, std::ptrdiff_t k) {
    return xa::view(a, xa::all(), xa::all(), k);
}
inline auto along_x(const Line& a, Window x) {
    return xa::view(a, slice(x, a.shape()[0]), xa::newaxis(), xa::newaxis());
}
inline auto along_y(const Line& a, Window y) { return xa::view(a, slice(y, a.shape()[0]), xa::newaxis()); }
inline auto along_z(const Line& a, Window z) { return xa::view(a, slice(z, a.shape()[0])); }

/// Solves below x[k - 1] + diagonal x[k] + above x[k + 1] = right for each column. `right` becomes the solution.
inline void solve_columns(const Field& below, const Field& diagonal, const Field& above, Field& right) {
    const auto levels = static_cast<std::ptrdiff_t>(right.shape()[2]);
    Field factor = xa::zeros<double>(right.shape());
    level(factor, 0) = level(above, 0) / level(diagonal, 0);
    level(right, 0) = level(right, 0) / level(diagonal, 0);
    for (std::ptrdiff_t k = 1; k < levels; ++k) {
        const Plane pivot = 1.0 / (level(diagonal, k) - level(below, k) * level(factor, k - 1));
        level(factor, k) = level(above, k) * pivot;
        level(right, k) = (level(right, k) - level(below, k) * level(right, k - 1)) * pivot;
    }
    for (std::ptrdiff_t k = levels - 2; k >= 0; --k) level(right, k) -= level(factor, k) * level(right, k + 1);
}

/// Production, dissipation and mixing between the levels.
inline Field mixed_vertically(const Ocean& o, const Field& energy) {
    const Field root = xa::sqrt(xa::maximum(0.0, energy));
    Field delta = xa::zeros<double>(energy.shape());
    part(delta, kAll, kAll, kLower) = kStep / along_z(o.dzt, kUpper) * 0.5 *
                                      (part(o.mixing, kAll, kAll, kLower) + part(o.mixing, kAll, kAll, kUpper));
    Field below = xa::zeros<double>(energy.shape()), above = xa::zeros<double>(energy.shape());
    part(below, kAll, kAll, kUpper) = -part(delta, kAll, kAll, kLower) / along_z(o.dzw, kUpper);
    part(above, kAll, kAll, kLower) = -part(delta, kAll, kAll, kLower) / along_z(o.dzw, kLower);
    const Field diagonal = 1.0 - below - above + kStep * kDissipation * root / o.mixing_length;
    Field solution = energy + kStep * o.forcing;
    const auto top = static_cast<std::ptrdiff_t>(energy.shape()[2]) - 1;
    level(solution, top) += kStep * o.surface / (0.5 * o.dzw(static_cast<std::size_t>(top)));
    solve_columns(below, diagonal, above, solution);
    return xa::where(o.mask_w > 0.0, xa::maximum(0.0, solution), energy);
}

inline void mix_laterally(const Ocean& o, Field& energy) {
    Field east = xa::zeros<double>(energy.shape()), north = xa::zeros<double>(energy.shape());
    part(east, kLower, kAll, kAll) = kLateral * (part(energy, kUpper, kAll, kAll) - part(energy, kLower, kAll, kAll)) /
                                     (along_y(o.cos_t, kAll) * along_x(o.dxu, kLower)) *
                                     part(o.mask_u, kLower, kAll, kAll);
    part(north, kAll, kLower, kAll) = kLateral * (part(energy, kAll, kUpper, kAll) - part(energy, kAll, kLower, kAll)) /
                                      along_y(o.dyu, kLower) * part(o.mask_v, kAll, kLower, kAll) *
                                      along_y(o.cos_u, kLower);
    part(energy, kInner, kInner, kAll) += kStep * part(o.mask_w, kInner, kInner, kAll) *
                                          ((part(east, kInner, kInner, kAll) - part(east, {1, -3}, kInner, kAll)) /
                                               (along_y(o.cos_t, kInner) * along_x(o.dxt, kInner)) +
                                           (part(north, kInner, kInner, kAll) - part(north, kInner, {1, -3}, kAll)) /
                                               (along_y(o.cos_t, kInner) * along_y(o.dyt, kInner)));
}

/// The flux through faces between `here` and `next`, behind which lie `before` and `beyond`.
template <class V, class M, class A, class B, class C, class D, class S>
Field limited_flux(const V& speed, const M& mask, const A& before, const B& here, const C& next, const D& beyond,
                   const S& spacing) {
    const Field courant = xa::abs(speed * kStep / spacing);
    const Field step = (next - here) * mask;
    const Field upstream = xa::where(speed > 0.0, here - before, beyond - next);
    const Field ratio = upstream / xa::where(xa::abs(step) < kTiny, kTiny, step);
    const Field limit = xa::maximum(0.0, xa::maximum(xa::minimum(1.0, 2.0 * ratio), xa::minimum(2.0, ratio)));
    return speed * (here + next) * 0.5 - xa::abs(speed) * ((1.0 - limit) + courant * limit) * step * 0.5;
}

inline void advect(const Ocean& o, Field& energy) {
    const Window back{0, -3}, here{1, -2}, next{2, -1}, on{3, 0};
    Field east = xa::zeros<double>(energy.shape()), north = xa::zeros<double>(energy.shape()),
          up = xa::zeros<double>(energy.shape());
    part(east, here, kInner, kAll) = limited_flux(part(o.u, here, kInner, kAll), part(o.mask_u, here, kInner, kAll),
                                                  part(energy, back, kInner, kAll), part(energy, here, kInner, kAll),
                                                  part(energy, next, kInner, kAll), part(energy, on, kInner, kAll),
                                                  along_y(o.cos_t, kInner) * along_x(o.dxt, here));
    part(north, kInner, here, kAll) = limited_flux(part(o.v, kInner, here, kAll), part(o.mask_v, kInner, here, kAll),
                                                   part(energy, kInner, back, kAll), part(energy, kInner, here, kAll),
                                                   part(energy, kInner, next, kAll), part(energy, kInner, on, kAll),
                                                   along_y(o.cos_t, here) * along_y(o.dyt, here));
    part(up, kInner, kInner, here) =
        limited_flux(part(o.w, kInner, kInner, here), part(o.mask_w, kInner, kInner, here),
                     part(energy, kInner, kInner, back), part(energy, kInner, kInner, here),
                     part(energy, kInner, kInner, next), part(energy, kInner, kInner, on), along_z(o.dzw, here));
    part(energy, kInner, kInner, kUpper) +=
        kStep * part(o.mask_w, kInner, kInner, kUpper) *
        (-(part(east, kInner, kInner, kUpper) - part(east, {1, -3}, kInner, kUpper)) /
             (along_y(o.cos_t, kInner) * along_x(o.dxt, kInner)) -
         (part(north, kInner, kInner, kUpper) - part(north, kInner, {1, -3}, kUpper)) /
             (along_y(o.cos_t, kInner) * along_y(o.dyt, kInner)) -
         (part(up, kInner, kInner, kUpper) - part(up, kInner, kInner, kLower)) / along_z(o.dzw, kUpper));
}

inline Field step(const Ocean& o, const Field& energy) {
    Field result = mixed_vertically(o, energy);
    mix_laterally(o, result);
    advect(o, result);
    return result;
}

/// Sizes: x, y, z.
inline Job make(const Sizes& sizes) {
    const std::array shape = {sizes.at(0), sizes.at(1), sizes.at(2)};
    const std::size_t count = shape[0] * shape[1] * shape[2];
    const auto field = [=](double low, double high, std::uint32_t seed) {
        return array_of<Field>(spread<double>(count, low, high, seed), shape);
    };
    const auto mask = [=](std::uint32_t seed) {
        std::vector<double> values = spread<double>(count, 0.0, 1.0, seed);
        for (double& value : values) value = value < 0.8 ? 1.0 : 0.0;
        return array_of<Field>(values, shape);
    };
    const auto line = [=](std::size_t axis, double low, double high, std::uint32_t seed) {
        return array_of<Line>(spread<double>(shape[axis], low, high, seed), std::array{shape[axis]});
    };
    const auto ocean =
        share(Ocean{field(-0.1, 0.1, 61), field(-0.1, 0.1, 62), field(-1e-4, 1e-4, 63), mask(64), mask(65), mask(66),
                    field(1e-5, 1e-2, 67), field(1.0, 50.0, 68), field(0.0, 1e-8, 69),
                    array_of<Plane>(spread<double>(shape[0] * shape[1], 0.0, 1e-6, 70), std::array{shape[0], shape[1]}),
                    line(0, 5e4, 6e4, 71), line(0, 5e4, 6e4, 72), line(1, 5e4, 6e4, 73), line(1, 5e4, 6e4, 74),
                    line(2, 10.0, 100.0, 75), line(2, 10.0, 100.0, 76), line(1, 0.5, 1.0, 77), line(1, 0.5, 1.0, 78)});
    const auto start = share(field(0.0, 1e-3, 79));
    const auto energy = share(Field(*start));
    Job job;
    job.run = [=] {
        *energy = step(*ocean, *start);
        keep((*energy)(0, 0, 0));
    };
    job.result = [=] { return sampled(step(*ocean, *start)); };
    return job;
}

inline void add(Cases& cases) { cases["b04"] = make; }

}  // namespace xlazy_bench::b04
