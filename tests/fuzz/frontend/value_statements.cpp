// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/frontend/statements.hpp"

#include <xtensor/xindex_view.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xoperation.hpp>

namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY {

std::vector<Statement> value_statements() {
    return {
        // elementwise
        {"d = e + f",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             exact(d, e, f);
             d.array = e.array + f.array;
         }},
        {"d = e * x + f",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             const double x = w.number();
             exact(d, e, f);
             d.array = e.array * x + f.array;
         }},
        {"d = 3 - e",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             d.array = 3 - e.array;
         }},
        {"d += e",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact_part(d, e);
             d.array += e.array;
         }},
        {"d -= x",
         [](World& w) {
             auto& d = w.matrix();
             d.array -= w.number();
         }},
        {"d *= e; d /= abs(e) + 1",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact_part(d, e);
             d.array *= e.array;
             d.array /= xt::abs(e.array) + 1.0;
         }},
        {"d = -e",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             d.array = -e.array;
         }},
        {"d = sqrt(abs(e))",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             d.array = xt::sqrt(xt::abs(e.array));
         }},
        {"d = floor, ceil, trunc, round",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             d.array = xt::floor(e.array) + xt::ceil(e.array * 0.5) - xt::trunc(e.array * 1.5) + xt::round(e.array);
         }},
        {"d = square(e) - sign(f)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             exact(d, e, f);
             d.array = xt::square(e.array) - xt::sign(f.array);
         }},
        {"d = minimum, maximum",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             exact(d, e, f);
             d.array = xt::minimum(e.array, f.array) + xt::maximum(e.array, 0.5);
         }},
        {"d = sin, cos, exp",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             rounded(d);
             d.array = xt::sin(e.array) * xt::cos(f.array) + xt::exp(-xt::abs(e.array));
         }},
        {"d = log1p, atan2, tanh",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             rounded(d);
             d.array = xt::log1p(xt::abs(e.array)) + xt::atan2(e.array, f.array) - xt::tanh(f.array);
         }},
        {"d = pow(e, 2)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             rounded(d);
             d.array = xt::pow(e.array, 2.0) + xt::pow(xt::abs(e.array), 0.5);
         }},
        // floats, and mixed types
        {"p = q * 2f + 1",
         [](World& w) {
             auto &p = w.floating(), &q = w.floating();
             exact(p, q);
             p.array = q.array * 2.0f + 1;
         }},
        {"p = cast<float>(e)",
         [](World& w) {
             auto& p = w.floating();
             auto& e = w.matrix();
             exact(p, e);
             p.array = xt::cast<float>(e.array) * p.array - p.array;
             p.exact = false;
         }},
        {"d = p + e",
         [](World& w) {
             auto& d = w.matrix();
             auto& e = w.matrix();
             auto& p = w.floating();
             exact(d, e, p);
             d.array = p.array + e.array;
         }},
        {"p += sqrt(abs(q))",
         [](World& w) {
             auto &p = w.floating(), &q = w.floating();
             exact_part(p, q);
             p.array += xt::sqrt(xt::abs(q.array));
         }},
        {"p = exp(-q*q)",
         [](World& w) {
             auto &p = w.floating(), &q = w.floating();
             rounded(p);
             p.array = xt::exp(-q.array * q.array);
         }},
        // integers
        {"i = (i + j) % 1009",
         [](World& w) {
             auto &i = w.integer(), &j = w.integer();
             exact_part(i, j);
             i.array = (i.array + j.array) % 1009;
         }},
        {"i = j / (abs(i) + 1)",
         [](World& w) {
             auto &i = w.integer(), &j = w.integer();
             exact_part(i, j);
             i.array = j.array / (xt::abs(i.array) + 1);
         }},
        {"i = j ^ 5, &, |, ~",
         [](World& w) {
             auto &i = w.integer(), &j = w.integer();
             exact_part(i, j);
             i.array = ((j.array ^ i.array) & 1023) | (~j.array & 3);
         }},
        {"i *= 3; i %= 31",
         [](World& w) {
             auto& i = w.integer();
             i.array *= 3;
             i.array %= 31;
         }},
        {"i = cast<int>(clamped e)",
         [](World& w) {
             auto& i = w.integer();
             auto& e = w.matrix();
             exact(i, e);
             i.array = xt::cast<int>(xt::where(xt::abs(e.array) < 1e6, e.array * 2.0, 7.0));
         }},
        {"d = i / 3.0",
         [](World& w) {
             auto& d = w.matrix();
             auto& i = w.integer();
             exact(d, i);
             d.array = i.array / 3.0;
         }},
        // masks and where
        {"m = e < f",
         [](World& w) {
             auto& m = w.mask();
             auto &e = w.matrix(), &f = w.matrix();
             exact(m, e, f);
             m.array = e.array < f.array;
         }},
        {"m = (e >= x) && !n",
         [](World& w) {
             auto &m = w.mask(), &n = w.mask();
             auto& e = w.matrix();
             const double x = w.number();
             exact(m, n, e);
             m.array = (e.array >= x) && !n.array;
         }},
        {"m = isnan || isfinite || ==",
         [](World& w) {
             auto &m = w.mask(), &n = w.mask();
             auto& e = w.matrix();
             exact(m, n, e);
             m.array = xt::isnan(e.array) || (xt::isfinite(e.array * 1e300) && n.array) || xt::equal(e.array, 1.0);
         }},
        {"d = where(m, e, f)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             auto& m = w.mask();
             exact(d, e, f, m);
             d.array = xt::where(m.array, e.array, f.array);
         }},
        {"d = where(e > f, e, x)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             const double x = w.number();
             exact(d, e, f);
             d.array = xt::where(e.array > f.array, e.array, x);
         }},
        {"i = where(m, i, -1)",
         [](World& w) {
             auto& i = w.integer();
             auto& m = w.mask();
             exact_part(i, m);
             i.array = xt::where(m.array, i.array, -1);
         }},
        {"filter(d, e > x) = y",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             const double x = w.number();
             exact_part(d, e);
             xt::filter(d.array, e.array > x) = 0.25;
         }},
    };
}

}  // namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY
