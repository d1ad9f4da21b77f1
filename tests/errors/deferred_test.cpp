// SPDX-License-Identifier: BSD-3-Clause
// Errors found late: what they say, who gets them, and what stays good.
#include "runtime/array.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <regex>

namespace {

using namespace test;
using Ints = std::vector<std::int32_t>;
using xlazy::deferred_error;

std::string at(int line) { return std::string(__FILE__) + ':' + std::to_string(line); }

/// The error that an action throws; its text is empty if it throws none.
template <class Action>
deferred_error caught(Action action) {
    try {
        action();
    } catch (const deferred_error& error) {
        return error;
    }
    return deferred_error({});
}

std::vector<std::string> lines_of(const deferred_error& error) {
    std::vector<std::string> lines;
    std::string text = error.what();
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
        lines.push_back(text.substr(0, end));
    }
    lines.push_back(text);
    return lines;
}

bool contains(const std::vector<std::string>& lines, const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
}

TEST(Deferred, TheMessageNamesTheLineOfTheDivision) {
    const Array<std::int32_t> a({4, 5}, Ints(20, 7));
    const int made_a = __LINE__ - 1;
    const Array<std::int32_t> b({4, 5}, Ints(20, 1));
    const Array<std::int32_t> quotient({4, 5});
    const Array<std::int32_t> other({4, 5});
    fill(b.all().slice(0, 2, 1).slice(1, 3, 1), 0);
    const int made_b = __LINE__ - 1;
    assign(quotient, Op::div, a, b);
    const int division = __LINE__ - 1;
    assign(other, Op::add, a, 1);
    const int fused = __LINE__ - 1;
    const deferred_error error = caught([&] { other.read(0); });
    const int read = __LINE__ - 1;

    const std::vector<std::string> lines = lines_of(error);
    EXPECT_EQ(lines[0], at(division) +
                            ": integer division by zero in div: operands i32(4,5) and i32(4,5), "
                            "at element (2,3): 7 / 0");
    EXPECT_TRUE(contains(lines, "  left operand, i32(4,5), was made at " + at(made_a))) << error.what();
    EXPECT_TRUE(contains(lines, "  right operand, i32(4,5), was made at " + at(made_b))) << error.what();
    EXPECT_TRUE(contains(lines, "  found when " + at(read) + " read it (element access)")) << error.what();
    EXPECT_TRUE(contains(lines, "  XLAZY_MODE=eager stops at the failing line itself")) << error.what();
    EXPECT_EQ(error.operation(), "div");
    ASSERT_GE(error.origins().size(), 1u);
    EXPECT_EQ(error.origins()[0].line, static_cast<unsigned>(division));
    EXPECT_EQ(error.origins()[0].file, __FILE__);
    EXPECT_EQ(error.flush_origin().line, static_cast<unsigned>(read));
    for (std::size_t i = 1; i < error.origins().size(); ++i) {
        EXPECT_TRUE(error.origins()[i].line == static_cast<unsigned>(fused) ||
                    error.origins()[i].line == static_cast<unsigned>(made_b));
    }
    EXPECT_EQ(other.values(), Ints(20, 8));

    const xlazy::error_report& report = error.report();
    EXPECT_EQ(error.kind(), xlazy::error_kind::division_by_zero);
    EXPECT_EQ(report.origin.line, static_cast<unsigned>(division));
    EXPECT_EQ(report.element, (std::vector<std::int64_t>{2, 3}));
    ASSERT_EQ(report.operands.size(), 2u);
    EXPECT_EQ(report.operands[0].dtype, "i32");
    EXPECT_EQ(report.operands[0].shape, (std::vector<std::int64_t>{4, 5}));
    EXPECT_EQ(report.operands[0].value, "7");
    EXPECT_EQ(report.operands[0].written_at.line, static_cast<unsigned>(made_a));
    EXPECT_EQ(report.operands[1].value, "0");
    EXPECT_EQ(report.operands[1].written_at.line, static_cast<unsigned>(made_b));
    EXPECT_EQ(report.flush_reason, "element");
    EXPECT_EQ(report.hint, "XLAZY_MODE=eager stops at the failing line itself");
    // The same with colours: without the escape sequences it is what() again.
    EXPECT_NE(error.coloured().find('\x1b'), std::string::npos);
    EXPECT_EQ(std::regex_replace(error.coloured(), std::regex("\x1b\\[[0-9;]*m"), ""), error.what());
}

