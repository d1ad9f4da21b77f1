// SPDX-License-Identifier: BSD-3-Clause
// Batches of 4096 instructions: what planning and finding them again costs is printed; that it grows linearly is
// checked.
#include "batch.hpp"
#include "token_machine.hpp"

#include "xlazy/optimizer/plan_cache.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>

namespace xlazy::opt {
namespace {

using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;

/// x = -x, over and over
bc::Program chain(std::uint32_t instructions) {
    Batch batch;
    const std::uint32_t d = batch.domain({4});
    const Operand x = batch.array(4, Use::Kept);
    for (std::uint32_t i = 0; i < instructions; ++i) batch.add(Op::neg, d, x, {x});
    return batch.program;
}

/// a = b + 1; b = a * 2; ...: every result is a new array, and the old one dies
bc::Program new_arrays(std::uint32_t instructions) {
    Batch batch;
    const std::uint32_t d = batch.domain({4});
    Operand x = batch.array(4, Use::Input);
    const Operand one = batch.scalar(1.0);
    for (std::uint32_t i = 0; i < instructions; ++i) {
        x = batch.add(Op::add, d, batch.array(4, i + 1 == instructions ? Use::Live : Use::Local), {x, one});
    }
    return batch.program;
}

/// x(i, all()) = x(i, all()) * s for every row i
bc::Program rows(std::uint32_t instructions) {
    Batch batch;
    const std::uint32_t d = batch.domain({4});
    const std::uint32_t base = batch.base(std::int64_t{4} * instructions, Use::Kept);
    const Operand s = batch.scalar(2.0);
    for (std::int64_t i = 0; i < instructions; ++i) {
        const Operand from = batch.view(base, 4 * i, {{4, 1}});
        batch.add(Op::mul, d, batch.view(base, 4 * i, {{4, 1}}), {from, s});
    }
    return batch.program;
}

/// x(i, all()) += x(i - 1, all()): every row needs the one before
bc::Program row_recurrence(std::uint32_t instructions) {
    Batch batch;
    const std::uint32_t d = batch.domain({4});
    const std::uint32_t base = batch.base(std::int64_t{4} * instructions + 4, Use::Kept);
    for (std::int64_t i = 1; i <= instructions; ++i) {
        const Operand row = batch.view(base, 4 * i, {{4, 1}});
        batch.add(Op::add, d, row, {row, batch.view(base, 4 * i - 4, {{4, 1}})});
    }
    return batch.program;
}

/// Columns of one matrix, interleaved in memory
bc::Program columns(std::uint32_t instructions) {
    Batch batch;
    const std::uint32_t d = batch.domain({4});
    const std::uint32_t base = batch.base(std::int64_t{4} * instructions, Use::Kept);
    for (std::int64_t i = 0; i < instructions; ++i) {
        const Operand column = batch.view(base, i, {{4, std::int64_t{instructions}}});
        batch.add(Op::neg, d, column, {column});
    }
    return batch.program;
}

/// x(i, range(i, _)) *= 2, twice over all i: as many shapes as rows
bc::Program triangle(std::uint32_t instructions) {
    Batch batch;
    const std::int64_t n = instructions / 2;
    const std::uint32_t base = batch.base(n * n, Use::Kept);
    for (int round = 0; round < 2; ++round) {
        for (std::int64_t i = 0; i < n; ++i) {
            const Operand part = batch.view(base, i * n + i, {{n - i, 1}});
            batch.add(Op::neg, batch.domain({n - i}), part, {part});
        }
    }
    return batch.program;
}

/// Two shapes in turn, all on windows of one array
bc::Program two_shapes(std::uint32_t instructions) {
    Batch batch;
    const std::uint32_t base = batch.base(std::int64_t{8} * instructions, Use::Kept);
    for (std::int64_t i = 0; i < instructions; ++i) {
        const std::int64_t n = 4 + i % 2;
        const Operand window = batch.view(base, 8 * i, {{n, 1}});
        batch.add(Op::neg, batch.domain({n}), window, {window});
    }
    return batch.program;
}

/// Five-point diffusion in place
bc::Program diffusion(std::uint32_t instructions) {
    Batch batch;
    const std::uint32_t d = batch.domain({4, 4});
    const std::uint32_t z = batch.base(36, Use::Kept);
    const Operand rate = batch.scalar(0.2), four = batch.scalar(4.0);
    const auto window = [&](std::int64_t offset) { return batch.view(z, offset, {{4, 6}, {4, 1}}); };
    for (std::uint32_t i = 0; i + 7 <= instructions; i += 7) {
        Operand sum = window(1);
        for (const std::int64_t offset : {13, 6, 8}) sum = batch.add(Op::add, d, batch.temp(), {sum, window(offset)});
        const Operand centre = batch.add(Op::mul, d, batch.temp(), {four, window(7)});
        const Operand laplacian = batch.view(batch.base(16, Use::Local), 0, {{4, 4}, {4, 1}});
        batch.add(Op::sub, d, laplacian, {sum, centre});
        const Operand change = batch.add(Op::mul, d, batch.temp(), {rate, laplacian});
        batch.add(Op::add, d, window(7), {window(7), change});
    }
    return batch.program;
}

/// Seconds that the processor works for this process: what else runs on the machine does not count.
double processor_time() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The best of a few runs, in seconds.
template <class Action>
double best_time(Action action) {
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
        const double start = processor_time();
        action();
        best = std::min(best, processor_time() - start);
    }
    return best;
}

TEST(LargeBatches, CostIsLinear) {
    constexpr std::uint32_t kSmall = 512, kLarge = 4096;
    fmt::print("{:16} {:>8} {:>8} {:>10} {:>10} {:>10}\n", "batch", "kernels", "guards", "plan us/i", "(512) us/i",
               "hit ns/i");
    const std::pair<const char*, bc::Program (*)(std::uint32_t)> batches[] = {{"chain", chain},
                                                                              {"new arrays", new_arrays},
                                                                              {"rows", rows},
                                                                              {"row recurrence", row_recurrence},
                                                                              {"columns", columns},
                                                                              {"triangle", triangle},
                                                                              {"two shapes", two_shapes},
                                                                              {"diffusion", diffusion}};
    for (const auto& [name, make] : batches) {
        const bc::Program small = make(kSmall), large = make(kLarge);
        EXPECT_EQ(test::check_plan(make_plan(small, {}), small), "") << name;
        bc::Plan plan;
        const double small_time = best_time([&] { make_plan(small, {}); }) / kSmall;
        const double large_time = best_time([&] { plan = make_plan(large, {}); }) / kLarge;
        PlanCache cache;
        unsigned made = 0;
        made = cache.get(large, {}).made;
        const double hit_time = best_time([&] { made = cache.get(large, {}).made; }) / kLarge;
        EXPECT_EQ(made, 0u);
        fmt::print("{:16} {:8} {:8} {:10.2f} {:10.2f} {:10.2f}\n", name, plan.kernels.size(), plan.guards.size(),
                   large_time * 1e6, small_time * 1e6, hit_time * 1e9);
        // Times depend on the machine, the number of comparisons does not.
        const std::size_t small_guards = make_plan(small, {}).guards.size();
        EXPECT_LE(plan.guards.size(), 2 * (small_guards + 10) * (kLarge / kSmall)) << name;
    }
}

/// Times the same work at two sizes, in turn. @return the least ratio
template <class Make>
double growth(Make make, std::uint32_t small, std::uint32_t large) {
    const bc::Program few = make(small), many = make(large);
    double least = 1e9;
    for (int round = 0; round < 3; ++round) {
        const double time = best_time([&] { make_plan(few, {}); });
        least = std::min(least, best_time([&] { make_plan(many, {}); }) / time);
    }
    return least;
}

TEST(LargeBatches, ThousandsOfRowsOfOneArray) {
    EXPECT_LE(growth(rows, 1000, 4000), 6.0);
    EXPECT_LE(growth(row_recurrence, 1000, 4000), 6.0);
    const bc::Plan plan = make_plan(rows(4000), {});
    EXPECT_EQ(plan.spreads.size(), 1u);
    EXPECT_LE(plan.guards.size(), 4000u) << "one each: a row is read and written";
}

TEST(LargeBatches, FiftyThousandInstructions) {
    for (const auto make : {chain, new_arrays, rows, diffusion}) EXPECT_LE(growth(make, 10'000, 50'000), 8.0);
}

}  // namespace
}  // namespace xlazy::opt
