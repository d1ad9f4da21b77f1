// SPDX-License-Identifier: BSD-3-Clause
// Views of one array beside each other.
#include "program.hpp"

using programs::Cube;
using programs::Matrix;
using xt::all;
using xt::range;
using xt::view;
using xt::placeholders::_;

namespace {

Matrix hot_edges(std::size_t size) {
    Matrix grid = xt::zeros<double>({size + 2, size + 2});
    view(grid, all(), 0) = -273.15;
    view(grid, all(), size + 1) = -273.15;
    view(grid, 0, all()) = 40.0;
    view(grid, size + 1, all()) = -273.15;
    return grid;
}

std::vector<double> summary(const Matrix& a) {
    return {xt::sum(a)(), xt::amin(a)(), xt::amax(a)(), a(a.shape()[0] / 2, a.shape()[1] / 3)};
}

}  // namespace

PROGRAM(heat_2d) {
    Matrix grid = hot_edges(size);
    auto centre = view(grid, range(1, -1), range(1, -1));
    auto north = view(grid, range(0, -2), range(1, -1)), south = view(grid, range(2, _), range(1, -1));
    auto west = view(grid, range(1, -1), range(0, -2)), east = view(grid, range(1, -1), range(2, _));
    double change = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const Matrix work = 0.2 * (centre + north + south + east + west);
        change = xt::sum(xt::abs(work - centre))();
        centre = work;
        if (change < 1e-3) break;
    }
    auto values = summary(grid);
    values.push_back(change);
    return values;
}

PROGRAM(jacobi_stencil) {
    Matrix grid = hot_edges(size), next = grid;
    for (std::size_t step = 0; step < steps; ++step) {
        xt::noalias(view(next, range(1, -1), range(1, -1))) =
            0.25 * (view(grid, range(0, -2), range(1, -1)) + view(grid, range(2, _), range(1, -1)) +
                    view(grid, range(1, -1), range(0, -2)) + view(grid, range(1, -1), range(2, _)));
        std::swap(grid, next);
    }
    return summary(grid);
}

PROGRAM(heat_3d) {
    Cube grid = programs::scattered<Cube>({size, size, size}, 5);
    auto inner = range(1, size - 1), before = range(0, size - 2), behind = range(2, size);
    for (std::size_t step = 0; step < steps; ++step) {
        auto centre = view(grid, inner, inner, inner);
        const Cube work =
            centre + 0.1 * (view(grid, before, inner, inner) + view(grid, behind, inner, inner) +
                            view(grid, inner, before, inner) + view(grid, inner, behind, inner) +
                            view(grid, inner, inner, before) + view(grid, inner, inner, behind) - 6.0 * centre);
        centre = work;
    }
    return {xt::sum(grid)(), xt::amin(grid)(), grid(size / 2, size / 3, size / 4)};
}

PROGRAM(shallow_water) {
    const double dt = 0.02, dx = 1.0, g = 9.8;
    Matrix h = xt::ones<double>({size + 2, size + 2}), u = xt::zeros<double>({size + 2, size + 2});
    Matrix v = u;
    view(h, range(size / 4, size / 2), range(size / 4, size / 2)) += 0.5;
    auto in = range(1, size + 1), before = range(0, size), behind = range(2, size + 2);
    for (std::size_t step = 0; step < steps; ++step) {
        view(h, all(), 0) = view(h, all(), 1), view(h, all(), size + 1) = view(h, all(), size);
        view(h, 0, all()) = view(h, 1, all()), view(h, size + 1, all()) = view(h, size, all());
        view(u, 0, all()) = -view(u, 1, all()), view(u, size + 1, all()) = -view(u, size, all());
        view(v, all(), 0) = -view(v, all(), 1), view(v, all(), size + 1) = -view(v, all(), size);
        const Matrix flux = xt::square(u) / h + 0.5 * g * xt::square(h), cross = u * v / h;
        const Matrix other = xt::square(v) / h + 0.5 * g * xt::square(h);
        const Matrix dh =
            (view(u, behind, in) - view(u, before, in) + view(v, in, behind) - view(v, in, before)) / (2 * dx);
        const Matrix du =
            (view(flux, behind, in) - view(flux, before, in) + view(cross, in, behind) - view(cross, in, before)) /
            (2 * dx);
        const Matrix dv =
            (view(cross, behind, in) - view(cross, before, in) + view(other, in, behind) - view(other, in, before)) /
            (2 * dx);
        view(h, in, in) -= dt * dh;
        view(u, in, in) -= dt * du;
        view(v, in, in) -= dt * dv;
    }
    auto values = summary(h);
    values.push_back(xt::sum(xt::abs(u))());
    values.push_back(xt::sum(xt::abs(v))());
    return values;
}

