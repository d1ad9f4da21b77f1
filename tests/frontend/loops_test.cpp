// SPDX-License-Identifier: BSD-3-Clause
// Loops that go on until their data say stop: one flush a turn, plans that are found again, and memory that does not
// grow.
#include "support.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xaxis_iterator.hpp>
#include <xtensor/xaxis_slice_iterator.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <limits>

namespace {

using Loops = support::Frontend;

/// Relaxes a grid until no cell changes by more than eps. @return the number of turns
int relax(xt::xtensor<double, 2>& grid, double eps) {
    auto inner = xt::view(grid, xt::range(1, -1), xt::range(1, -1));
    xt::xtensor<double, 2> change = xt::ones<double>({std::size_t{1}, std::size_t{1}});
    int turns = 0;
    while (xt::amax(change)() > eps) {
        const xt::xtensor<double, 2> next =
            0.25 * (xt::view(grid, xt::range(0, -2), xt::range(1, -1)) +
                    xt::view(grid, xt::range(2, xt::placeholders::_), xt::range(1, -1)) +
                    xt::view(grid, xt::range(1, -1), xt::range(0, -2)) +
                    xt::view(grid, xt::range(1, -1), xt::range(2, xt::placeholders::_)));
        change = xt::abs(next - inner);
        inner = next;
        ++turns;
    }
    return turns;
}

xt::xtensor<double, 2> heated() {
    xt::xtensor<double, 2> grid = xt::zeros<double>({std::size_t{18}, std::size_t{18}});
    xt::view(grid, 0, xt::all()) = 1.0;
    return grid;
}

TEST_F(Loops, OneFlushATurn) {
    SKIP_IF_EAGER();
    auto grid = heated();
    int turns = 0;
    const auto flushes = support::flushes_of([&] { turns = relax(grid, 1e-4); });
    EXPECT_GT(turns, 50);
    // One look before the first turn, one after each.
    EXPECT_EQ(flushes, (support::Counts{{"element", static_cast<std::uint64_t>(turns) + 1}}));
}

TEST_F(Loops, ATurnFindsThePlanOfTheLast) {
    SKIP_IF_EAGER();
    auto grid = heated();
    const auto before = xlazy::stats();
    const int turns = relax(grid, 1e-4);
    const auto after = xlazy::stats();
    EXPECT_LE(after.plans_missed - before.plans_missed, 3u);
    EXPECT_GE(after.plans_hit - before.plans_hit, static_cast<std::uint64_t>(turns) - 3);
}

TEST_F(Loops, MemoryDoesNotGrow) {
    auto first = heated();
    relax(first, 1e-3);
    xlazy::flush();
    const std::uint64_t before = xlazy::stats().bytes_allocated_peak;
    auto grid = heated();
    relax(grid, 1e-5);
    xlazy::flush();
    // The second grid, and nothing for the hundreds of turns.
    EXPECT_LE(xlazy::stats().bytes_allocated_peak, before + 4 * grid.size() * sizeof(double));
}

TEST_F(Loops, NewtonStopsWhereItConverges) {
    xt::xtensor<double, 1> x = {1.0, 2.0, 3.0, 100.0};
    const xt::xtensor<double, 1> squared = {2.0, 9.0, 16.0, 2.0};
    int turns = 0;
    while (xt::any(xt::abs(x * x - squared) > 1e-9) && turns < 100) {
        x -= (x * x - squared) / (2.0 * x);
        ++turns;
    }
    EXPECT_LT(turns, 20);
    EXPECT_TRUE(xt::allclose(x, xt::sqrt(squared)));
}

/// The iterators are compared by where they stand: a NaN is not equal to itself.
TEST_F(Loops, OverSlicesEndWithNaNs) {
    xt::xarray<double> a = {{1.0, std::numeric_limits<double>::quiet_NaN()}, {3.0, 4.0}};
    int rows = 0;
    for (auto it = xt::axis_begin(a); it != xt::axis_end(a) && rows < 10; ++it) ++rows;
    EXPECT_EQ(rows, 2);
    int slices = 0;
    for (auto it = xt::axis_slice_begin(a, 0); it != xt::axis_slice_end(a, 0) && slices < 10; ++it) ++slices;
    EXPECT_EQ(slices, 2);
    xt::xarray<double> b = {{1.0, 2.0}, {3.0, 4.0}};
    EXPECT_TRUE(xt::axis_begin(a) == xt::axis_begin(a));
    EXPECT_FALSE(xt::axis_begin(a) == xt::axis_begin(b));
}

}  // namespace
