// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/frontend/statements.hpp"

#include <numeric>
#include <sstream>
#include <utility>

#include <xtensor/xbroadcast.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xeval.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xoperation.hpp>
#include <xtensor/xreducer.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY {
namespace {

using xt::all;
using xt::newaxis;
using xt::range;
using xt::view;
using xt::placeholders::_;

/// Random bounds within an extent: at least one index.
struct Bounds {
    std::ptrdiff_t begin, end, step;
    std::ptrdiff_t size() const { return (end - begin + step - 1) / step; }
};
Bounds bounds(World& w, std::size_t extent) {
    const auto last = static_cast<std::int64_t>(extent);
    const std::int64_t begin = w.random.below(last);
    return {static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(w.random.between(begin + 1, last)),
            static_cast<std::ptrdiff_t>(w.random.between(1, 3))};
}

/// Reducers with kept axes inside an expression: stock reads out of bounds there, so it gets them evaluated.
template <class E>
auto kept_axes(E&& reducer) {
#ifdef XLAZY_FUZZ_STOCK
    return xt::xtensor<double, 2>(reducer);
#else
    return std::forward<E>(reducer);
#endif
}

template <class E>
auto from_locals(const E& a, const E& b) {
    return a * 2.0 + b;
}

}  // namespace

std::vector<Statement> array_statements() {
    return {
        // views
        {"view(d, r, c) = view(e, r, c) * 2",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             const Bounds r = bounds(w, w.rows), c = bounds(w, w.columns);
             exact_part(d, e);
             view(d.array, range(r.begin, r.end, r.step), range(c.begin, c.end, c.step)) =
                 view(e.array, range(r.begin, r.end, r.step), range(c.begin, c.end, c.step)) * 2.0;
         }},
        {"view(d, r) = shifted rows",
         [](World& w) {
             auto& d = w.matrix();
             if (w.rows < 2) return;
             view(d.array, range(1, _), all()) = view(d.array, range(_, -1), all()) + 0.5;
         }},
        {"view(d, c) = shifted columns",
         [](World& w) {
             auto& d = w.matrix();
             if (w.columns < 2) return;
             view(d.array, all(), range(_, -1)) = view(d.array, all(), range(1, _)) * 0.5;
         }},
        {"d = reversed rows + f",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             exact(d, e, f);
             d.array = view(e.array, range(_, _, -1), all()) + f.array;
         }},
        {"view(d, reversed columns) = e",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             if (&d == &e) return;
             exact_part(d, e);
             view(d.array, all(), range(_, _, -1)) = e.array;
         }},
        {"d = its own rows reversed",
         [](World& w) {
             auto& d = w.matrix();
             d.array = view(d.array, range(_, _, -1), all());
         }},
        {"view(d, i, all) = v",
         [](World& w) {
             auto& d = w.matrix();
             auto& v = w.row();
             exact_part(d, v);
             view(d.array, w.random_row(), all()) = v.array;
         }},
        {"view(d, all, j) += 1",
         [](World& w) {
             auto& d = w.matrix();
             view(d.array, all(), w.random_column()) += 1.0;
         }},
        {"v = view(d, i, all) * v",
         [](World& w) {
             auto& d = w.matrix();
             auto& v = w.row();
             exact_part(v, d);
             v.array = view(d.array, w.random_row(), all()) * v.array;
         }},
        {"u = view(d, all, j)",
         [](World& w) {
             auto& d = w.matrix();
             auto& u = w.column();
             exact(u, d);
             u.array = view(d.array, all(), w.random_column());
         }},
        {"view(d, all, every other) = x",
         [](World& w) {
             auto& d = w.matrix();
             view(d.array, all(), range(0, _, 2)) = w.number();
         }},
        {"view(d, every other) *= -1",
         [](World& w) {
             auto& d = w.matrix();
             view(d.array, range(_, _, 2), all()) *= -1.0;
         }},
        {"d /= its first row",
         [](World& w) {
             auto& d = w.matrix();
             d.array /= xt::abs(view(d.array, 0, all())) + 1.0;
         }},
        {"auto v = view(d); v = v + v",
         [](World& w) {
             auto& d = w.matrix();
             const Bounds r = bounds(w, w.rows);
             auto part = view(d.array, range(r.begin, r.end), all());
             part = part + part * 0.5;
             part += 1.0;
         }},
        {"view of a view",
         [](World& w) {
             auto& d = w.matrix();
             auto outer = view(d.array, range(_, _, 2), all());
             view(outer, 0, all()) = w.number();
         }},
        {"p columns swap",
         [](World& w) {
             auto& p = w.floating();
             const auto i = w.random_column(), j = w.random_column();
             xt::xtensor<float, 1> kept = view(p.array, all(), i);
             view(p.array, all(), i) = view(p.array, all(), j);
             view(p.array, all(), j) = kept;
         }},
        {"transpose there and back",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             xt::xtensor<double, 2> turned = xt::transpose(e.array);
             d.array = xt::transpose(turned) + 1.0;
         }},
        {"strided_view",
         [](World& w) {
             auto& a = w.dynamic();
             const auto i = w.random_row();
             xt::strided_view(a.array, {i, xt::ellipsis()}) = w.number();
         }},
        // broadcasting
        {"d = e + v",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             auto& v = w.row();
             exact(d, e, v);
             d.array = e.array + v.array;
         }},
        {"d = e * view(u, all, newaxis)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             auto& u = w.column();
             exact(d, e, u);
             d.array = e.array * view(u.array, all(), newaxis());
         }},
        {"d = outer sum",
         [](World& w) {
             auto& d = w.matrix();
             auto& u = w.column();
             auto& v = w.row();
             exact(d, u, v);
             d.array = view(u.array, all(), newaxis()) + view(v.array, newaxis(), all());
         }},
        {"d = broadcast(v)",
         [](World& w) {
             auto& d = w.matrix();
             auto& v = w.row();
             exact(d, v);
             d.array = xt::broadcast(v.array, {w.rows, w.columns});
         }},
        // reductions
        {"v = sum(d, 0)",
         [](World& w) {
             auto& d = w.matrix();
             auto& v = w.row();
             rounded(v);
             v.array = xt::sum(d.array, {0});
         }},
        {"u = sum(d, 1)",
         [](World& w) {
             auto& d = w.matrix();
             auto& u = w.column();
             rounded(u);
             u.array = xt::sum(d.array, {1});
         }},
        {"v = amax(cast(i), 0)",
         [](World& w) {
             auto& i = w.integer();
             auto& v = w.row();
             exact(v, i);
             v.array = xt::amax(i.array, {0}) * 0.5;
         }},
        {"u = amin(cast(i), 1)",
         [](World& w) {
             auto& i = w.integer();
             auto& u = w.column();
             exact(u, i);
             u.array = xt::amin(i.array, {1}) - 1.0;
         }},
        {"k = sum(i, 0)",
         [](World& w) {
             auto& i = w.integer();
             auto& k = w.whole();
             exact(k, i);
             k.array = xt::sum(xt::cast<long>(i.array), {0});
         }},
        {"d = cumsum(e, axis) * 0.5 + f",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             rounded(d);
             d.array = xt::cumsum(e.array, w.random.percent(50) ? 0 : 1) * 0.5 + f.array;
         }},
        {"v = cumsum(view(d, i, all)), flat",
         [](World& w) {
             auto& d = w.matrix();
             auto& v = w.row();
             rounded(v);
             v.array = xt::cumsum(view(d.array, w.random_row(), all()));
         }},
        {"k = last row of cumsum(i, 0)",
         [](World& w) {
             auto& i = w.integer();
             auto& k = w.whole();
             exact(k, i);
             k.array = view(xt::cumsum(xt::cast<long>(i.array), 0), static_cast<std::ptrdiff_t>(w.rows) - 1, all());
         }},
        {"v = mean(d, 0)",
         [](World& w) {
             auto& d = w.matrix();
             auto& v = w.row();
             rounded(v);
             v.array = xt::mean(d.array, {0});
         }},
        {"d = e - mean(e, keep_dims)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             rounded(d);
             d.array = e.array - kept_axes(xt::mean(e.array, {1}, xt::keep_dims));
         }},
        {"i = i - amax(i, keep_dims)",
         [](World& w) {
             auto &i = w.integer(), &j = w.integer();
             exact(i, j);
             i.array = j.array - xt::cast<int>(kept_axes(xt::amax(j.array, {0}, xt::keep_dims)));
         }},
        {"d = e - mean(e)()",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             rounded(d);
             d.array = e.array - xt::mean(e.array)();
         }},
        {"show sum(i)",
         [](World& w) {
             auto& i = w.integer();
             w.show_value("sum", xt::sum(i.array)(), i.exact);
         }},
        {"show sum, mean",
         [](World& w) {
             auto& d = w.matrix();
             w.show_value("sum", xt::sum(d.array)(), false);
             w.show_value("mean", xt::mean(d.array)(), false);
         }},
        {"show amax, amin",
         [](World& w) {
             auto& i = w.integer();
             w.show_value("amax", xt::amax(i.array)(), i.exact);
             w.show_value("amin", xt::amin(i.array)(), i.exact);
         }},
        {"show any, all, ==",
         [](World& w) {
             auto& m = w.mask();
             auto &d = w.matrix(), &e = w.matrix();
             w.show_value("any", xt::any(m.array), m.exact);
             w.show_value("all", xt::all(m.array), m.exact);
             w.show_value("equal", d.array == e.array, d.exact && e.exact);
         }},
        // whole arrays
        {"swap(d, e)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             std::swap(d.array, e.array);
             std::swap(d.exact, e.exact);
         }},
        {"copy, change, assign back",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             xt::xtensor<double, 2> copy = e.array;
             copy += 1.0;
             e.array = e.array * 0.5;
             d.array = copy;
         }},
        {"d = move(t)",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             exact(d, e);
             xt::xtensor<double, 2> t = e.array + 2.0;
             d.array = std::move(t);
         }},
        {"d = e",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix();
             d.exact = e.exact;
             d.array = e.array;
         }},
        {"a = d; b = a + a",
         [](World& w) {
             auto& d = w.matrix();
             auto &a = w.dynamic(), &b = w.dynamic();
             exact(a, d);
             a.array = d.array;
             const bool both = a.exact;
             b.exact = both;
             b.array = a.array + a.array;
         }},
        {"auto x = e + f; e *= 0.5; d = x",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             auto x = e.array + f.array;
             e.array *= 0.5;
             exact(d, e, f);
             d.array = x;
         }},
        {"auto of locals",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             exact(d, e, f);
             d.array = xt::eval(from_locals(e.array, f.array));
         }},
        {"noalias(d) = e + f",
         [](World& w) {
             auto &d = w.matrix(), &e = w.matrix(), &f = w.matrix();
             if (&d == &e || &d == &f) return;
             exact(d, e, f);
             xt::noalias(d.array) = e.array + f.array;
         }},
        {"d = zeros, ones, full",
         [](World& w) {
             auto& d = w.matrix();
             d.exact = true;
             d.array = xt::ones<double>({w.rows, w.columns}) * w.number() + xt::zeros<double>({w.rows, w.columns});
         }},
        {"v = arange",
         [](World& w) {
             auto& v = w.row();
             v.exact = true;
             v.array = xt::arange<double>(static_cast<double>(w.columns)) * 0.5;
         }},
        {"d = x, fill",
         [](World& w) {
             auto& d = w.matrix();
             d.exact = true;
             d.array.fill(w.number());
         }},
        {"temporaries in a loop",
         [](World& w) {
             auto& d = w.matrix();
             for (int step = 0; step < 4; ++step) {
                 xt::xtensor<double, 2> next = d.array * 0.5;
                 next += view(d.array, 0, all());
                 d.array = next;
             }
         }},
        // the host
        {"d(i, j) = x",
         [](World& w) {
             auto& d = w.matrix();
             d.array(static_cast<std::size_t>(w.random_row()), static_cast<std::size_t>(w.random_column())) =
                 w.number();
         }},
        {"show d(i, j)",
         [](World& w) {
             auto& d = w.matrix();
             const auto& array = d.array;
             w.show_value("element",
                          array(static_cast<std::size_t>(w.random_row()), static_cast<std::size_t>(w.random_column())),
                          d.exact);
         }},
        {"for (x : d) x += 1",
         [](World& w) {
             auto& d = w.matrix();
             for (auto& x : d.array) x += 1.0;
         }},
        {"std::accumulate(i)",
         [](World& w) {
             auto& i = w.integer();
             const auto& array = i.array;
             w.show_value("accumulate", std::accumulate(array.begin(), array.end(), 0), i.exact);
         }},
        {"show shape and printing",
         [](World& w) {
             auto& m = w.mask();
             if (!m.exact || w.rows * w.columns > 100) return;
             std::ostringstream text;
             text << m.array;
             w.show_text("print", text.str());
         }},
    };
}

}  // namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY
