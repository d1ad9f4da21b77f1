// SPDX-License-Identifier: BSD-3-Clause
// Every form of a statement is recorded with the line on which it stands. Compiled without optimisation.
#include "support.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xeval.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <memory>

namespace {

using support::deferred_error_of;
using support::place;
using Lines = support::Frontend;
using array = xt::xarray<double>;
using ints = xt::xarray<int>;

void expect_line(unsigned first, unsigned last, const char* statement) {
    const xlazy::here got = xlazy::rt::last_statement_line();
    ASSERT_NE(got.file, nullptr) << statement;
    EXPECT_EQ(place(got.file, 0), place(__FILE__, 0)) << statement;
    EXPECT_GE(got.line, first) << statement;
    EXPECT_LE(got.line, last) << statement;
}

/// The statement is recorded with its own line.
#define RECORDED(...)                                  \
    {                                                  \
        __VA_ARGS__;                                   \
        expect_line(__LINE__, __LINE__, #__VA_ARGS__); \
    }

/// The statement fails when it runs, and the error names its line before all others.
#define FAILS(...)                                                                                      \
    {                                                                                                   \
        const auto error = deferred_error_of([&] {                                                      \
            __VA_ARGS__;                                                                                \
            xlazy::flush();                                                                             \
        });                                                                                             \
        ASSERT_TRUE(error) << #__VA_ARGS__;                                                             \
        ASSERT_FALSE(error->origins().empty()) << #__VA_ARGS__;                                         \
        EXPECT_EQ(place(error->origins()[0].file, error->origins()[0].line), place(__FILE__, __LINE__)) \
            << #__VA_ARGS__;                                                                            \
        EXPECT_PRED2(support::contains, error->what(), place(__FILE__, __LINE__)) << #__VA_ARGS__;      \
    }

array twice(const array& a) { return a * 2.0; }
array passed(array a) { return a; }
auto lazily(const array& a) { return a + 1.0; }

TEST_F(Lines, WholeArrays) {
    array a = {{1., 2.}, {3., 4.}}, b = a, c;
    xt::xtensor<double, 2> t = a;
    RECORDED(c = a + b)
    RECORDED(c = twice(a) + b)
    RECORDED(c += a)
    RECORDED(c -= a * 2.0)
    RECORDED(c *= 2.0)
    RECORDED(c /= 2.0)
    RECORDED(c = xt::where(a > 2.0, a, b))
    RECORDED(c = -a)
    RECORDED(c = lazily(a))
    RECORDED(c = xt::sin(a))
    RECORDED(t = a + t)
    RECORDED(t += a)
    RECORDED(t = t * t)
    RECORDED(c.fill(2.0))
    RECORDED(xt::noalias(c) = a + b)
    RECORDED(xt::noalias(c) += a)
    RECORDED(xt::noalias(c) *= 2.0)
    RECORDED(xt::noalias(t) = t + a)
}

TEST_F(Lines, AssignmentMadeByTheCompiler) {
    const unsigned first = __LINE__;
    struct both {
        array a;
        xt::xtensor<double, 1> b;
    };
    const unsigned last = __LINE__;
    const both p{array{1., 2.}, {3., 4.}};
    both q;
    q = p;
    expect_line(first, last, "q = p");
    EXPECT_EQ(q.a(1) + q.b(0), 5.0);
}

TEST_F(Lines, Integers) {
    ints n = {{1, 2}, {3, 4}}, m = n;
    RECORDED(n %= 3)
    RECORDED(n &= 1)
    RECORDED(n |= m)
    RECORDED(n ^= 3)
    RECORDED(n = n / m)
    RECORDED(n = n % 2)
    RECORDED(n = xt::cast<int>(n * 0.5))
    xt::xarray<bool> flags;
    RECORDED(flags = n > 1 && m < 3)
    RECORDED(flags = !flags)
    RECORDED(flags &= flags)
}

TEST_F(Lines, Construction) {
    const array a = {{1., 2.}, {3., 4.}}, b = a;
    RECORDED(array d = a + b)
    RECORDED(array d(a + b))
    RECORDED(array d{a * b})
    RECORDED(auto d = array(a + b))
    RECORDED(const auto d = static_cast<array>(a - b))
    RECORDED(xt::xtensor<double, 2> d = a * 2.0)
    RECORDED(array d = twice(a) + b)
    RECORDED(array d = lazily(a))
    RECORDED(ints d = a)
    RECORDED(passed(a + 1.0))
    RECORDED(array d = xt::zeros<double>({2, 2}))
    RECORDED(array d = xt::ones<double>({2, 2}) * 2.0)
    RECORDED(array d = xt::arange<double>(4))
    RECORDED(array d = xt::linspace<double>(0.0, 1.0, 5))
    RECORDED(array d = xt::broadcast(a, {3, 2, 2}))
    RECORDED(auto d = xt::eval(a + b))
    RECORDED(std::vector<array> d; d.push_back(a + b))
}

TEST_F(Lines, Views) {
    array a = {{1., 2.}, {3., 4.}}, c = a;
    RECORDED(xt::view(c, 0) = xt::view(a, 1))
    RECORDED(xt::view(c, 0) = 5)
    RECORDED(xt::view(c, 0) = 5.0)
    RECORDED(xt::view(c, 0) += 2)
    RECORDED(xt::view(c, 0, xt::all()) = xt::view(a, 0, xt::all()) + 1.0)
    RECORDED(xt::view(c, xt::all(), 1) -= xt::view(a, xt::all(), 0))
    RECORDED(xt::view(c, xt::all()) = a)
    RECORDED(xt::view(c, 0, 1) = 3.0)
    RECORDED(xt::view(c, 0).fill(3.0))
    RECORDED(xt::noalias(xt::view(c, 0)) = xt::view(a, 0) * 2.0)
    auto v = xt::view(c, 0);
    auto w = xt::view(c, 1);
    RECORDED(v = 3)
    RECORDED(v += 1)
    RECORDED(v = xt::view(a, 1))
    RECORDED(v *= xt::view(a, 1))
    RECORDED(v = w)
    RECORDED(v = v + w)
    RECORDED(xt::row(c, 0) = 1)
    RECORDED(xt::row(c, 0) = xt::row(a, 1))
    RECORDED(xt::col(c, 0) = xt::col(a, 1) * 2.0)
    RECORDED(xt::col(c, 1) += 1)
    RECORDED(xt::strided_view(c, {xt::all(), 1}) = 4)
    RECORDED(xt::strided_view(c, {0, xt::all()}) = xt::row(a, 0) + 1.0)
    RECORDED(xt::strided_view(c, {0, xt::all()}) *= 2.0)
    RECORDED(xt::view(xt::view(c, 0), xt::range(0, 1)) = 2.0)
}

TEST_F(Lines, Reducers) {
    array a = {{1., 2.}, {3., 4.}}, c;
    RECORDED(array s = xt::sum(a, {0}))
    RECORDED(array s = xt::sum(a))
    RECORDED(c = xt::mean(a, {1}, xt::keep_dims))
    RECORDED(c = xt::amax(a * 2.0, {0}) - 1.0)
    RECORDED(array s = xt::variance(a, {0}))
    RECORDED(double s = xt::sum(a)(); (void)s)
    RECORDED(double s = xt::mean(a * 2.0)(); (void)s)
    RECORDED(double s = xt::amax(a - 1.0)(); (void)s)
    RECORDED(double s = xt::amin(xt::view(a, 0))(); (void)s)
    RECORDED(double s = xt::sum(a)[0]; (void)s)
}

TEST_F(Lines, StatementsOverSeveralLines) {
    array a = {{1., 2.}, {3., 4.}}, b = a, c;
    // clang-format off
    unsigned line = __LINE__;
    c = a
        + b
        * a;
    expect_line(line + 1, line + 3, "c = a + b * a");
    line = __LINE__;
    xt::view(c,
             0,
             xt::all())
        += xt::view(a, 1);
    expect_line(line + 1, line + 4, "view += view");
    line = __LINE__;
    const array d = xt::where(
        a > b,
        a,
        b);
    expect_line(line + 1, line + 4, "where");
    // clang-format on
}

TEST_F(Lines, InsideFunctionsTheirOwn) {
    const array a = {1., 2.};
    const array result = twice(a);
    const unsigned inside = xlazy::rt::last_statement_line().line;
    EXPECT_LT(inside, unsigned(__LINE__) - 2);
    const auto in_a_lambda = [&] {
        array local = a + 1.0;
        expect_line(__LINE__ - 1, __LINE__ - 1, "in a lambda");
        return local;
    };
    const array other = in_a_lambda() + result;
    expect_line(__LINE__ - 1, __LINE__ - 1, "around the lambda");
}

TEST_F(Lines, DeferredErrorsNameTheFailingStatement) {
    const ints n = {6, 7}, zero = {1, 0};
    ints q = n;
    xt::xtensor<int, 1> t = n;
    array d = {1., 2.};
    FAILS(q = n / zero)
    FAILS(q = n % zero)
    FAILS(ints made = n / zero)
    FAILS(xt::xtensor<int, 1> made = n / zero)
    FAILS(q = n + n / zero * 2)
    FAILS(q = n; q /= zero)
    FAILS(q = n; q %= zero)
    FAILS(q = n; q /= 0)
    FAILS(t = n; t /= zero)
    FAILS(t = n; xt::view(t, xt::range(0, 2)) /= zero)
    FAILS(t = n; xt::view(t, xt::range(0, 2)) = n / zero)
    FAILS(t = n; xt::noalias(t) = t / zero)
    FAILS(d = n / zero)
    FAILS(d = xt::cast<double>(n / zero) * 2.0)
    FAILS(auto e = n / zero; q = e)
    FAILS(ints s = xt::sum(n / zero))
    FAILS((void)xt::sum(n / zero)())
    FAILS((void)xt::amax(n % zero)())
    FAILS(q = xt::where(n > 0, n / zero, 1))
    FAILS(auto e = n / zero; (void)e(1))
    FAILS(for (const int value : n / zero)(void) value)
}

TEST_F(Lines, ExpressionsNameTheLineOfTheirAssignment) {
    const ints n = {6, 7}, zero = {1, 0};
    const auto quotient = n / zero;
    const auto more = quotient + 1;
    ints result;
    FAILS(result = more)
    const auto error = deferred_error_of([&] {
        result = quotient * 2;
        xlazy::flush();
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->origins()[0].line, unsigned(__LINE__) - 4);
}

TEST_F(Lines, ShapeErrorsNameTheirLine) {
    array p = xt::ones<double>({3});
    const array q = xt::ones<double>({4});
    const auto names = [](const std::string& text, unsigned line) {
        return support::contains(text, place(__FILE__, line));
    };
#define MISMATCHES(...) EXPECT_PRED2(names, support::text_of<xt::broadcast_error>([&] { __VA_ARGS__; }), __LINE__)
    MISMATCHES(p = p + q);
    MISMATCHES(p += q);
    MISMATCHES(array r = p * q);
    MISMATCHES(xt::view(p, xt::all()) = q);
    MISMATCHES(xt::view(p, xt::range(0, 2)) += q);
    MISMATCHES(xt::noalias(p) = p * q);
    MISMATCHES(p = xt::where(p > 0.0, q, p));
    MISMATCHES((void)xt::sum(p + q)());
    MISMATCHES(auto e = p + q; array r = e);
    EXPECT_EQ(p(2), 1.0);
}

}  // namespace
