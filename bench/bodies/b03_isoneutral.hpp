// SPDX-License-Identifier: BSD-3-Clause
// Slopes of surfaces of constant density, and the diffusion along them, of an ocean model: what the benchmark
// isoneutral_mixing of pyhpc-benchmarks computes. After S. Griffies, The Gent-McWilliams skew flux, J. Phys. Oceanogr.
// 28 (1998), as in the Modular Ocean Model: at each face of a cell, four triads give a slope each. Views everywhere,
// several outputs. Shapes are (x, y, z); masks are 1 in water.
#pragma once

#include "bodies/body.hpp"

#include <utility>

namespace xlazy_bench::b03 {

using Field = xa::xtensor<double, 3>;
using Line = xa::xtensor<double, 1>;
using Triads = xa::xtensor<double, 5>;  ///< (x, y, z, 2, 2)

struct Ocean {
    Field mask_t, mask_u, mask_v, mask_w;
    Line dxt, dxu, dyt, dyu, dzt, dzw, cos_t, cos_u, z;  ///< along one axis each
    Field salt, temperature, diffusivity;
};

struct Mixing {
    Field k11, k22, k33;
    Triads ez, nz, bx, by;
};

/// begin to end of an axis; end <= 0 counts from its end.
struct Window {
    std::ptrdiff_t begin, end;
};
inline auto slice(Window w, std::size_t extent) {
    return xa::range(w.begin, w.end > 0 ? w.end : static_cast<std::ptrdiff_t>(extent) + w.end);
}

template <class A>
auto part(A& a, Window x, Window y, Window z) {
    const auto& shape = a.shape();
    return xa::view(a, slice(x, shape[0]), slice(y, shape[1]), slice(z, shape[2]));
}
inline auto along_x(const Line& a, Window x) {
    return xa::view(a, slice(x, a.shape()[0]), xa::newaxis(), xa::newaxis());
}
inline auto along_y(const Line& a, Window y) { return xa::view(a, slice(y, a.shape()[0]), xa::newaxis()); }
inline auto along_z(const Line& a, Window z) { return xa::view(a, slice(z, a.shape()[0])); }

/// Gradients of temperature and salinity, each where the difference lies.
struct Gradients {
    Field tx, ty, tz, sx, sy, sz;
};

inline Field gradient_x(const Ocean& o, const Field& a) {
    Field result = xa::zeros<double>(a.shape());
    const Window left{0, -1}, right{1, 0}, all{0, 0};
    part(result, left, all, all) = part(o.mask_u, left, all, all) *
                                   (part(a, right, all, all) - part(a, left, all, all)) /
                                   (along_x(o.dxu, left) * along_y(o.cos_t, all));
    return result;
}
inline Field gradient_y(const Ocean& o, const Field& a) {
    Field result = xa::zeros<double>(a.shape());
    const Window left{0, -1}, right{1, 0}, all{0, 0};
    part(result, all, left, all) =
        part(o.mask_v, all, left, all) * (part(a, all, right, all) - part(a, all, left, all)) / along_y(o.dyu, left);
    return result;
}
inline Field gradient_z(const Ocean& o, const Field& a) {
    Field result = xa::zeros<double>(a.shape());
    const Window left{0, -1}, right{1, 0}, all{0, 0};
    part(result, all, all, left) =
        part(o.mask_w, all, all, left) * (part(a, all, all, right) - part(a, all, all, left)) / along_z(o.dzw, left);
    return result;
}

/// How density changes with temperature and salinity, linear in the temperature and the depth.
inline Field density_by_temperature(const Ocean& o) {
    constexpr double kDensity = 1024.0, kThermal = 1.67e-4, kCabbeling = 1e-5, kPressure = 1.1e-8 * 9.81 * 1024.0;
    const Line depth = xa::abs(o.z);
    return o.mask_t * (-kDensity * (kCabbeling * (o.temperature - 9.85) + kThermal * (1.0 + kPressure * depth)));
}
inline Field density_by_salinity(const Ocean& o) {
    constexpr double kDensity = 1024.0, kHaline = 0.78e-3;
    return o.mask_t * (kHaline * kDensity);
}

/// 1 for gentle slopes, 0 for steep ones.
template <class A>
Field tapered(const A& slope) {
    constexpr double kSteepest = 1e-3, kWidth = 1e-3;
    return 0.5 * (1.0 + xa::tanh((kSteepest - xa::abs(slope)) / kWidth));
}

inline constexpr double kTiny = 1e-20, kLeastDiffusion = 50.0;

/// A slope from the density's change along the surface and down.
template <class A, class B>
Field slope_of(const A& across, const B& down) {
    return -across / (xa::minimum(0.0, down) - kTiny);
}

/// East faces (along_first) or north faces: the slopes of the four triads, and the diffusion.
inline void side_faces(const Ocean& o, const Gradients& d, const Field& by_t, const Field& by_s, bool east, Field& k,
                       Triads& triads) {
    const Window x{east ? 1 : 2, -2}, y{east ? 2 : 1, -2}, all{0, 0};
    const Window x1{2, east ? -1 : -2}, y1{2, east ? -2 : -1};  // one cell on
    const Field &t = east ? d.tx : d.ty, &s = east ? d.sx : d.sy, &mask = east ? o.mask_u : o.mask_v;

    Field local = xa::zeros<double>(o.diffusivity.shape());
    const Field& in = o.diffusivity;
    part(local, x, y, {1, 0}) = 0.25 * (part(in, x, y, {1, 0}) + part(in, x, y, {0, -1}) + part(in, x1, y1, {1, 0}) +
                                        part(in, x1, y1, {0, -1}));
    part(local, x, y, {0, 1}) = 0.5 * (part(in, x, y, {0, 1}) + part(in, x1, y1, {0, 1}));

    Field sum = xa::zeros<double>(o.diffusivity.shape());
    for (std::ptrdiff_t above = 0; above < 2; ++above) {
        const Window z{1 - above, 0}, upper{0, above - 1};
        for (std::ptrdiff_t next = 0; next < 2; ++next) {
            const Window xn = next == 1 ? x1 : x, yn = next == 1 ? y1 : y;
            const Field across = part(by_t, xn, yn, z) * part(t, x, y, z) + part(by_s, xn, yn, z) * part(s, x, y, z);
            const Field down =
                part(by_t, xn, yn, z) * part(d.tz, xn, yn, upper) + part(by_s, xn, yn, z) * part(d.sz, xn, yn, upper);
            const Field slope = slope_of(across, down);
            const Field taper = tapered(slope);
            part(sum, x, y, z) += along_z(o.dzw, upper) * part(mask, x, y, z) *
                                  xa::maximum(kLeastDiffusion, part(local, x, y, z) * taper);
            const auto& shape = triads.shape();
            xa::view(triads, slice(x, shape[0]), slice(y, shape[1]), slice(z, shape[2]), next, above) =
                taper * slope * part(mask, x, y, z);
        }
    }
    part(k, x, y, all) = part(sum, x, y, all) / (4.0 * along_z(o.dzt, all));
}

/// Top faces: the slopes of eight triads, and the diffusion.
inline void top_faces(const Ocean& o, const Gradients& d, const Field& by_t, const Field& by_s, Mixing& m) {
    const Window x{2, -2}, y{2, -2}, z{0, -1};
    Field sum_x = xa::zeros<double>(o.diffusivity.shape());
    Field sum_y = xa::zeros<double>(o.diffusivity.shape());
    const auto& shape = m.bx.shape();
    for (std::ptrdiff_t below = 0; below < 2; ++below) {
        const Window zk{below, below - 1};
        const Field down = part(by_t, x, y, zk) * part(d.tz, x, y, z) + part(by_s, x, y, zk) * part(d.sz, x, y, z);
        for (std::ptrdiff_t next = 0; next < 2; ++next) {
            const Window xn{1 + next, next - 3};
            const Field across =
                part(by_t, x, y, zk) * part(d.tx, xn, y, zk) + part(by_s, x, y, zk) * part(d.sx, xn, y, zk);
            const Field slope = slope_of(across, down);
            const Field taper = tapered(slope);
            part(sum_x, x, y, z) +=
                along_x(o.dxu, xn) * part(o.diffusivity, x, y, z) * taper * slope * slope * part(o.mask_w, x, y, z);
            xa::view(m.bx, slice(x, shape[0]), slice(y, shape[1]), slice(z, shape[2]), next, below) =
                taper * slope * part(o.mask_w, x, y, z);
        }
        for (std::ptrdiff_t next = 0; next < 2; ++next) {
            const Window yn{1 + next, next - 3};
            const Field across =
                part(by_t, x, y, zk) * part(d.ty, x, yn, zk) + part(by_s, x, y, zk) * part(d.sy, x, yn, zk);
            const Field slope = slope_of(across, down);
            const Field taper = tapered(slope);
            part(sum_y, x, y, z) += along_y(o.cos_u, yn) * along_y(o.dyu, yn) * part(o.diffusivity, x, y, z) * taper *
                                    slope * slope * part(o.mask_w, x, y, z);
            xa::view(m.by, slice(x, shape[0]), slice(y, shape[1]), slice(z, shape[2]), next, below) =
                taper * slope * part(o.mask_w, x, y, z);
        }
    }
    part(m.k33, x, y, z) = part(sum_x, x, y, z) / (4.0 * along_x(o.dxt, x)) +
                           part(sum_y, x, y, z) / (4.0 * along_y(o.dyt, y) * along_y(o.cos_t, y));
    const auto bottom = static_cast<std::ptrdiff_t>(m.k33.shape()[2]) - 1;
    part(m.k33, x, y, {bottom, 0}) = 0.0;
}

inline void mix(const Ocean& o, Mixing& m) {
    const Field by_t = density_by_temperature(o), by_s = density_by_salinity(o);
    const Gradients d{gradient_x(o, o.temperature), gradient_y(o, o.temperature), gradient_z(o, o.temperature),
                      gradient_x(o, o.salt),        gradient_y(o, o.salt),        gradient_z(o, o.salt)};
    side_faces(o, d, by_t, by_s, true, m.k11, m.ez);
    side_faces(o, d, by_t, by_s, false, m.k22, m.nz);
    top_faces(o, d, by_t, by_s, m);
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
        share(Ocean{mask(41), mask(42), mask(43), mask(44), line(0, 0.5, 1.5, 45), line(0, 0.5, 1.5, 46),
                    line(1, 0.5, 1.5, 47), line(1, 0.5, 1.5, 48), line(2, 0.5, 1.5, 49), line(2, 0.5, 1.5, 50),
                    line(1, 0.2, 1.0, 51), line(1, 0.2, 1.0, 52), line(2, -1.0, 0.0, 53), field(-1.0, 1.0, 54),
                    field(-1.0, 1.0, 55), field(0.0, 100.0, 56)});
    const std::array<std::size_t, 5> triads = {shape[0], shape[1], shape[2], 2, 2};
    const auto start = [=] {
        const auto none = [=] { return array_of<Triads>(std::vector<double>(count * 4), triads); };
        return Mixing{field(0.0, 1.0, 57), field(0.0, 1.0, 58), field(0.0, 1.0, 59), none(), none(), none(), none()};
    };
    const auto mixing = share(start());
    Job job;
    job.run = [=] {
        mix(*ocean, *mixing);
        keep(mixing->k33(0, 0, 0));
    };
    job.result = [=] {
        Mixing fresh = start();
        mix(*ocean, fresh);
        Values values = sampled(fresh.k11);
        for (const Field* k : {&fresh.k22, &fresh.k33}) {
            const Values more = sampled(*k);
            values.values.insert(values.values.end(), more.values.begin(), more.values.end());
        }
        return values;
    };
    return job;
}

inline void add(Cases& cases) { cases["b03"] = make; }

}  // namespace xlazy_bench::b03
