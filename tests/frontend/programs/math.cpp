// SPDX-License-Identifier: BSD-3-Clause
// Mathematical functions: exact ones to the bit, the others within 4 units in the last place.
#include "program.hpp"

#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

using programs::sample;
using programs::sample_between;
using programs::special;

namespace {

template <class T>
void exact(programs::Out& out) {
    const xt::xarray<T> a = sample_between<T>({203}, T(-20), T(20), 1), b = sample_between<T>({203}, T(-3), T(3), 2);
    out("abs", xt::abs(a));
    out("fabs", xt::fabs(a));
    out("sqrt", xt::sqrt(xt::abs(a)));
    out("floor", xt::floor(a));
    out("ceil", xt::ceil(a));
    out("trunc", xt::trunc(a));
    out("round", xt::round(a));
    out("rint", xt::rint(a));
    out("nearbyint", xt::nearbyint(a));
    out("fmax", xt::fmax(a, b));
    out("fmin", xt::fmin(a, b));
    out("fdim", xt::fdim(a, b));
    out("fmod", xt::fmod(a, b));
    out("remainder", xt::remainder(a, b));
    out("sign", xt::sign(a));
    const xt::xarray<T> halves = {T(0.5), T(-0.5), T(1.5), T(2.5), T(-2.5), T(0), -T(0)};
    out("round halves", xt::round(halves));
    out("rint halves", xt::rint(halves));
    const xt::xarray<T> odd = special<T>();
    out("special sqrt", xt::sqrt(odd));
    out("special floor", xt::floor(odd));
    // Of +0 and -0 either is right: compilers exchange the operands of the C library's fmax.
    out.ulps("special fmax", xt::fmax(odd, xt::view(odd, xt::all(), xt::newaxis())), 0);
    out("isnan", xt::isnan(xt::sqrt(a)));
}

template <class T>
void exponential(programs::Out& out) {
    const xt::xarray<T> a = sample_between<T>({203}, T(-20), T(20), 3);
    const xt::xarray<T> positive = sample_between<T>({203}, T(1e-3), T(50), 4);
    out.ulps("exp", xt::exp(a));
    out.ulps("exp2", xt::exp2(a));
    out.ulps("expm1", xt::expm1(a));
    out.ulps("log", xt::log(positive));
    out.ulps("log2", xt::log2(positive));
    out.ulps("log10", xt::log10(positive));
    out.ulps("log1p", xt::log1p(positive));
    out.ulps("pow", xt::pow(positive, a / T(8)));
    out.ulps("pow 2", xt::pow(a, T(2)), 1);
    out.ulps("pow 3", xt::pow(positive, T(3)));
    out.ulps("pow half", xt::pow(positive, T(0.5)));
    out.ulps("cbrt", xt::cbrt(a));
    out.ulps("hypot", xt::hypot(a, positive));
    out.ulps("negative log", xt::log(-positive));
    const xt::xarray<T> odd = special<T>();
    out.ulps("special exp", xt::exp(odd));
    out.ulps("special log", xt::log(odd));
}

template <class T>
void trigonometric(programs::Out& out) {
    const xt::xarray<T> a = sample_between<T>({203}, T(-20), T(20), 5), unit = sample_between<T>({203}, T(-1), T(1), 6);
    const xt::xarray<T> b = sample_between<T>({203}, T(-2), T(2), 7);
    out.ulps("sin", xt::sin(a));
    out.ulps("cos", xt::cos(a));
    out.ulps("tan", xt::tan(a));
    out.ulps("asin", xt::asin(unit));
    out.ulps("acos", xt::acos(unit));
    out.ulps("atan", xt::atan(a));
    out.ulps("atan2", xt::atan2(a, b));
    out.ulps("sinh", xt::sinh(b));
    out.ulps("cosh", xt::cosh(b));
    out.ulps("tanh", xt::tanh(b));
    out.ulps("asinh", xt::asinh(a));
    out.ulps("acosh", xt::acosh(xt::abs(a) + T(1)));
    out.ulps("atanh", xt::atanh(unit * T(0.99)));
    out.ulps("erf", xt::erf(b));
    out.ulps("erfc", xt::erfc(b));
    out.ulps("tgamma", xt::tgamma(xt::abs(b) + T(0.5)));
    out.ulps("lgamma", xt::lgamma(xt::abs(b) + T(0.5)));
}

}  // namespace

