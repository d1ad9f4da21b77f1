// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic, comparison, logic, casts, where, scalars, broadcasting, and the types of their results.
#include "program.hpp"

#include <xtensor/xbroadcast.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xoperation.hpp>
#include <xtensor/xview.hpp>

using programs::sample;
using programs::sample_between;
using programs::special;

namespace {

template <class T>
void arithmetic(programs::Out& out) {
    const xt::xarray<T> a = sample<T>({5, 7}, 1), b = sample<T>({5, 7}, 2);
    const xt::xarray<T> positive = xt::abs(b) + T(1);
    out("a + b", a + b);
    out("a - b", a - b);
    out("a * b", a * b);
    out("a / positive", a / positive);
    out("-a", -a);
    out("+a", +a);
    xt::xarray<T> c = a * b + T(2) * a - b / positive;
    out("chain", c);
    c = c + a;
    c = a - c;
    c = c * c;
    out("updated", c);
    c += a;
    c -= b;
    c *= a;
    c /= positive;
    out("compound", c);
    c += T(3);
    c -= T(1);
    c *= T(5);
    c /= T(4);
    out("compound with scalars", c);
    xt::xtensor<T, 2> t = a;
    t += a * b;
    xt::noalias(t) = t + a;
    xt::noalias(t) -= b;
    out("tensor", t);
}

template <class T>
void comparison(programs::Out& out) {
    const xt::xarray<T> a = sample<T>({4, 9}, 3), b = sample<T>({4, 9}, 4);
    out("a < b", a < b);
    out("a <= b", a <= b);
    out("a > b", a > b);
    out("a >= b", a >= b);
    out("equal", xt::equal(a, b));
    out("not_equal", xt::not_equal(a, b));
    out("a < scalar", a < T(2));
    out("scalar < a", T(2) < a);
    xt::xarray<bool> both = a < b && a > T(-5);
    out("and", both);
    out("or", a < b || xt::equal(a, T(1)));
    out("not", !(a < b));
    out("where", xt::where(a < b, a, b));
    out("where scalar", xt::where(a > T(0), a, T(0)));
    out("where scalars", xt::where(both, T(1), T(0)));
    out("maximum", xt::maximum(a, b));
    out("minimum", xt::minimum(a, b));
}

/// Result types and values of mixed operands.
template <class T, class... Us>
void mixed_with(programs::Out& out) {
    const xt::xarray<T> a = sample<T>({6}, 5);
    const auto with = [&](const auto& b) {
        out("a + b", a + b);
        xt::xarray<T> assigned = b;
        out("assigned", assigned);
    };
    (with(sample<Us>({6}, 6)), ...);
}

}  // namespace

PROGRAM(elementwise, arithmetic_double) { arithmetic<double>(out); }
PROGRAM(elementwise, arithmetic_float) {
    const xt::xarray<float> a = sample<float>({5, 7}, 1), b = sample<float>({5, 7}, 2);
    xt::xtensor<float, 2> c = a * b + 2.0f * a - b / (xt::abs(b) + 1.0f);
    c += a;
    c *= 0.1f;
    out("c", c);
    out("comparison", xt::where(c < a, c, a));
}
PROGRAM(elementwise, arithmetic_int) { arithmetic<int>(out); }
PROGRAM(elementwise, arithmetic_int64) { arithmetic<std::int64_t>(out); }
PROGRAM(elementwise, arithmetic_int16) {
    const xt::xarray<std::int16_t> a = sample<std::int16_t>({5, 7}, 1), b = sample<std::int16_t>({5, 7}, 2);
    out("a + b", a + b);
    out("a * b", a * b);
    out("-a", -a);
    xt::xarray<std::int16_t> c = a * b + a;
    c = c - b;
    out("back in short", c);
    c += a;
    out("+=", c);
    const xt::xarray<std::int16_t> large = {32767, -32768, 30000};
    const xt::xarray<std::int16_t> wrapped = large + large;
    out("wrapped", wrapped);
}

PROGRAM(elementwise, comparison_double) { comparison<double>(out); }
PROGRAM(elementwise, comparison_int) { comparison<int>(out); }

PROGRAM(elementwise, mixed_bool) { mixed_with<bool, bool, std::int16_t, int, std::int64_t, float, double>(out); }
PROGRAM(elementwise, mixed_int16) { mixed_with<std::int16_t, std::int16_t, int, std::int64_t, float, double>(out); }
PROGRAM(elementwise, mixed_int) { mixed_with<int, bool, std::int64_t, float, double>(out); }
PROGRAM(elementwise, mixed_int64) { mixed_with<std::int64_t, std::int16_t, int, float, double>(out); }
PROGRAM(elementwise, mixed_float) { mixed_with<float, std::int16_t, int, std::int64_t, double>(out); }
PROGRAM(elementwise, mixed_double) { mixed_with<double, bool, int, std::int64_t, float>(out); }

