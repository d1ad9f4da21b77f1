// SPDX-License-Identifier: BSD-3-Clause
#include "batch.hpp"
#include "token_machine.hpp"

#include "xlazy/optimizer/plan_cache.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

namespace xlazy::opt {
namespace {

using bc::Op;
using test::Batch;
using Use = Batch::Use;

#ifdef __OPTIMIZE__
constexpr std::uint32_t kMillion = 1'000'000;
#else
constexpr std::uint32_t kMillion = 50'000;  // the passes are checked one by one
#endif

/// x(range(to, to + n)) = x(range(from, from + n)) + s, in an array of 1000.
bc::Program window(std::int64_t n, std::int64_t to, std::int64_t from, double s = 1.0) {
    Batch batch;
    const std::uint32_t base = batch.base(1000, Use::Kept);
    const bc::Operand target = batch.view(base, to, {{n, 1}});
    batch.add(Op::add, batch.domain({n}), target, {batch.view(base, from, {{n, 1}}), batch.scalar(s)});
    return batch.program;
}

/// y = -x as `count` statements in a row; every count is another structure.
bc::Program chain(std::uint32_t count, std::int64_t n = 8) {
    Batch batch;
    const std::uint32_t d = batch.domain({n});
    const bc::Operand x = batch.array(n, Use::Kept);
    for (std::uint32_t i = 0; i < count; ++i) batch.add(Op::neg, d, x, {x});
    return batch.program;
}

class PlanCacheTest : public testing::Test {
protected:
    /// Looks up, and checks that the plan is right for the batch. @return whether it was known
    bool known(const bc::Program& program, PassSet passes = {}) {
        PlanOptions options;
        options.passes = passes;
        unsigned made = 0;
        const Planned planned = cache.get(program, options);
        made = planned.made;
        plan = planned.plan;
        EXPECT_EQ(test::check_plan(*plan, program), "");
        return made == 0;
    }

