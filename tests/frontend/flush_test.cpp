// SPDX-License-Identifier: BSD-3-Clause
// What runs the queue, under which name the statistics count it, and what leaves the queue alone.
#include "support.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xpad.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <sstream>
#include <thread>

namespace {

using support::Counts;
using support::fallbacks_of;
using support::flushes_of;
using support::statements_of;
using support::values;

using array = xt::xarray<double>;
using tensor = xt::xtensor<double, 2>;
using list = std::vector<double>;

using support::Queued;
using FlushPoints = Queued;
using NoFlush = Queued;
using Pins = Queued;
using HostWrites = Queued;
using Fallbacks = Queued;
using Limits = Queued;
using Modes = support::Frontend;

/// An array whose value waits.
array pending() { return xt::ones<double>({3}) * 2.0; }
tensor pending_tensor() { return xt::ones<double>({2, 3}) * 2.0; }

TEST_F(FlushPoints, ElementAccess) {
    const array a = pending();
    FLUSHES("element", EXPECT_EQ(a(1), 2));
    DOES_NOT_FLUSH(EXPECT_EQ(a(2), 2));
    array b = pending();
    FLUSHES("element", b(1) = 3);
    b = pending();
    FLUSHES("element", EXPECT_EQ(b[1], 2));
    b = pending();
    FLUSHES("element", EXPECT_EQ((b[{1}]), 2));
    b = pending();
    FLUSHES("element", EXPECT_EQ(b.at(1), 2));
    b = pending();
    FLUSHES("element", EXPECT_EQ(b.flat(1), 2));
    b = pending();
    FLUSHES("element", EXPECT_EQ(xt::view(b, xt::range(1, 3))(0), 2));
    b = pending();
    FLUSHES("element", EXPECT_EQ((b + 1.0)(0), 3));
    FLUSHES("element", EXPECT_EQ(xt::sum(b)(), 6));
    FLUSHES("element", EXPECT_EQ(xt::sum(b * 2.0)(), 12));
}

TEST_F(FlushPoints, Iteration) {
    array a = pending();
    FLUSHES("iterator", for (const double value : a) EXPECT_EQ(value, 2));
    a = pending();
    FLUSHES("iterator", EXPECT_EQ(std::accumulate(a.cbegin(), a.cend(), 0.0), 6));
    a = pending();
    FLUSHES("iterator", EXPECT_EQ(*(a + 1.0).begin(), 3));
    a = pending();
    FLUSHES("iterator", EXPECT_EQ(*xt::view(a, xt::range(1, 2)).begin(), 2));
    a = pending();
    FLUSHES("iterator", EXPECT_EQ(*a.rbegin(), 2));
    a = pending();
    FLUSHES("iterator", EXPECT_EQ(*a.storage().begin(), 2));
}

TEST_F(FlushPoints, Pointers) {
    const array a = pending();
    FLUSHES("data", EXPECT_EQ(a.data()[1], 2));
    array b = pending();
    FLUSHES("data", EXPECT_EQ(*b.data(), 2));
    b = pending();
    FLUSHES("data", EXPECT_EQ(*b.storage().data(), 2));
}

TEST_F(FlushPoints, Conversions) {
    const array a = pending();
    FLUSHES("convert", xt::xarray_stock<double> plain = a; EXPECT_EQ(plain(0), 2));
    const array b = pending();
    FLUSHES("convert", xt::xarray_stock<double> plain = b + 1.0; EXPECT_EQ(plain(0), 3));
    const tensor c = pending_tensor();
    FLUSHES("convert", xt::xtensor_stock<double, 2> plain = c; EXPECT_EQ(plain(0, 0), 2));
    const array d = pending();
    FLUSHES("convert", xt::xtensor_fixed<double, xt::xshape<3>> fixed = d; EXPECT_EQ(fixed(0), 2));
}

TEST_F(FlushPoints, ComparisonOfArrays) {
    const array a = pending();
    FLUSHES("compare", EXPECT_TRUE(a == a));
    const array b = pending();
    FLUSHES("compare", EXPECT_FALSE(b != a));
    const array c = pending();
    FLUSHES("compare", EXPECT_FALSE(c + 1.0 == a));
}

TEST_F(FlushPoints, Printing) {
    std::ostringstream stream;
    const array a = pending();
    FLUSHES("print", stream << a);
    const array b = pending();
    FLUSHES("print", stream << b + 1.0);
    const array c = pending();
    FLUSHES("print", stream << xt::view(c, xt::range(0, 2)));
    EXPECT_EQ(stream.str(), "{ 2.,  2.,  2.}{ 3.,  3.,  3.}{ 2.,  2.}");
}

TEST_F(FlushPoints, Saving) {
    const std::string file = testing::TempDir() + "saved.npy";
    const tensor a = pending_tensor();
    FLUSHES("save", xt::dump_npy(file, a));
    EXPECT_EQ(values(xt::load_npy<double>(file)), (list{2, 2, 2, 2, 2, 2}));
    const array b = pending();
    FLUSHES("save", xt::dump_npy(file, b + 1.0));
    EXPECT_EQ(values(xt::load_npy<double>(file)), (list{3, 3, 3}));
    std::filesystem::remove(file);
}

TEST_F(FlushPoints, Asked) {
    const array a = pending();
    FLUSHES("explicit", xlazy::flush());
    DOES_NOT_FLUSH(EXPECT_EQ(a(0), 2));
    DOES_NOT_FLUSH(xlazy::flush());
}

TEST_F(FlushPoints, RunTheWholeQueue) {
    const array a = pending(), b = pending();
    tensor c = pending_tensor();
    c += 1.0;
    FLUSHES("element", EXPECT_EQ(a(0), 2));
    DOES_NOT_FLUSH(EXPECT_EQ(b(0), 2); EXPECT_EQ(c(1, 1), 3));
}

TEST_F(NoFlush, Recording) {
    array a = {1, 2, 3}, b = {4, 5, 6}, c;
    tensor t = {{1, 2, 3}, {4, 5, 6}};
    const auto record = [&] {
        c = a + b;
        a += c;
        c -= 1.0;
        const auto e = a * c;
        b = e;
        auto row = xt::view(t, 0);
        row = b;
        row += 2.0;
        xt::view(t, xt::all(), 1) = 4.0;
        xt::noalias(c) = a * 2.0;
        c.fill(1.0);
        t = t + xt::sum(t, {1}, xt::keep_dims);
        array s = xt::mean(t, {0});
        array made = xt::zeros<double>({10});
        made = xt::arange<double>(10.0);
        array copy = made;
        copy = s;
        array moved = std::move(copy);
        std::swap(moved, made);
        tensor list_made = {{1, 2}, {3, 4}};
        list_made = list_made * 2.0;
        moved.reshape({2, 5});
        moved.resize({7});
        xt::xarray<int> whole = xt::cast<int>(made);
        xt::xarray<bool> flags = whole > 1 && whole < 5;
        array repeated = xt::broadcast(s, {2, 3});
        xt::strided_view(t, {xt::all(), 0}) = 1.0;
        auto turned = xt::transpose(t);
        (void)turned.shape();
        std::vector<array> several(3, made);
        several.push_back(made + 1.0);
        several.clear();
    };
    EXPECT_EQ(flushes_of([&] { EXPECT_GE(statements_of(record), 20u); }), Counts());
    EXPECT_EQ(fallbacks_of(record), Counts());
}

TEST_F(NoFlush, QueriesOfTheShape) {
    array a = pending();
    tensor t = pending_tensor();
    const auto e = a + xt::view(t, 0);
    DOES_NOT_FLUSH(EXPECT_EQ(a.shape()[0], 3u));
    DOES_NOT_FLUSH(EXPECT_EQ(a.shape(0), 3u));
    DOES_NOT_FLUSH(EXPECT_EQ(t.size(), 6u));
    DOES_NOT_FLUSH(EXPECT_EQ(t.dimension(), 2u));
    DOES_NOT_FLUSH(EXPECT_EQ(t.strides()[0], 3));
    DOES_NOT_FLUSH(EXPECT_EQ(e.shape()[0], 3u));
    DOES_NOT_FLUSH(EXPECT_TRUE(t.is_contiguous()));
    DOES_NOT_FLUSH(EXPECT_TRUE(t.layout() == xt::layout_type::row_major));
    DOES_NOT_FLUSH(EXPECT_TRUE(t.in_bounds(1, 1)));
    DOES_NOT_FLUSH(EXPECT_TRUE(e.dimension() == 1));
}

TEST_F(NoFlush, ReadingWhatIsNotPending) {
    const array clean = {1, 2, 3};
    const array other = pending();
    DOES_NOT_FLUSH(EXPECT_EQ(clean(1), 2));
    DOES_NOT_FLUSH(EXPECT_EQ(values(clean), (list{1, 2, 3})));
    EXPECT_EQ(other(0), 2);
}

TEST_F(NoFlush, WritingWhatNobodyReads) {
    array a = {1, 2, 3};
    const array other = pending();
    DOES_NOT_FLUSH(a(1) = 5);
    DOES_NOT_FLUSH(for (double& value : a) value += 1.0);
    EXPECT_EQ(values(a), (list{2, 6, 4}));
}

TEST_F(NoFlush, Destruction) {
    auto a = std::make_unique<array>(pending());
    auto e = std::make_unique<array>(*a + 1.0);
    DOES_NOT_FLUSH(a.reset(); e.reset());
}

TEST_F(HostWrites, WaitForReadersOfTheOldValue) {
    array a = {1, 2, 3};
    const array b = a + 1.0;
    FLUSHES("host_write", a(0) = 9);
    DOES_NOT_FLUSH(a(1) = 9);
    EXPECT_EQ(values(b), (list{2, 3, 4}));
    const array c = a;
    *a.begin() = 8;
    EXPECT_EQ(c(0), 9);
    const array d = a * 1.0;
    FLUSHES("host_write", a.data()[0] = 7);
    EXPECT_EQ(d(0), 8);
}

TEST_F(HostWrites, ReadsDoNotFlushReaders) {
    const array a = {1, 2, 3};
    const array b = a + 1.0;
    DOES_NOT_FLUSH(EXPECT_EQ(a(0), 1));
    EXPECT_EQ(b(0), 2);
}

TEST_F(Pins, PointerFromData) {
    array a = {1, 2, 3};
    double* const p = a.data();
    array b;
    FLUSHES("pinned", b = a + 1.0);
    p[0] = 50;
    FLUSHES("pinned", array c = a + 1.0; EXPECT_EQ(c(0), 51));
    FLUSHES("pinned", a += 1.0);
    EXPECT_EQ(p[0], 51);
    FLUSHES("pinned", xt::view(a, 0) = 4.0);
    EXPECT_EQ(p[0], 4);
    DOES_NOT_FLUSH(b = b * 2.0);
    EXPECT_EQ(values(b), (list{4, 6, 8}));
}

TEST_F(Pins, ConstPointerSeesWritesAtOnce) {
    array a = {1, 2, 3};
    const array& read_only = a;
    const double* const p = read_only.data();
    FLUSHES("pinned", a += 1.0);
    EXPECT_EQ(p[0], 2);
    xt::noalias(a) = a * 2.0;
    EXPECT_EQ(p[2], 8);
}

TEST_F(Pins, NoaliasKeepsThePointer) {
    array a = {1, 2, 3};
    const array b = {4, 5, 6};
    double* const p = a.data();
    xt::noalias(a) = b + 1.0;
    EXPECT_EQ(p[0], 5);
    EXPECT_EQ(a.data(), p);
}

TEST_F(Pins, EndAtWholeAssignment) {
    array a = {1, 2, 3};
    const array b = {4, 5, 6};
    (void)a.data();
    a = b * 1.0;
    DOES_NOT_FLUSH(a += 1.0);
    (void)a.data();
    a = b;
    DOES_NOT_FLUSH(a += 1.0);
    EXPECT_EQ(values(a), (list{5, 6, 7}));
}

TEST_F(Pins, EndAtResizeAndMove) {
    array a = {1, 2, 3};
    (void)a.data();
    a.resize({5});
    DOES_NOT_FLUSH(a.fill(1.0); a += 1.0);
    EXPECT_EQ(a(4), 2);
    (void)a.data();
    array moved = std::move(a);
    a = array{1};
    DOES_NOT_FLUSH(a += 1.0);
    EXPECT_EQ(a(0), 2);
    EXPECT_EQ(moved(0), 2);
}

TEST_F(Pins, EndWithTheIterator) {
    array a = {3, 1, 2};
    array b;
    {
        auto it = a.begin();
        FLUSHES("pinned", b = a + 1.0);
        *it = 7;
        FLUSHES("pinned", b = a + 1.0);
        EXPECT_EQ(b(0), 8);
    }
    DOES_NOT_FLUSH(b = a + 1.0);
    (void)b(0);
    {
        auto it = a.begin();
        [[maybe_unused]] auto copy = it;
        [[maybe_unused]] auto moved = std::move(it);
        FLUSHES("pinned", b = a + 1.0);
    }
    DOES_NOT_FLUSH(b = a + 1.0);
}

TEST_F(Pins, AlgorithmsLeaveNone) {
    array a = {3, 1, 2}, b;
    for (double& value : a) value += 1.0;
    DOES_NOT_FLUSH(b = a + 1.0);
    (void)b(0);
    std::sort(a.begin(), a.end());
    DOES_NOT_FLUSH(b = a + 1.0);
    (void)b(0);
    std::fill(a.begin(), a.end(), 1.0);
    std::copy(b.begin(), b.end(), a.begin());
    for (double& value : xt::view(a, xt::range(0, 2))) value = 0.0;
    for (const double value : a * 2.0) EXPECT_GE(value, 0.0);
    DOES_NOT_FLUSH(b = a + 1.0);
    EXPECT_EQ(values(b), (list{1, 1, 6}));
    (void)(a == b);
    DOES_NOT_FLUSH(b = a + 1.0);
    std::ostringstream stream;
    stream << a << b << a + b;
    (void)xt::sort(a);
    DOES_NOT_FLUSH(b = a + 1.0; a = b * 2.0; a -= 1.0);
    EXPECT_EQ(values(a), (list{1, 1, 11}));
}

TEST_F(Pins, ElementReferencesMakeNone) {
    array a = {1, 2, 3};
    double& first = a(0);
    first = 5;
    array b;
    DOES_NOT_FLUSH(b = a + 1.0);
    EXPECT_EQ(b(0), 6);
}

TEST_F(FlushPoints, ForeignMemory) {
    list small = {1, 2, 3};
    list large(100000, 1.0);
    auto small_view = xt::adapt(small);
    auto large_view = xt::adapt(large);
    array a;
    DOES_NOT_FLUSH(a = small_view + 1.0);
    DOES_NOT_FLUSH(a = a + small_view);
    FLUSHES("foreign", a = large_view * 2.0);
    EXPECT_EQ(a(99999), 2);
    const xt::xarray_stock<double> plain = {1, 2, 3};
    DOES_NOT_FLUSH(a = plain * 2.0);
    EXPECT_EQ(values(a), (list{2, 4, 6}));
}

TEST_F(FlushPoints, OtherThread) {
    const array a = pending();
    Counts seen;
    std::thread([&] { seen = flushes_of([&] { EXPECT_EQ(a(0), 2); }); }).join();
    EXPECT_EQ(seen, (Counts{{"other_thread", 1}}));
    DOES_NOT_FLUSH(EXPECT_EQ(a(1), 2));
}

TEST_F(Fallbacks, AreCountedByName) {
    const auto counts = [](const char* name, auto&& body) {
        const auto found = fallbacks_of(body);
        EXPECT_EQ(found.count(name), 1u) << name << " of " << testing::PrintToString(found);
    };
    counts("interp", [&] {
        const array x = {1, 3}, y = {10, 30};
        EXPECT_EQ(xt::interp(array{2.0}, x, y)(0), 20);
    });
}

TEST_F(Fallbacks, RecordedFunctionsAreNone) {
    tensor a = pending_tensor();
    const auto found = fallbacks_of([&] {
        array b = xt::sin(a) + xt::pow(a, 2.0) * xt::where(a > 1.0, a, 0.0);
        b = xt::sum(b, {0}) + xt::mean(a, {0}) + xt::amax(a, {0}) - xt::amin(a, {0});
        b = xt::variance(a, {0}) + xt::stddev(a, {0});
        b = xt::view(a, xt::all(), xt::range(2, 0, -1)) *
            xt::cast<float>(xt::view(a, xt::newaxis(), 0, xt::range(0, 2)));
        EXPECT_EQ(b.dimension(), 2u);
        EXPECT_EQ(xt::sum(b)(), 16);
        b = xt::concatenate(xt::xtuple(a, a));
        EXPECT_EQ(b(3, 0), 2);
        b = xt::stack(xt::xtuple(a, a));
        EXPECT_EQ(b(1, 0, 0), 2);
        b = xt::roll(a, 1);
        EXPECT_EQ(b(0, 0), 2);
        b = xt::pad(a, 1);
        EXPECT_EQ(b(0, 0), 0);
        EXPECT_EQ(xt::sort(a)(0, 0), 2);
        EXPECT_EQ(xt::unique(a)(0), 2);
        EXPECT_EQ(xt::median(a), 2);
    });
    EXPECT_EQ(found, Counts());
}

TEST_F(Limits, TheQueueDoesNotGrowForEver) {
    array a = {0.0};
    const auto flushes = flushes_of([&] {
        for (int i = 0; i < 20000; ++i) a = a + 1.0;
    });
    EXPECT_GE(flushes.at("limit"), 1u);
    EXPECT_EQ(flushes.size(), 1u);
    EXPECT_EQ(a(0), 20000);
}

TEST_F(Limits, NorDoUnreadArrays) {
    const std::uint64_t before = xlazy::stats().bytes_allocated_peak;
    tensor a = xt::ones<double>({512, 512});
    for (int i = 0; i < 300; ++i) {
        tensor unread = a * 2.0;
        a += 1.0;
        xt::view(unread, 0) = 3.0;
    }
    EXPECT_EQ(a(0, 0), 301);
    EXPECT_LT(xlazy::stats().bytes_allocated_peak, before + (std::uint64_t{256} << 20));
}

TEST_F(Modes, EagerRunsEveryStatement) {
    array a = {1, 2, 3}, b;
    const xlazy::mode_scope scope(xlazy::mode::eager);
    EXPECT_EQ(xlazy::current_mode(), xlazy::mode::eager);
    FLUSHES("eager", b = a + 1.0);
    FLUSHES("eager", b += 1.0);
    FLUSHES("eager", xt::view(b, 0) = 5.0);
    DOES_NOT_FLUSH(EXPECT_EQ(values(b), (list{5, 4, 5})));
}

TEST_F(Modes, ScopesFlushAtBothEnds) {
    SKIP_IF_EAGER();
    const array a = pending();
    {
        Counts opening;
        const auto before = xlazy::stats().flushes;
        const xlazy::mode_scope scope(xlazy::mode::eager);
        opening = support::difference(before, xlazy::stats().flushes);
        EXPECT_EQ(opening.size(), 1u);
        DOES_NOT_FLUSH(EXPECT_EQ(a(0), 2));
        const xlazy::mode_scope inner(xlazy::mode::lazy);
        const array b = pending();
        EXPECT_EQ(xlazy::current_mode(), xlazy::mode::lazy);
    }
    EXPECT_EQ(xlazy::current_mode(), xlazy::mode::lazy);
    DOES_NOT_FLUSH(xlazy::flush());
}

TEST_F(FlushPoints, CountStatementsAndInstructions) {
    const auto before = xlazy::stats();
    array a = {1, 2}, b = {3, 4};
    array c = a * b + a;
    c += 1.0;
    (void)c(0);
    const auto after = xlazy::stats();
    EXPECT_EQ(after.statements_recorded - before.statements_recorded, 2u);
    EXPECT_GE(after.instructions_recorded - before.instructions_recorded, 3u);
    EXPECT_GE(after.kernels_run - before.kernels_run, 1u);
    EXPECT_TRUE(support::contains(after.json(), "\"flushes\""));
}

TEST_F(FlushPoints, KnownBatchesArePlannedOnce) {
    array a = {1, 2}, b = {3, 4};
    const auto batch = [&] {
        array c = a * b + a;
        c += 1.0;
        return c(0);
    };
    batch();
    const auto before = xlazy::stats();
    for (int i = 0; i < 10; ++i) {
        a = array{double(i), 2.0};
        EXPECT_EQ(batch(), 4.0 * i + 1.0);
    }
    const auto after = xlazy::stats();
    EXPECT_EQ(after.plans_missed, before.plans_missed);
    EXPECT_EQ(after.plans_hit - before.plans_hit, 10u);
}

}  // namespace
