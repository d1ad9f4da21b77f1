// SPDX-License-Identifier: BSD-3-Clause
// Every kind of view, read from and assigned to.
#include "program.hpp"

#include <xtensor/xindex_view.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

using programs::sample;
using xt::placeholders::_;

PROGRAM(views, ranges) {
    const xt::xarray<double> a = sample<double>({6, 8}, 1);
    out("range", xt::view(a, xt::range(1, 4), xt::range(2, 7)));
    out("step", xt::view(a, xt::range(0, 6, 2), xt::range(1, 8, 3)));
    out("open", xt::view(a, xt::range(_, 3), xt::range(5, _)));
    out("open with step", xt::view(a, xt::range(_, _, 2), xt::all()));
    out("from the end", xt::view(a, xt::range(-3, -1), xt::range(_, -2)));
    out("backwards", xt::view(a, xt::range(_, _, -1), xt::all()));
    out("backwards both", xt::view(a, xt::range(5, 0, -2), xt::range(_, _, -1)));
    out("row", xt::view(a, 2));
    out("column", xt::view(a, xt::all(), 3));
    out("element", xt::view(a, 2, 3));
    out("newaxis", xt::view(a, xt::newaxis(), xt::range(0, 2), xt::newaxis(), xt::all()));
    out("one element wide", xt::view(a, xt::range(2, 3), xt::range(4, 5)));
    out("empty", xt::view(a, xt::range(3, 3), xt::all()));
    out("xt::row", xt::row(a, 1));
    out("xt::col", xt::col(a, 1));
    out("of a view", xt::view(xt::view(a, xt::range(1, 5), xt::range(1, 7, 2)), 1, xt::range(_, _, -1)));
    out("expression of views", xt::view(a, xt::range(1, 6)) - xt::view(a, xt::range(0, 5)) * 2.0);
}

PROGRAM(views, ranges_of_tensor) {
    const xt::xtensor<int, 3> a = sample<int>({3, 4, 5}, 2);
    out("plane", xt::view(a, 1));
    out("line", xt::view(a, 1, xt::all(), 2));
    out("negative", xt::view(a, xt::range(_, _, -1), 1, xt::range(_, _, -2)));
    xt::xtensor<int, 2> plane = xt::view(a, xt::all(), 2);
    xt::xtensor<int, 1> line = xt::view(plane, 0) * xt::view(a, 1, 0);
    out("plane kept", plane);
    out("line kept", line);
}

PROGRAM(views, assignment) {
    xt::xarray<double> a = sample<double>({6, 8}, 3);
    const xt::xarray<double> b = sample<double>({6, 8}, 4);
    xt::view(a, xt::range(1, 4), xt::range(2, 7)) = xt::view(b, xt::range(0, 3), xt::range(3, 8));
    out("block", a);
    xt::view(a, xt::range(0, 6, 2), xt::all()) = xt::view(b, xt::range(5, _, -2), xt::range(_, _, -1));
    out("strided and reversed", a);
    xt::view(a, xt::range(_, _, -1), 0) = xt::view(b, xt::all(), 1) + 1.0;
    out("into a reversed column", a);
    xt::view(a, 3) = 7.0;
    out("scalar", a);
    xt::view(a, xt::all(), xt::range(_, _, 3)) = xt::view(b, xt::all(), xt::range(0, 1));
    out("broadcast column", a);
    xt::view(a, xt::range(1, 3)) = xt::view(b, 0);
    out("broadcast row", a);
    xt::row(a, 0) = xt::row(b, 1) * 2.0;
    xt::col(a, 7) = xt::col(b, 0);
    out("row and col", a);
    xt::view(a, 2, 3) = 0.5;
    out("element", a);
    xt::view(a, xt::range(2, 2)) = 9.0;
    out("empty", a);
}

