// SPDX-License-Identifier: BSD-3-Clause
// Updates of arrays that read their old values: the array gets other memory where it may, and keeps it where it must.
#include "runtime/array.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test;
using Doubles = std::vector<double>;
using xlazy::deferred_error;

/// x[1:] = x[:-1] + x[1:], element by element.
Doubles prefix_step(Doubles values) {
    for (std::size_t i = values.size() - 1; i > 0; --i) values[i] = values[i - 1] + values[i];
    return values;
}

void step(const Array<double>& x, here line = here::current()) {
    const std::size_t n = x.extents()[0];
    assign(x.all().slice(0, 1, n - 1), Op::add, x.all().slice(0, 0, n - 1), x.all().slice(0, 1, n - 1), line);
}

std::uint64_t kernels_of_flush() {
    const std::uint64_t before = xlazy::stats().kernels_run;
    xlazy::flush();
    return xlazy::stats().kernels_run - before;
}

/// Steps of a heat equation on a square grid.
void heat(const Array<double>& grid, std::size_t side, int steps) {
    const auto at = [&](std::int64_t row, std::int64_t column) {
        return grid.all().slice(0, row, side - 2).slice(1, column, side - 2);
    };
    for (int i = 0; i < steps; ++i) {
        const Array<double> work({side - 2, side - 2});
        assign(work, Op::add, at(0, 1), at(2, 1));
        assign(work, Op::add, work, at(1, 0));
        assign(work, Op::mul, work, 0.25);
        copy(at(1, 1), work);
    }
}

Doubles heat(Doubles values, std::size_t side, int steps) {
    for (int i = 0; i < steps; ++i) {
        const Doubles old = values;
        for (std::size_t row = 1; row + 1 < side; ++row) {
            for (std::size_t column = 1; column + 1 < side; ++column) {
                values[row * side + column] =
                    (old[(row - 1) * side + column] + old[(row + 1) * side + column] + old[row * side + column - 1]) *
                    0.25;
            }
        }
    }
    return values;
}

TEST(Versions, HeatNeedsAKernelAStepAndTwoPlanes) {
    for (const std::size_t side : {9u, 700u}) {
        const Doubles initial = iota<double>(side * side);
        const Array<double> grid({side, side}, initial);
        heat(grid, side, 3);
        const std::uint64_t before = xlazy::be::pool_stats().bytes_in_use;
        xlazy::be::pool_reset_peak();
        EXPECT_EQ(kernels_of_flush(), 3u);
        EXPECT_LE(xlazy::be::pool_stats().bytes_in_use_peak - before, side * side * 8 + 64) << "one plane more";
        EXPECT_EQ(xlazy::be::pool_stats().bytes_in_use, before);
        EXPECT_EQ(grid.values(), heat(initial, side, 3));
    }
}

TEST(Versions, APinnedArrayKeepsItsMemory) {
    const Doubles initial = iota<double>(100);
    const Array<double> x({100}, initial);
    const double* const pointer = static_cast<const double*>(xlazy::rt::base_read(x.base(), Reason::data, {}));
    xlazy::rt::base_pin(x.base(), false);
    step(x);
    xlazy::flush();
    EXPECT_EQ(Doubles(pointer, pointer + 100), prefix_step(initial));
    EXPECT_EQ(xlazy::rt::base_read(x.base(), Reason::data, {}), pointer);
    xlazy::rt::base_unpin(x.base(), false);
    step(x);
    EXPECT_EQ(x.values(), prefix_step(prefix_step(initial)));
}

TEST(Versions, AllLayoutsOfTheLeftSide) {
    constexpr std::size_t n = 6;
    const Doubles initial = iota<double>(n * n);
    const auto index = [](std::size_t i, std::size_t j) { return i * n + j; };
    const auto flipped = [](Window w) {
        for (std::size_t axis = 0; axis < 2; ++axis)
            w = w.slice(axis, static_cast<std::int64_t>(w.extents[axis]) - 1, w.extents[axis], -1);
        return w;
    };
    const auto transposed = [](Window w) {
        std::swap(w.extents[0], w.extents[1]);
        std::swap(w.strides[0], w.strides[1]);
        return w;
    };
    {
        const Array<double> x({n, n}, initial);
        assign(x, Op::add, x, transposed(x));
        Doubles expected = initial;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) expected[index(i, j)] = initial[index(i, j)] + initial[index(j, i)];
        EXPECT_EQ(x.values(), expected);
    }
    {
        const Array<double> x({n, n}, initial);
        assign(flipped(x), Op::add, x, 1.0);
        Doubles expected(initial.rbegin(), initial.rend());
        for (double& value : expected) value += 1;
        EXPECT_EQ(x.values(), expected);
    }
    {
        const Array<double> x({n, n}, initial);  // all but the first row and column, transposed
        const Window inner = x.all().slice(0, 1, n - 1).slice(1, 1, n - 1);
        assign(transposed(inner), Op::mul, x.all().slice(0, 0, n - 1).slice(1, 0, n - 1), 2.0);
        Doubles expected = initial;
        for (std::size_t i = 1; i < n; ++i)
            for (std::size_t j = 1; j < n; ++j) expected[index(j, i)] = 2 * initial[index(i - 1, j - 1)];
        EXPECT_EQ(x.values(), expected);
    }
}

