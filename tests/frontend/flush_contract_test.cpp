// SPDX-License-Identifier: BSD-3-Clause
// What a program is promised about the time at which its statements run, sentence by sentence.
#include "support.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace {

using support::Counts;
using support::flushes_of;
using support::place;
using support::values;

using array = xt::xarray<double>;
using tensor = xt::xtensor<double, 2>;
using list = std::vector<double>;

using ReadingFlushes = support::Queued;
using LimitsFlush = support::Queued;
using AFlush = support::Queued;
using APin = support::Queued;
using AHostWrite = support::Queued;
using AnElementReference = support::Queued;

array pending() { return xt::ones<double>({3}) * 2.0; }

TEST_F(ReadingFlushes, AtElementAccess) {
    const array a = pending();
    FLUSHES("element", EXPECT_EQ(a(1), 2));
}
TEST_F(ReadingFlushes, AtElementAccessOfAView) {
    const array a = pending();
    const auto turned = xt::flip(a, 0);
    FLUSHES("element", EXPECT_EQ(turned(1), 2));
}
TEST_F(ReadingFlushes, AtIterators) {
    const array a = pending();
    FLUSHES("iterator", EXPECT_EQ(*a.begin(), 2));
}
TEST_F(ReadingFlushes, AtData) {
    const array a = pending();
    FLUSHES("data", EXPECT_EQ(*a.data(), 2));
}
TEST_F(ReadingFlushes, AtConversionToAPlainContainer) {
    const array a = pending();
    FLUSHES("convert", xt::xarray_stock<double> plain = a; EXPECT_EQ(plain(2), 2));
}
TEST_F(ReadingFlushes, AtPrinting) {
    const array a = pending();
    std::ostringstream stream;
    FLUSHES("print", stream << a);
    EXPECT_EQ(stream.str(), "{ 2.,  2.,  2.}");
}
TEST_F(ReadingFlushes, AtNpySave) {
    const std::string file = testing::TempDir() + "flush_contract.npy";
    const array a = pending();
    FLUSHES("save", xt::dump_npy(file, a));
    std::filesystem::remove(file);
}
TEST_F(ReadingFlushes, AtFlush) {
    const array a = pending();
    FLUSHES("explicit", xlazy::flush());
    DOES_NOT_FLUSH(EXPECT_EQ(a(0), 2));
}

TEST_F(LimitsFlush, AtTheQueuesNumberOfInstructions) {
    array a = {0.0};
    const auto flushes = flushes_of([&] {
        for (int i = 0; i < 10000; ++i) a += 1.0;
    });
    EXPECT_EQ(flushes.size(), 1u);
    EXPECT_GE(flushes.at("limit"), 2u);
    EXPECT_EQ(a(0), 10000);
}
TEST_F(LimitsFlush, AtTheBytesThatTheQueueHolds) {
    // Each array has memory of its own, is read by a statement, and dies.
    array sum = xt::zeros<double>({std::size_t{1} << 20});
    const auto flushes = flushes_of([&] {
        for (int i = 0; i < 24; ++i) {
            array a = array::from_shape({std::size_t{1} << 20});
            a(0) = 1.0;
            sum += a * 0.0;
        }
    });
    EXPECT_GE(flushes.at("limit"), 1u);
}

/// What the pool may hand out, for as long as the object lives.
class MemoryLimit {
public:
    explicit MemoryLimit(std::uint64_t more) { xlazy::be::pool_set_limit(xlazy::be::pool_stats().bytes_in_use + more); }
    ~MemoryLimit() { xlazy::be::pool_set_limit(0); }
};

TEST_F(LimitsFlush, UnderMemoryPressure) {
    // Dead arrays that the queue still reads hold all the memory that there may be.
    constexpr std::size_t kSize = std::size_t{1} << 18;
    const array one = xt::ones<double>({kSize});
    array sum = one * 1.0;
    xlazy::flush();
    const MemoryLimit limit(3 * sizeof(double) * kSize);
    const auto flushes = flushes_of([&] {
        for (int i = 1; i <= 7; ++i) {
            array a = array::from_shape({kSize});
            a(5) = i;
            xt::view(sum, xt::range(5, 6)) += xt::view(a, xt::range(5, 6));
        }
    });
    EXPECT_GE(flushes.at("memory"), 2u);
    EXPECT_EQ(sum(0), 1);
    EXPECT_EQ(sum(5), 29);
}

