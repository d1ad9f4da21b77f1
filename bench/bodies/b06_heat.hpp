// SPDX-License-Identifier: BSD-3-Clause
// One step of Jacobi's iteration for the heat equation: the mean of five points into the inner grid, and how much that
// changed. After Bohrium's benchpress.
#pragma once

#include "bodies/body.hpp"

namespace xlazy_bench::b06 {

using Grid = xa::xtensor<double, 2>;

/// The change is not looked at yet: when it is, nobody can ask for the work array any more.
inline xa::xtensor<double, 0> sweep(Grid& grid) {
    using namespace xa::placeholders;
    auto centre = xa::view(grid, xa::range(1, -1), xa::range(1, -1));
    auto north = xa::view(grid, xa::range(_, -2), xa::range(1, -1));
    auto south = xa::view(grid, xa::range(2, _), xa::range(1, -1));
    auto west = xa::view(grid, xa::range(1, -1), xa::range(_, -2));
    auto east = xa::view(grid, xa::range(1, -1), xa::range(2, _));
    const Grid work = 0.2 * (centre + north + south + west + east);
    const xa::xtensor<double, 0> change = xa::sum(xa::abs(work - centre));
    centre = work;
    return change;
}

inline double step(Grid& grid) { return sweep(grid)(); }

inline Job make(const Sizes& sizes) {
    const std::size_t side = sizes.at(0);
    const auto initial = [=] {
        std::vector<double> values = spread<double>(side * side, 0.0, 1.0, 6);
        std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(side), 100.0);
        return array_of<Grid>(values, std::array{side, side});
    };
    const auto grid = share(initial());
    Job job;
    job.run = [=] { keep(step(*grid)); };
    job.result = [=] {
        Grid start = initial();
        const double first = step(start);
        const double second = step(start);
        Values values = sampled(start);
        values.values.push_back(first);
        values.values.push_back(second);
        return values;
    };
    return job;
}

inline void add(Cases& cases) { cases["b06"] = make; }

}  // namespace xlazy_bench::b06
