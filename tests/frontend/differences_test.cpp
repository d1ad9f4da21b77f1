// SPDX-License-Identifier: BSD-3-Clause
// Where xtensor 0.24.3 is wrong, or dies, the right value is wanted: the table of docs/semantics.md.
#include "support.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <cmath>
#include <limits>

namespace {

using support::shape_of;
using support::values;
using Differences = support::Frontend;
using array = xt::xarray<double>;
using list = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_F(Differences, KeptReductionInsideAnExpression) {
    const array a = {{1, 2, 3}, {4, 5, 9}};
    const array centred = a - xt::mean(a, {1}, xt::keep_dims);
    EXPECT_EQ(values(centred), (list{-1, 0, 1, -2, -1, 3}));
    const array scaled = a / xt::sum(a, {0}, xt::keep_dims);
    EXPECT_EQ(values(scaled), (list{1.0 / 5, 2.0 / 7, 3.0 / 12, 4.0 / 5, 5.0 / 7, 9.0 / 12}));
    const array both =
        (a - xt::amin(a, {1}, xt::keep_dims)) / (xt::amax(a, {1}, xt::keep_dims) - xt::amin(a, {1}, xt::keep_dims));
    EXPECT_EQ(values(both), (list{0, 0.5, 1, 0, 0.2, 1}));
    const array whole = a - xt::mean(a, xt::keep_dims);
    EXPECT_EQ(values(whole), (list{-3, -2, -1, 0, 1, 5}));
    xt::xtensor<double, 2> softmax = xt::exp(a - xt::amax(a, {1}, xt::keep_dims));
    softmax /= xt::eval(xt::sum(softmax, {1}, xt::keep_dims));
    EXPECT_NEAR(xt::sum(softmax)(), 2.0, 1e-15);
}

TEST_F(Differences, FloatSums) {
    constexpr std::size_t count = (std::size_t{1} << 24) + 1024;
    const xt::xtensor<float, 1> ones = xt::ones<float>({count});
    EXPECT_EQ(xt::sum(ones)(), static_cast<float>(count));
    EXPECT_EQ(xt::mean(ones)(), 1.0);
}

TEST_F(Differences, AxesInAnyOrder) {
    array a = xt::arange<double>(160.0);
    a.reshape({4, 5, 8});
    const array sorted = xt::sum(a, {0, 1});
    EXPECT_EQ(shape_of(sorted), (std::vector<std::size_t>{8}));
    EXPECT_EQ(values(array(xt::sum(a, {1, 0}))), values(sorted));
    EXPECT_EQ(values(array(xt::sum(a, {-2, 0}))), values(sorted));
    EXPECT_EQ(values(array(xt::amax(a, {-1, -3}))), values(array(xt::amax(a, {0, 2}))));
    EXPECT_EQ(shape_of(array(xt::amin(a, {2, 0}, xt::keep_dims))), (std::vector<std::size_t>{1, 5, 1}));
}

TEST_F(Differences, ExtremaOfNotANumber) {
    for (const array& a : {array{1, kNan, 3}, array{kNan, 1, 3}, array{3, 1, kNan}}) {
        EXPECT_TRUE(std::isnan(xt::amax(a)()));
        EXPECT_TRUE(std::isnan(xt::amin(a)()));
    }
    const array rows = {{1, kNan}, {2, 3}};
    const array largest = xt::amax(rows, {1});
    EXPECT_TRUE(std::isnan(largest(0)));
    EXPECT_EQ(largest(1), 3);
}

TEST_F(Differences, ArgmaxOfOneDimension) {
    const array a = {0, 1, 2, 3, 4, -1};
    EXPECT_EQ(xt::argmax(a, 0)(), 4u);
    EXPECT_EQ(xt::argmin(a, 0)(), 5u);
    EXPECT_EQ(xt::argmax(a)(), 4u);
}

TEST_F(Differences, StridedViewsWithNewAxes) {
    array a = xt::arange<double>(25.0);
    a.reshape({5, 5});
    xt::strided_view(a, {xt::all(), xt::range(0, 2)}) = xt::strided_view(a, {xt::all(), 2, xt::newaxis()});
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(a(i, 0), 5.0 * double(i) + 2);
        EXPECT_EQ(a(i, 1), 5.0 * double(i) + 2);
        EXPECT_EQ(a(i, 3), 5.0 * double(i) + 3);
    }
}

TEST_F(Differences, DescendingRangeIsEmpty) {
    const array a = {0, 1, 2, 3, 4};
    EXPECT_EQ(array(xt::view(a, xt::range(4, 1, -1))).size(), 3u);
    const array empty = xt::view(a, xt::range(2, 2)) + 1.0;
    EXPECT_EQ(empty.size(), 0u);
}

TEST_F(Differences, MeanOfNothing) {
    const array empty = xt::zeros<double>({0});
    EXPECT_TRUE(std::isnan(xt::mean(empty)()));
    EXPECT_EQ(array(xt::cumsum(empty, 0)).size(), 0u);
}

TEST_F(Differences, AViewThatReachesOutside) {
    array a = {{1, 2}, {3, 4}};
    array b;
    EXPECT_THROW(b = xt::view(a, 5) + 1.0, std::exception);
    EXPECT_THROW(xt::view(a, 2) = 1.0, std::exception);
    EXPECT_EQ(values(a), (list{1, 2, 3, 4}));
}

}  // namespace
