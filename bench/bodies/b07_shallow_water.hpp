// SPDX-License-Identifier: BSD-3-Clause
// Shallow water in a square basin: one step of Lax and Wendroff's scheme for height and momenta, with walls that
// reflect. After C. Moler, Experiments with MATLAB, chapter 18; benchpress has it as well.
#pragma once

#include "bodies/body.hpp"

namespace xlazy_bench::b07 {

using Grid = xa::xtensor<double, 2>;

/// Height and the two momenta, with a rim of one cell: (n + 2, n + 2).
struct Water {
    Grid h, u, v;
};

inline constexpr double kGravity = 9.8, kTime = 0.02;  // of a step, in cells of extent 1

/// The rim mirrors what is next to it; momentum towards a wall changes its sign.
inline void reflect(Water& w) {
    using xa::all;
    using xa::view;
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(w.h.shape()[0]) - 1;
    view(w.h, all(), 0) = view(w.h, all(), 1);
    view(w.u, all(), 0) = view(w.u, all(), 1);
    view(w.v, all(), 0) = -view(w.v, all(), 1);
    view(w.h, all(), last) = view(w.h, all(), last - 1);
    view(w.u, all(), last) = view(w.u, all(), last - 1);
    view(w.v, all(), last) = -view(w.v, all(), last - 1);
    view(w.h, 0, all()) = view(w.h, 1, all());
    view(w.u, 0, all()) = -view(w.u, 1, all());
    view(w.v, 0, all()) = view(w.v, 1, all());
    view(w.h, last, all()) = view(w.h, last - 1, all());
    view(w.u, last, all()) = -view(w.u, last - 1, all());
    view(w.v, last, all()) = view(w.v, last - 1, all());
}

/// Half a step along the first axis, at the edges between rows.
inline Water half_step_x(const Water& w) {
    using namespace xa::placeholders;
    const auto up = [](const Grid& a) { return xa::view(a, xa::range(1, _), xa::range(1, -1)); };
    const auto down = [](const Grid& a) { return xa::view(a, xa::range(_, -1), xa::range(1, -1)); };
    const auto pressure = [](const auto& h) { return 0.5 * kGravity * h * h; };
    const Grid h = 0.5 * (up(w.h) + down(w.h)) - 0.5 * kTime * (up(w.u) - down(w.u));
    const Grid u = 0.5 * (up(w.u) + down(w.u)) - 0.5 * kTime *
                                                     (up(w.u) * up(w.u) / up(w.h) + pressure(up(w.h)) -
                                                      down(w.u) * down(w.u) / down(w.h) - pressure(down(w.h)));
    const Grid v =
        0.5 * (up(w.v) + down(w.v)) - 0.5 * kTime * (up(w.u) * up(w.v) / up(w.h) - down(w.u) * down(w.v) / down(w.h));
    return {h, u, v};
}

/// The same along the second axis.
inline Water half_step_y(const Water& w) {
    using namespace xa::placeholders;
    const auto up = [](const Grid& a) { return xa::view(a, xa::range(1, -1), xa::range(1, _)); };
    const auto down = [](const Grid& a) { return xa::view(a, xa::range(1, -1), xa::range(_, -1)); };
    const auto pressure = [](const auto& h) { return 0.5 * kGravity * h * h; };
    const Grid h = 0.5 * (up(w.h) + down(w.h)) - 0.5 * kTime * (up(w.v) - down(w.v));
    const Grid u =
        0.5 * (up(w.u) + down(w.u)) - 0.5 * kTime * (up(w.v) * up(w.u) / up(w.h) - down(w.v) * down(w.u) / down(w.h));
    const Grid v = 0.5 * (up(w.v) + down(w.v)) - 0.5 * kTime *
                                                     (up(w.v) * up(w.v) / up(w.h) + pressure(up(w.h)) -
                                                      down(w.v) * down(w.v) / down(w.h) - pressure(down(w.h)));
    return {h, u, v};
}

inline void step(Water& w) {
    using namespace xa::placeholders;
    reflect(w);
    const Water x = half_step_x(w), y = half_step_y(w);
    const auto south = [](const Grid& a) { return xa::view(a, xa::range(1, _), xa::all()); };
    const auto north = [](const Grid& a) { return xa::view(a, xa::range(_, -1), xa::all()); };
    const auto east = [](const Grid& a) { return xa::view(a, xa::all(), xa::range(1, _)); };
    const auto west = [](const Grid& a) { return xa::view(a, xa::all(), xa::range(_, -1)); };
    const auto pressure = [](const auto& h) { return 0.5 * kGravity * h * h; };
    const auto inner = [](Grid& a) { return xa::view(a, xa::range(1, -1), xa::range(1, -1)); };
    inner(w.h) -= kTime * (south(x.u) - north(x.u) + east(y.v) - west(y.v));
    inner(w.u) -=
        kTime * (south(x.u) * south(x.u) / south(x.h) + pressure(south(x.h)) - north(x.u) * north(x.u) / north(x.h) -
                 pressure(north(x.h)) + east(y.v) * east(y.u) / east(y.h) - west(y.v) * west(y.u) / west(y.h));
    inner(w.v) -= kTime * (south(x.u) * south(x.v) / south(x.h) - north(x.u) * north(x.v) / north(x.h) +
                           east(y.v) * east(y.v) / east(y.h) + pressure(east(y.h)) - west(y.v) * west(y.v) / west(y.h) -
                           pressure(west(y.h)));
}

}  // namespace xlazy_bench::b07
