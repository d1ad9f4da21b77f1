// SPDX-License-Identifier: BSD-3-Clause
// Reductions over every set of axes, with and without keep_dims, alone and inside expressions.
#include "program.hpp"

#include <xtensor/xmath.hpp>
#include <xtensor/xnorm.hpp>
#include <xtensor/xreducer.hpp>
#include <xtensor/xview.hpp>

#include <string>

using programs::sample;
using programs::sample_between;

namespace {

/// The axes of a rank as every sorted subset but the empty one.
std::vector<std::vector<std::size_t>> axis_sets(std::size_t rank) {
    std::vector<std::vector<std::size_t>> all;
    for (unsigned bits = 1; bits < (1u << rank); ++bits) {
        std::vector<std::size_t> axes;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            if ((bits >> axis & 1u) != 0) axes.push_back(axis);
        }
        all.push_back(axes);
    }
    return all;
}

/// Sums of small numbers are exact, so they must be equal whatever the order.
template <class T>
void all_axes(programs::Out& out, const std::vector<std::size_t>& shape) {
    const xt::xarray<T> a = sample<T>(shape, 1);
    for (const auto& axes : axis_sets(shape.size())) {
        out("sum", xt::sum(a, axes));
        out("sum, kept", xt::sum(a, axes, xt::keep_dims));
        out("amin", xt::amin(a, axes));
        out("amax, kept", xt::amax(a, axes, xt::keep_dims));
    }
    out("sum of all", xt::sum(a)());
    out("amin of all", xt::amin(a)());
    out("amax of all", xt::amax(a)());
    out("sum of all, kept", xt::sum(a, xt::keep_dims));
}

}  // namespace

PROGRAM(reducers, all_axes_double) { all_axes<double>(out, {3, 4, 5}); }
PROGRAM(reducers, all_axes_int) { all_axes<int>(out, {2, 5, 3}); }
PROGRAM(reducers, all_axes_float_rank_4) { all_axes<float>(out, {2, 3, 2, 4}); }
PROGRAM(reducers, all_axes_int64) { all_axes<std::int64_t>(out, {7}); }

PROGRAM(reducers, ways_to_name_axes) {
    const xt::xarray<double> a = sample<double>({3, 4, 5}, 2);
    out("list", xt::sum(a, {0, 2}));
    out("one", xt::sum(a, {1}));
    out("number", xt::sum(a, 1));
    out("negative number", xt::sum(a, -1));
    out("negative list", xt::sum(a, {-2, -1}));
    out("array", xt::sum(a, std::array<std::size_t, 2>{0, 1}));
    out("vector", xt::sum(a, std::vector<std::size_t>{1, 2}));
    out("template", xt::sum<double>(a, {0}));
    out("kept number", xt::amax(a, 2, xt::keep_dims));
    out("mean of a number", xt::mean(a, 0));
}

PROGRAM(reducers, result_types) {
    const xt::xarray<bool> b = sample<bool>({3, 50}, 3);
    const xt::xarray<std::int16_t> s = sample<std::int16_t>({3, 50}, 4);
    const xt::xarray<int> i = sample<int>({3, 50}, 5);
    const xt::xarray<float> f = sample<float>({3, 50}, 6);
    out("bool", xt::sum(b, {1}));
    out("bool, all", xt::sum(b)());
    out("short", xt::sum(s, {1}));
    out("int", xt::sum(i, {1}));
    out("int in 64 bits", xt::sum<std::int64_t>(i, {1}));
    out("int in double", xt::sum<double>(i, {1}));
    out("float", xt::sum(f, {1}));
    out("float in double", xt::sum<double>(f, {0}));
    out("amax of bool", xt::amax(b, {1}));
    out("amin of short", xt::amin(s, {0}));
    out("mean of int", xt::mean(i)());
    out("mean of float", xt::mean(f, {1}));
    out("comparison", xt::sum(xt::cast<int>(i > 0), {1}));
    out("count", xt::sum(i > 2)());
}

PROGRAM(reducers, integers_wrap) {
    const xt::xarray<int> a = {std::numeric_limits<int>::max(), std::numeric_limits<int>::max(), 3};
    const xt::xarray<std::int64_t> smallest = {std::numeric_limits<std::int64_t>::min()};
    out("in 64 bits", xt::sum<std::int64_t>(a)());
    out("amax", xt::amax(smallest)());
    out("amin", xt::amin(a)());
}

