// SPDX-License-Identifier: BSD-3-Clause
// Allocation failure: the statements that need the memory fail, everything else has its value.
#include "runtime/array.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test;
using Doubles = std::vector<double>;
using xlazy::deferred_error;

class OutOfMemory : public testing::Test {
protected:
    OutOfMemory() { xlazy::flush(); }  // the first use of the run time sets the limit of the environment
    /// Lets the pool hand out this many bytes more.
    static void leave(std::size_t bytes) { xlazy::be::pool_set_limit(xlazy::be::pool_stats().bytes_in_use + bytes); }
    ~OutOfMemory() override {
        xlazy::be::pool_set_limit(0);
        try {
            xlazy::flush();
        } catch (const deferred_error&) {
            ADD_FAILURE() << "an error was left behind";
        }
    }
    static std::string at(int line) { return std::string(__FILE__) + ':' + std::to_string(line); }
};

constexpr std::size_t kLarge = 1 << 20;

TEST_F(OutOfMemory, TheMessageNamesLineShapeAndBytes) {
    const Array<double> small({4}, {1, 2, 3, 4});
    const Array<double> large({1024, 1024}), other({4});
    assign(other, Op::add, small, 1.0);
    fill(large, 3.0);
    const int line = __LINE__ - 1;
    leave(64 << 10);
    try {
        xlazy::flush();
        FAIL();
    } catch (const deferred_error& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find(at(line) + ": out of memory in allocate: f64(1024,1024) needs 8388608 bytes"), 0u) << text;
        EXPECT_EQ(error.operation(), "allocate");
    }
    EXPECT_EQ(other.values(), (Doubles{2, 3, 4, 5}));
    EXPECT_THROW(large.read(0), deferred_error);
    xlazy::be::pool_set_limit(0);
    EXPECT_THROW(large.read(0), deferred_error) << "the error stays with the array";
    fill(large, 4.0);
    EXPECT_EQ(large.read(kLarge - 1), 4.0);
}

TEST_F(OutOfMemory, OutputsOfTheSameKernelKeepTheirValues) {
    const Array<float> source({kLarge}, std::vector<float>(kLarge, 2));
    const Array<float> first({kLarge});
    const Array<double> second({kLarge});
    const Array<float> third({kLarge}), fourth({kLarge});
    const auto run = [&] {
        assign(first, Op::add, source, 1.0f);
        copy(second, first);
        assign(third, Op::mul, first, 10.0f);
        Statement s(here::current());
        const Value sum = s.apply(Op::add, DType::f64, s.load(second.all()), s.scalar(1.0));
        s.store(fourth.all(), sum);
    };
    run();
    leave(3 * 4 * kLarge + (64 << 10));  // enough for three arrays of floats, not for the doubles as well
    EXPECT_THROW(xlazy::flush(), deferred_error);
    const auto good = [](const Array<float>& array, float value) {
        try {
            return array.read(0) == value && array.read(kLarge - 1) == value;
        } catch (const deferred_error&) {
            return false;
        }
    };
    const auto failed = [](const auto& array) {
        try {
            array.read(0);
        } catch (const deferred_error&) {
            return true;
        }
        return false;
    };
    // Which of them found memory is the plan's business; but no value is wrong, and what depends on a missing one
    // fails.
    EXPECT_TRUE(good(first, 3) || failed(first));
    EXPECT_TRUE(good(third, 30) || failed(third));
    EXPECT_TRUE(failed(second) || second.read(7) == 3.0);
    EXPECT_EQ(failed(fourth), failed(second) || !good(fourth, 4));
    EXPECT_TRUE(failed(first) || failed(second) || failed(third) || failed(fourth));
    EXPECT_TRUE(good(first, 3) || good(third, 30) || good(fourth, 4)) << "there was memory for some";
    EXPECT_EQ(source.read(5), 2.0f);
    xlazy::be::pool_set_limit(0);
    run();
    EXPECT_TRUE(good(first, 3) && good(third, 30) && good(fourth, 4));
    EXPECT_EQ(second.read(kLarge - 1), 3.0);
}

