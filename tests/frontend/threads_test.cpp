// SPDX-License-Identifier: BSD-3-Clause
// Different arrays from several threads, and reads of one array: safe, as with xtensor.
#include "support.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>

namespace {

using Threads = support::Frontend;
using tensor = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

constexpr int kThreads = 4;

/// Calls `body` with 0, 1, ... in threads that start together.
template <class F>
void in_threads(F body, int count = kThreads) {
    std::atomic<int> waiting{count};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            --waiting;
            while (waiting > 0) std::this_thread::yield();
            body(i);
        });
    }
    for (auto& thread : threads) thread.join();
}

TEST_F(Threads, OwnArrays) {
    std::array<double, kThreads> sums{};
    in_threads([&](int i) {
        tensor a = xt::ones<double>({20, 30}) * double(i + 1);
        for (int step = 0; step < 50; ++step) {
            a = a * 0.5 + 1.0;
            xt::view(a, step % 20) += xt::view(a, (step + 7) % 20);
            if (step % 7 == 0) sums[std::size_t(i)] += xt::sum(a)();
        }
        sums[std::size_t(i)] += a(3, 4);
    });
    for (int i = 0; i < kThreads; ++i) {
        tensor a = xt::ones<double>({20, 30}) * double(i + 1);
        double expected = 0;
        for (int step = 0; step < 50; ++step) {
            a = a * 0.5 + 1.0;
            xt::view(a, step % 20) += xt::view(a, (step + 7) % 20);
            if (step % 7 == 0) expected += xt::sum(a)();
        }
        EXPECT_EQ(sums[std::size_t(i)], expected + a(3, 4));
    }
}

TEST_F(Threads, ReadsOfOnePendingArray) {
    for (int round = 0; round < 20; ++round) {
        const tensor shared = xt::ones<double>({30, 40}) * 2.0 + double(round);
        std::atomic<int> wrong{0};
        in_threads([&](int i) {
            if (shared(1, 2) != 2.0 + round) ++wrong;
            const vector row = xt::view(shared, i) * 3.0;
            if (row(5) != 3.0 * (2.0 + round)) ++wrong;
            if (xt::sum(shared)() != 1200.0 * (2.0 + round)) ++wrong;
            double total = 0;
            for (const double value : shared) total += value;
            if (total != 1200.0 * (2.0 + round)) ++wrong;
            const tensor copy = shared;
            if (copy(29, 39) != 2.0 + round) ++wrong;
        });
        EXPECT_EQ(wrong, 0);
    }
}

constexpr int kMany = 8;
constexpr int kRounds = 200;

TEST_F(Threads, EightReadOneConstArrayForTwoHundredRounds) {
    const tensor shared = xt::ones<double>({20, 30}) * 2.0 + 1.0;
    std::atomic<int> wrong{0};
    in_threads(
        [&](int i) {
            for (int round = 0; round < kRounds; ++round) {
                const auto row = static_cast<std::size_t>((i + round) % 20);
                const tensor scaled = shared * double(round);
                const vector line = xt::view(shared, row) + xt::view(scaled, row);
                if (shared(row, 3) != 3.0 || scaled(row, 4) != 3.0 * round) ++wrong;
                if (line(7) != 3.0 + 3.0 * round) ++wrong;
                if (xt::sum(shared)() != 1800.0) ++wrong;
                if (*xt::view(shared, row).begin() != 3.0 || shared.data()[5] != 3.0) ++wrong;
            }
        },
        kMany);
    EXPECT_EQ(wrong, 0);
}

TEST_F(Threads, EightWorkOnTheirOwnArraysForTwoHundredRounds) {
    std::array<double, kMany> results{};
    in_threads(
        [&](int i) {
            tensor a = xt::ones<double>({12, 10}) * double(i);
            tensor b = xt::zeros<double>({12, 10});
            for (int round = 0; round < kRounds; ++round) {
                b = b * 0.5 + a;
                xt::view(b, round % 12) = xt::view(a, (round + 5) % 12) - 1.0;
                a(std::size_t(round) % 12, 0) += 1.0;
                if (round % 9 == 0) a = xt::transpose(tensor(xt::transpose(a)));
                std::swap(a, b);
                std::swap(a, b);
            }
            results[std::size_t(i)] = xt::sum(b)() + xt::sum(a)() * 3.0;
        },
        kMany);
    for (int i = 1; i < kMany; ++i) {
        // Everything but the single elements is linear in the number of the thread.
        EXPECT_NEAR(results[std::size_t(i)] - results[0], i * (results[1] - results[0]), 1e-6) << i;
    }
}

TEST_F(Threads, OnePendingArrayIsReadInEveryWayAtOnce) {
    for (int round = 0; round < 25; ++round) {
        tensor base = xt::ones<double>({16, 16});
        base += double(round);
        const tensor shared = base * 2.0;
        const double expected = 2.0 * (1.0 + round);
        std::atomic<int> wrong{0};
        in_threads(
            [&](int i) {
                double seen = expected;
                switch (i) {
                    case 0: seen = shared(3, 3); break;
                    case 1: seen = *shared.begin(); break;
                    case 2: seen = shared.data()[9]; break;
                    case 3: seen = tensor(shared)(1, 1); break;
                    case 4: seen = xt::sum(shared)() / 256.0; break;
                    case 5: seen = xt::transpose(shared)(2, 1); break;
                    case 6: seen = xt::amax(shared + 0.0)(); break;
                    default: {
                        xt::xtensor_stock<double, 2> plain = shared;
                        seen = plain(5, 5);
                    }
                }
                if (seen != expected) ++wrong;
            },
            kMany);
        EXPECT_EQ(wrong, 0) << round;
    }
}