PROGRAM(reducers, of_expressions) {
    const xt::xarray<double> a = sample<double>({6, 7}, 7), b = sample<double>({7}, 8);
    out("sum of product", xt::sum(a * b, {1}));
    out("sum of squares", xt::sum(a * a)());
    out("amax of where", xt::amax(xt::where(a > b, a, b), {0}));
    out("of a view", xt::sum(xt::view(a, xt::range(1, 5), xt::range(6, 1, -2)), {0}));
    out("of a view, all", xt::sum(xt::view(a, xt::all(), 3))());
    out("then more", xt::sum(a, {0}) * 2.0 + b);
    out("two sums", xt::sum(a, {0}) - xt::sum(a * a, {0}));
    out("sum of a sum", xt::sum(xt::sum(a, {0}))());
    out("scalar in an expression", a / xt::amax(xt::abs(a))());
    out("0-d in an expression", a + xt::sum(b));
}

PROGRAM(reducers, several_results_of_one_array) {
    const xt::xtensor<double, 2> a = sample<double>({50, 60}, 9);
    const xt::xtensor<double, 1> low = xt::amin(a, {1}), high = xt::amax(a, {1}), total = xt::sum(a, {1});
    const xt::xtensor<double, 2> kept = xt::amax(a, {1}, xt::keep_dims);
    xt::xtensor<double, 2> scaled = (a - kept) * 0.5;
    out("low", low);
    out("high", high);
    out("total", total);
    out("scaled", scaled);
    out("range", high - low);
}

PROGRAM(reducers, statistics) {
    const xt::xarray<double> a = sample_between<double>({20, 30}, 0.0, 10.0, 10);
    out.within("mean", xt::mean(a)(), 1e-13);
    out.within("mean of rows", xt::mean(a, {1}), 1e-13);
    out.within("mean of columns, kept", xt::mean(a, {0}, xt::keep_dims), 1e-13);
    out.within("variance", xt::variance(a)(), 1e-12);
    out.within("variance of rows", xt::variance(a, {1}), 1e-12);
    out.within("standard deviation", xt::stddev(a)(), 1e-12);
    out.within("standard deviation of columns", xt::stddev(a, {0}), 1e-12);
    out.within("variance, ddof", xt::variance(a, {1}, 1), 1e-12);
}

PROGRAM(reducers, sums_within_bounds) {
    const xt::xarray<double> a = sample_between<double>({100, 1000}, -1.0, 1.0, 11);
    const xt::xarray<float> f = sample_between<float>({10000}, 0.0f, 1.0f, 12);
    const double eps = std::numeric_limits<double>::epsilon();
    out.within("all", xt::sum(a)(), 1e5 * eps * 1e5);
    out.within("rows", xt::sum(a, {1}), 1e3 * eps * 1e3);
    out.within("columns", xt::sum(a, {0}), 100 * eps * 100);
    out.within("float", xt::sum(f)(), 1e4 * std::numeric_limits<float>::epsilon() * 1e4);
}

PROGRAM(reducers, extents_of_one_and_zero) {
    const xt::xarray<double> one = sample<double>({1, 4, 1}, 13);
    const xt::xarray<double> empty = xt::zeros<double>({0, 3});
    const xt::xarray<double> scalar = 5.0;
    out("over the ones", xt::sum(one, {0, 2}));
    out("over the four", xt::amax(one, {1}));
    out("kept", xt::sum(one, {1}, xt::keep_dims));
    out("sum over nothing", xt::sum(empty, {0}));
    out("sum of nothing", xt::sum(empty, {1}));
    out("sum of all of nothing", xt::sum(empty)());
    out("0-d", xt::sum(scalar)());
    out("one element", xt::amin(xt::view(one, 0, 1, 0))());
}

PROGRAM(reducers, negative_zero) {
    const xt::xarray<double> zeros = {-0.0, -0.0, -0.0};
    const xt::xarray<double> mixed = {{-0.0, 0.0}, {0.0, -0.0}};
    out("kept rows", xt::amax(mixed, {1}) * 0.0 + 1.0);
    out("amin", xt::amin(zeros)());
}

PROGRAM(reducers, ways_to_read_the_value) {
    const xt::xarray<double> a = sample<double>({4, 5}, 14);
    const double called = xt::sum(a)();
    const double indexed = xt::sum(a)[0];
    const double numbered = xt::amax(a)(0);
    const auto kept = xt::sum(a, {0});
    out("()", called);
    out("[0]", indexed);
    out("(0)", numbered);
    out("element", kept(3));
    out("converted", xt::xarray<double>(xt::sum(a))());
    double total = 0;
    for (const double value : kept) total += value;
    out("loop", total);
    const auto shape = kept.shape();
    out("shape", double(shape[0]));
}

PROGRAM(reducers, immediate) {
    const xt::xarray<double> a = sample<double>({4, 5}, 15);
    xt::xarray<double> now = xt::sum(a, {1}, xt::evaluation_strategy::immediate);
    out("sum", now);
    out("kept", xt::amax(a, {0}, xt::keep_dims | xt::evaluation_strategy::immediate));
    out("scalar", xt::sum(a, xt::evaluation_strategy::immediate)());
}