TEST_F(OutOfMemory, AChainBehindAMissingArrayFailsAsAWhole) {
    const Array<double> a({kLarge}), b({kLarge}), c({8});
    const std::size_t row[] = {8};
    fill(a, 1.0);
    const int line = __LINE__ - 1;
    assign(b, Op::add, a, 1.0);
    copy(c, b.all().slice(0, 0, row[0]));
    leave(4096);
    EXPECT_THROW(xlazy::flush(), deferred_error);
    try {
        c.read(0);
        FAIL();
    } catch (const deferred_error& error) {
        EXPECT_EQ(std::string(error.what()).find(at(line)), 0u) << error.what();
    }
}

/// results[k] <- 16 elements of a large temporary of its own, which no kernel can do without: one of its windows goes
/// backwards, so it cannot be made in chunks either.
void through_temporaries(const Array<double>& source, const std::vector<Array<double>>& results, here line) {
    for (std::size_t k = 0; k < results.size(); ++k) {
        const Array<double> temporary({kLarge});
        assign(temporary, Op::add, source, static_cast<double>(k), line);
        assign(results[k], Op::add, temporary.all().slice(0, 20, 16, -1), temporary.all().slice(0, 1000, 16), line);
    }
}

TEST_F(OutOfMemory, ABatchWhoseTemporariesDoNotFitRunsInPieces) {
    const Array<double> source({kLarge}, iota<double>(kLarge));
    std::vector<Array<double>> results;
    for (int k = 0; k < 5; ++k) results.emplace_back(Extents{16});
    const auto flushed = [&] {
        through_temporaries(source, results, here::current());
        xlazy::be::pool_reset_peak();
        const std::uint64_t before = xlazy::be::pool_stats().bytes_in_use, kernels = xlazy::stats().kernels_run;
        xlazy::flush();
        for (std::size_t k = 0; k < results.size(); ++k)
            EXPECT_EQ(results[k].read(3), 2.0 * static_cast<double>(k) + 17 + 1003);
        return std::pair(xlazy::be::pool_stats().bytes_in_use_peak - before, xlazy::stats().kernels_run - kernels);
    };
    const auto [whole, kernels] = flushed();
    EXPECT_GE(whole, 5 * 8 * kLarge) << "all temporaries live at a time: otherwise this test tests nothing";
    leave(2 * 8 * kLarge + (64 << 10));
    const auto [halves, more_kernels] = flushed();
    EXPECT_LE(halves, 2 * 8 * kLarge + (64 << 10));
    EXPECT_GT(more_kernels, kernels);
    leave(8 * kLarge + (64 << 10));
    EXPECT_LE(flushed().first, 8 * kLarge + (64 << 10));
    leave(8 * kLarge - 4096);
    through_temporaries(source, results, here::current());
    EXPECT_THROW(xlazy::flush(), deferred_error);
    for (const Array<double>& result : results) EXPECT_THROW(result.read(0), deferred_error);
}

TEST_F(OutOfMemory, PiecesSeeEachOthersWritesAndErrors) {
    const Array<double> source({kLarge}, iota<double>(kLarge));
    const Array<double> one({16}), two({16}), kept({kLarge});
    const Array<std::int32_t> numbers({4}, {1, 2, 3, 4}), zeros({4}, {0, 1, 0, 1}), quotients({4}), sums({4});
    const auto run = [&] {
        for (int k = 0; k < 3; ++k) {
            through_temporaries(source, {one}, here::current());
            assign(two, Op::add, one, 1.0);  // one is overwritten by a later piece
            assign(kept, k == 0 ? Op::add : Op::mul, k == 0 ? source : kept, 2.0);
            if (k == 0) assign(quotients, Op::div, numbers, zeros);  // fails
        }
        assign(sums, Op::add, quotients, 1);
    };
    leave(2 * 8 * kLarge + (64 << 10));
    run();
    const int line = __LINE__ - 6;
    try {
        xlazy::flush();
        FAIL();
    } catch (const deferred_error& error) {
        EXPECT_EQ(std::string(error.what()).find(at(line)), 0u) << error.what();
    }
    EXPECT_EQ(one.read(3), 17 + 1003);
    EXPECT_EQ(two.read(3), 17 + 1003 + 1);
    EXPECT_EQ(kept.read(10), (10 + 2) * 4);
    EXPECT_THROW(quotients.read(0), deferred_error);
    EXPECT_THROW(sums.read(1), deferred_error);
}