TEST_F(Threads, AnExpressionIsEvaluatedInAnotherThread) {
    tensor a = xt::ones<double>({6, 6});
    a *= 3.0;
    const auto e = a * 2.0 + xt::view(a, 0);
    double element = 0, sum = 0;
    tensor result;
    std::thread([&] {
        result = e;
        element = e(1, 1);
        sum = xt::sum(e)();
    }).join();
    EXPECT_EQ(element, 9.0);
    EXPECT_EQ(sum, 324.0);
    a += 1.0;
    EXPECT_EQ(result(5, 5), 9.0);
    std::thread([&] { result = e; }).join();
    EXPECT_EQ(result(5, 5), 12.0);
}

TEST_F(Threads, ArraysArePassedRoundARing) {
    tensor travelling = xt::zeros<double>({4, 4});
    for (int round = 0; round < 40; ++round) {
        std::thread([&] {
            travelling += 1.0;
            tensor next = travelling * 1.0;
            if (round % 2 == 0) next(0, 0) += 0.5;
            travelling = std::move(next);
        }).join();
        travelling -= 0.25;
    }
    EXPECT_EQ(travelling(3, 3), 30.0);
    EXPECT_EQ(travelling(0, 0), 40.0);
}

TEST_F(Threads, CopiesOfOneExpression) {
    const tensor a = xt::ones<double>({10, 10}) * 3.0;
    const auto e = a * 2.0 + xt::view(a, 0);
    std::atomic<int> wrong{0};
    in_threads([&](int) {
        for (int round = 0; round < 50; ++round) {
            const auto mine = e;
            const tensor value = mine;
            if (value(4, 5) != 9.0) ++wrong;
            const auto other = mine + a;
            if (other(1, 1) != 12.0) ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(Threads, ArraysHandedOver) {
    std::vector<std::future<tensor>> results;
    for (int i = 0; i < kThreads; ++i) {
        results.push_back(std::async(std::launch::async, [i] {
            tensor made = xt::ones<double>({5, 5}) * double(i);
            made += 1.0;
            return made;
        }));
    }
    tensor total = xt::zeros<double>({5, 5});
    for (auto& result : results) total += result.get();
    EXPECT_EQ(total(2, 2), 10.0);
}

TEST_F(Threads, ThreadsEndWithPendingArrays) {
    std::vector<tensor> kept(kThreads);
    for (int round = 0; round < 10; ++round) {
        in_threads([&](int i) {
            tensor unread = xt::ones<double>({4, 4});
            kept[std::size_t(i)] = unread + double(i + round);
        });
        for (int i = 0; i < kThreads; ++i) EXPECT_EQ(kept[std::size_t(i)](3, 3), 1.0 + i + round);
    }
}

TEST_F(Threads, UnderALock) {
    tensor shared = xt::zeros<double>({3, 3});
    std::mutex mutex;
    in_threads([&](int) {
        for (int round = 0; round < 50; ++round) {
            const std::lock_guard lock(mutex);
            shared += 1.0;
        }
    });
    EXPECT_EQ(shared(1, 1), 50.0 * kThreads);
}

TEST_F(Threads, ErrorsStayWithTheirThread) {
    const xt::xarray<int> n = {6, 7}, z = {1, 0};
    std::array<int, kThreads> errors{};
    in_threads([&](int i) {
        for (int round = 0; round < 20; ++round) {
            try {
                xt::xarray<int> q = n + z;
                if (i % 2 == 0) q = n / z;
                (void)q(0);
            } catch (const xlazy::deferred_error&) {
                ++errors[std::size_t(i)];
            }
        }
    });
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(errors[std::size_t(i)], i % 2 == 0 ? 20 : 0) << i;
    EXPECT_NO_THROW(xlazy::flush());
}

TEST_F(Threads, AnothersErrorIsThrownByTheReaderOfThePoisonedArrayOnly) {
    SKIP_IF_EAGER();
    const xt::xarray<int> n = {6, 7}, z = {1, 0};
    xt::xarray<int> bad, good;
    std::thread([&] {
        bad = n / z;
        good = n + z;
    }).join();
    EXPECT_EQ(good(0), 7);
    EXPECT_THROW((void)bad(0), xlazy::deferred_error);
    EXPECT_EQ(good(1), 7);
}

TEST_F(Threads, InsideAParallelRegionOfTheUser) {
    std::array<double, 8> sums{};
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 8; ++i) {
        const tensor a = xt::ones<double>({50, 50}) * double(i);
        sums[std::size_t(i)] = xt::sum(a)();
    }
    for (int i = 0; i < 8; ++i) EXPECT_EQ(sums[std::size_t(i)], 2500.0 * i);
}

TEST_F(Threads, AChildAfterForkComputes) {
    const tensor large = xt::ones<double>({1000, 1000});
    const tensor pending = large * 2.0;
    EXPECT_EQ(xt::sum(large)(), 1e6);
    const tensor across = large + 1.0;
    const pid_t child = fork();
    if (child == 0) {
        const tensor doubled = large * 2.0;
        const bool right = xt::sum(doubled)() == 2e6 && across(5, 5) == 2.0 && pending(1, 1) == 2.0;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(across(0, 0), 2.0);
}

/// Outlives main, with work pending.
xt::xarray<double> left_over;

TEST_F(Threads, StaticArraysMayOutliveMain) {
    const xt::xarray<double> a = {1, 2};
    left_over = a * 2.0;
    left_over += 1.0;
}

}  // namespace
