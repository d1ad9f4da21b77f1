// SPDX-License-Identifier: BSD-3-Clause
// xt::random: the same numbers for the same seed whatever runs when, distributions as they should be, xtensor's own
// values for those who pass an engine.
#include "philox.hpp"
#include "support.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <cmath>
#include <random>
#include <thread>

namespace {

using Random = support::Frontend;
using support::values;

TEST_F(Random, ElementsAreTheBlocksOfTheirPositions) {
    std::mt19937 engine(17);
    const auto word = [&] {
        const std::uint64_t low = engine();
        return low | std::uint64_t{engine()} << 32;
    };
    const std::uint64_t key = word(), stream = word();
    xt::random::seed(17);
    const xt::xtensor<double, 2> a = xt::random::rand<double>({3, 5});
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
            const std::uint64_t bits = xlazy::test::plain_philox(5 * i + j, stream, key)[0];
            ASSERT_EQ(a(i, j), static_cast<double>(bits >> 11) * 0x1p-53);
        }
    }
    EXPECT_EQ(support::shape_of(a), (std::vector<std::size_t>{3, 5}));
}

TEST_F(Random, ASeedRepeatsAndADrawDoesNot) {
    const auto draw = [] {
        const xt::xarray<double> a = xt::random::randn<double>({100});
        const xt::xarray<int> b = xt::random::randint<int>({100}, -5, 5);
        auto all = values(a);
        for (const int x : values(b)) all.push_back(x);
        return all;
    };
    xt::random::seed(3);
    const auto first = draw(), second = draw();
    xt::random::seed(3);
    EXPECT_EQ(draw(), first);
    EXPECT_EQ(draw(), second);
    EXPECT_NE(first, second);
    xt::random::seed(4);
    EXPECT_NE(draw(), first);
}

/// A draw is one array: every reader of an expression kept in `auto` sees the same numbers.
TEST_F(Random, AnExpressionKeepsItsNumbers) {
    auto r = xt::random::rand<float>({64});
    const xt::xarray<float> a = r, b = r + 0.0f;
    EXPECT_EQ(values(a), values(b));
    EXPECT_EQ(r(3), a(3));
    auto twice = r * 2.0f;
    EXPECT_EQ(twice(5), 2.0f * a(5));
}

TEST_F(Random, WhatIsDrawnDoesNotDependOnHowItIsUsed) {
    xt::random::seed(9);
    const xt::xarray<double> whole = xt::random::rand<double>({40, 50});
    xt::random::seed(9);
    const xt::xtensor<double, 0> sum = xt::sum(xt::random::rand<double>({40, 50}));
    EXPECT_EQ(sum(), xt::sum(whole)());
    xt::random::seed(9);
    xt::xtensor<double, 3> stack = xt::zeros<double>({2, 40, 50});
    xt::view(stack, 1, xt::all(), xt::all()) = xt::random::rand<double>(std::vector<std::size_t>{40, 50});
    EXPECT_EQ(values(xt::xarray<double>(xt::view(stack, 1, xt::all(), xt::all()))), values(whole));
    xt::random::seed(9);
    const xt::xtensor<double, 2, xt::layout_type::column_major> columns = xt::random::rand<double>({40, 50});
    EXPECT_EQ(values(columns), values(whole));
}

TEST_F(Random, NothingIsEvaluatedByXtensor) {
    const auto fallbacks = support::fallbacks_of([] {
        const xt::xarray<double> a = xt::random::rand<double>({10}) + xt::random::randn<double>({10}) +
                                     xt::random::exponential<double>({10}, 2.0) + xt::random::gamma<double>({10}, 2.5);
        const xt::xarray<int> b = xt::random::binomial<int>({10}, 7) + xt::random::geometric<int>({10});
        xlazy::flush();
    });
    EXPECT_EQ(fallbacks, support::Counts());
    const auto counted = support::fallbacks_of([] {
        const xt::xarray<int> a = xt::random::poisson<int>({10}, 4.0);
        const xt::xarray<double> b = xt::random::gamma<double>({10}, 2.3);
        xlazy::flush();
    });
    EXPECT_EQ(counted, (support::Counts{{"random::gamma", 1}, {"random::poisson", 1}}));
}

TEST_F(Random, AnEngineGivesXtensorsValues) {
    std::mt19937 mine(5), other(5);
    std::uniform_real_distribution<double> distribution(-1.0, 2.0);
    const xt::xarray<double> a = xt::random::rand<double>({3, 4}, -1.0, 2.0, mine);
    for (const double x : values(a)) ASSERT_EQ(x, distribution(other));
    std::minstd_rand small(5), same(5);
    std::normal_distribution<double> normal(1.0, 3.0);
    const xt::xarray<double> b = xt::random::randn<double>({20}, 1.0, 3.0, small);
    for (const double x : values(b)) ASSERT_EQ(x, normal(same));
    // The default engine, too, if it is passed.
    xt::random::seed(11);
    std::mt19937 like(11);
    std::uniform_int_distribution<int> whole(0, 9);
    const xt::xarray<int> c = xt::random::randint<int>({50}, 0, 10, xt::random::get_default_random_engine());
    for (const int x : values(c)) ASSERT_EQ(x, whole(like));
}

