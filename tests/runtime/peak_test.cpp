// SPDX-License-Identifier: BSD-3-Clause
// How much memory programs take, by the pool's own count, and that results which take the memory of their operands are
// right.
#include "runtime/array.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace {

using namespace test;
using Doubles = std::vector<double>;

constexpr std::size_t kSize = 40000, kBytes = kSize * sizeof(double);

void apply(const Window& target, Op op, const Window& source, here line = here::current()) {
    Statement s(line);
    s.store(target, s.apply(op, DType::f64, s.load(source)));
}

/// Most memory that is in use while `body` runs, beyond what is before.
template <class F>
std::uint64_t peak_of(F&& body) {
    xlazy::flush();
    const std::uint64_t before = xlazy::be::pool_stats().bytes_in_use;
    xlazy::be::pool_reset_peak();
    body();
    return xlazy::be::pool_stats().bytes_in_use_peak - before;
}

/// In eager mode every statement has its result before an operand can die.
class Peak : public testing::Test {
protected:
    void SetUp() override {
        if (xlazy::current_mode() == xlazy::mode::eager) GTEST_SKIP() << "nothing dies in a batch";
    }
};

TEST_F(Peak, AResultTakesTheMemoryOfADyingOperand) {
    Array<double> x({kSize}, iota<double>(kSize)), y({kSize});
    const std::uint64_t peak = peak_of([&] {
        apply(y, Op::sqrt, x);
        x = y;
        xlazy::flush();
    });
    EXPECT_EQ(peak, 0u);
    EXPECT_EQ(y.read(81), 9);
}

TEST_F(Peak, AChainOfUpdatesThatAreReadTakesOneArray) {
    Array<double> x({kSize}, Doubles(kSize, 1.0));
    const std::uint64_t peak = peak_of([&] {
        for (int i = 0; i < 5; ++i) {
            Array<double> next({kSize});
            apply(next, Op::exp, x);
            x = next;
            EXPECT_TRUE(std::isfinite(x.read(7)) || i > 2);
        }
    });
    EXPECT_EQ(peak, 0u);
}

TEST_F(Peak, ALivingOperandKeepsItsMemory) {
    const Array<double> x({kSize}, iota<double>(kSize)), y({kSize});
    EXPECT_EQ(peak_of([&] {
                  apply(y, Op::sqrt, x);
                  xlazy::flush();
              }),
              kBytes);
    EXPECT_EQ(x.read(81), 81);
}

TEST_F(Peak, APinnedOperandKeepsItsMemory) {
    Array<double> x({kSize}, iota<double>(kSize)), y({kSize});
    const double* const pointer =
        static_cast<const double*>(xlazy::rt::readable(x.base(), Reason::data, here::current()));
    Base* const pinned = x.base();
    xlazy::rt::base_pin(pinned, false);
    apply(y, Op::sqrt, x);
    xlazy::flush();
    EXPECT_EQ(pointer[81], 81);
    EXPECT_EQ(y.read(81), 9);
    xlazy::rt::base_unpin(pinned, false);
}

TEST_F(Peak, TwoResultsOfOneDyingOperandAreTwoArrays) {
    Array<double> x({kSize}, iota<double>(kSize));
    const Array<double> y({kSize}), z({kSize});
    const std::uint64_t peak = peak_of([&] {
        assign(y, Op::add, x, 1.0);
        assign(z, Op::mul, x, 2.0);
        x = y;
        xlazy::flush();
    });
    EXPECT_EQ(peak, kBytes);
    EXPECT_EQ(y.read(10), 11);
    EXPECT_EQ(z.read(10), 20);
}

TEST_F(Peak, TemporariesWhoseLivesDoNotMeetShareMemory) {
    // Sums along rows of ever other temporaries, which are too many to be there at a time.
    constexpr std::size_t kRows = 200;
    const Array<double> x({kRows, kRows}, iota<double>(kRows * kRows));
    Array<double> y({kRows, kRows}, Doubles(kRows * kRows, 0.0));
    const std::uint64_t peak = peak_of([&] {
        for (int i = 0; i < 6; ++i) {
            Array<double> shifted({kRows, kRows});
            apply(shifted, Op::sqrt, y);
            Window reversed = shifted.all().slice(0, kRows - 1, kRows, -1);
            Array<double> next({kRows, kRows});
            assign(next, Op::add, x, reversed);
            y = next;
        }
        xlazy::flush();
    });
    EXPECT_LE(peak, 2u * 8 * kRows * kRows) << "one for the roots, one for the next sum";
}

TEST_F(Peak, AnErrorNamesTheOperandsThatTheResultHasReplaced) {
    Array<std::int32_t> a({kSize}, iota<std::int32_t>(kSize)), b({kSize}, std::vector<std::int32_t>(kSize, 2));
    b.write(1234, 0);
    const Array<std::int32_t> quotient({kSize});
    assign(quotient, Op::div, a, b);
    a = quotient;
    try {
        xlazy::flush();
        FAIL();
    } catch (const xlazy::deferred_error& error) {
        EXPECT_NE(std::string(error.what()).find("1234"), std::string::npos) << error.what();
    }
    EXPECT_THROW(quotient.read(0), xlazy::deferred_error);
}

}  // namespace