PROGRAM(views, compound_assignment) {
    xt::xarray<double> a = sample<double>({5, 6}, 5);
    const xt::xarray<double> b = sample<double>({5, 6}, 6);
    xt::view(a, xt::range(1, 4)) += xt::view(b, xt::range(0, 3));
    xt::view(a, xt::all(), 2) -= xt::view(b, xt::all(), 3);
    xt::view(a, 0) *= 2.0;
    xt::view(a, xt::range(_, _, -2), xt::range(_, _, 2)) /= 4.0;
    xt::row(a, 4) += xt::row(b, 4);
    xt::col(a, 5) -= 1.0;
    out("double", a);
    xt::xarray<int> n = sample<int>({5, 6}, 7);
    xt::view(n, xt::all(), xt::range(0, 3)) %= 5;
    xt::view(n, 1) |= 3;
    xt::view(n, 2) &= xt::view(n, 3);
    xt::view(n, 4) ^= 9;
    xt::view(n, 0) += xt::view(b, 0);
    out("int", n);
    xt::view(n, 0).fill(4);
    out("filled", n);
}

PROGRAM(views, stored_in_variables) {
    xt::xarray<double> a = sample<double>({4, 5}, 8);
    auto top = xt::view(a, xt::range(0, 2));
    auto bottom = xt::view(a, xt::range(2, 4));
    auto corner = xt::view(top, 0, xt::range(0, 2));
    top = bottom;
    out("top", a);
    corner = -1.0;
    corner += 0.5;
    out("corner", a);
    bottom = top * 2.0;
    bottom -= top;
    out("bottom", a);
    const auto kept = xt::eval(top + bottom);
    a = a * 3.0;
    out("kept", kept);
    out("views see the new values", top + bottom);
}

PROGRAM(views, mixed_types_on_both_sides) {
    xt::xarray<int> n = sample<int>({4, 4}, 9);
    xt::xarray<float> f = sample<float>({4, 4}, 10);
    xt::view(n, 1) = xt::view(f, 2);
    xt::view(f, xt::all(), 0) = xt::view(n, xt::all(), 1) * 0.5;
    xt::xarray<bool> mask = xt::view(n, xt::range(0, 2)) > 0;
    xt::view(mask, 0) = xt::view(f, 0) > 1.0f;
    out("n", n);
    out("f", f);
    out("mask", mask);
}

PROGRAM(views, strided_views) {
    xt::xarray<double> a = sample<double>({4, 5, 6}, 11);
    out("read", xt::strided_view(a, {xt::range(0, 2), 1, xt::all()}));
    out("ellipsis", xt::strided_view(a, {xt::ellipsis(), 2}));
    out("newaxis", xt::strided_view(a, {xt::all(), xt::newaxis(), 0, xt::range(_, _, 2)}));
    out("reversed", xt::strided_view(a, {xt::range(_, _, -1), xt::all(), 3}));
    xt::strided_view(a, {0, xt::all(), 1}) = 4.0;
    xt::strided_view(a, {1, xt::ellipsis()}) = xt::strided_view(a, {2, xt::ellipsis()}) + 1.0;
    xt::strided_view(a, {xt::ellipsis(), 5}) *= 2.0;
    out("written", a);
    xt::xarray<double> square = xt::arange<double>(25.0);
    square.reshape({5, 5});
    xt::strided_view(square, {xt::all(), xt::range(0, 2)}) = xt::view(square, xt::all(), xt::range(2, 3));
    out("two columns from one", square);
}

FALLBACK_PROGRAM(views, transposed) {
    xt::xarray<double> a = sample<double>({3, 4}, 12);
    const xt::xarray<double> cube = sample<double>({2, 3, 4}, 13);
    out("transpose", xt::transpose(a));
    out("in an expression", xt::transpose(a) * 2.0 + 1.0);
    out("axes", xt::transpose(cube, {1, 2, 0}));
    auto turned = xt::transpose(a);
    turned(0, 1) = 77.0;
    out("element", a);
    xt::xarray<double> square = sample<double>({5, 5}, 14);
    square = xt::transpose(square);
    out("onto itself", square);
    square += xt::transpose(square);
    out("added to itself", square);
    out("flip", xt::flip(a, 0));
    out("ravel", xt::ravel(a));
    out("flatten", xt::flatten(cube));
    out("squeeze", xt::squeeze(xt::view(cube, xt::range(0, 1))));
    out("expand_dims", xt::expand_dims(a, 1));
    out("reshape_view", xt::reshape_view(a, {2, 6}) + 1.0);
    out("atleast_3d", xt::atleast_3d(a));
    out("rot90", xt::rot90(a));
    out("inner block", xt::ravel(xt::view(cube, xt::all(), xt::range(1, 3), xt::range(1, 3))));
}

