// SPDX-License-Identifier: BSD-3-Clause
// Arrays that die, queues that fill up, and the memory of both.
#include "runtime/array.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>

namespace {

using namespace test;
using Doubles = std::vector<double>;

std::size_t status_kilobytes(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.compare(0, key.size(), key) == 0) return std::stoul(line.substr(key.size() + 1));
    }
    return 0;
}

TEST(Lifetime, AStatementKeepsItsOperands) {
    const Array<double> result({3});
    {
        const Array<double> gone({3}, {1, 2, 3});
        assign(result, Op::mul, gone, 2.0);
    }
    EXPECT_EQ(result.values(), (Doubles{2, 4, 6}));
}

TEST(Lifetime, DeadArraysGetNoMemory) {
    const std::size_t count = 100000;
    const Array<double> start({count}, Doubles(count, 1));
    const Array<double> end({count});
    xlazy::flush();
    const xlazy::statistics before = xlazy::stats();
    {
        Array<double> value = start;
        for (int i = 0; i < 10; ++i) {
            const Array<double> next({count});
            assign(next, Op::add, value, 1.0);
            value = next;
        }
        assign(end, Op::mul, value, 2.0);
    }
    EXPECT_EQ(end.read(count - 1), 22);
    const xlazy::statistics after = xlazy::stats();
    EXPECT_EQ(after.bytes_contracted - before.bytes_contracted, 10 * count * sizeof(double));
    EXPECT_LT(after.bytes_allocated - before.bytes_allocated, 2 * count * sizeof(double));
}

TEST(Lifetime, LiveArraysGetTheirValues) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    const Array<double> c({3});
    assign(b, Op::add, a, 1.0);
    assign(c, Op::mul, b, 2.0);
    EXPECT_EQ(c.values(), (Doubles{4, 6, 8}));
    EXPECT_EQ(b.values(), (Doubles{2, 3, 4}));
}

TEST(Lifetime, WorkOnDeadArraysIsNotKept) {
    const std::size_t count = std::size_t{1} << 20;
    const Array<double> total(Extents{}, {0});
    const std::uint64_t base = xlazy::be::pool_stats().bytes_in_use;
    std::uint64_t most = 0;
    for (int i = 0; i < 100; ++i) {
        const Array<double> block({count}, Doubles(count, 1));
        Statement s(here::current());
        const Value sum = s.reduce(Op::sum, s.load(block.all()), 1, false);
        s.store(total.all(), s.apply(Op::add, DType::f64, s.load(total.all()), sum));
        most = std::max(most, xlazy::be::pool_stats().bytes_in_use - base);
    }
    EXPECT_EQ(total.read(0), 100.0 * static_cast<double>(count));
    EXPECT_LT(most, std::uint64_t{160} << 20) << "800 MiB would stay without a limit";
}

TEST(Lifetime, AChainOf200000Statements) {
    rlimit stack{};
    getrlimit(RLIMIT_STACK, &stack);
    const std::size_t before = status_kilobytes("VmHWM:");
    Array<double> a({10}, Doubles(10, 0));
    for (int i = 0; i < 200000; ++i) {
        const Array<double> next({10});
        assign(next, Op::add, a, 1.0);
        a = next;
    }
    EXPECT_EQ(a.values(), Doubles(10, 200000));
    EXPECT_LE(stack.rlim_cur, rlim_t{8} << 20) << "the promise is for a stack of 8 MiB";
    EXPECT_LT(status_kilobytes("VmHWM:") - before, std::size_t{256} << 10);
}

TEST(Lifetime, SecondsOfRecordingAreNotThoseOfFlushes) {
    const std::size_t count = 200000;
    const Array<double> a({count}, Doubles(count, 0));
    const auto record = [] { return xlazy::stats().seconds["record"]; };
    const auto run = [] { return xlazy::stats().seconds["run"]; };
    const double recorded = record(), ran = run();
    for (int i = 0; i < 10000; ++i) assign(a, Op::add, a, 1.0);
    xlazy::flush();
    EXPECT_GT(record(), recorded);
    EXPECT_LT(record() - recorded, (run() - ran) / 2);
}

TEST(Lifetime, InPlaceChain) {
    const Array<double> a({10}, Doubles(10, 0));
    for (int i = 0; i < 20000; ++i) assign(a, Op::add, a, 1.0);
    EXPECT_EQ(a.values(), Doubles(10, 20000));
    const Array<double> cells({1000}, Doubles(1000, 0));
    for (std::size_t i = 0; i < 20000; ++i) {
        const Window cell = cells.all().slice(0, static_cast<std::int64_t>(i % 1000), 1);
        assign(cell, Op::add, cell, 1.0);
    }
    EXPECT_EQ(cells.values(), Doubles(1000, 20));
}

TEST(Lifetime, ManyArraysInOneStatement) {
    std::vector<Array<double>> arrays;
    const std::size_t count = 3000;
    for (std::size_t i = 0; i < count; ++i) arrays.emplace_back(Extents{4}, Doubles(4, 1));
    const Array<double> sum({4});
    Statement s(here::current());
    Value value = s.load(arrays[0].all());
    for (std::size_t i = 1; i < count; ++i) value = s.apply(Op::add, DType::f64, value, s.load(arrays[i].all()));
    s.store(sum.all(), value);
    EXPECT_EQ(sum.values(), Doubles(4, static_cast<double>(count)));
}

TEST(Lifetime, KnownBatchesHitTheirPlan) {
    const Array<double> a({100}, iota<double>(100));
    const auto run = [&](std::int64_t row) {
        const Array<double> b({10});
        assign(b, Op::mul, a.all().slice(0, 10 * row, 10), 3.0);
        return b.read(4);
    };
    run(0);
    const xlazy::statistics before = xlazy::stats();
    for (std::int64_t row = 0; row < 10; ++row) EXPECT_EQ(run(row), 3.0 * static_cast<double>(10 * row + 4));
    const xlazy::statistics after = xlazy::stats();
    EXPECT_EQ(after.plans_hit - before.plans_hit, 10u);
    EXPECT_EQ(after.plans_missed, before.plans_missed);
}

}  // namespace