    PlanCache cache;
    std::shared_ptr<const bc::Plan> plan;
};

TEST_F(PlanCacheTest, TheSameBatchHits) {
    EXPECT_FALSE(known(window(10, 0, 100)));
    const auto first = plan;
    EXPECT_TRUE(known(window(10, 0, 100)));
    EXPECT_EQ(plan, first);
}

TEST_F(PlanCacheTest, OtherLengthsScalarsAndOffsetsHit) {
    EXPECT_FALSE(known(window(10, 0, 100)));
    EXPECT_TRUE(known(window(11, 0, 100)));
    EXPECT_TRUE(known(window(10, 0, 100, 2.5)));
    EXPECT_TRUE(known(window(10, 500, 100)));
    EXPECT_TRUE(known(window(100, 0, 900)));
    EXPECT_EQ(cache.size(), 1u);
}

TEST_F(PlanCacheTest, AnotherOverlapMisses) {
    EXPECT_FALSE(known(window(10, 0, 100)));
    EXPECT_FALSE(known(window(10, 0, 5)));  // overlap: a temporary
    EXPECT_EQ(plan->kernels.size(), 2u);
    EXPECT_FALSE(known(window(10, 7, 7)));  // identical: in place
    EXPECT_EQ(plan->kernels.size(), 1u);
    EXPECT_EQ(cache.size(), 3u);
    EXPECT_TRUE(known(window(10, 20, 30)));  // touches, but disjoint
    EXPECT_TRUE(known(window(10, 20, 29)));
    EXPECT_EQ(plan->kernels.size(), 2u);
    EXPECT_TRUE(known(window(9, 1, 1)));
    EXPECT_EQ(cache.size(), 3u);
}

/// b's old value is dead only while the second statement overwrites all of it.
TEST_F(PlanCacheTest, AViewThatNoLongerCoversItsBaseMisses) {
    const auto overwrite = [](std::int64_t n) {
        Batch batch;
        const std::uint32_t base = batch.base(8, Use::Live);
        const bc::Operand x = batch.array(8, Use::Input);
        batch.add(Op::neg, batch.domain({8}), batch.view(base, 0, {{8, 1}}), {x});
        batch.add(Op::copy, batch.domain({1, n}), batch.view(base, 0, {{1, n}, {n, 1}}), {batch.scalar(0.0)});
        return batch.program;
    };
    EXPECT_FALSE(known(overwrite(8)));
    EXPECT_EQ(plan->kernels.size(), 1u);
    EXPECT_FALSE(known(overwrite(7)));
    EXPECT_EQ(plan->kernels.size(), 2u);
    EXPECT_TRUE(known(overwrite(6)));
}

/// An extent of 1 is data: a window of one element that is read as a row is broadcast when the row is longer.
TEST_F(PlanCacheTest, ABroadcastOperandIsNotIdentical) {
    const auto scale = [](std::int64_t rows) {
        Batch batch;
        const std::uint32_t base = batch.base(100, Use::Kept);
        const bc::Operand all = batch.view(base, 0, {{rows, 2}, {2, 1}});
        const bc::Operand row = batch.view(base, 0, {{1, 0}, {2, 1}});
        batch.add(Op::div, batch.domain({rows, 2}), all, {all, row});
        return batch.program;
    };
    EXPECT_FALSE(known(scale(1)));
    EXPECT_EQ(plan->kernels.size(), 1u);
    EXPECT_FALSE(known(scale(3)));
    EXPECT_EQ(plan->kernels.size(), 2u);
    EXPECT_TRUE(known(scale(4)));
}

/// The shape of a reduction's result may be that of one domain of the batch in one batch, and of another in the next.
TEST_F(PlanCacheTest, ShapesOfReducedTemporariesAreNotTakenFromOtherDomains) {
    const auto centre = [](std::int64_t n, std::int64_t m) {
        Batch batch;
        for (const std::int64_t extent : {n, m}) {
            batch.add(Op::copy, batch.domain({extent}), batch.array(extent, Use::Live), {batch.scalar(0.0)});
        }
        const std::int64_t rows = n;
        const std::uint32_t d = batch.domain({rows, 7});
        const bc::Operand sums = batch.reduce(Op::sum, d, 1, batch.temp(),
                                              batch.view(batch.base(rows * 7, Use::Input), 0, {{rows, 7}, {7, 1}}));
        const std::uint32_t wide = batch.domain({3, rows});
        batch.add(Op::neg, wide, batch.view(batch.base(3 * rows, Use::Live), 0, {{3, rows}, {rows, 1}}), {sums});
        return batch.program;
    };
    EXPECT_FALSE(known(centre(4, 5)));
    EXPECT_TRUE(known(centre(9, 2)));
}

TEST_F(PlanCacheTest, PassSetsAreKeptApart) {
    std::vector<std::string> unknown;
    EXPECT_FALSE(known(chain(3)));
    EXPECT_EQ(plan->kernels.size(), 1u);
    EXPECT_FALSE(known(chain(3), parse_passes("none", unknown)));
    EXPECT_EQ(plan->kernels.size(), 3u);
    EXPECT_TRUE(known(chain(3)));
    EXPECT_EQ(plan->kernels.size(), 1u);
    EXPECT_TRUE(known(chain(3), PassSet{0}));  // mandatory passes run whatever their bits are
    EXPECT_EQ(plan->kernels.size(), 3u);
}

TEST_F(PlanCacheTest, TheLeastRecentlyUsedPlanGoesFirst) {
    constexpr auto kPlans = static_cast<std::uint32_t>(PlanCache::kMaxPlans);
    PlanOptions options;
    unsigned made = 0;
    for (std::uint32_t i = 1; i <= kPlans; ++i) made = cache.get(chain(i), options).made;
    EXPECT_EQ(cache.size(), kPlans);
    EXPECT_TRUE(known(chain(1)));
    made = cache.get(chain(kPlans + 1), options).made;
    EXPECT_NE(made, 0u);
    EXPECT_EQ(cache.size(), kPlans);
    EXPECT_TRUE(known(chain(1)));
    EXPECT_FALSE(known(chain(2)));
}

/// Memory that a process has, in KiB.
long resident() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    }
    return 0;
}

/// Ever other structures: a number in base 3, a statement a digit.
bc::Program numbered(std::uint32_t number) {
    constexpr Op kDigits[] = {Op::neg, Op::abs, Op::sqrt};
    Batch batch;
    const std::uint32_t d = batch.domain({8});
    const bc::Operand x = batch.array(8, Use::Kept);
    for (unsigned digit = 0; digit < 13; ++digit, number /= 3) batch.add(kDigits[number % 3], d, x, {x});
    return batch.program;
}