struct Moments {
    double mean, variance;
};

/// Mean and variance of 400,000 numbers within 6 standard errors; no two draws alike.
template <class E>
void expect_moments(const char* what, const E& expression, Moments wanted, double fourth) {
    const xt::xtensor<double, 1> x = expression;
    const auto n = static_cast<double>(x.size());
    const double mean = xt::mean(x)();
    const double variance = xt::variance(x)();
    EXPECT_NEAR(mean, wanted.mean, 6 * std::sqrt(wanted.variance / n)) << what;
    // The variance's own variance: (fourth central moment - variance^2) / n.
    EXPECT_NEAR(variance, wanted.variance, 6 * std::sqrt((fourth - 1) / n) * wanted.variance) << what;
}

constexpr std::size_t kMany = 400000;

/// `fourth`: the distribution's fourth central moment by the square of its variance.
TEST_F(Random, MomentsOfDistributions) {
    xt::random::seed(2024);
    const std::array<std::size_t, 1> n{kMany};
    expect_moments("rand", xt::random::rand<double>(n, -1.0, 3.0), {1.0, 16.0 / 12}, 1.8);
    expect_moments("rand f32", xt::random::rand<float>(n), {0.5, 1.0 / 12}, 1.8);
    expect_moments("randn", xt::random::randn<double>(n, 2.0, 3.0), {2.0, 9.0}, 3);
    expect_moments("randn f32", xt::random::randn<float>(n), {0.0, 1.0}, 3);
    expect_moments("randint", xt::random::randint<int>(n, -3, 4), {0.0, 4.0}, 1.75);
    expect_moments("exponential", xt::random::exponential<double>(n, 2.0), {0.5, 0.25}, 9);
    expect_moments("weibull", xt::random::weibull<double>(n, 2.0, 1.0), {0.886226925, 0.214601837}, 3.25);
    expect_moments("extreme_value", xt::random::extreme_value<double>(n, 1.0, 2.0), {2.154431330, 6.579736267}, 5.4);
    expect_moments("lognormal", xt::random::lognormal<double>(n, 0.0, 0.25), {1.031743407, 0.068653956}, 4.1);
    expect_moments("geometric", xt::random::geometric<int>(n, 0.25), {3.0, 12.0}, 9.1);
    expect_moments("binomial", xt::random::binomial<int>(n, 7, 0.3), {2.1, 1.47}, 3);
    expect_moments("negative_binomial", xt::random::negative_binomial<int>(n, 3, 0.5), {3.0, 6.0}, 5.2);
    expect_moments("gamma", xt::random::gamma<double>(n, 2.5, 2.0), {5.0, 10.0}, 5.4);
    expect_moments("chi_squared", xt::random::chi_squared<double>(n, 5.0), {5.0, 10.0}, 5.4);
    expect_moments("student_t", xt::random::student_t<double>(n, 20.0), {0.0, 20.0 / 18}, 3.4);
    expect_moments("fisher_f", xt::random::fisher_f<double>(n, 10.0, 30.0), {30.0 / 28, 0.3356}, 8);
    expect_moments("poisson", xt::random::poisson<int>(n, 4.0), {4.0, 4.0}, 3.25);
}

/// Chi squared of 256 equal bins; the median of |x| of Cauchy's distribution is its scale.
TEST_F(Random, UniformBitsAndHeavyTails) {
    xt::random::seed(77);
    const xt::xtensor<double, 1> u = xt::random::rand<double>({kMany});
    std::vector<double> bins(256);
    for (const double x : values(u)) {
        ASSERT_TRUE(x >= 0 && x < 1);
        ++bins[static_cast<std::size_t>(x * 256)];
    }
    double chi = 0;
    for (const double count : bins) chi += (count - kMany / 256.0) * (count - kMany / 256.0) / (kMany / 256.0);
    EXPECT_GT(chi, 255 - 6 * std::sqrt(2 * 255.0));
    EXPECT_LT(chi, 255 + 6 * std::sqrt(2 * 255.0));
    // Neighbours, and draws after each other, are not correlated.
    const xt::xtensor<double, 1> v = xt::random::rand<double>({kMany});
    auto half = xt::range(0, kMany - 1), later = xt::range(1, kMany);
    const double limit = 6.0 / 12 / std::sqrt(static_cast<double>(kMany));
    EXPECT_NEAR(xt::mean((xt::view(u, half) - 0.5) * (xt::view(u, later) - 0.5))(), 0, limit);
    EXPECT_NEAR(xt::mean((u - 0.5) * (v - 0.5))(), 0, limit);
    const xt::xtensor<double, 1> c = xt::random::cauchy<double>({kMany}, 0.0, 3.0);
    EXPECT_NEAR(xt::mean(xt::cast<double>(xt::abs(c) < 3.0))(), 0.5, 6 * 0.5 / std::sqrt(static_cast<double>(kMany)));
}