PROGRAM(elementwise, special_numbers) {
    const xt::xarray<double> a = special<double>();
    const xt::xarray<double> column = xt::view(a, xt::all(), xt::newaxis());
    out("+", a + column);
    out("-", a - column);
    out("*", a * column);
    out("/", a / column);
    out("<", a < column);
    out("equal", xt::equal(a, column));
    out("times zero", a * 0.0);
    out("minus itself", a - a);
    out("over itself", a / a);
    out("plus zero", a + 0.0);
    out("times one", a * 1.0);
    out("minus", -a);
    out("abs", xt::abs(a));
    out("maximum", xt::maximum(a, column));
    out("minimum", xt::minimum(a, column));
    out("isnan", xt::isnan(a));
    out("isinf", xt::isinf(a));
    out("isfinite", xt::isfinite(a));
    out("where", xt::where(xt::isnan(a), 0.0, a));
}

PROGRAM(elementwise, special_numbers_float) {
    const xt::xarray<float> a = special<float>();
    const xt::xarray<float> column = xt::view(a, xt::all(), xt::newaxis());
    out("+", a + column);
    out("*", a * column);
    out("/", a / column);
    out("to double", xt::cast<double>(a) * 1e-20);
    out("inf times subnormal", a * std::numeric_limits<float>::infinity());
    out("maximum", xt::maximum(a, column));
}

PROGRAM(elementwise, scalars_keep_their_type) {
    const xt::xarray<int> i = {1, 2, 3};
    const xt::xarray<float> f = {1.5f, 2.5f};
    const xt::xarray<bool> b = {true, false};
    const xt::xarray<std::int16_t> s = {7, -7};
    out("int + double", i + 1.5);
    out("int + float", i + 1.5f);
    out("int / int", i / 2);
    out("int / double", i / 2.0);
    out("float * double", f * 0.1);
    out("float * float", f * 0.1f);
    out("float + int", f + 1);
    out("bool + int", b + 1);
    out("bool * double", b * 2.5);
    out("short + short", s + std::int16_t(1));
    out("short * int", s * 2);
    out("int % int", i % 2);
    xt::xarray<int> truncated = i * 1.9;
    out("double to int", truncated);
    xt::xarray<int> updated = i;
    updated += 1.9;
    updated *= 2.6;
    out("int += double", updated);
    xt::xarray<float> narrow = f;
    narrow += 0.1;
    out("float += double", narrow);
}

PROGRAM(elementwise, integer_operations) {
    const xt::xarray<int> a = sample<int>({40}, 7), b = sample<int>({40}, 8);
    const xt::xarray<int> divisor = xt::where(xt::equal(b, 0), 3, b);
    out("a / b", a / divisor);
    out("a % b", a % divisor);
    out("a & b", a & b);
    out("a | b", a | b);
    out("a ^ b", a ^ b);
    out("~a", ~a);
    xt::xarray<int> c = a;
    c %= divisor;
    c |= b;
    c &= 6;
    c ^= a;
    out("compound", c);
    const xt::xarray<std::int64_t> large = {std::numeric_limits<std::int64_t>::max(), 5};
    out("64 bits", large / 3 + large % 10);
    const xt::xarray<bool> p = {true, true, false, false}, q = {true, false, true, false};
    out("bool &", p & q);
    out("bool |", p | q);
    out("bool ^", p ^ q);
    out("bool &&", p && q);
    out("bool !", !p);
}

FALLBACK_PROGRAM(elementwise, shifts) {
    const xt::xarray<int> a = {1, 2, 3, 40}, n = {1, 2, 3, 4};
    out("a << n", xt::left_shift(a, n));
    out("a >> 1", xt::right_shift(a, 1));
}

PROGRAM(elementwise, casts) {
    const xt::xarray<double> d = {0.0, -0.0, 1.9, -1.9, 250.0, -3.5, 1e9, 0.1};
    out("int", xt::cast<int>(d));
    out("int64", xt::cast<std::int64_t>(d));
    out("float", xt::cast<float>(d));
    out("bool", xt::cast<bool>(d));
    const xt::xarray<int> i = {0, 1, -1, 70000, 32767};
    out("short", xt::cast<std::int16_t>(i));
    out("double", xt::cast<double>(i) / 3);
    out("there and back", xt::cast<int>(xt::cast<float>(i)) - i);
    xt::xarray<bool> truth = i;
    out("int to bool", truth);
    const xt::xarray<std::int64_t> precise = {9007199254740993, -9007199254740993};
    out("rounded", xt::cast<double>(precise));
}