TEST(Versions, APlanForALargePartServesASmallOne) {
    for (const std::size_t count : {99u, 5u}) {
        const Doubles initial = iota<double>(100);
        const Array<double> x({100}, initial);
        assign(x.all().slice(0, 1, count), Op::add, x.all().slice(0, 0, count), 1.0);
        Doubles expected = initial;
        for (std::size_t i = 0; i < count; ++i) expected[i + 1] = initial[i] + 1;
        EXPECT_EQ(x.values(), expected) << count;
    }
}

TEST(Versions, AFailingStatementPoisonsTheArrayAndAWriteHeals) {
    const Array<std::int32_t> x({5}, {1, 2, 0, 4, 5}), other({4});
    const Window low = x.all().slice(0, 0, 4), high = x.all().slice(0, 1, 4);
    assign(other, Op::add, low, high);
    assign(high, Op::div, low, high);
    const int line = __LINE__ - 1;
    try {
        xlazy::flush();
        FAIL();
    } catch (const deferred_error& error) {
        EXPECT_EQ(std::string(error.what()).find(std::string(__FILE__) + ':' + std::to_string(line)), 0u)
            << error.what();
    }
    EXPECT_EQ(other.values(), (std::vector<std::int32_t>{3, 2, 4, 9}));
    EXPECT_THROW(x.read(0), deferred_error);
    fill(x, 7);
    EXPECT_EQ(x.values(), (std::vector<std::int32_t>(5, 7)));
}

class LittleMemory : public testing::Test {
protected:
    static void leave(std::size_t bytes) { xlazy::be::pool_set_limit(xlazy::be::pool_stats().bytes_in_use + bytes); }
    ~LittleMemory() override { xlazy::be::pool_set_limit(0); }
    static constexpr std::size_t kLarge = 1 << 20;
};

TEST_F(LittleMemory, TheUpdateFailsAndTheOthersDoNot) {
    const Array<double> x({kLarge}, iota<double>(kLarge)), sum({1});
    const auto record = [&] {
        Statement s(here::current());
        s.store(sum.all().slice(0, 0, 1), s.reduce(Op::sum, s.load(x.all().slice(0, 1, kLarge - 1)), 1, true));
    };
    record();
    step(x);
    const int line = __LINE__ - 1;
    leave(64 << 10);
    try {
        xlazy::flush();
        FAIL();
    } catch (const deferred_error& error) {
        EXPECT_EQ(
            std::string(error.what()).find(std::string(__FILE__) + ':' + std::to_string(line) + ": out of memory"), 0u)
            << error.what();
    }
    EXPECT_EQ(sum.read(0), static_cast<double>(kLarge) * (kLarge - 1) / 2);
    EXPECT_THROW(x.read(5), deferred_error);
    xlazy::be::pool_set_limit(0);
    fill(x, 1.0);
    step(x);
    EXPECT_EQ(x.read(5), 2.0);
}

TEST_F(LittleMemory, SeveralUpdatesTakeTurns) {
    const Array<double> x({kLarge}, iota<double>(kLarge)), y({kLarge}, iota<double>(kLarge));
    const auto both = [&] {
        step(x);
        step(y);
        xlazy::be::pool_reset_peak();
        const std::uint64_t before = xlazy::be::pool_stats().bytes_in_use;
        xlazy::flush();
        return xlazy::be::pool_stats().bytes_in_use_peak - before;
    };
    EXPECT_GE(both(), 2 * 8 * kLarge) << "one kernel makes both: otherwise this test tests nothing";
    leave(8 * kLarge + (64 << 10));
    EXPECT_LE(both(), 8 * kLarge + (64 << 10));
    const Doubles expected = prefix_step(prefix_step(iota<double>(kLarge)));
    EXPECT_EQ(x.values(), expected);
    EXPECT_EQ(y.values(), expected);
}

}  // namespace