TEST_F(Random, BoundsHold) {
    xt::random::seed(5);
    // So narrow that rounding would reach the end.
    const double low = 1.0, high = std::nextafter(1.0, 2.0);
    const xt::xtensor<double, 1> narrow = xt::random::rand<double>({1000}, low, high);
    EXPECT_EQ(xt::amax(narrow)(), low);
    const xt::xtensor<float, 1> f = xt::random::rand<float>({kMany}, 0.1f, 0.3f);
    EXPECT_LT(xt::amax(f)(), 0.3f);
    EXPECT_GE(xt::amin(f)(), 0.1f);
    const xt::xtensor<std::int8_t, 1> bytes = xt::random::randint<std::int8_t>({kMany}, -128, 127);
    EXPECT_EQ(int(xt::amin(bytes)()), -128);
    EXPECT_EQ(int(xt::amax(bytes)()), 126);
    const xt::xtensor<std::uint64_t, 1> wide = xt::random::randint<std::uint64_t>({1000}, 7, ~std::uint64_t{0});
    EXPECT_GE(xt::amin(wide)(), 7u);
    EXPECT_GT(xt::amax(wide)(), ~std::uint64_t{0} / 2);
    const xt::xtensor<std::int64_t, 1> beyond = xt::random::randint<std::int64_t>({1000}, -5, std::int64_t{1} << 40);
    EXPECT_GE(xt::amin(beyond)(), -5);
    EXPECT_LT(xt::amax(beyond)(), std::int64_t{1} << 40);
    EXPECT_EQ(values(xt::xtensor<int, 1>(xt::random::randint<int>({4}, 6, 7))), (std::vector<int>{6, 6, 6, 6}));
    EXPECT_TRUE(support::contains(
        support::text_of<std::exception>([] { const xt::xarray<int> a = xt::random::randint<int>({4}, 6, 6); }),
        "random_test.cpp"));
}

TEST_F(Random, ShapesOfEveryKind) {
    EXPECT_EQ(xt::random::rand<double>(std::vector<std::size_t>{}).size(), 1u);
    EXPECT_EQ(xt::random::rand<double>({0, 3}).size(), 0u);
    EXPECT_EQ(support::shape_of(xt::random::rand<double>(xt::xshape<2, 3>())), (std::vector<std::size_t>{2, 3}));
    xt::xtensor<double, 2> a({4, 5});
    EXPECT_EQ(support::shape_of(xt::random::randn<double>(a.shape())), (std::vector<std::size_t>{4, 5}));
    const xt::xtensor<long double, 1> wide = xt::random::rand<long double>({5});
    EXPECT_EQ(wide.size(), 5u);
}

/// Draws of several threads are all different, and nobody's are torn.
TEST_F(Random, ThreadsDraw) {
    std::vector<std::vector<double>> drawn(4);
    std::vector<std::thread> threads;
    for (auto& mine : drawn) {
        threads.emplace_back([&mine] {
            for (int i = 0; i < 20; ++i) {
                const xt::xtensor<double, 1> a = xt::random::rand<double>({50});
                for (const double x : values(a)) mine.push_back(x);
            }
        });
    }
    std::vector<double> all;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        threads[i].join();
        all.insert(all.end(), drawn[i].begin(), drawn[i].end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST_F(Random, ShufflesAndChoicesAreXtensors) {
    xt::random::seed(8);
    xt::xtensor<int, 1> a = xt::arange<int>(20);
    xt::random::shuffle(a);
    auto sorted = values(a);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, values(xt::xtensor<int, 1>(xt::arange<int>(20))));
    const auto permuted = xt::random::permutation(10);
    EXPECT_EQ(permuted.size(), 10u);
    const xt::xtensor<int, 1> chosen = xt::random::choice(a, 5, false);
    EXPECT_EQ(chosen.size(), 5u);
    const xt::xtensor<double, 1> weights = xt::ones<double>({20});
    EXPECT_EQ(xt::random::choice(a, 7, weights, true).size(), 7u);
}

/// In batches whose structure is known, no call of a function plans anew: keys are scalars.
TEST_F(Random, PlansAreKept) {
    xt::xtensor<double, 1> sum = xt::zeros<double>({100});
    const auto step = [&] {
        sum += xt::random::randn<double>({100});
        xlazy::flush();
    };
    for (int i = 0; i < 3; ++i) step();
    const auto before = xlazy::stats().plans_missed;
    for (int i = 0; i < 20; ++i) step();
    EXPECT_EQ(xlazy::stats().plans_missed, before);
}

}  // namespace