TEST_F(PlanCacheTest, AMillionDifferentPlansTakeNoMoreMemoryThanTheFirst) {
    unsigned made = 0;
    const auto fill = [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t i = from; i < to; ++i) {
            made = cache.get(numbered(i), {}).made;
            ASSERT_EQ(made, 1u);
        }
    };
    fill(0, 20'000);
    const long before = resident();
    fill(20'000, kMillion);
    EXPECT_EQ(cache.size(), PlanCache::kMaxPlans);
    EXPECT_LE(cache.bytes(), PlanCache::kMaxBytes);
    EXPECT_LT(resident() - before, 4096);
}

TEST_F(PlanCacheTest, LargePlansAreBoundedByTheirBytes) {
    for (std::uint32_t i = 0; i < 200; ++i) {
        cache.get(chain(8000 + i), {});
        EXPECT_LE(cache.bytes(), PlanCache::kMaxBytes);
    }
    EXPECT_LT(cache.size(), 150u);
    EXPECT_TRUE(known(chain(8199)));
    cache.clear();
    EXPECT_EQ(cache.bytes(), 0u);
}

/// What a batch works on decides which plan is best for it: windows on 8 bytes to 64 MiB.
TEST_F(PlanCacheTest, SizeClassesHavePlansOfTheirOwn) {
    unsigned misses = 0;
    for (std::int64_t n = 4; n <= std::int64_t{8} << 20; n *= 2) {
        unsigned made = 0;
        const Planned planned = cache.get(chain(3, n), {});
        made = planned.made;
        plan = planned.plan;
        misses += made;
    }
    EXPECT_EQ(misses, 4u);
    EXPECT_EQ(cache.size(), 4u);
}

/// Plans of one structure whose guards differ: pairs of windows that overlap or not, in each of four statements.
TEST_F(PlanCacheTest, VariantsOfOneStructureAreBounded) {
    const auto pairs = [](unsigned overlaps) {
        Batch batch;
        const std::uint32_t d = batch.domain({4});
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint32_t base = batch.base(20, Use::Kept);
            const bc::Operand out = batch.view(base, 0, {{4, 1}});
            batch.add(Op::neg, d, out, {batch.view(base, (overlaps >> i) & 1 ? 2 : 10, {{4, 1}})});
        }
        return batch.program;
    };
    for (unsigned i = 0; i < 16; ++i) EXPECT_FALSE(known(pairs(i))) << i;
    EXPECT_EQ(cache.size(), PlanCache::kMaxVariants);
    for (unsigned i = 8; i < 16; ++i) EXPECT_TRUE(known(pairs(i))) << i;
    EXPECT_FALSE(known(pairs(0)));
    EXPECT_FALSE(known(pairs(8)));
    EXPECT_TRUE(known(pairs(15)));
}

/// Nothing happens on views without elements, so nothing can be wrong there.
TEST_F(PlanCacheTest, EmptyWindowsFitEveryPlan) {
    EXPECT_FALSE(known(window(10, 0, 5)));
    EXPECT_TRUE(known(window(0, 0, 5)));
    EXPECT_TRUE(known(window(0, 5, 5)));
    EXPECT_EQ(cache.size(), 1u);
}

TEST_F(PlanCacheTest, MoreGeometriesThanAreKeptStillHit) {
    EXPECT_FALSE(known(window(10, 0, 100)));
    for (std::int64_t n = 11; n < 50; ++n) EXPECT_TRUE(known(window(n, 0, 100)));
    EXPECT_TRUE(known(window(10, 0, 100)));
    EXPECT_EQ(cache.size(), 1u);
}

TEST_F(PlanCacheTest, ClearForgets) {
    EXPECT_FALSE(known(chain(2)));
    cache.clear();
    EXPECT_EQ(cache.size(), 0u);
    EXPECT_FALSE(known(chain(2)));
}

TEST_F(PlanCacheTest, APlanOutlivesItsEntry) {
    EXPECT_FALSE(known(chain(2)));
    const auto kept = plan;
    cache.clear();
    EXPECT_EQ(test::check_plan(*kept, chain(2)), "");
}

TEST_F(PlanCacheTest, ThreadsMayLookUpAtOnce) {
    constexpr unsigned kThreads = 4, kRounds = 200;
    std::atomic<unsigned> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (unsigned round = 0; round < kRounds; ++round) {
                const bc::Program program =
                    round % 2 == 0 ? chain(1 + (round + t) % 7, 4 + t) : window(10, 0, round % 3 == 0 ? 5 : 100);
                const auto found = cache.get(program, {}).plan;
                if (!bc::guards_hold(*found, program) || !bc::verify(*found, program).empty()) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(cache.size(), 7u + 2u);
}

}  // namespace
}  // namespace xlazy::opt
