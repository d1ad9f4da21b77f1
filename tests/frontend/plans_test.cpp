// SPDX-License-Identifier: BSD-3-Clause
// Other lengths and other numbers need no other plans: a step of the heat equation, written as xtensor programs are.
#include "support.hpp"

#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <random>

namespace {

using Plans = support::Frontend;
using Grid = xt::xtensor<double, 2>;

/// A grid of this length, of which one step is made with a number.
double step(std::size_t length, double factor) {
    Grid grid = xt::ones<double>({length + 2, std::size_t{6}});
    auto centre = xt::view(grid, xt::range(1, -1), xt::range(1, -1));
    auto north = xt::view(grid, xt::range(0, -2), xt::range(1, -1));
    auto south = xt::view(grid, xt::range(2, xt::placeholders::_), xt::range(1, -1));
    auto west = xt::view(grid, xt::range(1, -1), xt::range(0, -2));
    auto east = xt::view(grid, xt::range(1, -1), xt::range(2, xt::placeholders::_));
    const Grid work = factor * (centre + north + south + west + east);
    const xt::xtensor<double, 0> change = xt::sum(xt::abs(work - centre));
    centre = work;
    return change();
}

/// All pairs of 1000 lengths and 1000 numbers would take minutes in the slowest of the runs that this suite is made in.
/// A plan cannot depend on one pair but on its length and its number, which the cache sees one after the other: so
/// both axes, the diagonal and two random thousands stand for the rest.
TEST_F(Plans, AThousandLengthsAndAThousandScalars) {
    constexpr std::size_t kMost = 1000;
    const auto factor = [](std::size_t number) { return -1.0 + 2e-3 * static_cast<double>(number); };
    const auto check = [&](std::size_t length, std::size_t number) {
        const double cells = static_cast<double>(length) * 4.0;
        const double expected = std::abs(5.0 * factor(number) - 1.0) * cells;
        ASSERT_NEAR(step(length, factor(number)), expected, 1e-9 * (1.0 + expected)) << length << ", " << number;
    };
    std::mt19937 random(7);
    const auto any = [&] { return static_cast<std::size_t>(random() % kMost); };
    const std::uint64_t before = xlazy::stats().plans_missed;
    for (std::size_t i = 0; i < kMost; ++i) {
        check(i, 700);
        check(100, i);
        check(i, i);
        check(any(), any());
        check(any(), any());
    }
    const std::uint64_t missed = xlazy::stats().plans_missed - before;
    EXPECT_LE(missed, support::eager() ? 16u : 8u);
}

}  // namespace
