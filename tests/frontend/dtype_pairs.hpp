// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic and comparison of every element type with every other one. What C++ makes of two elements is the
// reference.
#pragma once

#include "programs/dtypes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dtype_pairs {

using namespace programs;

template <class T>
bool same_number(T got, T want, bool exact) {
    if constexpr (is_complex<T>) {
        if (exact || std::isnan(want.real()) || std::isnan(want.imag()))
            return same_number(got.real(), want.real(), true) && same_number(got.imag(), want.imag(), true);
        const auto bound = std::abs(want) * 4 * std::numeric_limits<typename T::value_type>::epsilon();
        return std::abs(got - want) <= bound;
    } else if constexpr (std::is_floating_point_v<T>) {
        return std::isnan(want) ? std::isnan(got) : got == want && std::signbit(got) == std::signbit(want);
    } else {
        return got == want;
    }
}

/// The number in the type that the operands meet in.
template <class R, class T>
R met(T value) {
    if constexpr (is_complex<R> && !is_complex<T>)
        return R(static_cast<typename R::value_type>(value));
    else
        return static_cast<R>(value);
}

template <class T, class U>
class Pair {
public:
    using R = typename sum_of<T, U>::type;
    static constexpr bool real = !is_complex<T> && !is_complex<U>;

    void run() {
        // std::complex keeps a real operand of its parts' type real; others are converted first.
        constexpr bool mixed =
            !real && (std::is_same_v<T, R> || std::is_same_v<U, R>)&&(std::is_same_v<T, typename part<R>::type> ||
                                                                      std::is_same_v<U, typename part<R>::type>);
        using A = std::conditional_t<mixed, T, R>;
        using B = std::conditional_t<mixed, U, R>;
        expect<R>("+", a + b, [](T x, U y) { return R(met<A>(x) + met<B>(y)); });
        expect<R>("-", a - b, [](T x, U y) { return R(met<A>(x) - met<B>(y)); });
        expect<R>("*", a * b, [](T x, U y) { return R(met<A>(x) * met<B>(y)); });
        expect<R>("+ scalar", a + U(3), [](T x, U) { return R(met<A>(x) + met<B>(U(3))); });
        expect<bool>("equal", xt::equal(a, b), [](T x, U y) { return met<R>(x) == met<R>(y); });
        const xt::xarray<U> d = divisors<U>(4);
        b = d;
        expect<R>(
            "/", a / b, [](T x, U y) { return R(met<A>(x) / met<B>(y)); }, real);
        if constexpr (real) {
            using C = std::common_type_t<T, U>;
            expect<bool>("<", a < b, [](T x, U y) { return met<C>(x) < met<C>(y); });
            expect<bool>(">=", a >= b, [](T x, U y) { return met<C>(x) >= met<C>(y); });
            expect<C>("maximum", xt::maximum(a, b),
                      [](T x, U y) { return met<C>(x) > met<C>(y) ? met<C>(x) : met<C>(y); });
        }
        if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) {
            expect<R>("%", a % b, [](T x, U y) { return R(met<R>(x) % met<R>(y)); });
        }
        assign();
    }

private:
    template <class P>
    struct part {
        using type = P;
    };
    template <class P>
    struct part<std::complex<P>> {
        using type = P;
    };

    void assign() {
        // Where a value does not fit its target, C++ does not say what happens.
        if constexpr ((is_complex<T> || !is_complex<U>)&&!(std::is_integral_v<T> && std::is_floating_point_v<U>)) {
            xt::xarray<T> assigned = b;
            compare("assigned", assigned, [](T, U y) { return met<T>(y); });
            assigned = a;
            assigned += b;
            compare("+=", assigned, [](T x, U y) { return met<T>(R(met<R>(x) + met<R>(y))); });
        }
    }
    template <class V, class E, class F>
    void expect(const char* operation, const E& e, F reference, bool exact = true) {
        static_assert(has_type<V, E>);
        compare(operation, xt::xarray<V>(e), reference, exact);
    }
    template <class V, class F>
    void compare(const char* operation, const xt::xarray<V>& got, F reference, bool exact = true) {
        const std::vector<T> x(a.begin(), a.end());
        const std::vector<U> y(b.begin(), b.end());
        const std::vector<V> values(got.begin(), got.end());
        for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_TRUE(same_number<V>(values[i], reference(x[i], y[i]), exact))
                << type_text<T>() << ' ' << operation << ' ' << type_text<U>() << ": element " << i;
        }
    }

    const xt::xarray<T> a = values<T>(1);
    xt::xarray<U> b = values<U>(2);
};

template <class T, class... U>
void with_each(Types<U...>) {
    (Pair<T, U>().run(), ...);
}

template <class T>
void with_all() {
    with_each<T>(Types<bool, i8, i16, i32, i64, u8, u16, u32, u64, float, double, c64, c128>());
}

}  // namespace dtype_pairs
