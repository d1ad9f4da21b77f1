// SPDX-License-Identifier: BSD-3-Clause
// Builders, reducers used as numbers, elements, selections and bool arrays, printed.
#include "printed.hpp"


#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xcomplex.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmasked_view.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnorm.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

PRINTED(builders_and_printing) {
    xt::xarray<double> a = xt::zeros<double>({2, 3});
    xt::xtensor<int, 1> b = xt::arange<int>(0, 10, 3);
    auto c = xt::linspace<double>(0., 1., 5);
    out.stream() << a << "\n" << b << "\n" << c << "\n" << xt::eye<double>(3) << "\n";
    out.stream() << xt::logspace<double>(0., 3., 4) << "\n" << xt::full_like(a, 7.) << "\n";
    out.stream() << xt::ones<bool>({2, 2}) << std::endl;
    std::vector<std::size_t> shape = {3, 2};
    auto d = xt::xarray<float>::from_shape(shape);
    d.fill(2.5f);
    out.stream() << d << xt::adapt(d.shape()) << " " << d.size() << " " << d.dimension() << " " << d.shape(0) << "\n";
    auto e = xt::xtensor<double, 2>::from_shape({2, 2});
    e.fill(1);
    xt::xarray<double> f(std::vector<std::size_t>{2, 2}, 3.0);
    xt::xtensor<double, 2> g({2, 2}, 4.0);
    xt::xtensor<double, 2>::shape_type sh = {3, 1};
    xt::xtensor<double, 2> h(sh);
    h.fill(0.1);
    out.stream() << e << f << g << h << (e + f * g) << "\n";
    xt::xarray<int> i({3, 4}, 5);
    out.stream() << i << "\n";
    auto z = xt::zeros_like(i);
    auto em = xt::empty<double>(std::vector<std::size_t>{2, 2});
    em.fill(3);
    out.stream() << z << xt::ones_like(i) << em << "\n";
    std::array<std::size_t, 2> as = {2, 3};
    xt::xtensor<double, 2> aa = xt::ones<double>(as);
    out.stream() << aa << xt::arange(5) << xt::arange<float>(1.5f, 4.f, .5f) << "\n";
    auto m = xt::meshgrid(xt::arange<double>(3), xt::arange<double>(2));
    out.stream() << std::get<0>(m) << std::get<1>(m) << "\n";
    out.stream() << xt::print_options::precision(3) << xt::linspace<double>(0, 1, 7) << "\n";
    xt::xarray<double> s = 5.0;
    out.stream() << s << " " << s() << " " << s.dimension() << "\n";
    xt::xtensor<double, 0> t = 3.;
    out.stream() << t << t() << "\n";
    xt::xarray<std::complex<double>> cc = {std::complex<double>(1., 2.), std::complex<double>(3., 4.)};
    out.stream() << cc << xt::real(cc) << "\n";
    xt::xarray<std::string> str = {"a", "b"};
    out.stream() << str << "\n";
    xt::xarray<char> ch = {'a', 'b'};
    out.stream() << (int)ch(0) << "\n";
    out.stream() << xt::diag(xt::arange<double>(3)) << xt::tril(xt::ones<double>({3, 3})) << xt::triu(a + 1.) << "\n";
}

