// SPDX-License-Identifier: BSD-3-Clause
// Order and overlap: in-place updates, windows that overlap, several names of one array, values held and used later.
#include "program.hpp"

#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xview.hpp>

using programs::Numbers;
using programs::sample;
using xt::placeholders::_;

PROGRAM(aliasing, shifted_windows) {
    xt::xarray<double> x = xt::arange<double>(8.0);
    xt::view(x, xt::range(2, 6)) = xt::view(x, xt::range(1, 5)) + 1.0;
    out("forward", x);
    xt::view(x, xt::range(1, 5)) = xt::view(x, xt::range(2, 6)) * 2.0;
    out("backward", x);
    xt::view(x, xt::range(0, 8)) = xt::view(x, xt::range(_, _, -1));
    out("reversed onto itself", x);
    xt::view(x, xt::range(0, 8, 2)) = xt::view(x, xt::range(1, 8, 2));
    out("interleaved", x);
    xt::view(x, xt::range(1, 7)) += xt::view(x, xt::range(0, 6)) + xt::view(x, xt::range(2, 8));
    out("three points", x);
}

PROGRAM(aliasing, disjoint_columns) {
    xt::xarray<double> b = sample<double>({6, 6}, 1);
    xt::view(b, xt::range(3, 5), xt::range(0, 2)) = xt::view(b, xt::range(3, 5), xt::range(2, 4));
    out("disjoint", b);
    xt::view(b, xt::range(3, 5), xt::range(0, 3)) = xt::view(b, xt::range(3, 5), xt::range(2, 5));
    out("overlapping", b);
    xt::view(b, xt::range(1, 5), xt::range(1, 5)) = xt::view(b, xt::range(0, 4), xt::range(2, 6)) * 0.5;
    out("two-dimensional", b);
}

PROGRAM(aliasing, divided_by_its_own_row) {
    xt::xarray<double> a = {{2, 4}, {6, 8}, {1, 1}};
    a /= xt::view(a, 0, xt::all());
    out("by the first row", a);
    xt::xarray<double> b = {{2, 4}, {6, 8}, {1, 1}};
    b = b / xt::view(b, 2, xt::all()) - xt::view(b, xt::all(), xt::range(0, 1));
    out("by the last row", b);
    xt::xarray<double> c = {{2, 4}, {6, 8}};
    xt::view(c, xt::all(), 0) -= xt::view(c, 0, xt::all());
    out("column minus row", c);
}

PROGRAM(aliasing, operands_equal_to_the_target) {
    xt::xarray<double> a = {1, 1};
    const double b = 2;
    a = a + 2.0 * b;
    out("a = a + 2 * b", a);
    xt::xarray<double> x = {1.0};
    x = x - x * 0.001;
    out("x = x - x * 0.001", x);
    xt::xarray<double> y = a;
    y = a * 100.0 + a - y;
    out("y", y);
    a = a + a;
    a = a * a - a;
    a += a;
    a -= a * 0.5;
    out("a", a);
    const auto& itself = a;
    a = itself;
    out("a = a", a);
    xt::noalias(a) = a * 3.0;
    out("noalias elementwise", a);
}

PROGRAM(aliasing, reader_before_a_write_through_another_name) {
    xt::xarray<double> x = {1, 2, 3};
    auto v = xt::view(x, xt::all());
    xt::xarray<double> y = v * 2.0;
    x(0) = 100.0;
    xt::xarray<double> z = v * 2.0;
    xt::view(x, 1) = 50.0;
    xt::xarray<double> w = v + 0.0;
    v = 7.0;
    out("y", y);
    out("z", z);
    out("w", w);
    out("x", x);
}

PROGRAM(aliasing, two_windows_of_one_base) {
    xt::xarray<double> base = sample<double>({4}, 2);
    xt::xarray<double> u = base, v = base;
    xt::view(u, xt::range(1, 3)) = xt::xarray<double>{10.0, 20.0};
    xt::view(v, xt::range(1, 3)) = xt::xarray<double>{30.0, 40.0};
    out("u", u);
    out("v", v);
    out("base", base);
}

