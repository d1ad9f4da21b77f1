// SPDX-License-Identifier: BSD-3-Clause
// Element functions and reductions of every element type. What the C++ library makes of the elements, one by one, is
// the reference; the types of the results are checked when this is compiled.
#pragma once

#include "programs/dtypes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <xtensor/xbuilder.hpp>
#include <xtensor/xreducer.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xview.hpp>

namespace dtype_functions {

using namespace programs;

template <class T>
bool near(T got, T want, double ulps) {
    if constexpr (!std::is_floating_point_v<T>) {
        return got == want;
    } else {
        if (std::isnan(want)) return std::isnan(got);
        if (got == want) return true;
        return std::abs(got - want) <= ulps * double(std::numeric_limits<T>::epsilon()) * std::abs(want);
    }
}

template <class T>
class Functions {
public:
    using R = decltype(T() + T());
    using F = std::conditional_t<std::is_integral_v<T>, double, T>;

    void run() {
        types();
        arithmetic();
        bounds();
        inexact();
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) bits();
    }

private:
    static void types() {
        using A = const xt::xarray<T>&;
#define XLAZY_CHECK(name) static_assert(has_type<F, decltype(xt::name(std::declval<A>()))>);
        XLAZY_CHECK(fabs)
        XLAZY_CHECK(exp2)
        XLAZY_CHECK(expm1)
        XLAZY_CHECK(log2)
        XLAZY_CHECK(log10)
        XLAZY_CHECK(log1p)
        XLAZY_CHECK(cbrt)
        XLAZY_CHECK(tan)
        XLAZY_CHECK(asin)
        XLAZY_CHECK(acosh)
        XLAZY_CHECK(erf)
        XLAZY_CHECK(lgamma)
        XLAZY_CHECK(ceil)
        XLAZY_CHECK(nearbyint)
#undef XLAZY_CHECK
    }
    void arithmetic() {
        expect<R>("-a", -a, [](T x, T) { return R(-R(x)); });
        expect<R>("+a", +a, [](T x, T) { return R(x); });
        expect<bool>("!a", !a, [](T x, T) { return x == T(0); });
        expect<bool>("a && b", a && b, [](T x, T y) { return x != T(0) && y != T(0); });
        expect<R>("abs", xt::abs(xt::cast<R>(a)), [](T x, T) {
            if constexpr (std::is_signed_v<R>)
                return std::abs(R(x));
            else
                return R(x);
        });
        expect<T>("sign", xt::sign(a), [](T x, T) { return x > T(0) ? T(1) : x < T(0) ? T(-1) : T(0); });
        expect<R>("square", xt::square(b), [](T, T y) { return R(R(y) * R(y)); });
        expect<R>("cube", xt::cube(b), [](T, T y) { return R(R(y) * R(y) * R(y)); });
        expect<R>("pow<3>", xt::pow<3>(b), [](T, T y) { return R(R(y) * R(y) * R(y)); });
        expect<F>("deg2rad", xt::deg2rad(a), [](T x, T) { return F(F(x) * xt::numeric_constants<F>::PI / F(180)); });
    }
    void bounds() {
        expect<T>("maximum", xt::maximum(a, b), [](T x, T y) { return x > y ? x : y; });
        expect<T>("minimum", xt::minimum(a, T(1)), [](T x, T) { return x < T(1) ? x : T(1); });
        expect<T>("clip", xt::clip(a, T(0), T(1)), [](T x, T) { return x < T(0) ? T(0) : T(1) < x ? T(1) : x; });
        expect<T>("where", xt::where(a < b, a, b), [](T x, T y) { return x < y ? x : y; });
        expect<T>("where not 0", xt::where(a, b, T(1)), [](T x, T y) { return x != T(0) ? y : T(1); });
        expect<bool>("isnan", xt::isnan(a), [](T, T) { return false; });
        expect<T>("nan_to_num", xt::nan_to_num(a), [](T x, T) { return x; });
        expect<bool>("isclose", xt::isclose(a, b, 0.0, 2.5),
                     [](T x, T y) { return std::abs(double(x) - double(y)) <= 2.5; });
        xt::xarray<T> filled = a;
        filled.fill(T(1));
        compare("fill", filled, [](T, T) { return T(1); });
    }
    void inexact() {
        expect<F>("floor", xt::floor(a), [](T x, T) { return F(std::floor(F(x))); });
        expect<F>("sqrt", xt::sqrt(b * b), [](T, T y) { return F(std::sqrt(F(R(y) * R(y)))); });
        expect<F>("fmax", xt::fmax(a, b), [](T x, T y) { return std::fmax(F(x), F(y)); });
        expect<F>("fma", xt::fma(b, b, T(1)), [](T, T y) { return std::fma(F(y), F(y), F(1)); });
        expect<F>(
            "exp", xt::exp(b), [](T, T y) { return std::exp(F(y)); }, 4);
        expect<decltype(std::pow(T(), 2))>(
            "pow", xt::pow(b, 2), [](T, T y) { return std::pow(y, 2); }, 1);
        expect<F>(
            "hypot", xt::hypot(a, b), [](T x, T y) { return F(std::hypot(F(x), F(y))); }, 4);
    }
    void bits() {
        const xt::xarray<T> all = a, small = b;
        b = xt::abs(b) % T(7);
        using S = decltype(T() << T());
        expect<S>("<<", xt::left_shift(b, b), [](T, T y) { return S(S(y) << S(y)); });
        expect<S>(">>", a >> b, [](T x, T y) { return S(S(x) >> S(y)); });
        expect<R>("~", ~a, [](T x, T) { return R(~R(x)); });
        expect<R>("&, |, ^", ((a & b) | T(9)) ^ b, [](T x, T y) { return R(((R(x) & R(y)) | R(9)) ^ R(y)); });
        b = divisors<T>(4);
        expect<R>("%", a % b, [](T x, T y) { return R(R(x) % R(y)); });
        xt::xarray<T> c = a;
        c &= b;
        c |= T(8);
        c %= b;
        compare("compound", c, [](T x, T y) { return T(T((x & y) | T(8)) % y); });
    }