/// A file with these lines, as old as the epoch or as new as can be.
std::string source_file(const char* name, bool old) {
    const std::string file = testing::TempDir() + name;
    std::ofstream(file) << "first\n    c = a / b;  // second \t\n";
    using Time = std::filesystem::file_time_type;
    std::filesystem::last_write_time(file, Time::clock::now() + std::chrono::hours(old ? -24 * 365 : 24));
    return file;
}

TEST(Deferred, TheMessageShowsTheSourceWhereItCanBeTrusted) {
    const auto fail_at = [](const std::string& file, unsigned line) {
        const Array<std::int32_t> a({3}, {1, 2, 3}), b({3});
        assign(b, Op::div, a, 0, here{file.c_str(), line});
        return caught([] { xlazy::flush(); });
    };
    const std::string old = source_file("xlazy_source_old.cpp", true);
    const deferred_error error = fail_at(old, 2);
    EXPECT_EQ(error.report().source_line, "c = a / b;  // second");
    EXPECT_EQ(lines_of(error)[1], "      2 | c = a / b;  // second");
    EXPECT_EQ(fail_at(old, 3).report().source_line, "") << "there is no such line";
    EXPECT_EQ(fail_at(source_file("xlazy_source_new.cpp", false), 2).report().source_line, "")
        << "changed since the program was built";
    EXPECT_EQ(fail_at("/dev/zero", 1).report().source_line, "");
    EXPECT_EQ(fail_at("/nowhere/x.cpp", 1).report().source_line, "");
}

/// The value of both lines is computed once; it fails for both.
TEST(Deferred, TwoLinesThatAskForOneQuotientFailBoth) {
    const Array<std::int32_t> a({3}, {1, 2, 3}), zero({3}, {1, 0, 1}), one({3}), other({3}), sum({3});
    assign(one, Op::div, a, zero);
    const int first = __LINE__ - 1;
    assign(other, Op::div, a, zero);
    const int second = __LINE__ - 1;
    assign(sum, Op::add, a, 1);
    const deferred_error error = caught([] { xlazy::flush(); });
    EXPECT_EQ(lines_of(error)[0].find(at(first)), 0u) << error.what();
    EXPECT_TRUE(contains(lines_of(error), "  statements that failed besides: " + at(second))) << error.what();
    EXPECT_TRUE(contains(lines_of(error), "  computed once for " + at(second) + " as well")) << error.what();
    const auto names = [&](const deferred_error& e, int line) {
        return std::ranges::any_of(e.origins(), [&](const auto& o) { return o.line == static_cast<unsigned>(line); });
    };
    EXPECT_TRUE(names(error, first) && names(error, second));
    const deferred_error of_other = caught([&] { other.read(0); });
    EXPECT_EQ(lines_of(of_other)[0].find(at(second)), 0u) << of_other.what();
    EXPECT_EQ(of_other.origins()[0].line, static_cast<unsigned>(second));
    EXPECT_TRUE(names(of_other, first));
    EXPECT_EQ(sum.values(), (Ints{2, 3, 4}));
}

TEST(Deferred, RemainderScalarsAndConversions) {
    const Array<std::int16_t> a({3}, {5, 6, 7});
    const int made = __LINE__ - 1;
    const Array<std::int32_t> b({3});
    Statement s(here::current());
    const int line = __LINE__ - 1;
    s.store(b.all(), s.apply(Op::mod, DType::i32, s.cast(s.load(a.all()), DType::i32), s.scalar(0)));
    const std::vector<std::string> lines = lines_of(caught([] { xlazy::flush(); }));
    EXPECT_EQ(lines[0], at(line) +
                            ": integer division by zero in mod: operands i32(3) and i32 scalar, "
                            "at element (0): 5 % 0");
    EXPECT_TRUE(contains(lines, "  left operand, i32(3), was made at " + at(made)));
}