PROGRAM(elementwise, where_kinds) {
    const xt::xarray<int> a = sample<int>({4, 5}, 9);
    const xt::xarray<double> b = sample<double>({5}, 10);
    out("mixed arms", xt::where(a > 0, a, b));
    out("broadcast condition", xt::where(b > 0.0, a, -a));
    out("nested", xt::where(a > 3, 3, xt::where(a < -3, -3, a)));
    out("float scalars", xt::where(a > 0, 1.0f, 0.0f));
    out("in an expression", b * xt::where(a > 0, b, 2.0) - 1.0);
    xt::xarray<bool> odd = xt::not_equal(a % 2, 0);
    out("bool arms", xt::where(odd, a > 0, false));
}

PROGRAM(elementwise, broadcasting) {
    const xt::xarray<double> plane = sample<double>({3, 4}, 11), row = sample<double>({4}, 12);
    const xt::xarray<double> column = sample<double>({3, 1}, 13), one = sample<double>({1}, 14);
    const xt::xarray<double> cube = sample<double>({2, 1, 4}, 15);
    out("plane + row", plane + row);
    out("row + plane", row + plane);
    out("plane + column", plane + column);
    out("row + column", row + column);
    out("plane + one", plane + one);
    out("cube + column", cube + column);
    out("all", cube * plane + row - column * one);
    xt::xarray<double> repeated = xt::broadcast(row, {3, 4});
    out("broadcast", repeated);
    out("broadcast of an expression", xt::broadcast(row * 2.0, {2, 3, 4}) + plane);
    xt::xarray<double> updated = plane;
    updated += row;
    updated *= column;
    out("compound", updated);
    xt::xarray<double> scalar = 2.5;
    out("0-d", plane * scalar + scalar);
    xt::xarray<double> grown = row;
    grown = grown + plane;
    out("grown", grown);
}

PROGRAM(elementwise, outer_product_of_ones) {
    const xt::xarray<double> a = xt::ones<double>({2, 1});
    out("ones * 1", a * 1.0);
    const xt::xarray<int> ten = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    out("+ one", ten + xt::ones<int>({1}));
}

PROGRAM(elementwise, long_expression) {
    const xt::xarray<double> a = sample<double>({17}, 16), b = sample<double>({17}, 17), c = sample<double>({17}, 18);
    xt::xarray<double> d =
        ((a + b) * (a - b) + (b + c) * (b - c) + (c + a) * (c - a)) / (xt::abs(a) + xt::abs(b) + xt::abs(c) + 1.0) -
        (a * a + b * b + c * c) * 0.25 + xt::where(a > b && b > c, a - c, c - a) * (a + 1.0) * (b + 1.0) * (c + 1.0);
    out("d", d);
}

PROGRAM(elementwise, many_statements) {
    xt::xtensor<double, 1> x = sample<double>({1000}, 19), y = sample<double>({1000}, 20), z = x;
    for (int i = 0; i < 300; ++i) {
        z = z * 0.5 + y;
        y = y - x * 0.125;
        x = xt::where(z > y, x, x * 0.5);
    }
    out("x", x);
    out("y", y);
    out("z", z);
}

PROGRAM(elementwise, equality_of_arrays) {
    const xt::xarray<double> a = {1, 2, 3}, b = {1, 2, 3}, c = {1, 2, 4}, longer = {1, 2, 3, 4};
    out("same", a == b);
    out("other value", a == c);
    out("other shape", a == longer);
    out("differs", a != c);
    out("expressions", a + 1.0 == b + 1.0);
    out("expression and array", a * 2.0 != c);
}

PROGRAM(elementwise, expressions_read_directly) {
    const xt::xarray<double> a = sample<double>({3, 4}, 21), b = sample<double>({4}, 22);
    out.elements("a + b", a + b);
    out.elements("where", xt::where(a > b, a, b));
    out.elements("cast", xt::cast<int>(a));
    const auto product = a * b;
    out("one element", product(1, 2));
    out("by index", product[{2, 3}]);
    out("sum of two", product(0, 0) + product(2, 1));
    double total = 0;
    for (const double value : product) total += value;
    out("loop", total);
}