    template <class V, class E, class G>
    void expect(const char* operation, const E& e, G reference, double ulps = 0) {
        static_assert(has_type<V, E>);
        compare(operation, xt::xarray<V>(e), reference, ulps);
    }
    template <class V, class G>
    void compare(const char* operation, const xt::xarray<V>& got, G reference, double ulps = 0) {
        const std::vector<T> x(a.begin(), a.end()), y(b.begin(), b.end());
        const std::vector<V> found(got.begin(), got.end());
        for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_TRUE(near<V>(found[i], static_cast<V>(reference(x[i], y[i])), ulps))
                << operation << " of " << type_text<T>() << ": element " << i;
        }
    }

    const xt::xarray<T> a = values<T>(1);
    xt::xarray<T> b = xt::cast<T>(xt::abs(xt::cast<R>(sample<T>({40}, 2))) * R(1));
};

/// Reductions of a 4 x 6 array.
template <class T>
class Reductions {
public:
    using R = typename sum_of<T, T>::type;

    void run() {
        static_assert(has_type<R, decltype(xt::sum(a))>);
        static_assert(has_type<typename sum_of<R, double>::type, decltype(xt::mean(a))>);
        rows("sum", xt::sum(a, {1}), [](R x, R y) { return R(x + y); });
        rows("prod", xt::prod(a, {1}), [](R x, R y) { return R(x * y); });
        EXPECT_EQ(xt::sum(a)(), R(xt::sum(xt::sum(a, {1}))())) << type_text<T>();
        const xt::xarray<std::size_t> counts = xt::count_nonzero(a, {0});
        for (std::size_t j = 0; j < 6; ++j) {
            std::size_t count = 0;
            for (std::size_t i = 0; i < 4; ++i) count += std::as_const(a)(i, j) != T(0);
            EXPECT_EQ(counts(j), count) << type_text<T>();
        }
        if constexpr (!is_complex<T>) extremes();
    }

private:
    void extremes() {
        const auto& c = a;
        const xt::xarray<T> least = xt::amin(a, {1}), greatest = xt::amax(a, {0});
        const xt::xarray<std::size_t> first = xt::argmin(a, 1), last = xt::argmax(a, 0);
        for (std::size_t i = 0; i < 4; ++i) {
            std::size_t at = 0;
            for (std::size_t j = 1; j < 6; ++j) at = c(i, j) < c(i, at) ? j : at;
            EXPECT_EQ(least(i), c(i, at)) << type_text<T>();
            EXPECT_EQ(first(i), at) << type_text<T>();
        }
        for (std::size_t j = 0; j < 6; ++j) {
            std::size_t at = 0;
            for (std::size_t i = 1; i < 4; ++i) at = c(i, j) > c(at, j) ? i : at;
            EXPECT_EQ(greatest(j), c(at, j)) << type_text<T>();
            EXPECT_EQ(last(j), at) << type_text<T>();
        }
        const std::vector<T> flat(c.begin(), c.end());
        EXPECT_EQ(std::size_t(std::max_element(flat.begin(), flat.end()) - flat.begin()), xt::argmax(a)());
        EXPECT_EQ(xt::any(a > T(2)), *std::max_element(flat.begin(), flat.end()) > T(2));
        EXPECT_EQ(xt::all(a), std::count(flat.begin(), flat.end(), T(0)) == 0);
    }
    template <class E, class G>
    void rows(const char* name, const E& e, G combine) {
        static_assert(has_type<R, E>);
        const xt::xarray<R> got = e;
        for (std::size_t i = 0; i < 4; ++i) {
            R want = R(std::as_const(a)(i, 0));
            for (std::size_t j = 1; j < 6; ++j) want = combine(want, R(std::as_const(a)(i, j)));
            EXPECT_EQ(got(i), want) << name << " of " << type_text<T>();
        }
    }
    static xt::xarray<T> numbers() {
        Numbers random(5);
        auto result = xt::xarray<T>::from_shape({4, 6});
        for (auto& value : result) value = static_cast<T>(static_cast<float>(random.below(5)));
        return result;
    }

    const xt::xarray<T> a = numbers();
};

template <class T>
void check() {
    Functions<T>().run();
    Reductions<T>().run();
}

}  // namespace dtype_functions
