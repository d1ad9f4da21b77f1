// SPDX-License-Identifier: BSD-3-Clause
// What users of other array libraries complain of when something fails late: each complaint as a test.
#include "runtime/array.hpp"
#include "runtime/command.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <fstream>
#include <optional>
#include <thread>

namespace {

using namespace test;
using Ints = std::vector<std::int32_t>;
using xlazy::deferred_error;

template <class Action>
std::optional<deferred_error> caught(Action action) {
    try {
        action();
    } catch (const deferred_error& error) {
        return error;
    }
    return std::nullopt;
}

struct Operands : testing::Test {
    const Array<std::int32_t> a{{3}, {1, 2, 3}}, zero{{3}, {1, 0, 2}};
    const Array<std::int32_t> bad{{3}}, good{{3}};
};
using Complaints = Operands;

/// The queued statement is blamed, not the innocent call that happens to run it; and the error does not stick.
TEST_F(Complaints, TheNextInnocentCallIsNotBlamed) {
    assign(bad, Op::div, a, zero);
    const unsigned division = __LINE__ - 1;
    assign(good, Op::add, a, zero);
    const auto error = caught([&] { good.read(1); });
    const unsigned reading = __LINE__ - 1;
    ASSERT_TRUE(error);
    EXPECT_EQ(error->report().origin.line, division);
    EXPECT_EQ(error->flush_origin().line, reading);
    EXPECT_EQ(good.values(), (Ints{2, 2, 5}));
    EXPECT_FALSE(caught([] { xlazy::flush(); }));
    EXPECT_EQ(caught([&] { bad.read(0); })->report().origin.line, division);
}

/// Shapes are wrong at the statement, before anything is queued.
TEST_F(Complaints, AMismatchLeavesTheQueueAlone) {
    const Array<std::int32_t> longer({4}, {1, 2, 3, 4});
    assign(good, Op::add, a, 1);
    const auto before = xlazy::stats();
    EXPECT_THROW(assign(bad, Op::add, a, longer), xlazy::rt::ShapeMismatch);
    EXPECT_EQ(xlazy::stats().statements_recorded, before.statements_recorded);
    EXPECT_EQ(good.values(), (Ints{2, 3, 4}));
}

/// The last handle of a failing array goes: nothing is thrown there, nothing is printed, the error is the thread's.
TEST_F(Complaints, DestructorsAreSilent) {
    const Array<std::int32_t> kept({3});
    {
        const Array<std::int32_t> dying({3});
        assign(dying, Op::div, a, zero);
        assign(kept, Op::add, dying, 1);
    }
    EXPECT_TRUE(caught([] { xlazy::flush(); }));
    EXPECT_FALSE(caught([] { xlazy::flush(); }));
    EXPECT_TRUE(caught([&] { kept.read(0); }));
}

/// A program that records and records is run by the queue's limits, and statistics tell so.
TEST_F(Complaints, AHugeQueueRunsByItself) {
    const auto before = xlazy::stats();
    for (int i = 0; i < 20'000; ++i) assign(good, Op::add, a, i);
    const auto after = xlazy::stats();
    EXPECT_GT(after.kernels_run, before.kernels_run);
    EXPECT_GT(after.flushes.at("limit"), before.flushes.count("limit") != 0 ? before.flushes.at("limit") : 0);
    EXPECT_EQ(good.values(), (Ints{20'000, 20'001, 20'002}));
}

/// Did that plan anew, and where did the time go? Counters say.
TEST_F(Complaints, CountersTellWhatHappened) {
    const auto multiply = [&] {
        for (int i = 0; i < 10; ++i) {
            assign(good, Op::mul, a, 2 * i + 5);
            xlazy::flush();
        }
    };
    multiply();
    const auto before = xlazy::stats();
    multiply();
    const auto after = xlazy::stats();
    EXPECT_EQ(after.plans_missed, before.plans_missed);
    EXPECT_EQ(after.plans_hit, before.plans_hit + 10);
    for (const char* part : {"record", "plan", "compile", "run"}) EXPECT_EQ(after.seconds.count(part), 1u) << part;
}

/// The profile adds up to the clock on the wall.
TEST_F(Complaints, SecondsAddUp) {
    const Array<double> large({500'000}, std::vector<double>(500'000, 1.5)), result({500'000});
    const auto total = [](const xlazy::statistics& stats) {
        return stats.seconds.at("record") + stats.seconds.at("plan") + stats.seconds.at("run");
    };
    const auto before = xlazy::stats();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) {
        assign(result, Op::pow, large, 1.7);
        xlazy::flush();
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const double told = total(xlazy::stats()) - total(before);
    EXPECT_LE(told, 1.02 * wall.count());
    EXPECT_GE(told, 0.7 * wall.count());
}

TEST_F(Complaints, ErrorsCrossThreads) {
    std::exception_ptr carried;
    std::thread worker([&] {
        const Array<std::int32_t> local({3});
        assign(local, Op::div, a, zero);
        try {
            local.read(0);
        } catch (...) {
            carried = std::current_exception();
        }
    });
    worker.join();
    ASSERT_TRUE(carried);
    const auto error = caught([&] { std::rethrow_exception(carried); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->report().operation, "div");
    EXPECT_EQ(error->report().element, (std::vector<std::int64_t>{1}));
    EXPECT_FALSE(caught([] { xlazy::flush(); })) << "it was the other thread's";
}

TEST_F(Complaints, HandlersUseArrays) {
    assign(bad, Op::div, a, zero);
    assign(good, Op::add, a, 10);
    try {
        bad.read(0);
        ADD_FAILURE();
    } catch (const deferred_error&) {
        EXPECT_EQ(good.values(), (Ints{11, 12, 13}));
        assign(bad, Op::add, a, 1);
        EXPECT_EQ(bad.values(), (Ints{2, 3, 4}));
        assign(good, Op::mod, a, zero);
        const auto second = caught([&] { good.read(0); });
        ASSERT_TRUE(second);
        EXPECT_EQ(second->operation(), "mod");
    }
    EXPECT_FALSE(caught([] { xlazy::flush(); }));
}

TEST_F(Complaints, AllThatFailedAreListed) {
    const Array<std::int32_t> second({3}), third({3});
    assign(bad, Op::div, a, zero);
    const unsigned first_line = __LINE__ - 1;
    assign(second, Op::mod, a, zero);
    assign(third, Op::div, zero, 0);
    assign(good, Op::add, bad, third);
    const auto error = caught([] { xlazy::flush(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->report().origin.line, first_line);
    ASSERT_EQ(error->report().also_failed.size(), 2u);
    EXPECT_EQ(error->report().also_failed[0].line, first_line + 2);
    EXPECT_EQ(error->report().also_failed[1].line, first_line + 3);
}

TEST_F(Complaints, CopiesOfAnErrorShareItsReport) {
    assign(bad, Op::div, a, zero);
    const auto error = caught([] { xlazy::flush(); });
    const deferred_error copy = *error;
    EXPECT_EQ(&copy.report(), &error->report());
    static_assert(std::is_nothrow_copy_constructible_v<deferred_error>);
}

}  // namespace