TEST_F(AFlush, RunsTheWholeQueueAndGivesEveryLiveArrayItsValue) {
    array a = pending(), b = a + 1.0, c;
    c = b * 2.0;
    xt::view(c, 1) = 0.0;
    a -= 1.0;
    array dead = c * 9.0;
    dead = array();
    FLUSHES("element", EXPECT_EQ(a(0), 1));
    DOES_NOT_FLUSH(EXPECT_EQ(values(b), (list{3, 3, 3})));
    DOES_NOT_FLUSH(EXPECT_EQ(values(c), (list{6, 0, 6})));
    DOES_NOT_FLUSH(EXPECT_EQ(values(a), (list{1, 1, 1})));
}

TEST_F(APin, OfARawPointerMakesReadingStatementsRunAtOnce) {
    array a = {1, 2, 3}, b;
    double* const p = a.data();
    FLUSHES("pinned", b = a + 1.0);
    p[0] = 9;
    FLUSHES("pinned", b = a + 1.0);
    EXPECT_EQ(b(0), 10);
}
TEST_F(APin, OfARawPointerMakesWritingStatementsRunAtOnce) {
    array a = {1, 2, 3};
    const double* const p = a.data();
    FLUSHES("pinned", a += 1.0);
    EXPECT_EQ(p[2], 4);
    FLUSHES("pinned", xt::view(a, 2) = 7.0);
    EXPECT_EQ(p[2], 7);
    FLUSHES("pinned", a.fill(5.0));
    EXPECT_EQ(p[2], 5);
    FLUSHES("pinned", xt::flip(a, 0) *= 2.0);
    EXPECT_EQ(p[0], 10);
}
TEST_F(APin, OfAMutableIteratorMakesStatementsRunAtOnce) {
    array a = {1, 2, 3}, b;
    auto it = a.begin();
    FLUSHES("pinned", b = a + 1.0);
    *it = 5;
    FLUSHES("pinned", b = a + 1.0);
    EXPECT_EQ(b(0), 6);
    FLUSHES("pinned", a *= 2.0);
    EXPECT_EQ(*it, 10);
}
TEST_F(APin, OfAMutableIteratorOfAView) {
    array a = {1, 2, 3}, b;
    auto v = xt::view(a, xt::range(1, 3));
    {
        auto it = v.begin();
        FLUSHES("pinned", b = a * 1.0);
        *it = 8;
        FLUSHES("pinned", b = a * 1.0);
        EXPECT_EQ(values(b), (list{1, 8, 3}));
    }
    DOES_NOT_FLUSH(b = a * 1.0);
}
TEST_F(APin, LeavesOtherArraysAlone) {
    array a = {1, 2, 3}, b = {4, 5, 6};
    (void)a.data();
    DOES_NOT_FLUSH(b = b * 2.0);
    EXPECT_EQ(b(0), 8);
}
TEST_F(APin, EndsWithTheIteratorObject) {
    array a = {1, 2, 3}, b;
    {
        auto it = a.begin();
        auto copy = it;
        it = a.end();
        FLUSHES("pinned", b = a + 1.0);
        (void)copy;
    }
    DOES_NOT_FLUSH(b = a + 1.0);
    for (double& x : a) x += 1.0;
    DOES_NOT_FLUSH(b = b + a);
    (void)b(0);
    std::sort(a.begin(), a.end());
    DOES_NOT_FLUSH(b = a);
}
TEST_F(APin, EndsAtWholeArrayAssignment) {
    array a = {1, 2, 3};
    const array b = {4, 5, 6};
    (void)a.data();
    a = b + 0.0;
    DOES_NOT_FLUSH(a += 1.0);
    (void)a.data();
    a = array{7, 8};
    DOES_NOT_FLUSH(a += 1.0);
    EXPECT_EQ(values(a), (list{8, 9}));
}
TEST_F(APin, EndsAtResize) {
    array a = {1, 2, 3};
    (void)a.data();
    a.resize({4});
    DOES_NOT_FLUSH(a.fill(2.0); a += 1.0);
    EXPECT_EQ(a(3), 3);
}
TEST_F(APin, EndsWhenTheArrayIsMovedInto) {
    array a = {1, 2, 3}, b = {4, 5};
    (void)a.data();
    a = std::move(b);
    DOES_NOT_FLUSH(a += 1.0);
    EXPECT_EQ(values(a), (list{5, 6}));
}
TEST_F(APin, GoesWithTheMemoryThatIsMoved) {
    array a = {1, 2, 3};
    double* const p = a.data();
    array b = std::move(a);
    FLUSHES("pinned", b += 1.0);
    EXPECT_EQ(p[0], 2);
    EXPECT_EQ(b.data(), p);
}