constexpr std::size_t kRows = 1024, kColumns = 1024;  // kLarge elements

/// Runs what `record` records with all the memory that it wants, and again with `left` bytes beyond what there is: the
/// same values. @return how many more kernels run then
template <class F>
std::uint64_t with_little_memory(std::uint64_t left, const Array<double>& result, F&& record) {
    const auto kernels_of = [&] {
        const std::uint64_t before = xlazy::stats().kernels_run;
        xlazy::flush();
        return xlazy::stats().kernels_run - before;
    };
    xlazy::flush();
    record();
    const std::uint64_t kernels = kernels_of();
    const Doubles expected = result.values();
    for (std::size_t i = 0; i < expected.size(); i += 7) result.write(i, -1.0);
    record();
    xlazy::be::pool_set_limit(xlazy::be::pool_stats().bytes_in_use + left);
    const std::uint64_t more = kernels_of() - kernels;
    xlazy::be::pool_set_limit(0);
    EXPECT_EQ(result.values(), expected);
    return more;
}

TEST_F(OutOfMemory, AStatementWhoseTemporaryDoesNotFitRunsInChunks) {
    const Array<double> a({kRows, kColumns}, iota<double>(kLarge, 0.25)), b({kRows, kColumns}, Doubles(kLarge, 1.0));
    // b <- e / sum(e, axis) with e = a * a + 1; e is needed twice
    for (const std::size_t axis : {std::size_t{1}, std::size_t{0}}) {
        with_little_memory(700 << 10, b, [&] {
            Statement s(here::current());
            const Value x = s.load(a.all());
            const Value e = s.apply(Op::add, DType::f64, s.apply(Op::mul, DType::f64, x, x), s.scalar(1.0));
            s.store(b.all(), s.apply(Op::div, DType::f64, e, s.reduce(Op::sum, e, 1u << axis, true)));
        });
    }
}

TEST_F(OutOfMemory, StatementsThatReadShiftedTemporariesRunInChunks) {
    const Array<double> a({kRows, kColumns}, iota<double>(kLarge, 0.25));
    const Array<double> b({kRows - 2, kColumns - 2}, Doubles((kRows - 2) * (kColumns - 2), 1.0));
    const std::uint64_t more_kernels = with_little_memory(300 << 10, b, [&] {
        const Array<double> root({kRows, kColumns});
        {
            Statement s(here::current());
            s.store(root.all(), s.apply(Op::sqrt, DType::f64, s.load(a.all())));
        }
        const auto part = [&](std::int64_t row, std::int64_t column) {
            return root.all().slice(0, row, kRows - 2).slice(1, column, kColumns - 2);
        };
        Statement s(here::current());
        Value sum = s.load(part(1, 1));
        for (const auto& [row, column] : {std::pair(0, 1), {1, 0}, {1, 2}, {2, 1}})
            sum = s.apply(Op::add, DType::f64, sum, s.load(part(row, column)));
        s.store(b.all(), sum);
    });
    EXPECT_GT(more_kernels, 0u) << "nothing ran in chunks";
}

/// What a flush throws; empty if nothing.
std::string text_of_flush() {
    try {
        xlazy::flush();
    } catch (const deferred_error& error) {
        return error.what();
    }
    return "";
}

/// Gathered from a table, and scattered so that most elements are written several times.
TEST_F(OutOfMemory, ElementsByTheirNumbersRunInChunks) {
    std::vector<std::int64_t> places(kLarge);
    for (std::size_t i = 0; i < kLarge; ++i) places[i] = static_cast<std::int64_t>(i * 7919 % 1000);
    const Array<std::int64_t> numbers({kRows, kColumns}, places);
    const Array<double> table({1000}, iota<double>(1000, 0.25)), result({1000}, Doubles(1000, 1.0));
    const std::uint64_t more_kernels = with_little_memory(300 << 10, result, [&] {
        const Array<double> picked({kRows, kColumns});
        {
            Statement s(here::current());
            s.store(picked.all(), s.gather(table.all(), s.load(numbers.all())));
        }
        const auto rows = [&](const Array<double>& a, std::int64_t first) {
            return a.all().slice(0, first, kRows - 1);
        };
        Statement s(here::current());
        const Value sum = s.apply(Op::sub, DType::f64, s.load(rows(picked, 0)), s.load(rows(picked, 1)));
        s.scatter(result.all(), sum, s.load(numbers.all().slice(0, 1, kRows - 1)));
    });
    EXPECT_GT(more_kernels, 0u) << "nothing ran in chunks";
}

