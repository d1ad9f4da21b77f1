// SPDX-License-Identifier: BSD-3-Clause
// Functions that xtensor evaluates on the arrays' values, between statements that are recorded.
#include "program.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xcomplex.hpp>
#include <xtensor/xhistogram.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xpad.hpp>
#include <xtensor/xset_operation.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xvectorize.hpp>
#include <xtensor/xview.hpp>

#include <cmath>

using programs::sample;

FALLBACK_PROGRAM(whole_arrays, sorting) {
    const xt::xarray<double> a = sample<double>({5, 6}, 1) * 0.5 + 1.0;
    xt::xarray<double> sorted = xt::sort(a);
    out("sort", sorted);
    out("sort axis 0", xt::sort(a, 0));
    out("argsort", xt::argsort(xt::view(a, 1)));
    out("argmax", double(xt::argmax(a)()));
    out("argmin", double(xt::argmin(a)()));
    out("argmax axis 1", xt::argmax(a, 1));
    out("argmin axis 0", xt::argmin(a, 0));
    out("median", xt::median(xt::xarray<double>(sorted + a)));
    out("partition", xt::partition(xt::view(a, 0), 2)(2));
    const xt::xarray<int> n = sample<int>({30}, 2) % 4;
    out("unique", xt::unique(n));
    out("in an expression", xt::sort(a) + a);
}

FALLBACK_PROGRAM(whole_arrays, sets) {
    const xt::xarray<int> a = {1, 2, 3, 4, 5}, b = {2, 5, 9};
    out("isin", xt::isin(a + 0, b));
    out("in1d", xt::in1d(a, b));
    out("searchsorted", xt::searchsorted(a, b));
    out("setdiff1d", xt::setdiff1d(a, b));
}

FALLBACK_PROGRAM(whole_arrays, joining) {
    const xt::xarray<double> a = sample<double>({3, 4}, 3) + 1.0, b = sample<double>({3, 4}, 4) * 2.0;
    out("concatenate", xt::concatenate(xt::xtuple(a, b)));
    out("concatenate axis 1", xt::concatenate(xt::xtuple(a, b, a), 1));
    out("stack", xt::stack(xt::xtuple(a, b)));
    out("stack axis 2", xt::stack(xt::xtuple(a, b), 2));
    out("hstack", xt::hstack(xt::xtuple(a, b)));
    out("vstack", xt::vstack(xt::xtuple(a, b)));
    xt::xarray<double> joined = xt::concatenate(xt::xtuple(a + b, a - b)) * 2.0;
    out("of expressions", joined);
    auto parts = xt::split(joined, 2);
    out("split", parts[1]);
}

FALLBACK_PROGRAM(whole_arrays, rearranging) {
    const xt::xarray<double> a = sample<double>({3, 4}, 5) + 1.0;
    out("roll", xt::roll(a, 2));
    out("roll axis", xt::roll(a, 1, 1));
    out("pad", xt::pad(a, 1));
    out("pad constant", xt::pad(a, {{1, 0}, {0, 2}}, xt::pad_mode::constant, 7.0));
    out("pad reflect", xt::pad(a, 1, xt::pad_mode::reflect));
    out("tile", xt::tile(a, 2));
    out("repeat", xt::repeat(a, 2, 0));
    xt::xarray<double> padded = xt::pad(a, 1);
    padded += 1.0;
    out("padded", padded);
}

FALLBACK_PROGRAM(whole_arrays, functions_of_elements) {
    const xt::xarray<double> a = sample<double>({6}, 6) + 1.0;
    double factor = 3.0;
    auto scaled = xt::vectorize([&factor](double x) { return x * factor; });
    xt::xarray<double> b = scaled(a) + a;
    factor = 100.0;
    out("vectorize", b);
    out("make_lambda_xfunction", xt::make_lambda_xfunction([](double x, double y) { return x * y + 1.0; }, a, b));
    out("interp", xt::interp(a, xt::xarray<double>{-20.0, 0.0, 20.0}, xt::xarray<double>{0.0, 1.0, 4.0}));
    out.within("histogram", xt::histogram(a, std::size_t(4)), 1e-12);
    out("bincount", xt::bincount(xt::xarray<int>{0, 1, 1, 3}));
    out("digitize", xt::digitize(a, xt::xarray<double>{-1.0, 0.0, 1.0}));
}

FALLBACK_PROGRAM(whole_arrays, complex_numbers) {
    using complex = std::complex<double>;
    xt::xarray<complex> z = {{complex(1, 2), complex(3, -1)}, {complex(0, 1), complex(2, 0)}};
    xt::xarray<complex> w = z * complex(0, 1) + z;
    out("w", w);
    const xt::xarray<double> real = xt::real(w), imaginary = xt::imag(w);
    out("real", real);
    out("imag", imaginary * 2.0);
    out("abs", xt::abs(z));
    out("conj", xt::conj(z));
    out("norm", xt::norm(z));
    xt::real(z) = real + 1.0;
    out("real assigned", z);
    xt::xarray<double> d = {2.0, 3.0};
    xt::xarray<complex> mixed = z * d;
    out("times double", mixed);
    out("sum", xt::sum(z)().real());
}

FALLBACK_PROGRAM(whole_arrays, column_major) {
    xt::xarray<double, xt::layout_type::column_major> a = {{1, 2}, {3, 4}};
    const xt::xarray<double> r = {{10, 20}, {30, 40}};
    xt::view(a, xt::all(), 0) *= 2.0;
    xt::view(a, xt::all(), 1) *= 2.0;
    out("columns", a);
    xt::xarray<double, xt::layout_type::column_major> b = a + r;
    out("mixed layouts", b);
    xt::xarray<double> back = b * 2.0 - r;
    out("back", back);
    xt::xarray<double, xt::layout_type::column_major> repeated = xt::broadcast(xt::view(a, 0), {3, 2});
    out("broadcast", repeated);
    out("sum", xt::sum(b, {0}));
    out("data", b.data()[1]);
    xt::xtensor<int, 2, xt::layout_type::column_major> t = xt::cast<int>(b);
    t += 1;
    out("tensor", t);
    xt::xarray<double, xt::layout_type::dynamic> free_layout = r;
    free_layout = free_layout + a;
    out("dynamic", free_layout);
}

FALLBACK_PROGRAM(whole_arrays, between_recorded_statements) {
    xt::xarray<double> a = sample<double>({4, 4}, 7);
    for (int i = 0; i < 5; ++i) {
        a = a * 0.5 + xt::roll(a, 1, 0);
        xt::xarray<double> top = xt::sort(a, 1);
        a -= xt::view(top, xt::all(), xt::range(0, 1));
    }
    out("a", a);
}