PROGRAM(aliasing, copies_are_independent) {
    xt::xarray<double> a = sample<double>({5}, 3);
    xt::xarray<double> b = a, c;
    c = a;
    a += 1.0;
    b *= 2.0;
    xt::xarray<double> d = c;
    c(0) = -1.0;
    xt::xtensor<double, 1> e = d;
    xt::view(d, 2) = 8.0;
    std::swap(a, b);
    a = a + b;
    out("a", a);
    out("b", b);
    out("c", c);
    out("d", d);
    out("e", e);
}

PROGRAM(aliasing, element_writes_between_statements) {
    xt::xarray<double> a = sample<double>({4}, 4);
    xt::xarray<double> b = a + 1.0;
    a(0) = 9.0;
    xt::xarray<double> c = a + 1.0;
    *a.begin() = 10.0;
    xt::xarray<double> d = a + 1.0;
    for (double& value : a) value = -value;
    b = b + a;
    a[{2}] = 0.25;
    c += a;
    out("a", a);
    out("b", b);
    out("c", c);
    out("d", d);
}

PROGRAM(aliasing, expressions_see_later_assignments) {
    xt::xarray<double> a = {1, 2}, b = {10, 20};
    auto e = a + b;
    xt::xarray<double> first = e;
    a = xt::xarray<double>{3, 4};
    xt::xarray<double> second = e;
    b *= 2.0;
    a(0) = 100.0;
    xt::xarray<double> third = e;
    xt::xarray<double> twice = e * e;
    out("first", first);
    out("second", second);
    out("third", third);
    out("twice", twice);
    out("read", e(1));
}

PROGRAM(aliasing, five_point_stencil) {
    xt::xtensor<double, 2> z = sample<double>({12, 15}, 5);
    auto centre = xt::view(z, xt::range(1, -1), xt::range(1, -1));
    auto north = xt::view(z, xt::range(_, -2), xt::range(1, -1));
    auto south = xt::view(z, xt::range(2, _), xt::range(1, -1));
    auto west = xt::view(z, xt::range(1, -1), xt::range(_, -2));
    auto east = xt::view(z, xt::range(1, -1), xt::range(2, _));
    for (int step = 0; step < 10; ++step) {
        const xt::xtensor<double, 2> laplacian = north + south + west + east - 4.0 * centre;
        centre += 0.125 * laplacian;
    }
    for (int step = 0; step < 5; ++step) {
        centre = 0.25 * (north + south + west + east);
        xt::view(z, 0) = xt::view(z, -2);
    }
    out("z", z);
}

PROGRAM(aliasing, two_buffers_with_views_kept) {
    xt::xtensor<double, 1> now = sample<double>({20}, 21), next = now;
    auto left = xt::view(now, xt::range(_, -2)), right = xt::view(now, xt::range(2, _));
    auto middle = xt::view(next, xt::range(1, -1));
    for (int step = 0; step < 7; ++step) {
        middle = 0.5 * (left + right);
        std::swap(now, next);
    }
    out("now", now);
    out("next", next);
}

PROGRAM(aliasing, prefix_sums_by_doubling) {
    xt::xtensor<double, 1> x = sample<double>({64}, 6);
    for (int step = 1; step < 64; step *= 2) {
        xt::view(x, xt::range(step, _)) += xt::view(x, xt::range(_, -step));
    }
    out("x", x);
}

PROGRAM(aliasing, masked_columns_in_a_loop) {
    xt::xtensor<double, 2> field = sample<double>({30, 60}, 7);
    xt::xtensor<double, 2> result = xt::zeros<double>({2, 60});
    for (std::size_t k = 0; k < 60; ++k) {
        xt::xtensor<bool, 1> mask = xt::view(field, xt::all(), k) > double(k) / 16.0 - 2.0;
        result(0, k) = xt::sum(xt::where(mask, xt::view(field, xt::all(), k), 0.0))();
        xt::view(result, 1, k) = xt::sum(xt::cast<double>(mask));
    }
    out("result", result);
}

