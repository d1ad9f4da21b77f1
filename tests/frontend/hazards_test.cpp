// SPDX-License-Identifier: BSD-3-Clause
// Wrong results that array libraries were reported to give, as an ordinary program meets them, with the right values.
// Those that only the optimizer could get wrong are in tests/optimizer/hazards_test.cpp.
#include "support.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xpad.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace {

using xt::all;
using xt::range;
using xt::view;
using xt::placeholders::_;

class Hazards : public support::Frontend {};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_F(Hazards, W11NegativeFirstStride) {
    xt::xtensor<double, 3> image({300, 1000, 2});
    for (std::size_t i = 0; i < image.size(); ++i) image.data()[i] = static_cast<double>(i);
    for (int run = 0; run < 3; ++run) {
        const xt::xtensor<double, 2> flipped = view(image, range(_, _, -1), all(), 0) - 0.25;
        ASSERT_EQ(flipped.shape(0), 300u);
        for (std::size_t i = 0; i < 300; ++i) {
            for (std::size_t k = 0; k < 1000; k += 37) ASSERT_EQ(flipped(i, k), image(299 - i, k, 0) - 0.25) << i;
        }
    }
}

TEST_F(Hazards, W19ArraysOfOneElement) {
    const xt::xarray<double> column = xt::ones<double>({2, 1}) * 1.0;
    EXPECT_EQ(column, (xt::ones<double>({2, 1})));
    const xt::xarray<double> sum = xt::arange<double>(10) + xt::ones<double>({1});
    EXPECT_EQ(sum, (xt::xarray<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST_F(Hazards, W21NansAndInfinities) {
    const xt::xarray<double> x = {1, kNan, 3};
    EXPECT_EQ(xt::nansum(x)(), 4);
    const xt::xarray<bool> nans = xt::isnan(x);
    EXPECT_EQ(nans, (xt::xarray<bool>{false, true, false}));
    const xt::xarray<double> large = xt::exp(xt::xarray<double>{1000.});
    EXPECT_EQ(large(0), std::numeric_limits<double>::infinity());
}

TEST_F(Hazards, W22TimesZero) {
    const xt::xarray<double> x = {1, kNan};
    const xt::xarray<double> product = x * 0.0;
    EXPECT_TRUE(std::isnan(xt::sum(product)()));
    EXPECT_TRUE(std::isnan(xt::sum(x * 0.0)()));
}

TEST_F(Hazards, W28AxesInDescendingOrder) {
    const xt::xarray<int> x = xt::reshape_view(xt::arange<int>(4 * 5 * 8), {4, 5, 8});
    const xt::xarray<int> down = xt::sum(x, {1, 0}), up = xt::sum(x, {0, 1});
    EXPECT_EQ(down.shape(), up.shape());
    EXPECT_EQ(down, up);
    EXPECT_EQ(up(0), 1520);
}

TEST_F(Hazards, W31StridedDestinations) {
    xt::xarray<double> a = xt::reshape_view(xt::arange<double>(25), {5, 5});
    view(a, all(), range(0, 2)) = view(a, all(), 2, xt::newaxis());
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(a(i, 0), 5. * static_cast<double>(i) + 2);
        EXPECT_EQ(a(i, 1), 5. * static_cast<double>(i) + 2);
        EXPECT_EQ(a(i, 3), 5. * static_cast<double>(i) + 3);
    }
}

TEST_F(Hazards, W32ColumnMajorViews) {
    xt::xarray<double, xt::layout_type::column_major> a = {{1, 2}, {3, 4}};
    view(a, all(), 0) *= 2.0;
    view(a, all(), 1) = view(a, all(), 1) * 2.0;
    EXPECT_EQ(a, (xt::xarray<double>{{2, 4}, {6, 8}}));
    xt::xarray<double, xt::layout_type::column_major> b = xt::broadcast(a, {2, 2});
    EXPECT_EQ(b, (xt::xarray<double>{{2, 4}, {6, 8}}));
    xt::xarray<double> c = a + xt::transpose(a);
    EXPECT_EQ(c, (xt::xarray<double>{{4, 10}, {10, 16}}));
}

TEST_F(Hazards, W33CumulativeSumOfOneElement) {
    const xt::xarray<double> row = {{5, 6, 7}};
    const xt::xarray<double> same = xt::cumsum(row, 0), sums = xt::cumsum(row, 1);
    EXPECT_EQ(same, row);
    EXPECT_EQ(sums, (xt::xarray<double>{{5, 11, 18}}));
}

TEST_F(Hazards, W34PlacesOfTheLargest) {
    const xt::xarray<int> x = {0, 1, 2, 3, 4, -1};
    EXPECT_EQ(xt::argmax(x, 0)(), 4u);
    EXPECT_EQ(xt::argmin(x, 0)(), 5u);
    const xt::xtensor<int, 2> column = {{1}, {5}, {3}}, row = {{1, 2}};
    const xt::xarray<std::size_t> of_column = xt::argmax(column, 0), of_row = xt::argmax(row, 1);
    EXPECT_EQ(of_column(0), 1u);
    EXPECT_EQ(of_row(0), 1u);
}

/// A draw is an array, whatever reads it; another draw is another one, of a plan that is known.
TEST_F(Hazards, W27ReadersOfADrawSeeTheSameNumbers) {
    const auto r = xt::random::rand<double>({300});
    const xt::xarray<double> a = r, b = r, c = xt::random::rand<double>({300});
    EXPECT_EQ(a, b);
    EXPECT_NE(a, c);
    auto before = xlazy::stats();
    for (int i = 0; i < 20; ++i) {
        if (i == 2) before = xlazy::stats();
        const xt::xarray<double> draw = xt::random::rand<double>({300});
        EXPECT_NE(draw(0), a(0));
    }
    EXPECT_EQ(xlazy::stats().plans_missed, before.plans_missed);
}

/// Two-dimensional data with an axis more, or an error; never one element everywhere.
TEST_F(Hazards, W36HigherRankOnTheRight) {
    const xt::xarray<int> three = {{{10, 20}, {30, 40}}};
    xt::xarray<int> a = xt::zeros<int>({3, 3});
    bool refused = false;
    try {
        view(a, range(0, 2), range(0, 2)) = three;
        xlazy::flush();
    } catch (const std::exception&) {
        refused = true;
    }
    if (refused) {
        EXPECT_EQ(a, xt::zeros<int>({3, 3}));
    } else {
        EXPECT_EQ(a, (xt::xarray<int>{{10, 20, 0}, {30, 40, 0}, {0, 0, 0}}));
    }
}

/// A condition that the array does not have the shape of chooses nothing.
TEST_F(Hazards, W37ConditionOfAnotherShape) {
    xt::xarray<double> a = {{1, 2}, {3, 4}};
    const xt::xarray<bool> row = {{true, false}}, flat = {true, false}, four = {true, false, true, false};
    for (const xt::xarray<bool>& mask : {row, flat, four}) {
        EXPECT_THROW(xt::filter(a, mask) = 9.0, xt::broadcast_error);
        EXPECT_THROW(xt::xarray<double>(xt::filter(a, mask)), xt::broadcast_error);
    }
    try {
        xt::filter(a, row) += 1.0;
        ADD_FAILURE() << "not thrown";
    } catch (const xt::broadcast_error& error) {
        EXPECT_NE(std::string(error.what()).find("filter: the condition has shape (1,2), the array (2,2)"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(a, (xt::xarray<double>{{1, 2}, {3, 4}}));
    xt::filter(a, a > 2.0) = 9.0;
    EXPECT_EQ(a, (xt::xarray<double>{{1, 2}, {9, 9}}));
    // A condition in an expression is broadcast as any operand.
    xt::filtration(a, row) = 5.0;
    EXPECT_EQ(a, (xt::xarray<double>{{5, 2}, {5, 9}}));
}

TEST_F(Hazards, W38IntegerPowersAndBools) {
    const xt::xarray<double> two = {2};
    EXPECT_EQ(xt::xarray<double>(xt::pow(two, -2.0))(0), 0.25);
    const xt::xarray<int> three = {3};
    const auto square = xt::pow(three, 2);
    static_assert(std::is_same_v<typename std::decay_t<decltype(square)>::value_type, double>);
    EXPECT_EQ(xt::xarray<double>(square)(0), 9.0);
    const xt::xarray<bool> yes = {true};
    const xt::xarray<int> both = yes + yes;
    EXPECT_EQ(both(0), 2);
}

TEST_F(Hazards, W39BoolsAreCountedAlike) {
    xt::xarray<bool> many = xt::zeros<bool>({1'000'000});
    std::size_t state = 1, count = 0;
    for (std::size_t i = 0; i < many.size(); ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        many(i) = (state >> 40) % 3 == 0;
        count += (state >> 40) % 3 == 0 ? 1 : 0;
    }
    xt::xarray<bool> rows = xt::zeros<bool>({std::size_t{2}, many.size()});
    view(rows, 0, all()) = many;
    EXPECT_EQ(static_cast<std::size_t>(xt::sum(xt::cast<std::size_t>(many))()), count);
    EXPECT_EQ(static_cast<std::size_t>(xt::sum(xt::cast<std::size_t>(view(rows, 0, all())))()), count);
    EXPECT_EQ(static_cast<std::size_t>(xt::sum(xt::cast<std::size_t>(rows))()), count);
}

TEST_F(Hazards, W43ManyTimesOneElement) {
    constexpr std::size_t kSize = std::size_t{2} << 20;
    const xt::xarray<double> one = {3.0};
    for (const std::size_t size : {kSize, kSize - 1, kSize + 1}) {
        const xt::xarray<double> a = xt::arange<double>(static_cast<double>(size));
        const xt::xarray<double> tiled = xt::tile(one, {size}) * a, repeated = xt::broadcast(one, {size}) * a;
        const xt::xarray<double> batch = xt::tile(xt::xarray<double>{{1.0, 2.0, 3.0}}, {size / 3, std::size_t{1}});
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}, size / 2, size - 2, size - 1}) {
            ASSERT_EQ(tiled(i), 3.0 * static_cast<double>(i)) << size;
            ASSERT_EQ(repeated(i), 3.0 * static_cast<double>(i)) << size;
        }
        EXPECT_EQ(batch.shape(0), size / 3);
        EXPECT_EQ(batch(size / 3 - 1, 0) + batch(size / 3 - 1, 2), 4.0);
        EXPECT_EQ(xt::sum(batch)(), 6.0 * static_cast<double>(size / 3));
    }
}

TEST_F(Hazards, W45ScalarsOfASmallType) {
    const xt::xarray<double> v = {-1, 2, 3, -4};
    const xt::xarray<std::uint8_t> chosen = xt::where(v < 0, std::uint8_t{1}, std::uint8_t{0});
    EXPECT_EQ(chosen, (xt::xarray<std::uint8_t>{1, 0, 0, 1}));
    const auto lazily = xt::where(v < 0, std::uint8_t{1}, std::uint8_t{0});
    static_assert(std::is_same_v<typename std::decay_t<decltype(lazily)>::value_type, std::uint8_t>);
}

TEST_F(Hazards, W46Subnormals) {
    const xt::xarray<float> infinite = {-std::numeric_limits<float>::infinity()}, tiny = {1.4e-45f};
    const xt::xarray<float> product = infinite * tiny, half = (tiny * 2.0f) * 0.5f;
    EXPECT_EQ(product(0), -std::numeric_limits<float>::infinity());
    EXPECT_EQ(half(0), 1.4e-45f);
}

TEST_F(Hazards, W47SumOverASplitAxis) {
    xt::xarray<double> x = xt::arange<double>(6) * 2.0;
    x.reshape({2, 3});
    const xt::xarray<double> rows = xt::sum(x, {1}), columns = xt::sum(x, {0});
    EXPECT_EQ(rows, (xt::xarray<double>{6, 24}));
    EXPECT_EQ(columns, (xt::xarray<double>{6, 10, 14}));
}

}  // namespace
