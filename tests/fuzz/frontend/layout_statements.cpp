// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/frontend/statements.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xdynamic_view.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmasked_view.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY {
namespace {

using xt::all;
using xt::newaxis;
using xt::range;
using xt::view;
using xt::placeholders::_;

/// Indices below `extent`, in any order, perhaps several times.
std::vector<std::ptrdiff_t> picks(World& w, std::size_t count, std::size_t extent) {
    std::vector<std::ptrdiff_t> result(count);
    for (std::ptrdiff_t& one : result) one = w.random.below(static_cast<std::int64_t>(extent));
    return result;
}
std::size_t up_to(World& w, std::size_t most) {
    return static_cast<std::size_t>(w.random.between(1, static_cast<std::int64_t>(most)));
}

}  // namespace

std::vector<Statement> layout_statements() {
    return {
        // column-major and dynamic layouts
        {"c = e + f",
         [](World& w) {
             auto& c = w.column_major();
             auto &e = w.matrix(), &f = w.matrix();
             exact(c, e, f);
             c.array = e.array + f.array;
         }},
        {"c += e; c *= x",
         [](World& w) {
             auto& c = w.column_major();
             auto& e = w.matrix();
             exact_part(c, e);
             c.array += e.array;
             c.array *= w.number();
         }},
        {"d = c * 2 - b",
         [](World& w) {
             auto& d = w.matrix();
             auto &c = w.column_major(), &b = w.column_major();
             exact(d, c, b);
             d.array = c.array * 2.0 - b.array;
         }},
        {"view(c, r, reversed) = view(d)",
         [](World& w) {
             auto& c = w.column_major();
             auto& d = w.matrix();
             const auto i = w.random_row();
             exact_part(c, d);
             view(c.array, range(i, _), range(_, _, -1)) = view(d.array, range(i, _), all());
         }},
        {"view(c, all, j) = u",
         [](World& w) {
             auto& c = w.column_major();
             auto& u = w.column();
             exact_part(c, u);
             view(c.array, all(), w.random_column()) = u.array;
         }},
        {"noalias(c) = b - c",
         [](World& w) {
             auto &c = w.column_major(), &b = w.column_major();
             exact(c, b, c);
             xt::noalias(c.array) = b.array - c.array;
         }},
        {"g = c + d, its strides kept",
         [](World& w) {
             auto& g = w.flexible();
             auto& c = w.column_major();
             auto& d = w.matrix();
             exact(g, c, d);
             if (w.random.percent(50)) g.array.resize({w.rows, w.columns}, xt::layout_type::column_major);
             g.array = c.array + d.array;
         }},
        {"d = g; g -= d * 0.5",
         [](World& w) {
             auto& g = w.flexible();
             auto& d = w.matrix();
             exact(d, g);
             d.array = g.array;
             g.array -= d.array * 0.5;
         }},
        {"sum(c, 0), sum(c, 1)",
         [](World& w) {
             auto& c = w.column_major();
             auto &v = w.row(), &u = w.column();
             rounded(v);
             rounded(u);
             v.array = xt::sum(c.array, {0});
             u.array = xt::sum(c.array, {1});
         }},
        // turned, flipped, reshaped left sides
        {"transpose(d) = transpose(e) * 2",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             xt::transpose(d.array) = xt::transpose(e.array) * 2.0;
         }},
        {"view(transpose(d), j) += u",
         [](World& w) {
             auto& d = w.matrix();
             auto& u = w.column();
             exact_part(d, u);
             view(xt::transpose(d.array), w.random_column()) += u.array;
         }},
        {"flip(d, axis) = e",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             xt::flip(d.array, w.random.percent(50) ? 0u : 1u) = e.array;
         }},
        {"flip(d, axis) -= e",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             if (&d == &e) return;
             exact_part(d, e);
             xt::flip(d.array, w.random.percent(50) ? 0u : 1u) -= e.array;
         }},
        {"d = flip(flip(e)) + transpose(transpose(f))",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             exact(d, e, f);
             d.array = xt::flip(xt::flip(e.array, 0), 1) + xt::transpose(xt::transpose(f.array));
         }},
        {"reshape_view(d) = reshape_view(e) + 1",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             const std::vector<std::size_t> shape = {w.columns, w.rows};
             xt::reshape_view(d.array, shape) = xt::reshape_view(e.array, shape) + 1.0;
         }},
        {"ravel(d) *= x",
         [](World& w) {
             auto& d = w.matrix();
             xt::ravel(d.array) *= w.number();
         }},
        {"four axes",
         [](World& w) {
             auto& a = w.dynamic();
             auto& d = w.matrix();
             auto& v = w.row();
             exact(a, d, v);
             xt::xarray<double> four = xt::reshape_view(d.array, std::vector<std::size_t>{1, w.rows, 1, w.columns});
             four = four * 2.0 - v.array;
             view(four, 0, all(), 0, range(_, _, 2)) += 1.0;
             a.array = xt::squeeze(xt::xarray<double>(view(four, 0, all(), 0, all())));
             a.array = view(four, 0, all(), 0, all());
         }},
        {"view of a reversed view of a view",
         [](World& w) {
             auto& d = w.matrix();
             const auto i = w.random_row();
             auto lower = view(d.array, range(i, _), all());
             auto reversed = view(lower, range(_, _, -1), range(_, _, -1));
             view(reversed, 0, range(0, _, 2)) = w.number();
             view(reversed, all(), 0) += 1.0;
         }},
        {"strided_view with new axes",
         [](World& w) {
             auto& a = w.dynamic();
             auto& d = w.matrix();
             exact(a, d);
             a.array = d.array;
             xt::xarray<double> wide = xt::strided_view(d.array, {newaxis(), all(), newaxis(), range(0, _, 2)}) * 0.5;
             xt::strided_view(a.array, {all(), range(0, _, 2)}) = view(wide, 0, all(), 0, all());
         }},
        // picks and conditions
        {"view(d, keep) = view(e, keep)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             const std::size_t count = up_to(w, w.rows);
             const auto to = picks(w, count, w.rows), from = picks(w, count, w.rows);
             exact_part(d, e);
             view(d.array, xt::keep(to), all()) = view(e.array, xt::keep(from), all()) + 0.5;
         }},
        {"view(d, keep, keep) = x",
         [](World& w) {
             auto& d = w.matrix();
             const auto rows = picks(w, up_to(w, 3), w.rows), columns = picks(w, up_to(w, 3), w.columns);
             view(d.array, xt::keep(rows), xt::keep(columns)) = w.number();
         }},
        {"view(c, all, drop) -= 1",
         [](World& w) {
             auto& c = w.column_major();
             view(c.array, all(), xt::drop(w.random_column())) -= 1.0;
         }},
        {"view(i, drop) *= 2",
         [](World& w) {
             auto& i = w.integer();
             view(i.array, xt::drop(w.random_row())) *= 2;
             i.array = i.array % 1009;
         }},
        {"v = view(d + e, i, keep)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             auto& v = w.row();
             const auto columns = picks(w, w.columns, w.columns);
             exact(v, d, e);
             v.array = view(d.array + e.array, w.random_row(), xt::keep(columns));
         }},
        {"filtration(d, e > x) = y",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact_part(d, e);
             xt::filtration(d.array, e.array > w.number()) = w.number();
         }},
        {"filtration(d, d > x) -= y",
         [](World& w) {
             auto& d = w.matrix();
             xt::filtration(d.array, d.array > w.number()) -= w.number();
         }},
        {"masked_view(d, m) = x",
         [](World& w) {
             auto& d = w.matrix();
             auto& m = w.mask();
             exact_part(d, m);
             xt::masked_view(d.array, m.array) = w.number();
         }},
        {"index_view(d) += x",
         [](World& w) {
             auto& d = w.matrix();
             std::vector<xt::xindex> places;
             for (std::size_t i = 0; i < w.rows && i < w.columns; i += 2) places.push_back({i, i});
             xt::index_view(d.array, places) += w.number();
         }},
        {"filter(d, e > x) *= y",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact_part(d, e);
             xt::filter(d.array, e.array > w.number()) *= w.number();
         }},
        // memory of the user's
        {"adapt(memory) = d + e",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             w.foreign_exact = d.exact && e.exact;
             auto adapted = xt::adapt(w.foreign, std::vector<std::size_t>{w.rows, w.columns});
             adapted = d.array + e.array;
             adapted -= d.array;
         }},
        {"d = adapt(memory) * x, then overwritten",
         [](World& w) {
             auto& d = w.matrix();
             auto adapted = xt::adapt(w.foreign, std::vector<std::size_t>{w.rows, w.columns});
             d.exact = w.foreign_exact;
             d.array = adapted * 0.5 + 1.0;
             for (double& one : w.foreign) one = 0.25;
             w.foreign_exact = true;
         }},
        {"view(adapt(memory), i) = v",
         [](World& w) {
             auto& v = w.row();
             w.foreign_exact = w.foreign_exact && v.exact;
             auto adapted = xt::adapt(w.foreign, std::vector<std::size_t>{w.rows, w.columns});
             view(adapted, w.random_row()) = v.array * 0.5;
             w.show_value("foreign", w.foreign[0], w.foreign_exact);
         }},
        // pins
        {"a pointer is out",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             double* const p = d.array.data();
             p[0] = w.number();
             exact_part(e, d);
             view(e.array, 0) = view(d.array, 0) + 1.0;
             p[0] += 1.0;
             e.array += 0.5;
         }},
        {"an iterator of a view is out",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             if (&d == &e) return;
             auto row = view(d.array, w.random_row(), all());
             exact(e, d);
             for (auto it = row.begin(); it != row.end(); ++it) *it = *it * 0.5;
             e.array = d.array + 1.0;
             for (auto& x : row) x += 1.0;
         }},
    };
}

}  // namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY
