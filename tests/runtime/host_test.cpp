// SPDX-License-Identifier: BSD-3-Clause
// The host's access to arrays: flush points, fast pointers, pins, modes.
#include "runtime/array.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace test;
using Doubles = std::vector<double>;

std::uint64_t flushes(const std::string& reason) { return xlazy::stats().flushes[reason]; }

TEST(Host, ThePointersAreThereWheneverNothingMustHappenFirst) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    EXPECT_NE(a.base()->readable(), nullptr);
    EXPECT_NE(a.base()->writable(), nullptr);
    EXPECT_EQ(b.base()->readable(), nullptr);
    copy(b, a);
    EXPECT_NE(a.base()->readable(), nullptr) << "a queued read does not change the value";
    EXPECT_EQ(a.base()->writable(), nullptr) << "a host write would reach the queued read";
    EXPECT_EQ(b.base()->readable(), nullptr);
    EXPECT_EQ(b.base()->writable(), nullptr);
    EXPECT_EQ(b.read(1), 2);
    EXPECT_NE(b.base()->readable(), nullptr);
    b.write(1, 5);
    EXPECT_NE(b.base()->writable(), nullptr);
    a.write(1, 6);
    EXPECT_EQ(a.base()->writable(), a.base()->readable());
}

TEST(Host, AFlushRunsTheWholeQueueAndHasItsReason) {
    xlazy::flush();
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3}), c({3});
    assign(b, Op::add, a, 1.0);
    assign(c, Op::add, a, 2.0);
    const std::uint64_t before = flushes("element");
    EXPECT_EQ(b.read(0), 2);
    EXPECT_EQ(c.read(0), 3);
    EXPECT_EQ(flushes("element") - before, 1u);
    const std::uint64_t explicit_before = flushes("explicit");
    xlazy::flush();
    EXPECT_EQ(flushes("explicit"), explicit_before) << "nothing was queued";
    assign(b, Op::add, a, 1.0);
    xlazy::flush();
    EXPECT_EQ(flushes("explicit") - explicit_before, 1u);
}

TEST(Host, AQueuedReadIsFlushedByAHostWriteOnly) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    const std::uint64_t before = flushes("host_write");
    copy(b, a);
    EXPECT_EQ(a.read(0), 1);
    EXPECT_EQ(flushes("host_write"), before);
    a.write(0, 7);
    EXPECT_EQ(flushes("host_write") - before, 1u);
    EXPECT_EQ(b.read(0), 1);
}

TEST(Host, StatementsOnAPinnedArrayRunAtOnce) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    auto* const pointer = static_cast<double*>(xlazy::rt::base_write(a.base(), Reason::data, here::current()));
    xlazy::rt::base_pin(a.base(), true);
    EXPECT_TRUE(xlazy::rt::base_pinned(a.base()));
    const std::uint64_t before = flushes("pinned");
    copy(b, a);
    EXPECT_EQ(flushes("pinned") - before, 1u) << "it reads what can be written through the pointer";
    pointer[0] = 10;
    EXPECT_EQ(b.read(0), 1);
    assign(a, Op::add, a, 1.0);
    EXPECT_EQ(pointer[0], 11);
    xlazy::rt::base_unpin(a.base(), true);
    EXPECT_FALSE(xlazy::rt::base_pinned(a.base()));

    xlazy::rt::base_pin(a.base(), false);
    const std::uint64_t readable_before = flushes("pinned");
    copy(b, a);
    EXPECT_EQ(flushes("pinned"), readable_before) << "a pointer to const cannot change what is read";
    fill(a, 0.0);
    EXPECT_EQ(pointer[2], 0);
    EXPECT_EQ(flushes("pinned") - readable_before, 1u);
    xlazy::rt::base_unpin(a.base(), false);
    EXPECT_EQ(b.values(), (Doubles{11, 3, 4}));
}

TEST(Host, APinnedArrayKeepsItsMemoryAndItsValue) {
    double* pointer = nullptr;
    Base* base = nullptr;
    {
        const Array<double> a({3}, {1, 2, 3});
        base = a.base();
        pointer = static_cast<double*>(xlazy::rt::base_write(base, Reason::data, here::current()));
        xlazy::rt::base_pin(base, true);
        assign(a, Op::mul, a, 2.0);
        EXPECT_EQ(pointer[2], 6);
        xlazy::rt::base_unpin(base, true);
    }
}

TEST(Host, EagerModeRunsEveryStatement) {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    EXPECT_EQ(xlazy::current_mode(), xlazy::mode::lazy);
    {
        const xlazy::mode_scope eager(xlazy::mode::eager);
        EXPECT_EQ(xlazy::current_mode(), xlazy::mode::eager);
        const std::uint64_t before = flushes("eager");
        copy(b, a);
        assign(b, Op::add, b, 1.0);
        EXPECT_EQ(flushes("eager") - before, 2u);
        EXPECT_NE(b.base()->readable(), nullptr);
        const xlazy::mode_scope lazy(xlazy::mode::lazy);
        assign(b, Op::add, b, 1.0);
        EXPECT_EQ(b.base()->readable(), nullptr);
    }
    EXPECT_NE(b.base()->readable(), nullptr) << "both ends of a scope flush";
    EXPECT_EQ(xlazy::current_mode(), xlazy::mode::lazy);
    EXPECT_EQ(b.values(), (Doubles{3, 4, 5}));
}

/// A program with views, reductions, aliases and transcendental functions.
Doubles program() {
    const std::size_t rows = 37, columns = 41;
    Doubles start(rows * columns);
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = 0.1 + 1e-3 * static_cast<double>(i * i % 1013);
    Array<double> u({rows, columns}, start);
    const Array<double> mean({columns});
    for (int step = 0; step < 3; ++step) {
        const Array<double> next({rows, columns});
        copy(next, u);
        const Window inner = u.all().slice(0, 1, rows - 2).slice(1, 1, columns - 2);
        Window left = inner, right = inner;
        left.offset -= 1;
        right.offset += 1;
        Statement s(here::current());
        const Value sum = s.apply(Op::add, DType::f64, s.load(left), s.load(right));
        const Value root = s.apply(Op::sqrt, DType::f64, sum);
        const Value wave = s.apply(Op::sin, DType::f64, s.apply(Op::mul, DType::f64, root, s.scalar(3.7)));
        s.store(next.all().slice(0, 1, rows - 2).slice(1, 1, columns - 2),
                s.apply(Op::add, DType::f64, s.load(inner), wave));
        u = next;
        assign(u.all().slice(0, 0, rows - 1), Op::add, u.all().slice(0, 1, rows - 1), 0.25);
        Statement r(here::current());
        r.store(mean.all(), r.reduce(Op::sum, r.load(u.all()), 0b01, false));
        assign(u, Op::sub, u, mean);
    }
    Doubles result = u.values();
    const Doubles means = mean.values();
    result.insert(result.end(), means.begin(), means.end());
    return result;
}

TEST(Host, LazyAndEagerGiveTheSameBytes) {
    const Doubles lazy = program();
    const xlazy::mode_scope scope(xlazy::mode::eager);
    const Doubles eager = program();
    ASSERT_EQ(lazy.size(), eager.size());
    EXPECT_EQ(std::memcmp(lazy.data(), eager.data(), lazy.size() * sizeof(double)), 0);
}

TEST(Host, TheNumberOfThreadsDoesNotMatter) {
    const Doubles all = program();
    xlazy::set_num_threads(1);
    const Doubles one = program();
    xlazy::set_num_threads(3);
    const Doubles three = program();
    xlazy::set_num_threads(0);
    EXPECT_EQ(std::memcmp(all.data(), one.data(), all.size() * sizeof(double)), 0);
    EXPECT_EQ(std::memcmp(all.data(), three.data(), all.size() * sizeof(double)), 0);
}

TEST(Host, TheOutermostLineWins) {
    const here mine{"mine.cpp", 12};
    const xlazy::rt::LineScope outer(mine);
    {
        const xlazy::rt::LineScope inner(here{"xtensor.hpp", 99});
        EXPECT_EQ(xlazy::rt::LineScope::current().line, 12u);
    }
    EXPECT_STREQ(xlazy::rt::LineScope::current().file, "mine.cpp");
}

}  // namespace