FALLBACK_PROGRAM(aliasing, transposed_onto_itself) {
    xt::xarray<double> x = {{1, 2}, {3, 4}};
    x += xt::transpose(x);
    out("x += x'", x);
    x = xt::transpose(x) - x * 0.5;
    out("x = x' - x / 2", x);
    xt::xarray<double> y = sample<double>({4, 4}, 8);
    y = xt::flip(y, 0) + y;
    out("flip", y);
    y = xt::roll(y, 1);
    out("roll", y);
}

namespace {

/// Random statements on a few arrays of one shape, through windows that often overlap.
void walk(programs::Out& out, std::uint64_t seed, int steps) {
    Numbers numbers(seed);
    constexpr int kArrays = 4;
    const int rows = 9, columns = 11;
    std::vector<xt::xtensor<double, 2>> arrays;
    for (int i = 0; i < kArrays; ++i) {
        arrays.push_back(sample<double>({std::size_t(rows), std::size_t(columns)}, seed * 10 + std::uint64_t(i)));
    }
    const auto any = [&]() -> xt::xtensor<double, 2>& { return arrays[numbers.below(kArrays)]; };
    for (int step = 0; step < steps; ++step) {
        auto &a = any(), &b = any(), &c = any();
        const int height = 1 + int(numbers.below(5)), width = 1 + int(numbers.below(6));
        const auto from = [&](int extent, int length) { return int(numbers.below(std::size_t(extent - length + 1))); };
        const int r1 = from(rows, height), r2 = from(rows, height), r3 = from(rows, height);
        const int c1 = from(columns, width), c2 = from(columns, width), c3 = from(columns, width);
        auto target = xt::view(a, xt::range(r1, r1 + height), xt::range(c1, c1 + width));
        auto source = xt::view(b, xt::range(r2, r2 + height), xt::range(c2, c2 + width));
        auto other = xt::view(c, xt::range(r3, r3 + height), xt::range(c3, c3 + width));
        switch (numbers.below(16)) {
            case 0: a = b * 0.5 + c * 0.25; break;
            case 1: a = xt::where(b > c, b, a); break;
            case 2: a += b * 0.125; break;
            case 3: target = source; break;
            case 4: target = source * 0.5 + other; break;
            case 5: target += other * 0.5; break;
            case 6: target = 0.5 * (target + source) - other * 0.125; break;
            case 7:
                target = xt::view(b, xt::range(r2 + height - 1, r2 == 0 ? -rows - 1 : r2 - 1, -1),
                                  xt::range(c2, c2 + width));
                break;
            case 8: xt::view(a, r1) = xt::view(b, r2); break;
            case 9: xt::view(a, xt::all(), c1) = xt::view(b, xt::all(), c2) - xt::view(c, xt::all(), c3); break;
            case 10: xt::view(a, xt::all(), xt::range(c1, c1 + 1)) = xt::amax(b, {1}, xt::keep_dims); break;
            case 11: xt::view(a, r1) += xt::sum(b, {0}) * 0.0625; break;
            case 12: a(std::size_t(r1), std::size_t(c1)) = b(std::size_t(r2), std::size_t(c2)) * 0.5; break;
            case 13: std::swap(a, b); break;
            case 14: {
                auto copy = b;
                b = c;
                c = copy * 0.5;
                break;
            }
            default: a = xt::minimum(xt::maximum(a, -20.0), 20.0); break;
        }
    }
    for (int i = 0; i < kArrays; ++i) out("array", arrays[std::size_t(i)]);
}

}  // namespace

PROGRAM(aliasing, random_walk_1) { walk(out, 1, 200); }
PROGRAM(aliasing, random_walk_2) { walk(out, 2, 200); }
PROGRAM(aliasing, random_walks) {
    for (std::uint64_t seed = 3; seed < 60; ++seed) walk(out, seed, 60);
}
