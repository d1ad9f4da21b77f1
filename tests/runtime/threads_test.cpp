// SPDX-License-Identifier: BSD-3-Clause
// Several user threads: each has a queue, arrays go between them as with stock xtensor.
#include "runtime/array.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <optional>
#include <thread>

namespace {

using namespace test;
using Doubles = std::vector<double>;

template <class... Work>
void in_parallel(Work... work) {
    std::vector<std::thread> threads;
    (threads.emplace_back(work), ...);
    for (std::thread& thread : threads) thread.join();
}

TEST(Threads, WhatOneRecordsAnotherReads) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    assign(b, Op::add, a, 1.0);
    const std::uint64_t before = xlazy::stats().flushes["other_thread"];
    std::thread([&] { EXPECT_EQ(b.values(), (Doubles{2, 3, 4})); }).join();
    EXPECT_EQ(xlazy::stats().flushes["other_thread"] - before, 1u);
    assign(b, Op::add, b, 1.0);
    const Array<double> c({3});
    std::thread([&] { assign(c, Op::mul, b, 10.0); }).join();
    EXPECT_EQ(c.values(), (Doubles{30, 40, 50})) << "a thread's end runs its queue";
}

TEST(Threads, AWriteWaitsForReadsThatOthersQueued) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> mine({3});
    std::optional<Array<double>> theirs;
    std::barrier both(2);
    std::thread other([&] {
        theirs.emplace(Extents{3});
        copy(*theirs, a);
        both.arrive_and_wait();  // a is read by a queued statement of a thread that is alive
        both.arrive_and_wait();
        EXPECT_EQ(theirs->values(), (Doubles{1, 2, 3}));
    });
    both.arrive_and_wait();
    copy(mine, a);
    fill(a, 0.0);
    a.write(1, 9);
    both.arrive_and_wait();
    other.join();
    EXPECT_EQ(mine.values(), (Doubles{1, 2, 3}));
    EXPECT_EQ(a.values(), (Doubles{0, 9, 0}));
}

TEST(Threads, ConcurrentReadsOfOneArray) {
    const std::size_t count = 1000;
    const Array<double> a({count}, iota<double>(count));
    const Array<double> pending({count});
    const Array<double> never({count});
    assign(pending, Op::mul, a, 2.0);
    const auto work = [&] {
        for (int i = 0; i < 200; ++i) {
            const Array<double> sum({count});
            assign(sum, Op::add, a, pending);
            assign(sum, Op::add, sum, a);
            if (i % 7 == 0) assign(sum, Op::add, sum, never);
            if (i % 3 == 0) {
                EXPECT_EQ(sum.read(10), 40.0);
            }
        }
        EXPECT_EQ(pending.read(5), 10.0);
    };
    in_parallel(work, work, work);
}

/// `work(thread)` in eight threads.
template <class Work>
void in_eight_threads(Work work) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread) threads.emplace_back(work, thread);
    for (std::thread& thread : threads) thread.join();
}

constexpr int kRounds = 200;

TEST(Threads, EightOnOneConstArray) {
    const std::size_t count = 300;
    const Array<double> shared({count}, iota<double>(count));
    const Array<double> pending({count});
    assign(pending, Op::mul, shared, 2.0);  // is computed by whoever comes first
    in_eight_threads([&](int thread) {
        for (int round = 0; round < kRounds; ++round) {
            const Array<double> result({count}), sum(Extents{});
            assign(result, Op::add, shared, pending);
            assign(result, Op::mul, result, static_cast<double>(thread + 1));
            Statement s(here::current());
            s.store(sum.all(), s.reduce(Op::sum, s.load(result.all()), 1, false));
            const std::size_t index = static_cast<std::size_t>(round) % count;
            ASSERT_EQ(result.read(index), 3.0 * static_cast<double>(index) * (thread + 1));
            ASSERT_EQ(sum.read(0), 3.0 * 44850.0 * (thread + 1));
            ASSERT_EQ(shared.read(index), static_cast<double>(index));
        }
    });
    EXPECT_EQ(pending.read(7), 14.0);
}

TEST(Threads, EightOnArraysOfTheirOwn) {
    const std::size_t count = 257;
    in_eight_threads([&](int thread) {
        Array<double> value({count}, Doubles(count, thread));
        const Array<double> steps({count}, Doubles(count, 0));
        for (int round = 0; round < kRounds; ++round) {
            const Array<double> next({count});
            for (int i = 0; i <= round % 9; ++i) assign(steps, Op::add, steps, 1.0);
            assign(next, Op::add, value, steps);
            assign(next, Op::sub, next, steps);
            value = next;
            if (round % 3 == 0) {
                ASSERT_EQ(value.read(count - 1), thread);
            }
        }
        ASSERT_EQ(value.values(), Doubles(count, thread));
        ASSERT_EQ(steps.read(0), 993.0);
    });
}

TEST(Threads, EachOthersArraysInTurn) {
    // Two threads hand arrays back and forth; each statement needs what the other has queued.
    const Array<double> a({64}, Doubles(64, 0));
    const Array<double> b({64}, Doubles(64, 0));
    std::barrier both(2);
    const auto work = [&](const Array<double>& mine, const Array<double>& theirs) {
        for (int i = 0; i < 300; ++i) {
            assign(mine, Op::add, mine, 1.0);
            both.arrive_and_wait();
            const Array<double> copied({64});
            assign(copied, Op::add, mine, theirs);  // both read both
            both.arrive_and_wait();
            assign(mine, Op::add, mine, 1.0);  // the other has a queued read of it
            both.arrive_and_wait();
            if (i % 10 == 0) {
                EXPECT_EQ(copied.read(0), 4.0 * i + 2.0);
            }
        }
    };
    std::thread first(work, std::cref(a), std::cref(b));
    std::thread second(work, std::cref(b), std::cref(a));
    first.join();
    second.join();
    EXPECT_EQ(a.values(), Doubles(64, 600));
    EXPECT_EQ(b.values(), Doubles(64, 600));
}

TEST(Threads, AnErrorGoesToItsThreadAndToReaders) {
    const Array<std::int32_t> a({2}, {1, 2});
    const Array<std::int32_t> bad({2}), good({2});
    std::barrier both(2);
    std::thread other([&] {
        assign(bad, Op::div, a, 0);
        assign(good, Op::add, a, 1);
        both.arrive_and_wait();
        both.arrive_and_wait();
        EXPECT_THROW(xlazy::flush(), xlazy::deferred_error) << "its own error, found by the other thread";
        xlazy::flush();
    });
    both.arrive_and_wait();
    EXPECT_EQ(good.read(0), 2) << "a healthy read of another thread";
    xlazy::flush();
    EXPECT_THROW(bad.read(0), xlazy::deferred_error);
    both.arrive_and_wait();
    other.join();
}

TEST(Threads, ThreadsThatComeAndGo) {
    const Array<double> total({8}, Doubles(8, 0));
    for (int i = 0; i < 100; ++i) {
        std::thread([&] { assign(total, Op::add, total, 1.0); }).join();
    }
    EXPECT_EQ(total.values(), Doubles(8, 100));
}

TEST(Threads, ModesBelongToThreads) {
    const xlazy::mode_scope eager(xlazy::mode::eager);
    std::thread([] { EXPECT_EQ(xlazy::current_mode(), xlazy::mode::lazy); }).join();
    EXPECT_EQ(xlazy::current_mode(), xlazy::mode::eager);
}

}  // namespace