PRINTED(reducers) {
    xt::xarray<double> a = xt::arange<double>(24);
    a.reshape({2, 3, 4});
    xt::xtensor<double, 2> t = {{1, 2, 3}, {4, 5, 6}};
    double s1 = xt::sum(a)(), s2 = xt::sum(a)[0], s3 = xt::sum(t)(0), s4 = xt::mean(t)();
    out("scalars", s1 + 2 * s2 + 4 * s3 + 8 * s4);
    auto r = xt::sum(a, {1});
    out("r", r);
    out("r00", r(0, 0));
    out("ax", xt::sum(t, 0));
    out("ax1", xt::sum(t, {-1}));
    auto im = xt::sum(a, xt::evaluation_strategy::immediate);
    out("im", im());
    out("im2", xt::mean(t, {0}, xt::evaluation_strategy::immediate));
    xt::xtensor<double, 1> v = xt::amax(t, {1});
    out("v", v);
    xt::xtensor_fixed<double, xt::xshape<2>> fv = xt::amin(t, {1});
    out("fv", fv(1));
    xt::xarray<double> keep = xt::sum(t, {1}, xt::keep_dims);
    out("keep", keep);
    xt::xarray<double> k2 = xt::sum(t, {1}, xt::keep_dims | xt::evaluation_strategy::immediate);
    out("k2", k2);
    out("norm", xt::norm_l2(t)());
    out("norms", xt::norm_l1(t, {0}));
    out("sq", xt::norm_sq(t)());
    out("linf", xt::norm_linf(t)());
    if (xt::all(t > 0.)) out("all", 1);
    if (xt::any(xt::equal(t, 3.))) out("any", 1);
    out("var", xt::variance(t)());
    out("std", xt::stddev(t, {0}));
    out("prod", xt::prod(t)());
    out("count", xt::count_nonzero(t > 2.)());
    out("argmax", xt::argmax(t)());
    out("argmax0", xt::argmax(t, 0));
    out("argmin", xt::argmin(t, 1));
    auto mm = xt::minmax(t)();
    out("mm", mm[0] + mm[1]);
    out("avg", xt::average(t, xt::xtensor<double, 1>{1., 2., 3.}, {1}));
    out("cum", xt::cumsum(t, 1));
    out("cp", xt::cumprod(t, 0));
    out("diff", xt::diff(t));
    out("nan", xt::nansum(t)());
    out("trapz", xt::trapz(t, 1.0, 1));
    int n = int(xt::sum<int>(xt::xarray<int>{1, 2, 3})());
    out("n", n);
    out("sumd", xt::sum<double>(xt::xarray<float>{0.1f, 0.2f})());
    out("empty", xt::sum(xt::xarray<double>::from_shape({0, 3}))());
    auto mean_axis = xt::mean(a, {0, 2});
    out("ma", mean_axis);
    double mx = xt::amax(xt::abs(t - 3.))();
    out("mx", mx);
    out("view", xt::sum(xt::view(t, xt::all(), xt::range(0, 2)), {0}));
    out("red", xt::reduce([](double x, double y) { return x + 2 * y; }, t, {1}));
    out("init", xt::sum(t, {0}, xt::initial(10.)));
    out("isnan", xt::any(xt::isnan(t)));
    out("close", xt::allclose(t, t + 1e-9));
    auto f = [](auto&& e) { return xt::eval(xt::sum(e, {0})); };
    out("f", f(t * t));
    size_t idx = xt::argmin(xt::abs(t - 3.4))();
    out("idx", idx);
    std::size_t first = xt::argmax(xt::view(t, 1))[0];
    out("first", first);
    out("bool sum", xt::sum(t > 2.)());
    out("bool mean", xt::mean(t > 2.)());
    out("med", xt::median(t));
    out("int mean", xt::mean(xt::xarray<int>{1, 2, 4})());
    out.stream() << xt::sum(t)() / t.size() << "\n";
    const auto shape = xt::sum(a, {0}).shape();
    out("dim", shape.size());
    out("maxs", std::max(xt::amax(t)(), 3.5));
}

