// SPDX-License-Identifier: BSD-3-Clause
// Shrinking views, outer products by broadcasting, all pairs.
#include "program.hpp"

#include <xtensor/xsort.hpp>

using programs::Cube;
using programs::Matrix;
using programs::Vector;
using xt::all;
using xt::newaxis;
using xt::range;
using xt::view;

namespace {

Matrix dominant(std::size_t size) {
    Matrix a = programs::scattered<Matrix>({size, size}, 8);
    a += static_cast<double>(size) * xt::eye<double>(size);
    return a;
}

}  // namespace

PROGRAM(gauss) {
    Matrix a = dominant(size);
    for (std::size_t c = 1; c < size; ++c) {
        const Vector factor = view(a, range(c, size), c - 1) / a(c - 1, c - 1);
        const Vector row = view(a, c - 1, range(c - 1, size));
        view(a, range(c, size), range(c - 1, size)) -= view(factor, all(), newaxis()) * view(row, newaxis(), all());
    }
    return {xt::sum(a)(), a(size - 1, size - 1), a(size / 2, size - 1)};
}

PROGRAM(lu) {
    Matrix u = dominant(size), l = xt::eye<double>(size);
    for (std::size_t c = 1; c < size; ++c) {
        view(l, range(c, size), c - 1) = view(u, range(c, size), c - 1) / u(c - 1, c - 1);
        const Vector factor = view(l, range(c, size), c - 1), row = view(u, c - 1, range(c - 1, size));
        view(u, range(c, size), range(c - 1, size)) -= view(factor, all(), newaxis()) * view(row, newaxis(), all());
    }
    return {xt::sum(l)(), xt::sum(u)(), u(size - 1, size - 1), l(size - 1, 0)};
}

PROGRAM(nbody) {
    const double dt = 1e-3, g = 1.0;
    Vector x = programs::scattered<Vector>({size}, 9), y = programs::scattered<Vector>({size}, 10);
    Vector z = programs::scattered<Vector>({size}, 11), m = programs::scattered<Vector>({size}, 12) + 0.1;
    Vector vx = xt::zeros<double>({size}), vy = vx, vz = vx;
    for (std::size_t step = 0; step < steps; ++step) {
        const Matrix dx = view(x, newaxis(), all()) - view(x, all(), newaxis());
        const Matrix dy = view(y, newaxis(), all()) - view(y, all(), newaxis());
        const Matrix dz = view(z, newaxis(), all()) - view(z, all(), newaxis());
        const Matrix r2 = dx * dx + dy * dy + dz * dz + 0.01;
        const Matrix force = g * view(m, newaxis(), all()) / (r2 * xt::sqrt(r2));
        vx += dt * xt::sum(force * dx, {1});
        vy += dt * xt::sum(force * dy, {1});
        vz += dt * xt::sum(force * dz, {1});
        x += dt * vx;
        y += dt * vy;
        z += dt * vz;
    }
    return {xt::sum(x)(), xt::sum(y)(), xt::sum(z)(), xt::sum(xt::square(vx) + xt::square(vy) + xt::square(vz))()};
}

PROGRAM(k_nearest) {
    const Matrix points = programs::scattered<Matrix>({size, 3}, 13);
    double sum = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const Vector target = view(points, step % size, all());
        const Vector distance = xt::sqrt(xt::sum(xt::square(points - target), {1}));
        const Vector sorted = xt::sort(distance);
        sum += xt::sum(view(sorted, range(0, std::min<std::size_t>(size, 10))))();
    }
    return {sum};
}

/// Fluid in a box that is periodic: collisions of nine populations, then each one moves on.
PROGRAM(lattice_boltzmann) {
    const int cx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const double weight[] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
    Cube f = xt::zeros<double>({std::size_t{9}, size, size});
    const Matrix start = 1.0 + 0.01 * programs::scattered<Matrix>({size, size}, 14);
    for (std::size_t i = 0; i < 9; ++i) view(f, i, all(), all()) = weight[i] * start;
    for (std::size_t step = 0; step < steps; ++step) {
        const Matrix rho = xt::sum(f, {0});
        Matrix ux = xt::zeros<double>({size, size}), uy = ux;
        for (std::size_t i = 0; i < 9; ++i) {
            ux += cx[i] * view(f, i, all(), all());
            uy += cy[i] * view(f, i, all(), all());
        }
        ux /= rho;
        uy /= rho;
        const Matrix energy = 1.5 * (ux * ux + uy * uy);
        for (std::size_t i = 0; i < 9; ++i) {
            const Matrix cu = 3.0 * (cx[i] * ux + cy[i] * uy);
            const Matrix equilibrium = weight[i] * rho * (1.0 + cu + 0.5 * cu * cu - energy);
            const Matrix after = view(f, i, all(), all()) + 0.6 * (equilibrium - view(f, i, all(), all()));
            const std::size_t sx = static_cast<std::size_t>(static_cast<int>(size) + cx[i]) % size;
            const std::size_t sy = static_cast<std::size_t>(static_cast<int>(size) + cy[i]) % size;
            const std::size_t rx = size - sx, ry = size - sy;
            view(f, i, range(sx, size), range(sy, size)) = view(after, range(0, rx), range(0, ry));
            if (sx != 0) view(f, i, range(0, sx), range(sy, size)) = view(after, range(rx, size), range(0, ry));
            if (sy != 0) view(f, i, range(sx, size), range(0, sy)) = view(after, range(0, rx), range(ry, size));
            if (sx != 0 && sy != 0)
                view(f, i, range(0, sx), range(0, sy)) = view(after, range(rx, size), range(ry, size));
        }
    }
    const Matrix rho = xt::sum(f, {0});
    return {xt::sum(rho)(), xt::amax(rho)(), f(5, size / 2, size / 3)};
}