TEST(Deferred, ItIsThrownOnceAndByEveryReaderOfWhatDepends) {
    const Array<std::int32_t> a({3}, {1, 2, 3});
    const Array<std::int32_t> zero({3}, {1, 0, 1});
    const Array<std::int32_t> bad({3}), worse({3}), good({3});
    assign(bad, Op::div, a, zero);
    const int division = __LINE__ - 1;
    assign(worse, Op::add, bad, a);
    assign(good, Op::mul, a, a);
    EXPECT_EQ(lines_of(caught([] { xlazy::flush(); }))[0].find(at(division)), 0u);
    EXPECT_STREQ(caught([] { xlazy::flush(); }).what(), "");
    EXPECT_EQ(good.values(), (Ints{1, 4, 9}));
    const deferred_error first = caught([&] { bad.read(0); });
    const deferred_error second = caught([&] { worse.read(0); });
    const deferred_error third = caught([&] { bad.write(0, 1); });
    EXPECT_EQ(lines_of(first)[0].find(at(division)), 0u);
    EXPECT_STREQ(first.what(), second.what());
    EXPECT_STREQ(first.what(), third.what());
    EXPECT_EQ(second.origins()[0].line, static_cast<unsigned>(division));
    // What is computed from it later is worth no more, and says so without a second error.
    const Array<std::int32_t> later({3});
    assign(later, Op::add, worse, 1);
    EXPECT_STREQ(caught([] { xlazy::flush(); }).what(), "");
    EXPECT_STREQ(caught([&] { later.read(0); }).what(), first.what());
}

TEST(Deferred, OverwritingHeals) {
    const Array<std::int32_t> a({4}, {1, 2, 3, 4});
    const Array<std::int32_t> bad({4});
    assign(bad, Op::div, a, 0);
    EXPECT_THROW(xlazy::flush(), deferred_error);
    fill(bad.all().slice(0, 0, 3), 5);
    EXPECT_THROW(bad.read(0), deferred_error) << "a part was overwritten";
    copy(bad, a.all().slice(0, 3, 4, -1));
    EXPECT_EQ(bad.values(), (Ints{4, 3, 2, 1}));
    // Within one batch as well.
    assign(bad, Op::div, a, 0);
    copy(bad, a);
    EXPECT_THROW(xlazy::flush(), deferred_error);
    EXPECT_EQ(bad.values(), (Ints{1, 2, 3, 4}));
    // But not from itself.
    assign(bad, Op::div, a, 0);
    assign(bad, Op::mul, bad, 0);
    EXPECT_THROW(xlazy::flush(), deferred_error);
    EXPECT_THROW(bad.read(0), deferred_error);
}

TEST(Deferred, MaskedElementsDoNotFail) {
    const Array<std::int32_t> a({4}, {8, 9, 10, 11});
    const Array<std::int32_t> b({4}, {2, 0, 5, 0});
    const Array<std::int32_t> c({4});
    Statement s(here::current());
    const Value divisor = s.load(b.all());
    const Value mask = s.apply(Op::ne, DType::boolean, divisor, s.scalar(0));
    const Value quotient = s.apply_masked(Op::div, DType::i32, s.load(a.all()), divisor, mask);
    s.store(c.all(), s.apply(Op::select, DType::i32, mask, quotient, s.scalar(-1)));
    EXPECT_EQ(c.values(), (Ints{4, -1, 2, -1}));
}

TEST(Deferred, TheFirstElementInRowMajorOrderIsNamed) {
    const std::size_t rows = 300, columns = 400;
    const Array<std::int32_t> a({rows, columns}, Ints(rows * columns, 3));
    Ints divisors(rows * columns, 1);
    divisors[299 * columns + 1] = divisors[57 * columns + 398] = divisors[57 * columns + 399] = 0;
    const Array<std::int32_t> b({rows, columns}, divisors);
    const Array<std::int32_t> c({rows, columns});
    assign(c, Op::div, a, b);
    EXPECT_NE(std::string(caught([&] { c.read(0); }).what()).find("at element (57,398): 3 / 0"), std::string::npos);
}

