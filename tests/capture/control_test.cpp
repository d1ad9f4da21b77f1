// SPDX-License-Identifier: BSD-3-Clause
// Loops and choices inside captured functions, and the same outside of them.
#include "capture/support.hpp"

#include "xlazy/backends/memory_pool.hpp"

namespace {

using namespace test;
using namespace xlazy::placeholders;
using xlazy::capture;
using xlazy::range;
using xlazy::view;

template <class F, class... A>
void agrees(F body, const A&... arguments) {
    const auto f = capture(body, arguments...);
    const auto captured = f(arguments...);
    EXPECT_TRUE(same_bits(captured, body(arguments...)));
    EXPECT_TRUE(same_bits(f(arguments...), captured));
    const xlazy::mode_scope eager(xlazy::mode::eager);
    EXPECT_TRUE(same_bits(captured, body(arguments...)));
}

TEST(Control, Repeat) {
    for (const int n : {0, 1, 2, 5}) {
        agrees(
            [n](const Array& x) {
                Array y = x;
                xlazy::repeat(n, [&] { y = y * 0.5 + x; });
                return y;
            },
            ramp(6));
    }
}

TEST(Control, RepeatAsOftenAsAnArgumentSays) {
    const auto body = [](const Array& x, int n) {
        Array y = x;
        xlazy::repeat(n, [&] { y += x; });
        return y;
    };
    const auto f = capture(body, ramp(3), 2);
    for (const int n : {0, 1, 7, -3}) EXPECT_TRUE(same_bits(f(ramp(3), n), body(ramp(3), n))) << n;
    EXPECT_EQ(f.statistics().recordings, 1u);
}

TEST(Control, LoopsInsideLoops) {
    agrees(
        [](const Array& x) {
            Array y = x, count = xlazy::zeros<double>({1});
            xlazy::repeat(3, [&] {
                Array z = y;
                xlazy::repeat(2, [&] {
                    z = z + 1.0;
                    count += 1.0;
                });
                xlazy::repeat_while([&] { return xlazy::amax(z) > 4.0; }, [&] { z *= 0.5; });
                y = z - y;
            });
            return Array(y + count);
        },
        ramp(7));
}

TEST(Control, Branch) {
    const auto body = [](const Array& x) {
        Array y = x, z = x;
        xlazy::branch(
            xlazy::sum(x) > 2.0, [&] { y = y * 2.0; }, [&] { z = z + 100.0; });
        xlazy::branch(xlazy::amax(x) > 1.0, [&] { y += z; });
        return Array(y + z);
    };
    const auto f = capture(body, ramp(3));
    for (const double from : {0.0, 0.5, 5.0, -9.0}) EXPECT_TRUE(same_bits(f(ramp(3, from)), body(ramp(3, from))));
    EXPECT_EQ(f.statistics().recordings, 1u);
}

TEST(Control, WhileThatNeverRuns) {
    agrees(
        [](const Array& x) {
            Array y = x;
            xlazy::repeat_while([&] { return xlazy::amin(y) > 1e9; }, [&] { y = y + 1.0; });
            return y;
        },
        ramp(3));
}

TEST(Control, ArraysThatChangePlaces) {
    agrees(
        [](const Array& x) {
            Array a = x, b = x * 2.0;
            xlazy::repeat(5, [&] {
                view(b, range(1, -1)) = 0.5 * (view(a, range(0, -2)) + view(a, range(2, _)));
                std::swap(a, b);
            });
            return Array(a + 10.0 * b);
        },
        ramp(9));
}

TEST(Control, RandomNumbersInLoops) {
    const auto body = [](const Array& x) {
        Array y = x;
        xlazy::repeat(4, [&] { y = y + xlazy::random::randn<double>({3}); });
        return y;
    };
    xlazy::random::seed(3);
    const Array lazy = body(ramp(3));
    xlazy::random::seed(3);
    EXPECT_TRUE(same_bits(capture(body, ramp(3))(ramp(3)), lazy));
}

/// Hestenes and Stiefel: Methods of conjugate gradients for solving linear systems, 1952.
Array solve(const Matrix& a, const Array& b, double tolerance) {
    const auto times = [&](const Array& v) { return Array(xlazy::sum(a * v, {1})); };
    Array x = xlazy::zeros_like(b);
    Array r = b, p = b;
    Array rr = xlazy::sum(r * r);
    xlazy::repeat_while([&] { return xlazy::amax(rr) > tolerance; },
                        [&] {
                            const Array ap = times(p);
                            const Array alpha = rr / xlazy::sum(p * ap);
                            x += alpha * p;
                            r -= alpha * ap;
                            const Array next = xlazy::sum(r * r);
                            p = r + (next / rr) * p;
                            rr = next;
                        });
    return x;
}

TEST(Control, ConjugateGradientInOneCall) {
    const std::size_t n = 40;
    Matrix a = xlazy::zeros<double>({n, n});
    for (std::size_t i = 0; i < n; ++i) {
        a(i, i) = 2.5;
        if (i > 0) a(i, i - 1) = a(i - 1, i) = -1;
    }
    const Array b = ramp(n);
    const auto f = capture(solve, a, b, 1e-20);
    const auto before = xlazy::stats();
    const Array x = f(a, b, 1e-20);
    const auto after = xlazy::stats();
    std::uint64_t flushes = 0;
    for (const auto& [reason, count] : after.flushes) flushes += count;
    for (const auto& [reason, count] : before.flushes) flushes -= count;
    EXPECT_EQ(flushes, 1u);
    EXPECT_EQ(after.statements_recorded, before.statements_recorded);
    EXPECT_TRUE(same_bits(x, solve(a, b, 1e-20)));
    const Array rest = xlazy::sum(a * x, {1}) - b;
    EXPECT_LT(xlazy::amax(xlazy::abs(rest))(), 1e-9);
    EXPECT_TRUE(same_bits(f(a, b, 1.0), solve(a, b, 1.0)));
}

TEST(Control, HeatStepsNeedTwoPlanes) {
    const std::size_t side = 200;
    Matrix t = grid(side, side);
    const auto f = capture(
        [&](int n) {
            xlazy::repeat(n, [&] {
                auto inner = view(t, range(1, -1), range(1, -1));
                inner = 0.25 * (view(t, range(_, -2), range(1, -1)) + view(t, range(2, _), range(1, -1)) +
                                view(t, range(1, -1), range(_, -2)) + view(t, range(1, -1), range(2, _)));
            });
        },
        2);
    xlazy::flush();
    const std::uint64_t before = xlazy::be::pool_stats().bytes_in_use;
    xlazy::be::pool_reset_peak();
    f(20);
    // One plane is t's own.
    EXPECT_LE(xlazy::be::pool_stats().bytes_in_use_peak - before, side * side * sizeof(double) + 4096);
}

TEST(Control, NumbersOutside) {
    int n = 0;
    xlazy::repeat(3, [&] { ++n; });
    xlazy::repeat_while([&] { return n < 10; }, [&] { ++n; });
    xlazy::branch(
        n == 10, [&] { n = 1; }, [&] { n = 2; });
    EXPECT_EQ(n, 1);
}

}  // namespace
