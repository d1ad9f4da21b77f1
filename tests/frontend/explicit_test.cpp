// SPDX-License-Identifier: BSD-3-Clause
// Programs written for xlazy: namespace xlazy beside an untouched xt. Compiled without the wrapper headers.
#include <xlazy/xlazy.hpp>

#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>

namespace {

static_assert(std::is_same_v<xt::xarray<double>, xt::xarray_container<xt::uvector<double>>>);
static_assert(!std::is_same_v<xlazy::xarray<double>, xt::xarray<double>>);

TEST(Explicit, RecordsWhereStockArraysDoNot) {
    const auto before = xlazy::stats().statements_recorded;
    xlazy::xarray<double> a = {{1, 2}, {3, 4}};
    xlazy::xarray<double> b = a + 1.0;
    EXPECT_EQ(xlazy::stats().statements_recorded, before + 1);
    const xt::xarray<double> plain = {{1, 2}, {3, 4}};
    const xt::xarray<double> sum = plain + 1.0;
    EXPECT_EQ(xlazy::stats().statements_recorded, before + 1);
    EXPECT_EQ(b(1, 1), sum(1, 1));
}

TEST(Explicit, MixesWithStockArrays) {
    xlazy::xarray<double> a = {{1, 2}, {3, 4}};
    const xt::xarray<double> plain = a + 1.0;
    xlazy::xtensor<double, 2> t = plain * a;
    EXPECT_EQ(t(1, 1), 20);
    xlazy::view(a, 0, xlazy::all()) = xlazy::view(t, 1);
    EXPECT_EQ(a(0, 0), 12);
    xlazy::noalias(t) = xlazy::sin(a) * 0.0 + plain;
    EXPECT_EQ(t(0, 0), 2);
    EXPECT_EQ(xlazy::sum(t)(), 14);
    EXPECT_EQ(xlazy::mean(t, {0})(1), 4);
    std::ostringstream stream;
    stream << a << t;
    EXPECT_NE(stream.str().find("12"), std::string::npos);
}

TEST(Explicit, WholeNamespace) {
    using namespace xlazy;
    xarray<double> a = zeros<double>({2, 3});
    xtensor<double, 2> b = ones<double>({2, 3});
    a = where(b > 0.0, exp(a) + b, a);
    view(a, all(), range(0, 1)) += 5.0;
    row(a, 1) = arange<double>(3.0);
    const xarray<double> column_sums = sum(a, {0});
    EXPECT_EQ(column_sums(0), 7);
    EXPECT_EQ(column_sums(2), 4);
    EXPECT_EQ(amax(abs(a - 3.0))(), 4);
    flush();
    EXPECT_GE(stats().kernels_run, 1u);
}

TEST(Explicit, DeferredErrors) {
    const xlazy::xarray<int> n = {6, 7}, z = {1, 0};
    unsigned line = 0;
    try {
        xlazy::xarray<int> q;
        line = __LINE__ + 1;
        q = n / z;
        (void)q(0);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const xlazy::deferred_error& error) {
        EXPECT_EQ(error.origins().at(0).line, line);
    }
    EXPECT_EQ(n(1), 7);
}

}  // namespace
