// SPDX-License-Identifier: BSD-3-Clause
// Every memory layout and extent, as operand and as left side.
#include "program.hpp"

#include <xtensor/xbuilder.hpp>
#include <xtensor/xdynamic_view.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmasked_view.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

using programs::sample;
using xt::placeholders::_;

namespace {

constexpr auto kColumns = xt::layout_type::column_major;
constexpr auto kDynamic = xt::layout_type::dynamic;

}  // namespace

PROGRAM(layouts, column_major) {
    const xt::xarray<double> rows = sample<double>({3, 4}, 1);
    xt::xarray<double, kColumns> a = rows;
    xt::xtensor<double, 2, kColumns> t = rows * 2.0;
    out("converted", a);
    out("mixed", a + rows);
    out("both", a * t - 1.0);
    a = a + t;
    out("onto itself", a);
    a += rows;
    out("rows added", a);
    t = xt::transpose(xt::xarray<double>(xt::transpose(a)));
    out("turned twice", t);
    xt::view(a, 1) = xt::view(rows, 2);
    xt::view(a, xt::all(), 2) *= 3.0;
    xt::view(a, xt::range(_, _, -1), 0) = xt::view(t, xt::all(), 1);
    out("written through views", a);
    xt::noalias(t) = rows - t;
    out("noalias", t);
    out("strides", double(a.strides()[0] * 100 + a.strides()[1]));
    const xt::xarray<float, kColumns> cube = sample<float>({2, 3, 4}, 2);
    out("cube", cube);
    out("plane", xt::view(cube, xt::all(), 1));
    out("sum", xt::sum(cube, {1}));
    out("turned", xt::transpose(cube, {2, 0, 1}));
}

PROGRAM(layouts, dynamic) {
    xt::xarray<int, kDynamic> a = sample<int>({3, 4}, 3);
    xt::xarray<int, kDynamic> b(std::vector<std::size_t>{3, 4}, kColumns);
    b = a * 2;
    out("b", b);
    b += a;
    out("updated", b);
    xt::view(b, xt::range(1, 3), xt::range(0, 2)) = xt::view(a, xt::range(0, 2), xt::range(2, 4));
    out("block", b);
    b = xt::transpose(a);
    out("turned", b);
    b.resize({2, 5}, xt::layout_type::row_major);
    b.fill(4);
    out("resized", b);
    const auto copy = b;
    out("copy", copy);
}

PROGRAM(layouts, extents_of_zero_and_one) {
    const xt::xarray<double> a = sample<double>({3, 4}, 4);
    const xt::xarray<double> none = xt::zeros<double>({0, 4});
    const xt::xarray<double> one = sample<double>({1, 4}, 5);
    const xt::xarray<double> column = sample<double>({3, 1}, 6);
    xt::xarray<double> q = none + 1.0;
    out("empty", q);
    q = none * xt::view(a, 0);
    out("empty rows", q);
    q += 3.0;
    out("still empty", q);
    out("sum of none", xt::sum(none, {0}));
    out("empty slice", xt::view(a, xt::range(1, 1), xt::all()) * 2.0);
    q = one + column;
    out("outer", q);
    out("ones", xt::xarray<double>(xt::view(one, xt::all(), xt::range(0, 1)) * 2.0));
    xt::view(q, xt::range(0, 1), xt::range(1, 2)) = 9.0;
    xt::view(q, xt::range(2, 2)) = 9.0;
    out("one element", q);
    xt::xtensor<int, 3> thin = xt::ones<int>({1, 1, 1});
    thin = thin + xt::xtensor<int, 3>(xt::ones<int>({1, 1, 5}));
    out("grown", thin);
    xt::xarray<double> scalar = 2.5;
    out("rank 0", scalar);
    scalar += 1.0;
    out("rank 0 updated", scalar);
    out("rank 0 in an expression", scalar * a);
    scalar = xt::sum(a);
    out("rank 0 of a sum", scalar);
    xt::xtensor<double, 0> fixed_scalar = 1.5;
    fixed_scalar = fixed_scalar * 2.0;
    out("rank 0 tensor", fixed_scalar);
}