TEST(Deferred, SeveralStatementsThatFail) {
    const Array<std::int32_t> a({3}, {1, 2, 3});
    const Array<std::int32_t> b({3}), c({3}), d({3});
    assign(b, Op::div, a, 0);
    const int first = __LINE__ - 1;
    assign(c, Op::mod, a, 0);
    const int second = __LINE__ - 1;
    assign(d, Op::div, b, c);
    const std::uint64_t before = xlazy::stats().deferred_errors;
    const deferred_error error = caught([] { xlazy::flush(); });
    EXPECT_EQ(lines_of(error)[0].find(at(first)), 0u);
    EXPECT_TRUE(contains(lines_of(error), "  statements that failed besides: " + at(second))) << error.what();
    EXPECT_EQ(xlazy::stats().deferred_errors - before, 2u) << "the third only depends";
    EXPECT_STREQ(caught([] { xlazy::flush(); }).what(), "");
    EXPECT_EQ(lines_of(caught([&] { c.read(0); }))[0].find(at(second)), 0u);
    EXPECT_EQ(lines_of(caught([&] { d.read(0); }))[0].find(at(first)), 0u);
}

TEST(Deferred, EagerModeSaysTheSameAtTheLineItself) {
    const Array<std::int32_t> a({3}, {1, 2, 3});
    const Array<std::int32_t> b({3});
    const auto divide = [&] { assign(b, Op::div, a, 0); };
    divide();
    const deferred_error lazy = caught([&] { b.read(0); });
    const xlazy::mode_scope eager(xlazy::mode::eager);
    const deferred_error at_once = caught(divide);
    EXPECT_EQ(lines_of(lazy)[0], lines_of(at_once)[0]);
    EXPECT_EQ(at_once.flush_origin().line, at_once.origins()[0].line);
    EXPECT_THROW(b.read(0), deferred_error);
}

TEST(Deferred, AFailedInPlaceUpdate) {
    const Array<std::int32_t> a({3}, {1, 2, 3});
    const Array<std::int32_t> b({3}, {0, 0, 0});
    const Array<std::int32_t> copied({3});
    copy(copied, a);
    assign(a, Op::div, a, b);
    EXPECT_THROW(xlazy::flush(), deferred_error);
    EXPECT_THROW(a.read(0), deferred_error);
    EXPECT_EQ(copied.values(), (Ints{1, 2, 3})) << "read before the failing statement";
    EXPECT_EQ(b.values(), (Ints{0, 0, 0}));
}

TEST(Deferred, HeldErrorsAreThrownByTheNextCall) {
    const Array<std::int32_t> a({3}, {1, 2, 3});
    const Array<std::int32_t> b({3});
    assign(b, Op::div, a, 0);
    const here line = here::current();
    const auto* memory = static_cast<const std::int32_t*>(xlazy::rt::base_read_held(b.base(), Reason::iterator, line));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(memory[0] + memory[1] + memory[2], 0);
    EXPECT_THROW(assign(b, Op::add, a, 1), deferred_error);
    assign(b, Op::add, a, 1);
    EXPECT_EQ(b.values(), (Ints{2, 3, 4}));
    EXPECT_EQ(xlazy::rt::base_read_held(b.base(), Reason::iterator, line), b.base()->readable());
    xlazy::rt::throw_held();
}

TEST(Deferred, AThousandFailingBatchesLeaveNothing) {
    const Array<std::int32_t> a({1000}, Ints(1000, 1));
    const auto fail = [&] {
        const Array<std::int32_t> b({1000});
        assign(b, Op::div, a, 0);
        EXPECT_THROW(b.read(0), deferred_error);
    };
    fail();
    // With a sanitizer the allocator says nothing of itself; its leak check does.
    const auto in_use = [] { return mallinfo2().uordblks + xlazy::be::pool_stats().bytes_in_use; };
    for (int i = 0; i < 200; ++i) fail();
    // What a thread's cache of free blocks takes from others' pieces counts as in use, once; what a batch left behind
    // would be there in every round.
    std::size_t least = ~std::size_t{0};
    for (int round = 0; round < 3; ++round) {
        const std::size_t before = in_use();
        for (int i = 0; i < 1000; ++i) fail();
        least = std::min(least, std::max(in_use(), before) - before);
    }
    EXPECT_LE(least, 1024u);
    EXPECT_EQ(a.values(), Ints(1000, 1));
}

}  // namespace
