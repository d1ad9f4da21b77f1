// SPDX-License-Identifier: BSD-3-Clause
// Iterators in algorithms, arrays made of others, sorting; printed.
#include "printed.hpp"

#include <algorithm>
#include <numeric>

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xaxis_iterator.hpp>
#include <xtensor/xaxis_slice_iterator.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xhistogram.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xpad.hpp>
#include <xtensor/xrepeat.hpp>
#include <xtensor/xset_operation.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

PRINTED(iterators) {
    xt::xarray<double> a = {{3, 1, 2}, {6, 5, 4}};
    std::sort(a.begin(), a.end());
    out("sorted", a);
    std::transform(a.begin(), a.end(), a.begin(), [](double x) { return x * 2; });
    out("a", a);
    out("acc", std::accumulate(a.begin(), a.end(), 0.));
    out("max", *std::max_element(a.cbegin(), a.cend()));
    std::vector<double> v(a.begin(), a.end());
    out("v", v.size());
    std::copy(v.rbegin(), v.rend(), a.begin());
    out("a", a);
    xt::xtensor<double, 1> b = xt::zeros<double>({4});
    std::iota(b.begin(), b.end(), 1.);
    out("b", b);
    out("ip", std::inner_product(b.begin(), b.end(), b.begin(), 0.));
    for (auto& x : a) x += 1;
    for (auto x : xt::view(a, 0)) out("x", x);
    for (auto&& x : xt::view(a, xt::all(), 1)) x = 0;
    out("a", a);
    auto e = a + 1.;
    for (auto it = e.begin(); it != e.end(); ++it) out.stream() << *it << " ";
    out.stream() << "\n";
    for (auto it = a.begin<xt::layout_type::column_major>(); it != a.end<xt::layout_type::column_major>(); ++it)
        out.stream() << *it << " ";
    out.stream() << "\n";
    std::reverse(b.begin(), b.end());
    out("b", b);
    std::partial_sum(b.begin(), b.end(), b.begin());
    out("b", b);
    auto pos = std::find(b.begin(), b.end(), 7.) - b.begin();
    out("pos", pos);
    auto lb = std::lower_bound(b.begin(), b.end(), 8.);
    out("lb", lb - b.begin());
    std::fill(xt::view(a, 1).begin(), xt::view(a, 1).end(), 9.);
    out("a", a);
    auto r0 = xt::row(a, 0);
    std::sort(r0.begin(), r0.end(), std::greater<double>());
    out("a", a);
    out("count", std::count_if(a.begin(), a.end(), [](double x) { return x > 3; }));
    out("dist", std::distance(a.begin(), a.end()));
    for (auto it = xt::axis_begin(a, 0); it != xt::axis_end(a, 0); ++it) out("ax", xt::sum(*it)());
    for (auto it = xt::axis_slice_begin(a, 1); it != xt::axis_slice_end(a, 1); ++it) out("sl", *it);
    std::vector<double> w = {1, 2, 3, 4};
    auto ad = xt::adapt(w, {2, 2});
    xt::xarray<double> c = ad * 2.;
    out("c", c);
    ad += c;
    out("w", w[3]);
    std::for_each(a.begin(), a.end(), [](double& x) { x = -x; });
    out("a", a);
    std::swap_ranges(xt::row(a, 0).begin(), xt::row(a, 0).end(), xt::row(a, 1).begin());
    out("a", a);
    auto mm = std::minmax_element(b.begin(), b.end());
    out("mm", *mm.second - *mm.first);
    xt::xarray<int> idx = xt::argsort(b);
    for (int i : idx) out.stream() << i;
    out.stream() << "\n";
    std::vector<double> from_expr;
    std::copy(e.begin(), e.end(), std::back_inserter(from_expr));
    out("fe", from_expr.size());
    out("storage", a.storage().size());
    for (auto x : a.storage()) out.stream() << x << " ";
    out.stream() << "\n";
    auto li = a.linear_begin();
    out("li", *li);
    out("rb", *a.rbegin());
    out("crb", *a.crbegin());
    std::nth_element(a.begin(), a.begin() + 2, a.end());
    out("nth", a(0, 2));
    out("eq", std::equal(a.begin(), a.end(), a.cbegin()));
    out("lex", std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end()));
    for (auto& row_value : xt::view(a, 0)) row_value *= 2;
    out("a", a);
    const auto& ca = a;
    double t = 0;
    for (const auto& x : ca) t += x;
    out("t", t);
    auto bi = xt::broadcast(b, {2, 4});
    out("bi", std::accumulate(bi.begin(), bi.end(), 0.));
    out("shape it", std::accumulate(a.shape().begin(), a.shape().end(), 1, std::multiplies<int>()));
    auto bs = a.begin(std::vector<std::size_t>{2, 2, 3});
    out("bs", *bs);
}

