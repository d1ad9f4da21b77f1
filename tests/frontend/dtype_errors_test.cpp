// SPDX-License-Identifier: BSD-3-Clause
// Divisions by zero of every element type: integers fail late, with the user's line; others do not fail.
#include "programs/dtypes.hpp"
#include "support.hpp"
#include "xlazy/runtime.hpp"

#include <gtest/gtest.h>

#include <complex>

#include <xtensor/xsort.hpp>

namespace {

using namespace programs;

template <class E>
unsigned failing_line(const E& e) {
    try {
        static_cast<void>(e(1));
    } catch (const xlazy::deferred_error& error) {
        return error.origins().empty() ? 0 : error.origins().front().line;
    }
    return 0;
}

template <class T>
void divide_by_zero() {
    const xt::xarray<T> a = {T(1), T(1), T(0)}, b = {T(1), T(0), T(1)};
    using R = decltype(T() / T());
    const xt::xarray<R> quotient = a / b;
    EXPECT_EQ(failing_line(quotient), __LINE__ - 1u) << type_text<T>();
    const xt::xarray<R> rest = a % b;
    EXPECT_EQ(failing_line(rest), __LINE__ - 1u) << type_text<T>();
    xt::xarray<T> updated = a;
    updated /= b;
    EXPECT_EQ(failing_line(updated), __LINE__ - 1u) << type_text<T>();
    const xt::xarray<R> chosen = xt::where(xt::equal(b, T(0)), R(7), a / b);
    EXPECT_EQ(chosen(1), R(7)) << type_text<T>();
}

template <class T>
void divide_without_failing() {
    const xt::xarray<T> a = {T(1), T(2), T(0)}, b = {T(1), T(0), T(0)};
    const xt::xarray<T> quotient = a / b;
    EXPECT_EQ(failing_line(quotient), 0u) << type_text<T>();
    EXPECT_TRUE(xt::all(xt::equal(xt::isfinite(quotient), xt::not_equal(b, T(0))))) << type_text<T>();
}

template <class... T>
void divide_all(Types<T...>) {
    (divide_by_zero<T>(), ...);
}

TEST(DtypeErrors, IntegersFailLate) {
    SKIP_IF_EAGER();
    divide_all(Types<bool, i8, i16, i32, i64, u8, u16, u32, u64>());
}

TEST(DtypeErrors, InexactNumbersDoNotFail) {
    divide_without_failing<float>();
    divide_without_failing<double>();
    divide_without_failing<c64>();
    divide_without_failing<c128>();
}

TEST(DtypeErrors, PositionsOfNothing) {
    const xt::xarray<double> nothing = xt::xarray<double>::from_shape({0, 3});
    xt::xarray<double> extremes;
    EXPECT_THROW(extremes = xt::amax(nothing, {0}), std::runtime_error);
    EXPECT_THROW(static_cast<void>(xt::argmin(nothing, 0)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(xt::argmax(nothing)), std::runtime_error);
    EXPECT_FALSE(xt::any(nothing));
    EXPECT_TRUE(xt::all(nothing));
}

}  // namespace
