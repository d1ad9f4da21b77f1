// SPDX-License-Identifier: BSD-3-Clause
// Expressions kept in variables and returned from functions; views on both sides; printed.
#include "printed.hpp"

#include <functional>

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xdynamic_view.hpp>
#include <xtensor/xeval.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace {

using arr = xt::xarray<double>;
auto half(const arr& a) { return xt::view(a, xt::range(0, 2)); }
auto scaled(const arr& a) { return a * 0.5; }
template <class E>
auto norm2(E&& e) {
    return xt::sqrt(xt::sum(xt::square(std::forward<E>(e)), {0}));
}
template <class E>
auto softmax(const E& e) {
    auto x = xt::exp(e - xt::amax(e)());
    arr y = x / xt::sum(x)();
    return y;
}

arr make() { return xt::arange<double>(6.).reshape({2, 3}); }
struct Model {
    arr w = xt::ones<double>({3, 3});
    auto row(std::size_t i) { return xt::row(w, i); }
    auto row(std::size_t i) const { return xt::row(w, i); }
    const arr& weights() const { return w; }
    arr& weights() { return w; }
    template <class E>
    void set(const xt::xexpression<E>& e) {
        w = e;
    }
    template <class E>
    auto apply(E&& e) const {
        return w * std::forward<E>(e);
    }
};

}  // namespace

PRINTED(expressions_kept) {
    arr a = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    auto h = half(a);
    out("half", h);
    a(0, 0) = 10;
    out("half2", h);
    xt::xarray<double> hd = h * 2.;
    out("hd", hd);
    auto s = scaled(a);
    out("s", s);
    auto s2 = std::move(s);
    out("s2", s2);
    arr sc = s2 + s2;
    out("sc", sc);
    out("norm", norm2(a));
    out("norm2", norm2(a + 1.));
    out("soft", xt::sum(softmax(a))());

    Model m;
    m.row(1) = xt::arange<double>(3.);
    out("w", m.w);
    out("row", static_cast<const Model&>(m).row(1));
    m.set(a + 1.);
    out("w", m.weights());
    out("apply", m.apply(a - 1.));
    m.weights() += 1.;
    out("w", m.w);
    auto v = xt::view(a + 1., 1, xt::all());
    out("v", v);
    auto vv = xt::view(xt::view(a, xt::range(0, 2)), 1);
    out("vv", vv);
    vv(0) = -1;
    out("a", a);
    auto e = xt::eval(a * 2.);
    out("e", e);
    auto&& ee = xt::eval(a);
    out("same", (void*)&ee == (void*)&a);
    auto tr = xt::transpose(a);
    out("tr", tr);
    arr trc = tr;
    out("trc", trc);
    tr(0, 1) = 99;
    out("a", a);
    std::function<double(const arr&)> f = [](const arr& x) { return xt::sum(x)(); };
    out("f", f(a * 2.));
    auto lam = [&a] { return a + 1.; };
    out("lam", lam());
    auto shared = xt::make_xshared(a + 0.);
    out("sh", xt::eval(shared + 1.));
    const auto& ref = a;
    auto cv = xt::view(ref, 0);
    out("cv", cv);
    std::vector<decltype(xt::view(a, 0))> views;
    for (int i = 0; i < 3; ++i) views.push_back(xt::view(a, i));
    for (auto& x : views) x += 1.;
    out("a", a);
    auto t = std::make_tuple(a * 1., a * 2.);
    out("tup", std::get<0>(t) + std::get<1>(t));
    auto expr = a;
    expr = expr + expr;
    out("expr", expr);
    out("make", make());
    auto r = xt::reshape_view(a, {9});
    out("r", r);
    a(0, 0) = 5;
    out("a00", a(0, 0));
    auto fl = xt::flatten(a);
    out("fl", fl);
    auto rv = xt::ravel(a);
    xt::xarray<double> rvd = rv * 2.;
    out("a", a);
    auto cond = xt::where(a > 10., a, -a);
    out("cond", cond);
    a.fill(1.);
    out("cond", cond);
    auto x = true ? xt::eval(a + 1.) : xt::eval(a * 2.);
    out("x", x);
    double d = (a * 3.)(1, 1);
    out("d", d);
    out("elem", (a + a)(0, 2));
    out("idx", (a + a)[{1, 2}]);
    auto it = (a * 2.).begin();
    out("it", *it);
    arr z;
    z = z + 1.;
    out("z", z);
    arr q;
    q += 1.;
    out("q", q);
    arr w2;
    w2 = a;
    w2 = w2 * w2;
    out("w2", w2);
    auto ch = xt::sin(a) + xt::cos(a) * 0.;
    auto ch2 = ch * 0. + 1.;
    out("ch", ch2);
}