PRINTED(elements_and_selection) {
    xt::xtensor<double, 2> a = xt::zeros<double>({3, 4});
    for (std::size_t i = 0; i < a.shape()[0]; ++i)
        for (std::size_t j = 0; j < a.shape()[1]; ++j) a(i, j) = i * 10. + j;
    out("a", a);
    xt::xarray<double> b = a;
    out("el", b[{1, 2}]);
    b[{0, 0}] = 5;
    std::vector<std::size_t> ix = {2, 3};
    out("ix", b[ix]);
    b.element(ix.begin(), ix.end()) = 9;
    out("b", b);
    out("at", b.at(1, 1));
    out("flat", b.flat(5));
    out("perio", b.periodic(-1, -1));
    out("in", b.in_bounds(3, 0));
    out("front", b.front() + b.back());
    out("unck", b.unchecked(1, 2));
    out("b0", b(0));
    xt::xindex xi = {1, 1};
    out("xi", b[xi]);
    b(1) = 3;
    out("b", b);
    b.flat(0) += 1;
    out("b00", b(0, 0));
    b(1, 1) += b(0, 1);
    b(0, 0)++;
    out("b", b);
    out.outcome("at", [&] { b.at(5, 0); });
    out.outcome("at3", [&] { b.at(0, 0, 7); });
    out.outcome("bc", [&] { xt::xarray<double> c = b + xt::ones<double>({7}); });
    out.outcome("resh", [&] { b.reshape({5, 5}); });
    out.outcome("view", [&] { xt::view(b, 0) = xt::ones<double>({9}); });
    out.outcome("conc", [&] {
        xt::xarray<double> c = xt::concatenate(xt::xtuple(a, xt::xtensor<double, 2>({3, 3}, 0.)), 0);
    });
    out.outcome("shape", [&] { b += xt::ones<double>({2, 2}); });
    out.outcome("sumax", [&] { xt::xarray<double> c = xt::sum(b, {5}); });
    auto nz = xt::nonzero(b > 20.);
    out("nz", nz[0].size());
    auto w = xt::argwhere(b > 20.);
    for (auto& i : w) out.stream() << i[0] << "," << i[1] << " ";
    out.stream() << "\n";
    auto wh = xt::where(b > 20.);
    out("wh", wh[1][0]);
    auto f = xt::filter(b, b > 20.);
    out("f", f);
    f += 100.;
    out("b", b);
    xt::filtration(b, b > 100.) = 1.;
    out("b", b);
    xt::filtration(b, b > 10.) *= 2.;
    out("b", b);
    auto iv = xt::index_view(b, {{0, 0}, {1, 1}});
    iv = 7.;
    out("b", b);
    iv += 1.;
    out("iv", iv);
    xt::xtensor<double, 1> fv = xt::filter(a, a < 3.);
    out("fv", fv);
    xt::xarray<bool> m = a > 5.;
    out("m", m);
    out("any", xt::any(m));
    xt::xarray<bool> n = !m || (a < 2. && m);
    out("n", n);
    m(0, 0) = true;
    out("m", m);
    out("cnt", xt::sum(m)());
    auto mv = xt::masked_view(b, m);
    mv = 0.;
    out("b", b);
    xt::xarray<double> sel = xt::where(m, b, 1.);
    out("sel", sel);
    xt::masked_view(b, m) += 3.;
    out("b", b);
#ifndef __clang__  // which refuses xtl's masked values
    out("mx", xt::masked_view(b, m));
#endif
    out("cast", xt::cast<int>(a) % 3);
    xt::xarray<int> ii = xt::cast<int>(a);
    ii |= 1;
    out("or", ii);
    out("not", !(ii > 10));
    out("neq", xt::not_equal(ii, 3));
    out("eq", xt::equal(ii, 3));
    out("bits", (ii & 6) ^ 3);
    out("sh", ii >> 1);
    out("clip", xt::clip(a, 2., 11.));
    out("sign", xt::sign(a - 10.));
    out("mod", xt::fmod(a, 3.));
    out("pow", xt::pow(a, 2));
    out("max", xt::maximum(a, 5.));
    out("cmp", a == b);
    out("cmp2", a != b);
    out("round", xt::round(a / 4.));
    auto nzi = xt::flatnonzero<xt::layout_type::row_major>(b > 3.);
    out("fnz", nzi.size());
    auto fi = xt::from_indices(w);
    out("fi", fi.dimension());
    for (std::size_t k = 0; k < w.size(); ++k) b[w[k]] = -1;
    out("b", b);
    xt::xarray<double> e = b;
    e(0, 0) = 1000;
    out("b00", b(0, 0));
    std::size_t cnt = 0;
    while (xt::amax(xt::abs(e))() > 1. && cnt < 100) {
        e *= 0.5;
        ++cnt;
    }
    out("cnt", cnt);
    xt::xtensor<int, 1> idx = {2, 0, 1};
    auto kk = xt::view(a, xt::keep(idx));
    out("kk", kk);
    xt::xarray<double> ka = xt::view(a, xt::keep(idx), xt::all()) * 2.;
    out("ka", ka);
    std::vector<int> dv = {1};
    out("drop", xt::view(a, xt::drop(dv)));
    auto srt = xt::argsort(a, 1);
    out("srt", srt);
    out("sorted", xt::sort(xt::eval(-a), 1));
    auto ia = xt::index_view(b, w);
    out("ia", ia);
    auto i2 = xt::filter(b, xt::isfinite(b));
    out("i2", i2.size());
    xt::xarray<double> emp;
    out("emp", emp.size());
    out("emp", emp.dimension());
    xt::xtensor<double, 1> et;
    out("et", et.size());
    if (et.size() == 0) out("empty", 1);
    et = xt::zeros<double>({0});
    out("es", xt::sum(et)());
    out("cast2", static_cast<int>(a(1, 1)));
    double x = a(1);
    out("x", x);
    int q = a(2, 3);
    out("q", q);
}