PROGRAM(reducers, cumulative) {
    const xt::xarray<double> a = xt::floor(sample_between<double>({4, 5}, -50.0, 50.0, 16));
    const xt::xarray<int> n = sample<int>({4, 5}, 17);
    const xt::xtensor<double, 2> t = a;
    const xt::xarray<double, xt::layout_type::column_major> c = a;
    out("rows", xt::cumsum(a, 1));
    out("columns", xt::cumsum(a, 0));
    out("last axis", xt::cumsum(t, -1));
    out("products", xt::cumprod(n, 0));
    out("flat", xt::cumsum(a));
    out("flat products", xt::cumprod(n));
    out("column-major", xt::cumsum(c, 0));
    out("over one", xt::cumsum(xt::xarray<double>{{5, 6, 7}}, 0));
    out("of an expression", xt::cumsum(a * 2.0 + 1.0, 1));
    out("of an expression, flat", xt::cumsum(a * 2.0 + 1.0));
    out("of a view", xt::cumsum(xt::view(a, xt::range(1, 4), xt::range(0, 5, 2)), 0));
    out("of a view, flat", xt::cumsum(xt::view(a, xt::all(), xt::range(0, 5, 2))));
    out("of a transposed one", xt::cumsum(xt::transpose(a), 0));
    out("of a transposed one, flat", xt::cumsum(xt::transpose(a)));
    out("used", xt::cumsum(a, 1) - a + xt::sum(xt::cumsum(a, 0))());
    out("of another", xt::cumsum(xt::cumsum(a, 0), 1));
    xt::xarray<double> b = a;
    b = xt::cumsum(b, 0);
    xt::view(b, 0, xt::all()) = xt::cumsum(xt::view(b, 1, xt::all()));
    out("in place", b);
}

PROGRAM(reducers, cumulative_types) {
    const xt::xarray<double> a = xt::floor(sample_between<double>({3, 7}, -50.0, 50.0, 18));
    const xt::xarray<std::int8_t> bytes = xt::cast<std::int8_t>(a);
    const xt::xarray<bool> flags = a > 0.0;
    const xt::xarray<std::complex<double>> z = a + std::complex<double>(1.0, 2.0);
    out("int8", xt::cumsum(bytes, 1));
    out("int8 as double", xt::cumsum<double>(bytes, 1));
    out("int8, flat", xt::cumsum(bytes));
    out("bool", xt::cumsum(flags, 1));
    out("float", xt::cumsum(xt::xarray<float>(xt::cast<float>(a)), 0));
    out("unsigned", xt::cumprod(xt::xarray<std::uint16_t>(xt::cast<std::uint16_t>(xt::abs(a))), 0));
    out("long as int", xt::cumsum<int>(xt::xarray<std::int64_t>(xt::cast<std::int64_t>(a)), 1));
    out("complex", xt::cumsum(z, 1));
    const xt::xarray<double> empty = xt::zeros<double>({0, 3});
    out("of nothing", xt::cumsum(empty, 1));
}

FALLBACK_PROGRAM(reducers, left_to_xtensor) {
    const xt::xarray<double> a = sample<double>({4, 5}, 16);
    const xt::xarray<int> n = sample<int>({4, 5}, 17);
    out("prod", xt::prod(xt::cast<double>(n) / 4.0, {1}));
    out("initial", xt::sum(a, {0}, xt::initial(3.0)));
    out("own functor", xt::reduce([](double x, double y) { return x > y ? x : y; }, a, {1}));
    out("count_nonzero", xt::count_nonzero(n, {1}));
    out("norm_l1", xt::norm_l1(a)());
    out("norm_l2", xt::norm_l2(a)());
    out("norm_linf", xt::norm_linf(a, {0}));
    out("norm_sq", xt::norm_sq(a, {1}));
    out("all", double(xt::all(n > -100)));
    out("any", double(xt::any(n > 100)));
    out("nancumsum", xt::nancumsum(a, 1));
    out("diff", xt::diff(a, 1, 1));
    out("trapz", xt::trapz(a)());
    out.within("average", xt::average(a, xt::xarray<double>{1.0, 2.0, 3.0, 4.0}, {0}), 1e-12);
    const xt::xarray<double> holes = {1.0, std::numeric_limits<double>::quiet_NaN(), 3.0};
    out("nansum", xt::nansum(holes)());
    out("nanmean", xt::nanmean(holes)());
    out("nanmax", xt::nanmax(holes)());
    out("minmax", xt::minmax(a)()[1]);
}