TEST_F(OutOfMemory, AnIndexInAChunkIsThatOfTheWhole) {
    std::vector<std::int64_t> places(kLarge, 5);
    places[700 * kColumns + 5] = 1000;
    places[900 * kColumns] = -1;
    const Array<std::int64_t> numbers({kRows, kColumns}, places);
    const Array<double> table({1000}, iota<double>(1000, 0.25)), b({kRows - 1, kColumns});
    const auto message = [&] {
        {
            const Array<double> picked({kRows, kColumns});
            {
                Statement s(here::current());
                s.store(picked.all(), s.gather(table.all(), s.in_range(s.load(numbers.all()), 1000, 0)));
            }
            assign(b, Op::add, picked.all().slice(0, 0, kRows - 1), picked.all().slice(0, 1, kRows - 1));
        }
        return text_of_flush();
    };
    const std::string whole = message();
    EXPECT_NE(whole.find("index 1000"), std::string::npos) << whole;
    EXPECT_NE(whole.find("(700,5)"), std::string::npos) << whole;
    const auto before = xlazy::stats().kernels_run;
    leave(300 << 10);
    EXPECT_EQ(message(), whole);
    EXPECT_GT(xlazy::stats().kernels_run - before, 4u) << "nothing ran in chunks";
}

TEST_F(OutOfMemory, AnErrorInAChunkIsThatOfTheWhole) {
    std::vector<std::int32_t> divisors(kLarge, 3);
    divisors[700 * kColumns + 5] = divisors[700 * kColumns + 9] = divisors[900 * kColumns] = 0;
    const Array<std::int32_t> a({kRows, kColumns}, iota<std::int32_t>(kLarge)), zeros({kRows, kColumns}, divisors);
    const Array<std::int32_t> b({kRows - 1, kColumns});
    const auto message = [&] {
        {
            const Array<std::int32_t> quotient({kRows, kColumns});
            assign(quotient, Op::div, a, zeros);
            assign(b, Op::add, quotient.all().slice(0, 0, kRows - 1), quotient.all().slice(0, 1, kRows - 1));
        }
        return text_of_flush();
    };
    const std::string whole = message();
    EXPECT_NE(whole.find("700"), std::string::npos) << whole;
    leave(200 << 10);
    EXPECT_EQ(message(), whole);
}

TEST_F(OutOfMemory, TheMessageListsLiveArraysAndTheirLines) {
    const Array<double> held({kLarge});
    fill(held, 1.0);
    const int held_line = __LINE__ - 1;
    xlazy::flush();
    const Array<float> host({2 * kLarge}, std::vector<float>(2 * kLarge, 2));
    const int host_line = __LINE__ - 1;
    leave(4096);
    const Array<double> large({kLarge});
    fill(large, 3.0);
    std::string text;
    try {
        xlazy::flush();
        ADD_FAILURE();
    } catch (const deferred_error& error) {
        text = error.what();
    }
    const std::string bytes = std::to_string(8 * kLarge);
    EXPECT_NE(text.find(bytes + " bytes: 1048576 elements of f64, made at " + at(held_line)), std::string::npos)
        << text;
    EXPECT_NE(text.find(bytes + " bytes: 2097152 elements of f32, made at " + at(host_line)), std::string::npos)
        << text;
    EXPECT_NE(text.find(" that XLAZY_MEMORY_LIMIT allows"), std::string::npos) << text;
}

TEST_F(OutOfMemory, TheHostsOwnAllocations) {
    const Array<double> large({kLarge});
    leave(4096);
    EXPECT_THROW(large.read(0), std::bad_alloc);
    const here line = here::current();
    const void* const memory = xlazy::rt::base_read_held(large.base(), Reason::iterator, line);
    EXPECT_EQ(static_cast<const double*>(memory)[kLarge - 1], 0.0);
    EXPECT_THROW(xlazy::rt::throw_held(), std::bad_alloc);
    xlazy::rt::throw_held();
}

}  // namespace
