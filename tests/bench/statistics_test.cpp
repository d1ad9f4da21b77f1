// SPDX-License-Identifier: BSD-3-Clause
#include "driver/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace {

using namespace xlazy_bench;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Statistics, MedianOfOddAndEvenNumbers) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
    EXPECT_EQ(median({7}), 7);
    EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(Statistics, MedianDeviationIgnoresAnOutlier) {
    EXPECT_EQ(median_deviation({1, 2, 3}), 1);
    EXPECT_EQ(median_deviation({1, 2, 3, 4, 1000}), 1);
    EXPECT_EQ(median_deviation({5, 5, 5}), 0);
}

TEST(Statistics, SummaryHasAllThree) {
    const Summary s = summarize({4, 2, 9});
    EXPECT_EQ(s.min, 2);
    EXPECT_EQ(s.median, 4);
    EXPECT_EQ(s.deviation, 2);
}

TEST(Statistics, RatiosAreTakenInsideRounds) {
    EXPECT_EQ(ratios({2, 30}, {1, 10}), (std::vector<double>{2, 3}));
    EXPECT_THROW(ratios({1, 2}, {1}), std::invalid_argument);
}

TEST(Statistics, VoidByMoreThanAFifth) {
    EXPECT_FALSE(is_void(100, 100));
    EXPECT_FALSE(is_void(100, 80.001));
    EXPECT_FALSE(is_void(80.001, 100));
    EXPECT_TRUE(is_void(100, 79.9));
    EXPECT_TRUE(is_void(79.9, 100));
    EXPECT_TRUE(is_void(100, kNan));
}

TEST(Statistics, UlpsOfTheType) {
    const double next = std::nextafter(1.0, 2.0);
    EXPECT_EQ(max_ulps({1.0}, {1.0}, false, 0), 0);
    EXPECT_EQ(max_ulps({next}, {1.0}, false, 0), 1);
    EXPECT_EQ(max_ulps({static_cast<double>(std::nextafter(1.0f, 2.0f))}, {1.0}, true, 0), 1);
    EXPECT_LT(max_ulps({next}, {1.0}, true, 0), 1e-6);
    EXPECT_EQ(max_ulps({1.0, 1.0, 1.0 + 4 * (next - 1)}, {1.0, 1.0, 1.0}, false, 0), 4) << "the largest counts";
}

TEST(Statistics, UlpsOfTheFloorForSmallResults) {
    const double unit = std::nextafter(64.0, 65.0) - 64.0;
    EXPECT_EQ(max_ulps({2 * unit}, {0.0}, false, 64.0), 2);
    EXPECT_GT(max_ulps({2 * unit}, {unit}, false, 0), 1e6);
}

TEST(Statistics, WhatCannotBeComparedIsInfinitelyFar) {
    EXPECT_EQ(max_ulps({kNan}, {kNan}, false, 0), 0);
    EXPECT_EQ(max_ulps({kInfinity}, {kInfinity}, false, 0), 0);
    EXPECT_EQ(max_ulps({kNan}, {1.0}, false, 0), kInfinity);
    EXPECT_EQ(max_ulps({1.0}, {kNan}, false, 0), kInfinity);
    EXPECT_EQ(max_ulps({kInfinity}, {1.0}, false, 0), kInfinity);
    EXPECT_EQ(max_ulps({1.0}, {1.0, 2.0}, false, 0), kInfinity) << "a value is missing";
    EXPECT_EQ(max_ulps({}, {1.0}, false, 0), kInfinity);
}

TEST(Statistics, FitFindsTheCostOfEachThing) {
    const std::vector<std::vector<double>> counts = {{1, 1, 1}, {1, 1, 2}, {1, 9, 1}, {1, 9, 10}};
    std::vector<double> seconds;
    for (const std::vector<double>& row : counts) seconds.push_back(100 * row[0] + 30 * row[1] + 60 * row[2]);
    const std::vector<double> each = fit(counts, seconds);
    EXPECT_NEAR(each[0], 100, 1e-6);
    EXPECT_NEAR(each[1], 30, 1e-6);
    EXPECT_NEAR(each[2], 60, 1e-6);
}

TEST(Statistics, FittedCostsAreNotNegative) {
    const std::vector<double> each = fit({{1, 1}, {1, 2}, {1, 3}}, {1, 3, 5});
    EXPECT_EQ(each[0], 0);
    EXPECT_GT(each[1], 1);
}

TEST(Statistics, FitRejectsWhatIsNotDetermined) {
    EXPECT_THROW(fit({{1, 2}, {2, 4}}, {1, 2}), std::invalid_argument);
    EXPECT_THROW(fit({{1, 0}, {2, 0}}, {1, 2}), std::invalid_argument);
    EXPECT_THROW(fit({}, {}), std::invalid_argument);
}

}  // namespace