FALLBACK_PROGRAM(views, keep_drop_index_and_masks) {
    xt::xarray<double> a = sample<double>({5, 6}, 15);
    out("keep", xt::view(a, xt::keep(0, 2, 4), xt::all()));
    out("drop", xt::view(a, xt::drop(1), xt::range(0, 3)));
    xt::view(a, xt::keep(1, 3), xt::all()) = 5.0;
    out("assigned", a);
    xt::filter(a, a > 4.0) = 1.0;
    out("filter assigned", a);
    out("filter", xt::filter(a, a > 2.0));
    xt::filter(a, a < 0.0) *= -1.0;
    out("filter updated", a);
    auto chosen = xt::index_view(a, {{0, 0}, {4, 5}, {2, 2}});
    out("index_view", chosen);
    chosen = 100.0;
    chosen += xt::xarray<double>{1.0, 2.0, 3.0};
    out("index_view assigned", a);
    xt::filtration(a, a > 50.0) = 3.0;
    out("filtration", a);
    auto nonzero = xt::nonzero(a > 2.0);
    out("nonzero", double(nonzero[0].size()));
    xt::xarray<double> masked = xt::where(a > 2.0, 0.0, a);
    out("masked", masked);
}

PROGRAM(views, elements_by_their_indices) {
    xt::xtensor<double, 2> a = sample<double>({5, 6}, 18);
    const std::vector<xt::xindex> places = {{0, 0}, {4, 5}, {2, 2}, {4, 5}, {1, 0}};
    const xt::xtensor<double, 2> b = sample<double>({5, 6}, 19);
    out("read", xt::index_view(a, places));
    out("in an expression", xt::index_view(a, places) * 2.0 - xt::index_view(b, places));
    out("of an expression", xt::index_view(a + b, places));
    out("of a view", xt::index_view(xt::view(a, xt::range(4, 0, -1), xt::range(0, 6, 2)), {{0, 0}, {3, 2}, {1, 1}}));
    out("of a transposed array", xt::index_view(xt::transpose(a), {{5, 4}, {0, 0}, {1, 3}}));
    out("none", xt::index_view(a, std::vector<xt::xindex>()));
    auto some = xt::index_view(a, places);
    some = xt::xtensor<double, 1>{1, 2, 3, 4, 5};
    out("the last of two stays", a);
    some += xt::xtensor<double, 1>{10, 20, 30, 40, 50};
    out("an array", a);
    some = some * 2.0 + xt::index_view(b, places);
    out("itself", a);
    xt::index_view(a, {{3, 3}, {3, 4}}) = -1.0;
    xt::index_view(a, {{3, 3}, {0, 4}}) *= 4.0;
    out("numbers", a);
    xt::xtensor<int, 3> cube = sample<int>({2, 3, 4}, 20);
    const std::vector<xt::xindex> corners = {{0, 0, 0}, {1, 2, 3}, {0, 2, 0}};
    xt::index_view(cube, corners) = xt::index_view(cube, corners) + 100;
    out("three axes", cube);
    xt::xtensor<int, 1> line = xt::arange<int>(10);
    xt::index_view(line, std::vector<xt::xindex>{{9}, {1}, {4}}) = xt::view(line, xt::range(0, 3));
    out("one axis", line);
}

FALLBACK_PROGRAM(views, iterators_of_elements_by_their_indices) {
    xt::xtensor<double, 2> a = sample<double>({5, 6}, 21);
    auto some = xt::index_view(a, {{0, 1}, {3, 3}, {2, 5}});
    std::fill(some.begin(), some.end(), 7.0);
    out("filled", a);
    some(1) = 9.0;
    out("an element", some(1) + some(2));
    out("written", a);
}