PRINTED(arrays_made_of_others) {
    xt::xarray<double> a = {{3, 1, 2}, {6, 5, 4}};
    xt::xtensor<double, 2> t = a;
    xt::xtensor<double, 1> v = {5, 2, 2, 8, 1}, w = {2, 9};
    out("st", xt::stack(xt::xtuple(v, v * 2.)));
    out("cc", xt::concatenate(xt::xtuple(t, a + 1.), 1));
    out("cc3", xt::concatenate(xt::xtuple(v, w, v + 1.)));
    out("h", xt::hstack(xt::xtuple(t, t)));
    out("v", xt::vstack(xt::xtuple(t, a)));
    xt::xarray<double> st = xt::stack(xt::xtuple(v, v), 1);
    out("st1", st);
    out("cv", xt::concatenate(xt::xtuple(xt::view(t, 0), xt::view(t, 1))));
    out("pad", xt::pad(t, 1));
    out("padm", xt::pad(a, {{1, 0}, {0, 2}}, xt::pad_mode::wrap));
    out("pads", xt::pad(t, {{1, 1}, {2, 2}}, xt::pad_mode::symmetric));
    out("padc", xt::pad(t, 2, xt::pad_mode::constant, 9.));
    out("padr", xt::pad(v, 2, xt::pad_mode::reflect));
    out("tile", xt::tile(t, {2, 1}));
    out("tile", xt::tile(v, 3));
    out("rep", xt::repeat(t, 2, 1));
    out("rep", xt::repeat(t, {1, 2}, 0));
    out("roll", xt::roll(v, 2));
    out("roll", xt::roll(v, -1));
    out("sort", xt::sort(v));
    out("sort0", xt::sort(t, 0));
    out("sortf", xt::sort(t, xt::placeholders::xtuph()));
    out("as", xt::argsort(v));
    out("uni", xt::unique(v));
    out("setd", xt::setdiff1d(v, w));
    out("med", xt::median(v));
    out("meda", xt::median(t, 1));
    out("part", xt::partition(v, 2)(2));
    out("parts", xt::partition(v, {1, 3})(3));
    out("apart", v(xt::argpartition(v, 2)(2)));
    out("hist", xt::histogram(v, std::size_t{3}));
    xt::xtensor<double, 1> be = xt::histogram_bin_edges(v, std::size_t{3});
    out("be", be);
    out("histe", xt::histogram(v, xt::xtensor<double, 1>{0, 2, 4, 9}));
    out("histd", xt::histogram(v, std::size_t{4}, true));
    out("histr", xt::histogram(v, std::size_t{2}, 0., 10.));
    out("bc", xt::bincount(xt::xtensor<int, 1>{1, 1, 3}));
    out("bcw", xt::bincount(xt::xtensor<int, 1>{1, 1, 3}, xt::xtensor<double, 1>{.5, .5, 2.}));
    out("dig", xt::digitize(v, xt::xtensor<double, 1>{0, 2, 4, 9}));
    out("ss", xt::searchsorted(xt::xtensor<double, 1>{0, 2, 4, 9}, v));
    out("isin", xt::isin(v, w));
    out("isin", xt::isin(v, {2., 8.}));
    out("in1d", xt::in1d(v, w));
    out("trim", xt::trim_zeros(xt::xtensor<double, 1>{0, 1, 2, 0}));
    out("rot", xt::rot90(t));
    out("flip", xt::flip(t, 0));
    out("diag", xt::diag(v));
    out("dg", xt::diagonal(t));
    out("tril", xt::tril(t));
    out("kron", xt::sum(xt::eye<double>(3))());
    out("nanq", xt::nanmean(v)());
    out("conv", xt::convolve(v, w, xt::convolve_mode::full()));
    out("interp", xt::interp(xt::xtensor<double, 1>{1.5, 2.5}, xt::xtensor<double, 1>{1, 2, 3},
                             xt::xtensor<double, 1>{10, 20, 40}));
    out("amed", xt::median(t));
    out("am", xt::argmax(v));
    auto u = xt::unique(a);
    out("u", u.size());
    out("q", xt::squeeze(xt::view(t, xt::range(0, 1), xt::all())));
    auto mg = xt::meshgrid(v, w);
    xt::xarray<double> gx = std::get<0>(mg) + std::get<1>(mg);
    out("gx", gx);
    auto bc = xt::broadcast(v, {2, 5});
    out("bc", bc);
    out("rav", xt::ravel<xt::layout_type::column_major>(t));
    out("fl", xt::flatten(t));
    out("ang", xt::deg2rad(v));
    out("unwrap", xt::diff(v, 2));
    out("quant", xt::sum(xt::linspace<double>(0, 1, 11))());
    auto sp = xt::split(v, 5);
    out("sp", sp[3]);
    out("vspl", xt::hsplit(t, 3)[1]);
    out("cs", xt::cumsum(v));
    out("minmax", xt::minmax(v)()[1]);
    out("len", xt::bin_items(std::size_t(10), std::size_t(3)));
}