PROGRAM(layouts, many_axes) {
    const std::vector<std::size_t> eight = {2, 1, 2, 1, 2, 1, 2, 2};
    const xt::xarray<int> a = sample<int>(eight, 7);
    const xt::xarray<int> b = sample<int>({2, 1, 2}, 8);
    xt::xarray<int> q = a * 3 - b;
    out("eight axes", q);
    out("turned", xt::transpose(q));
    xt::view(q, 1, 0, xt::range(_, _, -1)) = xt::view(a, 0, 0);
    out("view", q);
    const std::vector<std::size_t> sixteen = {1, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 2};
    const xt::xarray<int> c = sample<int>(sixteen, 9);
    xt::xarray<int> r = c + 1;
    r *= c;
    r = r - xt::transpose(xt::xarray<int>(xt::transpose(c)));
    out("sixteen axes", r);
    xt::strided_view(r, {0, xt::ellipsis(), 1}) = 7;
    out("sixteen axes written", r);
    out("reduced", xt::sum(r, {1, 4}));
}

PROGRAM(layouts, repeated_and_reversed_operands) {
    const xt::xarray<double> row = sample<double>({4}, 10);
    const xt::xarray<double> a = sample<double>({3, 4}, 11);
    const auto wide = xt::broadcast(row, {3, 4});
    out("repeated", wide * 1.0);
    out("repeated and added", wide + a);
    out("view of repeated", xt::view(wide, xt::all(), xt::range(1, 3)) - 1.0);
    out("turned repeated", xt::transpose(wide) + xt::transpose(a));
    out("reversed", xt::flip(a, 0) + xt::flip(a, 1));
    out("reversed twice", xt::flip(xt::flip(a, 0), 0) * 2.0);
    auto back = xt::view(a, xt::range(_, _, -1), xt::range(_, _, -2));
    out("view of reversed", xt::view(back, 1) + xt::view(back, 0));
    out("step of a step", xt::view(xt::view(a, xt::all(), xt::range(3, _, -1)), xt::all(), xt::range(0, 4, 3)) * 1.0);
    xt::xarray<double> q = a;
    xt::flip(q, 1) = a;
    out("into reversed", q);
    xt::flip(q, 0) += a;
    out("added to reversed", q);
    xt::transpose(q) = xt::transpose(a) * 2.0;
    out("into turned", q);
    xt::transpose(xt::view(q, xt::range(0, 2))) = xt::transpose(xt::view(a, xt::range(1, 3)));
    out("into a turned view", q);
    xt::view(xt::transpose(q), 1) = 3.0;
    out("into a row of turned", q);
    xt::view(q, xt::newaxis(), xt::range(0, 2), xt::newaxis()) =
        xt::view(a, xt::newaxis(), xt::range(1, 3), xt::newaxis());
    out("into new axes", q);
    xt::squeeze(xt::view(q, xt::range(2, 3))) = row;
    out("into squeezed", q);
    xt::expand_dims(q, 0) *= 2.0;
    out("into expanded", q);
    xt::ravel(q) += 1.0;
    out("into raveled", q);
    xt::reshape_view(q, {2, 6}) = xt::reshape_view(a, {2, 6}) - 1.0;
    out("into reshaped", q);
}

FALLBACK_PROGRAM(layouts, turned_by_90_degrees) {
    const xt::xarray<double> a = sample<double>({3, 4}, 11);
    xt::xarray<double> q = a;
    xt::rot90(q) -= 1.0;
    out("written", q);
    out("read", xt::rot90<2>(a) * 2.0);
    out("rolled", xt::roll(a, 2, 1) + a);
    out("diagonal", xt::diagonal(a) * 1.0);
}