PROGRAM(views, numbers_and_elements_that_are_listed_twice) {
    xt::xtensor<double, 2> a = sample<double>({5, 6}, 21);
    xt::index_view(a, {{0, 1}, {3, 3}, {0, 1}}) += 1.0;
    xt::index_view(a, {{2, 2}, {2, 2}, {2, 2}, {0, 0}, {0, 1}, {0, 0}}) *= 3.0;
    xt::index_view(a, {{1, 1}, {1, 1}}) /= 7.0;
    out("numbers", a);
    xt::xtensor<int, 1> n = {1000, 2000, -3000, 4001, 77};
    xt::index_view(n, std::vector<xt::xindex>{{0}, {2}, {0}, {3}, {0}}) /= 3;
    out("integers", n);
    xt::index_view(n, std::vector<xt::xindex>{{3}, {3}, {4}}) %= 10;
    xt::index_view(n, std::vector<xt::xindex>{{1}, {4}, {1}}) -= 5;
    out("rests and differences", n);
    xt::index_view(n, std::vector<xt::xindex>(100, xt::xindex{1})) /= 1;
    xt::index_view(n, std::vector<xt::xindex>(70, xt::xindex{1})) %= 1999;
    out("often", n);
}

FALLBACK_PROGRAM(views, numbers_and_an_element_that_is_listed_often) {
    xt::xtensor<double, 2> a = sample<double>({5, 6}, 22);
    xt::index_view(a, std::vector<xt::xindex>(100, xt::xindex{3, 3})) += 1.0;
    out("added", a);
}

PROGRAM(views, noalias_of_views) {
    xt::xarray<double> a = sample<double>({4, 5}, 16);
    const xt::xarray<double> b = sample<double>({4, 5}, 17);
    xt::noalias(xt::view(a, 0)) = xt::view(b, 1) + xt::view(b, 2);
    auto rest = xt::view(a, xt::range(1, _));
    xt::noalias(rest) += xt::view(b, xt::range(1, _));
    out("a", a);
}

PROGRAM(views, rows_in_a_loop) {
    xt::xtensor<double, 2> a = sample<double>({40, 30}, 18);
    xt::xtensor<double, 1> total = xt::zeros<double>({30});
    for (std::size_t i = 1; i < 40; ++i) {
        xt::view(a, i) = xt::view(a, i) * 0.5 + xt::view(a, i - 1) * 0.25;
        total += xt::view(a, i, xt::all());
    }
    out("a", a);
    out("total", total);
}

PROGRAM(views, negative_step_of_a_large_array) {
    xt::xtensor<float, 3> image = sample<float>({300, 200, 2}, 19);
    xt::xtensor<float, 2> plane = xt::view(image, xt::range(_, _, -1), xt::all(), 0) - 0.25f;
    out("plane", plane);
    xt::view(image, xt::range(_, _, -1), xt::range(_, _, -1), 1) = plane;
    out("image", image);
}

PROGRAM(views, column_of_one) {
    xt::xarray<double> a = {{9, 8, 7}, {6, 5, 4}, {3, 2, 1}};
    xt::xtensor<double, 2> column = xt::view(a, xt::all(), xt::range(0, 1));
    out("column", column);
    xt::xarray<double> row = xt::view(a, xt::range(1, 2));
    out("row", row + column);
}

PROGRAM(views, elements_and_iteration) {
    xt::xarray<double> a = sample<double>({3, 4}, 20);
    auto v = xt::view(a, xt::range(1, 3), xt::range(_, _, -1));
    v(0, 0) = 42.0;
    v(1, 3) += 1.0;
    out("a", a);
    out("v(1, 2)", v(1, 2));
    out.elements("v", v);
    double total = 0;
    for (const double value : v) total += value;
    out("loop", total);
    for (auto& value : xt::view(a, 0)) value *= 2.0;
    out("doubled", a);
    std::vector<double> copy(v.cbegin(), v.cend());
    out("copied", copy[3]);
    out("shape", double(v.shape(0) * 10 + v.shape(1)));
}