TEST_F(AHostWrite, FirstFlushesPendingReadersOfTheArray) {
    array a = {1, 2, 3};
    const array b = a;
    FLUSHES("host_write", a(0) = 9);
    EXPECT_EQ(b(0), 1);
    const array c = a * 1.0;
    FLUSHES("host_write", *a.begin() = 8);
    EXPECT_EQ(c(0), 9);
    const array d = a + 0.0;
    FLUSHES("host_write", a.data()[0] = 7);
    EXPECT_EQ(d(0), 8);
    a = array{1, 2, 3};
    const array e = xt::view(a, xt::range(1, 3)) * 1.0;
    FLUSHES("host_write", xt::view(a, xt::range(1, 3))(0) = 50);
    EXPECT_EQ(values(e), (list{2, 3}));
    const array f = a * 1.0;
    FLUSHES("host_write", a.storage()[0] = 60);
    EXPECT_EQ(f(0), 1);
}
TEST_F(AHostWrite, ThroughAViewsIteratorToo) {
    array a = {1, 2, 3};
    auto v = xt::view(a, xt::range(0, 2));
    const array b = a + 0.0;
    FLUSHES("host_write", *v.begin() = 9);
    EXPECT_EQ(b(0), 1);
    EXPECT_EQ(a(0), 9);
}

TEST_F(AnElementReference, DoesNotPin) {
    array a = {1, 2, 3}, b;
    double& first = a(0);
    first = 5;
    DOES_NOT_FLUSH(b = a + 1.0);
    EXPECT_EQ(b(0), 6);
    double& of_view = xt::view(a, xt::range(1, 3))(0);
    of_view = 7;
    DOES_NOT_FLUSH(b = a + 1.0);
    EXPECT_EQ(b(1), 8);
}

// The program's end, and what is logged, in a process of its own.

class InAProcess : public testing::Test {
protected:
    void SetUp() override {
        GTEST_FLAG_SET(death_test_style, "threadsafe");
        ::unsetenv("XLAZY_LOG");
        ::unsetenv("XLAZY_STATS");
    }
    void TearDown() override {
        GTEST_FLAG_SET(death_test_style, "fast");
        ::unsetenv("XLAZY_TRACE");
    }
};
using TheEndOfTheProgram = InAProcess;
using TheTrace = InAProcess;

TEST_F(TheEndOfTheProgram, RunsTheQueue) {
    SKIP_IF_EAGER();
    const auto program = [] {
        const xt::xarray<int> n = {1, 2}, zero = {0, 1};
        static xt::xarray<int> unread = n / zero;
        std::exit(3);
    };
    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "integer division by zero");
}

TEST_F(TheTrace, LogsEveryFlushWithItsReasonAndLine) {
    SKIP_IF_EAGER();
    ::setenv("XLAZY_TRACE", "flush", 1);
    constexpr unsigned kLine = __LINE__ + 3;
    const auto program = [] {
        const array a = pending();
        (void)a(1);
        std::_Exit(0);
    };
    EXPECT_EXIT(program(), testing::ExitedWithCode(0), "flush element at .*" + place(__FILE__, kLine));
}

}  // namespace