PROGRAM(layouts, kept_and_dropped) {
    const xt::xarray<int> a = sample<int>({5, 6}, 12);
    const xt::xtensor<int, 2> t = sample<int>({5, 6}, 13);
    out("rows", xt::view(a, xt::keep(4, 0, 1)) * 1);
    out("twice", xt::view(a, xt::keep(2, 2, 2), xt::all()) + 1);
    out("rows and columns", xt::view(a, xt::keep(0, 3), xt::keep(5, 1, 2)) - 1);
    out("from the end", xt::view(a, xt::keep(-1, -5), xt::all()) + 0);
    out("dropped", xt::view(t, xt::drop(1, 3), xt::range(_, _, 2)) * 2);
    out("dropped from the end", xt::view(t, xt::all(), xt::drop(-1)) + 0);
    out("one row of kept", xt::view(t, 2, xt::keep(1, 4)) + 0);
    out("of an expression", xt::view(a + t, xt::keep(3, 1), xt::drop(0)) * 2);
    xt::xarray<int> q = xt::view(a, xt::keep(1, 0));
    out("assigned", q);
    q = a;
    xt::view(q, xt::keep(4, 1, 0), xt::all()) = xt::view(t, xt::range(0, 3), xt::all());
    out("written", q);
    xt::view(q, xt::keep(0, 2), xt::drop(3)) = 7;
    out("filled", q);
    xt::view(q, xt::all(), xt::keep(5, 0)) += xt::view(q, xt::all(), xt::keep(0, 5));
    out("swapped and added", q);
    xt::view(q, xt::keep(1, 3), xt::keep(1, 3)) *= -1;
    out("corners", q);
    xt::view(q, xt::keep(2, 0, 2), xt::range(0, 2)) += 10;
    xt::view(q, xt::all(), xt::keep(4, 4, 4)) -= 1;
    out("picked twice", q);

    xt::view(q, xt::keep(0, 4)) = xt::view(q, xt::keep(4, 0));
    out("rows swapped", q);
    xt::view(q, xt::keep(1, 2)) = xt::view(t, 0);
    out("one row repeated", q);
    xt::xarray<double> d = xt::view(q, xt::drop(0), 1) * 0.5;
    out("converted", d);
    xt::xarray<int, kColumns> columns = a;
    xt::view(columns, xt::keep(3, 0), xt::range(1, 3)) = 2;
    out("column-major", columns);
    std::vector<std::ptrdiff_t> indices = {0, 1, 2, 4};
    out("from a vector", xt::view(a, xt::keep(indices), 0) + 0);
}

FALLBACK_PROGRAM(layouts, very_many_picks) {
    const xt::xarray<int> a = sample<int>({300, 4}, 14);
    std::vector<std::ptrdiff_t> indices;
    for (std::ptrdiff_t i = 0; i < 150; ++i) indices.push_back(i * i % 300);
    out("gathered", xt::view(a, xt::keep(indices)) * 2);
    xt::xarray<int> q = a;
    xt::view(q, xt::keep(indices), xt::range(_, _, -1)) = xt::view(a, xt::range(0, 150));
    out("scattered", q);
    xt::view(q, xt::keep(indices)) += 1;
    out("updated", q);
    std::vector<std::ptrdiff_t> once;
    for (std::ptrdiff_t i = 0; i < 150; ++i) once.push_back(i * 7 % 300);
    xt::view(q, xt::keep(once)) += xt::view(a, xt::range(0, 150));
    xt::view(q, xt::keep(once)) *= 2;
    out("updated by an expression", q);
}

PROGRAM(layouts, where_a_condition_holds) {
    xt::xarray<int> a = sample<int>({5, 6}, 15);
    const xt::xarray<int> b = sample<int>({5, 6}, 16);
    xt::filtration(a, a > 3) = 1;
    out("set", a);
    xt::filtration(a, b < 0) += 10;
    xt::filtration(a, a > b) *= 2;
    xt::filtration(a, xt::equal(a % 2, 0)) -= 1;
    xt::filtration(a, b > 5) /= 3;
    xt::filtration(a, b < -5) %= 4;
    out("updated", a);
    xt::xarray<double> d = sample<double>({4, 3}, 17);
    xt::filtration(d, d < 0.0) = 0.5;
    xt::filtration(d, d > 1.0) *= 0.25;
    out("double", d);
    xt::xarray<double> e = d;
    xt::masked_view(d, d > 0.5) = 2.0;
    out("masked", d);
    xt::masked_view(d, e > 0.5) = e * 3.0;
    out("masked by another", d);
    auto masked = xt::masked_view(d, e < 0.5);
    masked = 0.125;
    out("masked variable", d);
}

FALLBACK_PROGRAM(layouts, dynamic_views) {
    const xt::xarray<double> a = sample<double>({4, 5}, 18);
    xt::xarray<double> q = a;
    out("read", xt::dynamic_view(a, {xt::range(1, 3), xt::keep(0, 3)}) * 2.0);
    xt::dynamic_view(q, {xt::keep(0, 2), xt::range(1, 4)}) = 5.0;
    out("filled", q);
    xt::dynamic_view(q, {1, xt::all()}) = xt::view(a, 0);
    out("row", q);
}
