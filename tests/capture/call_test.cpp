// SPDX-License-Identifier: BSD-3-Clause
// Calls of captured functions: values, shapes, numbers, results in given arrays, and what a call costs.
#include "capture/support.hpp"

#include "xlazy/backends/memory_pool.hpp"

#include <thread>

namespace {

using namespace test;
using namespace xlazy::placeholders;
using xlazy::capture;
using xlazy::range;
using xlazy::view;

TEST(Call, OtherValues) {
    const auto body = [](const Array& x, double k) {
        const Array y = k * x + 1.0;
        return std::tuple{y, Array(xlazy::sum(y * y))};
    };
    const auto f = capture(body, ramp(5), 2.0);
    for (const double k : {3.0, -1.0, 0.0}) {
        const auto [y, z] = f(ramp(5, k), k);
        const auto [lazy_y, lazy_z] = body(ramp(5, k), k);
        EXPECT_TRUE(same_bits(y, lazy_y));
        EXPECT_TRUE(same_bits(z, lazy_z));
    }
    EXPECT_EQ(f.statistics().recordings, 1u);
    EXPECT_EQ(f.statistics().captures, 1u);
}

TEST(Call, KindsOfResults) {
    EXPECT_EQ(values(capture([](const Array& x) { return x + 1.0; }, ramp(2))(ramp(2))), (std::vector{1.5, 1.75}));
    EXPECT_EQ(values(capture([](Array x) { return x; }, ramp(2))(ramp(2))), (std::vector{0.5, 0.75}));
    const auto [a, b] = capture([](const Array& x) { return std::pair(x, x * 2.0); }, ramp(2))(ramp(2));
    EXPECT_EQ(values(a), (std::vector{0.5, 0.75}));
    EXPECT_EQ(values(b), (std::vector{1.0, 1.5}));
    const auto [c, d] = capture(
        [](const Array& x) {
            const Array y = x * 2.0;
            return std::tuple{y, y};
        },
        ramp(2))(ramp(2));
    EXPECT_EQ(values(c), values(d));
    const Matrix m = capture([](const Matrix& x) -> Matrix { return xlazy::transpose(x); }, grid(2, 3))(grid(2, 3));
    EXPECT_TRUE(same_bits(m, Matrix(xlazy::transpose(grid(2, 3)))));
}

TEST(Call, Expressions) {
    const auto f = capture([](const Array& x) { return x * x; }, ramp(3) + 1.0);
    EXPECT_EQ(values(f(ramp(3) * 2.0)), (std::vector{1.0, 2.25, 4.0}));
    EXPECT_EQ(values(f(Array{1, 2, 3})), (std::vector{1.0, 4.0, 9.0}));
}

TEST(Call, TypesOfNumbers) {
    const auto f = capture([](const xlazy::xarray<float>& x, double a, int b, float c,
                              bool d) { return x * a + static_cast<float>(b) * c + d; },
                           xlazy::xarray<float>{1, 2}, 0.5, 2, 3.0f, true);
    EXPECT_EQ(values(f(xlazy::xarray<float>{1, 2}, 1.5, 3, 4.0f, false)), (std::vector{13.5, 15.0}));
}

TEST(Call, OtherExtentsRecordAgainAndCompileNothing) {
    const auto body = [](const Array& x) { return Array(x - xlazy::mean(x)); };
    const auto f = capture(body, ramp(40));
    for (const std::size_t count : {41u, 42u, 43u}) EXPECT_TRUE(same_bits(f(ramp(count)), body(ramp(count))));
    const auto before = xlazy::stats();
    EXPECT_TRUE(same_bits(f(ramp(44)), f(ramp(44))));
    EXPECT_EQ(xlazy::stats().plans_missed, before.plans_missed);
    EXPECT_EQ(f.statistics().captures, 1u);
    EXPECT_EQ(f.statistics().recordings, 5u);
}

TEST(Call, OtherRanksAndBroadcasting) {
    const auto body = [](const Array& x, const Array& y) { return Array(x + y); };
    const auto f = capture(body, ramp(4), ramp(4));
    const Array square = xlazy::ones<double>({4, 4});
    const Array column = xlazy::ones<double>({4, 1});
    EXPECT_TRUE(same_bits(f(square, ramp(4)), body(square, ramp(4))));
    EXPECT_TRUE(same_bits(f(column, ramp(4)), body(column, ramp(4))));
    EXPECT_EQ(f.statistics().captures, 3u);
    EXPECT_EQ(f.statistics().recordings, 3u);
}

TEST(Call, RecordingsAreBounded) {
    const auto f = capture([](const Array& x) { return x + 1.0; }, ramp(1));
    for (std::size_t count = 2; count < 60; ++count) EXPECT_EQ(f(ramp(count)).size(), count);
    EXPECT_EQ(f.statistics().kept, xlazy::rt::CapturedFunction::kMaxVariants);
}

TEST(Call, NumbersThatDecideAreRecordedAgain) {
    const auto body = [](const Array& x, double k, int n) {
        Array y = x;
        if (k > 1) y += 100.0;
        for (int i = 0; i < n; ++i) y = y * 2.0 + k;
        return y;
    };
    const auto f = capture(body, ramp(3), 0.5, 2);
    for (const auto& [k, n] : {std::pair{0.5, 3}, {0.7, 3}, {2.0, 1}, {2.0, 0}, {3.0, 2}})
        EXPECT_TRUE(same_bits(f(ramp(3), k, n), body(ramp(3), k, n))) << k << " " << n;
}

TEST(Call, PowersOfAnArgument) {
    const auto body = [](const Array& x, double k) { return Array(xlazy::pow(x, k)); };
    const auto f = capture(body, ramp(9), 3.0);
    for (const double k : {2.0, 0.5, 1.0, 2.0, -1.0, 0.0}) EXPECT_TRUE(same_bits(f(ramp(9), k), body(ramp(9), k))) << k;
}

TEST(Call, Into) {
    const auto f = capture(
        [](const Array& x, double k) {
            return std::tuple{Array(x * k), Array(xlazy::sum(x))};
        },
        ramp(4), 1.0);
    Array y = ramp(4), z = ramp(1);
    f.into(y, z)(ramp(4), 2.0);
    EXPECT_EQ(values(y), (std::vector{1.0, 1.5, 2.0, 2.5}));
    EXPECT_EQ(z(), 3.5);
    const double* memory = y.data();
    f.into(y, z)(ramp(4), 4.0);
    EXPECT_EQ(y.data(), memory);
    EXPECT_EQ(y(1), 3.0);
}

TEST(Call, IntoAnArgument) {
    const auto f = capture(
        [](const Array& x) {
            Array y = x;
            view(y, range(1, -1)) = view(x, range(0, -2)) + view(x, range(2, _));
            return y;
        },
        ramp(6));
    Array t = ramp(6), lazy = ramp(6);
    for (int i = 0; i < 3; ++i) {
        f.into(t)(t);
        const Array old = lazy;
        view(lazy, range(1, -1)) = view(old, range(0, -2)) + view(old, range(2, _));
        EXPECT_TRUE(same_bits(t, lazy));
    }
}

TEST(Call, IntoWaitsForReadersOfTheOldValue) {
    const auto f = capture([](const Array& x) { return x * 2.0; }, ramp(3));
    Array y = ramp(3);
    const Array reader = y + 1.0;
    f.into(y)(ramp(3));
    EXPECT_EQ(values(reader), (std::vector{1.5, 1.75, 2.0}));
    EXPECT_EQ(values(y), (std::vector{1.0, 1.5, 2.0}));
}

TEST(Call, ArgumentsThatWait) {
    const auto f = capture([](const Array& x) { return x * 2.0; }, ramp(3));
    const Array x = ramp(3) + 1.0;
    EXPECT_EQ(values(f(x)), (std::vector{3.0, 3.5, 4.0}));
}

TEST(Call, NothingIsRecordedAndNothingAllocated) {
    const auto f = capture(
        [](const Array& x, double k) {
            const Array y = x * k + xlazy::sum(x);
            const Array z = xlazy::exp(y) + xlazy::amax(y);
            return std::tuple{y, z};
        },
        ramp(10), 1.0);
    const Array x = ramp(10);
    Array y, z;
    f.into(y, z)(x, 2.0);
    f.into(y, z)(x, 2.0);
    const xlazy::statistics before = xlazy::stats();
    const auto pool = xlazy::be::pool_stats();
    for (int i = 0; i < 100; ++i) f.into(y, z)(x, i);
    const xlazy::statistics after = xlazy::stats();
    EXPECT_EQ(after.statements_recorded, before.statements_recorded);
    EXPECT_EQ(after.plans_hit, before.plans_hit);
    EXPECT_EQ(after.plans_missed, before.plans_missed);
    EXPECT_EQ(after.flushes.at("call") - before.flushes.at("call"), 100u);
    EXPECT_EQ(xlazy::be::pool_stats().bytes_allocated, pool.bytes_allocated);
}

TEST(Call, RandomNumbersAreThoseOfLazyCalls) {
    const auto body = [](const Array& x) {
        const Array noise = xlazy::random::randn<double>({5});
        return Array(x + noise * Array(xlazy::random::rand<double>({5}, 1.0, 2.0)));
    };
    xlazy::random::seed(7);
    const Array a = body(ramp(5)), b = body(ramp(5)), c = body(ramp(5));
    xlazy::random::seed(7);
    const auto f = capture(body, ramp(5));
    EXPECT_TRUE(same_bits(f(ramp(5)), a));
    EXPECT_TRUE(same_bits(body(ramp(5)), b));
    EXPECT_TRUE(same_bits(f(ramp(5)), c));
}

TEST(Call, SeveralThreads) {
    const auto body = [](const Array& x, double k) {
        Array y = xlazy::exp(x) * k;
        xlazy::repeat(3, [&] { y = y * 0.5 + xlazy::sum(y); });
        return y;
    };
    const auto f = capture(body, ramp(50), 1.0);
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const Array x = ramp(static_cast<std::size_t>(50 + t % 2));
            for (int i = 0; i < 50; ++i) {
                if (!same_bits(f(x, t + i), body(x, t + i))) ++wrong[static_cast<std::size_t>(t)];
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(Call, EagerModeGivesTheSame) {
    const auto body = [](const Array& x) { return Array(xlazy::sin(x) * x); };
    const auto f = capture(body, ramp(8));
    const Array lazy = f(ramp(8));
    const xlazy::mode_scope eager(xlazy::mode::eager);
    EXPECT_TRUE(same_bits(body(ramp(8)), lazy));
    EXPECT_TRUE(same_bits(f(ramp(8)), lazy));
    EXPECT_TRUE(same_bits(capture(body, ramp(8))(ramp(8)), lazy));
}

}  // namespace
