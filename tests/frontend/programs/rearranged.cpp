// SPDX-License-Identifier: BSD-3-Clause
// Arrays made of others' elements: joined, rolled, repeated, tiled, padded; diagonals and triangles. Of arrays, views
// and expressions, and inside of expressions.
#include "program.hpp"

#include <xtensor/xbuilder.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xpad.hpp>
#include <xtensor/xview.hpp>

using programs::sample;

namespace {

using Shape = std::vector<std::size_t>;
using Widths = std::vector<std::vector<std::size_t>>;

}  // namespace

PROGRAM(rearranged, joined) {
    const xt::xarray<double> a = sample<double>({2, 3}, 1);
    const xt::xarray<float> b = sample<float>({2, 3}, 2);
    const xt::xtensor<int, 2> c = sample<int>({2, 3}, 3);
    out("axis 0", xt::concatenate(xt::xtuple(a, b, c)));
    out("axis 1", xt::concatenate(xt::xtuple(a, xt::view(b, xt::all(), xt::range(0, 2)), a * 2.), 1));
    out("inside", xt::concatenate(xt::xtuple(a, a), 1) * 2. + 1.);
    out("summed", xt::sum(xt::concatenate(xt::xtuple(a, a)), {0}));
    out("stacked", xt::stack(xt::xtuple(a, b), 2));
    out("of one", xt::stack(xt::xtuple(a), 0));
    out("nested", xt::hstack(xt::xtuple(xt::vstack(xt::xtuple(a, a)), xt::vstack(xt::xtuple(b, b)))));
    // The operands are looked at when the value is wanted.
    xt::xarray<double> changing = a;
    const auto both = xt::concatenate(xt::xtuple(changing, a));
    changing(0, 0) = 100.;
    out("later", both);
    // An operand is the target.
    changing = xt::concatenate(xt::xtuple(changing, changing), 1);
    out("itself", changing);
    out.elements("elements", xt::concatenate(xt::xtuple(a, a), 1));
}

PROGRAM(rearranged, rolled) {
    const xt::xarray<int> a = sample<int>({3, 4, 5}, 1);
    for (std::ptrdiff_t shift : {-7, -1, 0, 1, 3, 59, 61}) {
        out("all", xt::roll(a, shift));
        if (shift >= 3) continue;  // xtensor writes outside of the result
        for (std::ptrdiff_t axis : {0, 1, 2}) out("axis", xt::roll(a, shift, axis));
    }
    const xt::xtensor<int, 2, xt::layout_type::column_major> c = sample<int>({3, 4}, 2);
    out("by columns", xt::roll(c, 2, 1));
    out("view", xt::roll(xt::view(a, 1, xt::all(), xt::range(4, 0, -2)), 1, 0));
    out("game of life", xt::roll(c, 1, 0) + xt::roll(c, -1, 0) + xt::roll(c, 1, 1) + xt::roll(c, -1, 1));
}

PROGRAM(rearranged, repeated) {
    const xt::xarray<double> a = sample<double>({3, 4}, 1);
    const xt::xarray<float> v = sample<float>({5}, 2);
    for (std::size_t axis : {0, 1}) {
        for (std::size_t count : {0, 1, 3}) out("evenly", xt::repeat(a, count, axis));
    }
    out("each", xt::repeat(a, {2, 0, 1, 3}, 1));
    out("vector", xt::repeat(v, 2, 0));
    out("inside", xt::repeat(a, 2, 0) * 2. - 1.);
    const xt::xarray<double> doubled = a * 2.;
    out("view", xt::repeat(xt::view(doubled, xt::all(), xt::range(3, 0, -1)), 2, 1));
    out.elements("elements", xt::repeat(a, 2, 1));
}

PROGRAM(rearranged, tiled) {
    const xt::xarray<int> a = sample<int>({2, 3, 2}, 1);
    out("once", xt::tile(a, {1, 1, 1}));
    out("all axes", xt::tile(a, {2, 3, 4}));
    out("first", xt::tile(a, 3));
    out("middle", xt::tile(a, Shape{1, 2, 1}));
    out("expression", xt::tile(a + 1, {2, 1, 2}));
    const xt::xtensor<double, 2, xt::layout_type::column_major> c = sample<double>({2, 3}, 2);
    out("by columns", xt::tile(c, {2, 2}));
}

PROGRAM(rearranged, padded) {
    const xt::xarray<double> a = sample<double>({4, 3}, 1);
    for (const auto mode :
         {xt::pad_mode::constant, xt::pad_mode::symmetric, xt::pad_mode::wrap, xt::pad_mode::periodic}) {
        out("both", xt::pad(a, Widths{{1, 2}, {3, 0}}, mode));
        out("most", xt::pad(a, Widths{{4, 4}, {3, 3}}, mode));
        out("none", xt::pad(a, Widths{{0, 0}, {0, 0}}, mode));
        out("expression", xt::pad(a * 2., Widths{{1, 1}, {0, 1}}, mode));
    }
    out("reflected", xt::pad(a, Widths{{3, 3}, {2, 2}}, xt::pad_mode::reflect));
    out("value", xt::pad(a, 1, xt::pad_mode::constant, -2.5));
    const xt::xtensor<int, 1> v = sample<int>({5}, 2);
    out("vector", xt::pad(v, 2, xt::pad_mode::reflect));
}

PROGRAM(rearranged, diagonals) {
    const xt::xarray<double> a = sample<double>({3, 5}, 1);
    const xt::xarray<int> cube = sample<int>({3, 4, 5}, 2);
    for (int k : {-2, -1, 0, 1, 3}) {
        out("diagonal", xt::diagonal(a, k));
        out("lower", xt::tril(a, k));
        out("upper", xt::triu(a * 2., k) + 1.);
        out("matrix", xt::diag(xt::view(a, 1), k));
    }
    out("cube", xt::diagonal(cube, 1, 2, 0));
    out("of an expression", xt::diagonal(cube + 1, 0, 1, 2));
    out("trace", xt::sum(xt::diagonal(a))());
    out("matrix of an expression", xt::diag(xt::view(a, 1) * 2.));
    const auto grids = xt::meshgrid(xt::view(a, 0), xt::arange<double>(3), xt::view(a, 1) + 1.);
    out("grid 0", std::get<0>(grids));
    out("grid 1", std::get<1>(grids));
    out("grid 2", std::get<2>(grids) * std::get<0>(grids));
}
