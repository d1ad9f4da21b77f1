// SPDX-License-Identifier: BSD-3-Clause
// Complex numbers: functions, parts as targets, and what C99 says of infinite and undefined parts.
#include "dtypes.hpp"

#include <xtensor/xcomplex.hpp>
#include <xtensor/xeval.hpp>
#include <xtensor/xview.hpp>

using namespace programs;

namespace {

template <class P>
using complex_array = xt::xarray<std::complex<P>>;

template <class P>
complex_array<P> numbers_between(P low, P high, std::uint64_t seed) {
    Numbers numbers(seed);
    auto result = complex_array<P>::from_shape({60});
    for (auto& value : result) value = {numbers.between(low, high), numbers.between(low, high)};
    return result;
}

/// Every pair of parts that rewriting rules get wrong.
template <class P>
complex_array<P> special_parts() {
    const P infinity = std::numeric_limits<P>::infinity(), nan = std::numeric_limits<P>::quiet_NaN();
    const P parts[] = {P(0), -P(0), P(1), -P(2), infinity, -infinity, nan, std::numeric_limits<P>::denorm_min()};
    auto result = complex_array<P>::from_shape({64});
    std::size_t i = 0;
    for (const P re : parts)
        for (const P im : parts) result(i++) = {re, im};
    return result;
}

template <class P>
void parts_and_powers(Out& out) {
    using C = std::complex<P>;
    const complex_array<P> z = numbers_between<P>(-4, 4, 1), w = numbers_between<P>(-3, 3, 2);
    static_assert(has_type<P, decltype(xt::abs(z))>);
    static_assert(has_type<P, decltype(xt::norm(z))>);
    static_assert(has_type<P, decltype(xt::arg(z))>);
    static_assert(has_type<P, decltype(xt::real(z))>);
    static_assert(has_type<C, decltype(xt::conj(z))>);
    static_assert(has_type<C, decltype(xt::exp(z))>);
    out("real", xt::real(z));
    out("imag", xt::imag(z));
    out("real of an expression", xt::eval(xt::real(z) + xt::imag(w) * xt::real(w)));
    out("conj", xt::conj(z));
    out("norm", xt::norm(z));
    out("conj times", xt::conj(z) * z);
    out("square", xt::square(z));
    out("cube", xt::cube(z));
    out("pow<4>", xt::pow<4>(z));
    out("sign", xt::sign(z));
    out("-z", -z);
    out("+z", +z);
    out("isnan", xt::isnan(z));
    out("isfinite", xt::isfinite(z));
    if constexpr (sizeof(P) == 8) out("isclose", xt::isclose(z, z + C(1e-7, 0)));
    out("cast up", xt::cast<c128>(z));
    out("from real", xt::cast<C>(xt::real(z)));
    out("z * real", z * P(3));
    out("real / z", xt::isfinite(P(1) / z));
    out.ulps("abs", xt::abs(z));
    out.ulps("arg", xt::arg(z));
    out.ulps("angle in degrees", xt::angle(z, true), 8);
    out("sum is exact", xt::sum(xt::cast<C>(xt::floor(xt::real(z)))));
}

/// Compared by their distance, since each part alone may be ill-conditioned.
template <class P, class E>
void near(Out& out, const char* name, const E& e) {
    out.within(name, e, 40 * double(std::numeric_limits<P>::epsilon()));
}

template <class P>
void functions(Out& out) {
    const complex_array<P> z = numbers_between<P>(P(-1.2), P(1.2), 3);
    near<P>(out, "exp", xt::exp(z));
    near<P>(out, "log", xt::log(z));
    near<P>(out, "log10", xt::log10(z));
    near<P>(out, "sqrt", xt::sqrt(z));
    near<P>(out, "sin", xt::sin(z));
    near<P>(out, "cos", xt::cos(z));
    near<P>(out, "tan", xt::tan(z));
    near<P>(out, "asin", xt::asin(z));
    near<P>(out, "acos", xt::acos(z));
    near<P>(out, "atan", xt::atan(z));
    near<P>(out, "sinh", xt::sinh(z));
    near<P>(out, "cosh", xt::cosh(z));
    near<P>(out, "tanh", xt::tanh(z));
    near<P>(out, "asinh", xt::asinh(z));
    near<P>(out, "acosh", xt::acosh(z));
    near<P>(out, "atanh", xt::atanh(z));
    near<P>(out, "pow", xt::pow(z, z));
    near<P>(out, "pow of real", xt::pow(z, P(1.5)));
}

template <class P>
void special_values(Out& out) {
    const complex_array<P> z = special_parts<P>();
    const complex_array<P> column = xt::view(z, xt::all(), xt::newaxis());
    out("+", z + column);
    out("-", z - column);
    out("*", z * column);
    out("equal", xt::equal(z, column));
    out("* real", z * xt::real(column));
    out("real *", xt::imag(column) * z);
    out("/ real", z / xt::real(column));
    out("+ real", z + P(0));
    out("real +", -P(0) + z);
    out("- real", z - P(0));
    out("real -", P(0) - z);
    out("+ int", z + 0);
    out("* int", z * 2);
    out("conj", xt::conj(z));
    out("norm", xt::norm(z));
    out("sign", xt::sign(z));
    out("isnan", xt::isnan(z));
    out("isinf", xt::isinf(z));
    out("isfinite", xt::isfinite(z));
    out("square", xt::square(z));
    out("pow<2>", xt::pow<2>(z));
    out("conj of real", xt::conj(xt::eval(xt::real(z))));
    out("norm of real", xt::norm(xt::eval(xt::imag(z))));
    out.ulps("abs", xt::abs(z));
}

template <class P>
void part_targets(Out& out) {
    using C = std::complex<P>;
    complex_array<P> z = numbers_between<P>(-4, 4, 4);
    const xt::xarray<P> x = xt::real(numbers_between<P>(-4, 4, 5));
    xt::real(z) = x;
    out("real =", z);
    xt::imag(z) = x * x;
    out("imag =", z);
    xt::imag(z) = P(2);
    out("imag = number", z);
    xt::real(z) += xt::imag(z);
    xt::imag(z) *= x;
    xt::real(z) -= 1;
    out("compound", z);
    xt::real(z) = xt::imag(z);
    out("real = imag", z);
    xt::imag(z) = xt::view(xt::real(z), xt::range(xt::placeholders::_, xt::placeholders::_, -1));
    out("imag = reversed real", z);
    complex_array<P> square = complex_array<P>::from_shape({4, 5});
    square.fill(C(1, 2));
    xt::real(square) = xt::view(x, xt::range(0, 5));
    out("broadcast", square);
    xt::imag(xt::view(square, 1, xt::all())) = xt::view(x, xt::range(5, 10));
    xt::real(xt::view(square, xt::all(), xt::range(0, 5, 2))) *= P(2);
    out("of views", square);
    const auto re = xt::real(square);
    square *= C(0, 1);
    const xt::xarray<P> kept = re;
    out("kept in auto", kept);
    auto im = xt::imag(square);
    for (auto& value : im) value += P(2);
    im(2, 3) = P(-7);
    out("by elements", square);
    xt::xtensor<C, 2> fixed = square;
    xt::imag(fixed) = xt::real(square) + P(1);
    out("fixed rank", fixed);
}

template <class P>
void compound(Out& out) {
    using C = std::complex<P>;
    complex_array<P> z = numbers_between<P>(-4, 4, 6);
    const complex_array<P> w = numbers_between<P>(1, 4, 7);
    z += w;
    z *= w;
    z -= C(1, -1);
    out("compound", z);
    z *= P(2);
    z += xt::real(w);
    xt::view(z, xt::range(0, 10)) *= C(0, 1);
    out("with reals", z);
    z /= w;
    out.ulps("quotient", z);
    z = xt::cast<C>(xt::real(z));
    out.ulps("reals", z);
    z = C(1, 1);
    out("a number", z);
}

}  // namespace

PROGRAM(complex_numbers, parts_and_powers_c64) { parts_and_powers<float>(out); }
PROGRAM(complex_numbers, parts_and_powers_c128) { parts_and_powers<double>(out); }
PROGRAM(complex_numbers, functions_c64) { functions<float>(out); }
PROGRAM(complex_numbers, functions_c128) { functions<double>(out); }
PROGRAM(complex_numbers, special_values_c64) { special_values<float>(out); }
PROGRAM(complex_numbers, special_values_c128) { special_values<double>(out); }
PROGRAM(complex_numbers, part_targets_c64) { part_targets<float>(out); }
PROGRAM(complex_numbers, part_targets_c128) { part_targets<double>(out); }
PROGRAM(complex_numbers, compound_c64) { compound<float>(out); }
PROGRAM(complex_numbers, compound_c128) { compound<double>(out); }

PROGRAM(complex_numbers, read_by_elements) {
    const xt::xarray<c128> z = xt::cast<c128>(sample<double>({2, 2}, 8)) * c128(0, 1);
    std::ostringstream text;
    for (const auto& value : z) text << value << ' ';
    out.text("elements", text.str());
    out("one", z(1, 0).imag());
    out("equal", z == z * 1.0);
}