PROGRAM(math, exact_double) { exact<double>(out); }
PROGRAM(math, exact_float) { exact<float>(out); }
PROGRAM(math, exponential_double) { exponential<double>(out); }
PROGRAM(math, exponential_float) { exponential<float>(out); }
PROGRAM(math, trigonometric_double) { trigonometric<double>(out); }
PROGRAM(math, trigonometric_float) { trigonometric<float>(out); }

PROGRAM(math, integers) {
    const xt::xarray<int> a = sample<int>({37}, 8);
    const xt::xarray<std::int64_t> large = sample<std::int64_t>({37}, 9);
    const xt::xarray<int> positive = xt::abs(a) + 1;
    out("abs", positive);
    out("sqrt", xt::sqrt(positive));
    out("floor", xt::floor(a));
    out("pow 2", xt::pow(a, 2));
    out.ulps("pow", xt::pow(positive, 0.5));
    out.ulps("pow of negative", xt::pow(positive, -2.0));
    out.ulps("sin", xt::sin(a));
    out.ulps("exp", xt::exp(a));
    out.ulps("log of 64 bits", xt::log(xt::abs(large) + 1));
    out.ulps("atan2", xt::atan2(a, positive));
    out("fmax of int and double", xt::fmax(a, 0.5));
    out("sign", xt::sign(a));
    out("sign of 64 bits", xt::sign(large));
}

PROGRAM(math, shorts_and_bools) {
    const xt::xarray<std::int16_t> s = sample<std::int16_t>({20}, 10);
    const xt::xarray<bool> b = sample<bool>({20}, 11);
    out.ulps("sin of short", xt::sin(s));
    out.ulps("exp of bool", xt::exp(b));
    out("sqrt of bool", xt::sqrt(b));
}

PROGRAM(math, mixed_floats) {
    const xt::xarray<float> f = sample_between<float>({50}, 0.1f, 5.0f, 12);
    const xt::xarray<double> d = sample_between<double>({50}, 0.1, 5.0, 13);
    out.ulps("pow(float, double)", xt::pow(f, d));
    out.ulps("pow(float, int)", xt::pow(f, 3));
    out.ulps("atan2(double, float)", xt::atan2(d, f));
    out("fmin(float, double)", xt::fmin(f, d));
    out.ulps("hypot", xt::hypot(f, 2.0));
}

PROGRAM(math, composed) {
    const xt::xarray<double> x = sample_between<double>({11, 13}, 0.0, 3.0, 14);
    const xt::xarray<double> once = xt::sin(x);
    const xt::xarray<double> twice = once * once;
    const xt::xarray<double> other = xt::cos(x);
    out.within("sin^2 + cos^2", twice + other * other, 1e-15);
    out.within("softplus", xt::log1p(xt::exp(-xt::abs(x))) + xt::maximum(x, 0.0), 1e-15);
    out.within("gauss", xt::exp(-xt::pow(x, 2.0) / 2.0), 1e-15);
}

FALLBACK_PROGRAM(math, square_cube_clip_and_angles) {
    const xt::xarray<double> a = sample<double>({6, 7}, 15);
    const xt::xarray<int> i = sample<int>({6, 7}, 16);
    out("square", xt::square(a));
    out("cube", xt::cube(a));
    out("square of int", xt::square(i));
    out("clip", xt::clip(a, -4.0, 4.0));
    out("clip of int", xt::clip(i, -2, 2));
    out("deg2rad", xt::deg2rad(a));
    out("degrees", xt::degrees(a));
    out("pow<3>", xt::pow<3>(a));
    out("square in an expression", a + xt::square(a - 1.0) * 2.0);
    out.ulps("fma", xt::fma(a, a, 1.0));
    out("isclose", xt::isclose(a, a + 1e-9));
    out("allclose", xt::allclose(a, a + 1e-9));
    out("nan_to_num", xt::nan_to_num(special<double>()));
}