PROGRAM(game_of_life) {
    using Cells = xt::xtensor<int, 2>;
    Cells grid = xt::zeros<int>({size + 2, size + 2});
    view(grid, range(1, -1), range(1, -1)) = xt::cast<int>(programs::scattered<Matrix>({size, size}, 6) < 0.3);
    auto in = range(1, size + 1), before = range(0, size), behind = range(2, size + 2);
    for (std::size_t step = 0; step < steps; ++step) {
        auto cells = view(grid, in, in);
        const Cells count = view(grid, before, before) + view(grid, before, in) + view(grid, before, behind) +
                            view(grid, in, before) + view(grid, in, behind) + view(grid, behind, before) +
                            view(grid, behind, in) + view(grid, behind, behind);
        const Cells next = xt::cast<int>(xt::equal(count, 3) || (xt::equal(count, 2) && xt::equal(cells, 1)));
        cells = next;
    }
    const Matrix numbers = grid;
    return {xt::sum(numbers)(), numbers(size / 2, size / 2), xt::sum(numbers * xt::arange<double>(size + 2.0))()};
}

/// 0: empty, 1: head of an electron, 2: its tail, 3: wire.
PROGRAM(wireworld) {
    using Cells = xt::xtensor<int, 2>;
    Cells grid = xt::zeros<int>({size + 2, size + 2});
    view(grid, range(1, -1), range(1, -1)) = xt::cast<int>(programs::scattered<Matrix>({size, size}, 7) * 2.5 + 1.5);
    auto in = range(1, size + 1), before = range(0, size), behind = range(2, size + 2);
    for (std::size_t step = 0; step < steps; ++step) {
        const Cells heads = xt::cast<int>(xt::equal(grid, 1));
        const Cells count = view(heads, before, before) + view(heads, before, in) + view(heads, before, behind) +
                            view(heads, in, before) + view(heads, in, behind) + view(heads, behind, before) +
                            view(heads, behind, in) + view(heads, behind, behind);
        auto cells = view(grid, in, in);
        const Cells wire = xt::where(xt::equal(count, 1) || xt::equal(count, 2), 1, 3);
        const Cells next = xt::where(xt::equal(cells, 1), 2,
                                     xt::where(xt::equal(cells, 2), 3, xt::where(xt::equal(cells, 3), wire, cells)));
        cells = next;
    }
    const Matrix numbers = grid;
    return {xt::sum(numbers)(), numbers(size / 3, size / 2), xt::sum(numbers * xt::arange<double>(size + 2.0))()};
}

PROGRAM(mandelbrot) {
    const auto n = static_cast<double>(size);
    const Matrix re =
        xt::view(xt::arange<double>(n), xt::newaxis(), all()) * (3.0 / n) - 2.0 + xt::zeros<double>({size, size});
    const Matrix im =
        xt::view(xt::arange<double>(n), all(), xt::newaxis()) * (2.0 / n) - 1.0 + xt::zeros<double>({size, size});
    Matrix x = re, y = im, count = xt::zeros<double>({size, size});
    for (std::size_t step = 0; step < steps; ++step) {
        const Matrix inside = xt::cast<double>(x * x + y * y <= 4.0);
        const Matrix next = x * x - y * y + re;
        y = xt::where(inside > 0.0, 2.0 * x * y + im, y);
        x = xt::where(inside > 0.0, next, x);
        count += inside;
    }
    return {xt::sum(count)(), count(size / 2, size / 2), count(size / 3, size / 4)};
}