PRINTED(views) {
    using namespace xt::placeholders;
    xt::xtensor<double, 2> a = xt::reshape_view(xt::arange<double>(20.), {4, 5});
    xt::xarray<double> b = a;
    xt::view(a, 0, xt::all()) = 7.;
    xt::view(a, xt::all(), 1) += 2.;
    xt::view(a, xt::range(1, 3), xt::range(_, -1)) *= 3.;
    out("a", a);
    xt::row(a, 2) = xt::col(a, 0)(1);
    xt::col(a, -1) = xt::arange<double>(4.);
    out("a", a);
    xt::view(a, xt::range(0, 4, 2)) = xt::view(a, xt::range(1, 4, 2));
    out("a", a);
    xt::view(a, xt::range(1, _)) = xt::view(a, xt::range(0, 3));
    out("a", a);
    xt::view(a, xt::keep(0, 2), xt::drop(1)) = -1.;
    out("a", a);
    xt::view(a, xt::keep(3, 1)) += xt::view(b, xt::keep(0, 0));
    out("a", a);
    auto rev = xt::view(a, xt::all(), xt::range(_, _, -1));
    out("rev", rev);
    a = rev;
    out("a", a);
    auto sv = xt::strided_view(b, {xt::range(0, 2), xt::ellipsis()});
    sv = 3.;
    out("b", b);
    xt::strided_view(b, {xt::all(), 2}) = xt::arange<double>(4.);
    out("b", b);
    xt::xstrided_slice_vector slices = {xt::range(1, 3), xt::newaxis(), xt::range(0, 5, 2)};
    out("sl", xt::strided_view(b, slices));
    slices.clear();
    slices.push_back(1);
    slices.push_back(xt::all());
    out("sl2", xt::strided_view(b, slices));
    auto dv = xt::dynamic_view(b, {xt::keep(1, 2), xt::range(0, 3)});
    out("dv", dv);
    dv = 8.;
    out("b", b);
    dv += 1.;
    out("b", b);
    xt::xarray<double> dvc = xt::dynamic_view(b, {1, xt::drop(0)}) * 2.;
    out("dvc", dvc);
    auto nv = xt::view(b, xt::newaxis(), xt::all(), 1);
    out("nv", nv);
    out("sh", nv.dimension());
    xt::xarray<double> outer = xt::view(b, xt::all(), xt::newaxis(), 0) * xt::view(b, xt::newaxis(), 0, xt::all());
    out("outer", outer);
    xt::noalias(b) = a * 2.;
    out("b", b);
    xt::noalias(b) += a;
    out("b", b);
    xt::noalias(xt::view(b, 0)) = xt::view(a, 1);
    out("b", b);
    auto tr = xt::transpose(a);
    tr += 1.;
    out("a", a);
    auto sq = xt::squeeze(xt::view(a, xt::range(0, 1)));
    out("sq", sq);
    out("exp", xt::expand_dims(a, 0).shape(0));
    out("flip", xt::flip(a, 1));
    out("rot", xt::rot90(a));
    out("roll", xt::roll(a, 1, 0));
    auto parts = xt::split(a, 2);
    parts[0] = 0.;
    out("a", a);
    for (auto& q : xt::vsplit(b, 2)) out("q", q);
    auto diag = xt::diagonal(b);
    out("diag", diag);
    auto at = xt::atleast_3d(a);
    out("at", at.shape(2));
    a.reshape({2, 10});
    out("a", a);
    a.reshape({5, -1});
    out("sh", a.shape(1));
    a.resize({2, 2});
    a.fill(1);
    out("a", a);
    for (std::size_t i = 0; i < 2; ++i) {
        auto r = xt::row(a, i);
        r(0) = double(i);
        r[1] = 5;
    }
    out("a", a);
    auto v1 = xt::view(a, 0);
    auto v2 = xt::view(a, 1);
    std::swap(v1(0), v2(0));
    out("a", a);
    v1 = v2;
    out("a", a);
    xt::xtensor<double, 3> c = xt::ones<double>({2, 3, 4});
    xt::view(c, 1) = 2.;
    xt::view(c, xt::all(), 1, xt::all()) *= 4.;
    xt::view(c, xt::all(), xt::all(), 0) = 0.;
    out("c", c);
    xt::view(c, 0, xt::all(), xt::all()) = xt::view(c, 1, xt::all(), xt::all()) + 1.;
    out("c", c);
    auto w = xt::view(c, 0);
    w(1, 1) = 100;
    xt::xarray<double> copy = w;
    copy += 1.;
    out("w", w);
    out("copy", copy);
    int k = 1;
    auto vi = xt::view(c, k, xt::range(k, k + 2), xt::all());
    out("vi", vi);
    vi.fill(3.5);
    out("c", c);
    out("eq", xt::view(c, 0) == xt::view(c, 0));
    out("off", vi.data_offset() > 0);
    out("str", vi.strides()[0]);
    auto sw = xt::transpose(c, {2, 1, 0});
    sw(0, 0, 0) = -5;
    out("c000", c(0, 0, 0));
}
