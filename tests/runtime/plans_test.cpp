// SPDX-License-Identifier: BSD-3-Clause
// How many plans programs need whose lengths, scalars, windows or numbers of repetitions differ.
#include "runtime/array.hpp"
#include "xlazy/deferred_error.hpp"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace test;
using Doubles = std::vector<double>;

/// Plans made while `body` runs.
template <class F>
std::uint64_t missed(F&& body) {
    const std::uint64_t before = xlazy::stats().plans_missed;
    body();
    return xlazy::stats().plans_missed - before;
}

/// One step of the heat equation, and how much it changed.
class Heat {
public:
    Heat(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), grid_({rows, columns}, Doubles(rows * columns, 1.0)) {}

    /// @return how much the step changes, not computed yet
    Array<double> record(double factor) {
        Array<double> delta(Extents{});
        {
            const Array<double> work({inside(rows_), inside(columns_)});
            Statement s(here::current());
            Value sum = load(s, 1, 1);
            for (const auto& [row, column] : {std::pair(0, 1), {1, 0}, {1, 2}, {2, 1}})
                sum = s.apply(Op::add, DType::f64, sum, load(s, row, column));
            s.store(work.all(), s.apply(Op::mul, DType::f64, s.scalar(factor), sum));
            difference(work, delta);
            copy(part(1, 1), work);
        }
        return delta;
    }
    double step(double factor) { return record(factor).read(0); }
    Doubles values() const { return grid_.values(); }

private:
    static std::size_t inside(std::size_t extent) { return extent < 2 ? 0 : extent - 2; }
    Window part(std::int64_t row, std::int64_t column) const {
        return grid_.all().slice(0, row, inside(rows_)).slice(1, column, inside(columns_));
    }
    Value load(Statement& s, std::int64_t row, std::int64_t column) const { return s.load(part(row, column)); }
    void difference(const Window& work, const Window& delta) const {
        Statement s(here::current());
        const Value change = s.apply(Op::sub, DType::f64, s.load(work), load(s, 1, 1));
        s.store(delta, s.reduce(Op::sum, s.apply(Op::abs, DType::f64, change), 3, false));
    }

    std::size_t rows_, columns_;
    Array<double> grid_;
};

TEST(Plans, AThousandLengthsAndAThousandScalars) {
    std::mt19937 random(1);
    std::vector<std::size_t> lengths(1000);
    std::iota(lengths.begin(), lengths.end(), std::size_t{0});
    std::shuffle(lengths.begin(), lengths.end(), random);
    const std::uint64_t plans = missed([&] {
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            Heat heat(lengths[i], std::min(lengths[i], std::size_t{9}));
            heat.step(0.2 + 1e-4 * static_cast<double>(i));
            heat.step(0.2);
        }
        Heat heat(20, 20);
        for (int i = 0; i < 1000; ++i) heat.step(1e-3 * i);
    });
    EXPECT_LE(plans, 8u);
}

TEST(Plans, ALoopOverRows) {
    const std::size_t rows = 10000;
    const Array<double> a({rows, 5}, Doubles(rows * 5, 1.0));
    const auto row = [&](std::size_t i) {
        Window all = a.all();
        return all.slice(0, static_cast<std::int64_t>(i), 1);
    };
    const std::uint64_t read_each = missed([&] {
        for (std::size_t i = 1; i < rows; ++i) {
            assign(row(i), Op::add, row(i), row(i - 1));
            ASSERT_EQ(a.read(i * 5), static_cast<double>(i + 1));
        }
    });
    const std::uint64_t by_chunks = missed([&] {
        for (std::size_t i = 0; i < rows; ++i) {
            assign(row(i), Op::mul, row(i), 0.5);
            if (i % 96 == 95) xlazy::flush();
        }
        xlazy::flush();
    });
    EXPECT_LE(read_each, 3u);
    EXPECT_LE(by_chunks, 3u);
    EXPECT_EQ(a.read(5 * rows - 1), 0.5 * static_cast<double>(rows));
}

/// The same statements on ever other arrays, windows and scalars: only the addresses of a known plan are new.
TEST(Plans, KnownBatchesOnOtherMemory) {
    std::mt19937 random(3);
    std::vector<Array<double>> arrays;
    std::vector<Doubles> expected;
    for (int i = 0; i < 20; ++i) {
        expected.push_back(iota<double>(60, 60.0 * i));
        arrays.push_back(Array<double>({60}, expected.back()));
    }
    const auto known = [&] {
        const std::size_t from = random() % 20, to = (from + 1 + random() % 19) % 20;
        const std::size_t first = random() % 40, second = random() % 40;
        const double factor = static_cast<double>(random() % 100);
        const Window source = arrays[from].all().slice(0, static_cast<std::int64_t>(first), 20);
        const Window target = arrays[to].all().slice(0, static_cast<std::int64_t>(second), 20);
        const Array<double> total(Extents{});
        {
            Statement s(here::current());
            Value value = s.apply(Op::mul, DType::f64, s.load(source), s.scalar(factor));
            const std::size_t extent = 20;
            value = s.apply(Op::add, DType::f64, value, s.cast(s.index(0, 1, &extent), DType::f64));
            s.store(target, s.apply(Op::sub, DType::f64, value, s.load(target)));
        }
        Statement s(here::current());
        s.store(total.all(), s.reduce(Op::amax, s.load(target), 1, false));
        double most = -1e300;
        for (std::size_t i = 0; i < 20; ++i) {
            double& element = expected[to][second + i];
            element = expected[from][first + i] * factor + static_cast<double>(i) - element;
            most = std::max(most, element);
        }
        return std::pair(total, most);
    };
    const std::uint64_t plans = missed([&] {
        for (int round = 0; round < 2000; ++round) {
            const auto [total, most] = known();
            ASSERT_EQ(total.read(0), most) << round;
            for (Doubles& values : expected) {
                if (std::abs(values[0]) < 1e100) continue;
                std::fill(values.begin(), values.end(), 0.0);
                fill(arrays[static_cast<std::size_t>(&values - expected.data())], 0.0);
            }
        }
    });
    for (std::size_t i = 0; i < arrays.size(); ++i) EXPECT_EQ(arrays[i].values(), expected[i]);
    EXPECT_LE(plans, 4u);
}

/// A loop of k iterations, then a read.
template <class Body>
std::uint64_t missed_by_repetitions(Body body) {
    return missed([&] {
        for (int k = 1; k <= 1000; ++k) body(k);
    });
}

TEST(Plans, AnyNumberOfIterations) {
    const Array<double> a({3}, {0, 1, 2}), b({3}, {0, 0, 0});
    double added = 0;
    const std::uint64_t in_place = missed_by_repetitions([&](int k) {
        for (int i = 0; i < k; ++i) assign(a, Op::add, a, 1.0);
        added += k;
        ASSERT_EQ(a.read(2), 2 + added);
    });
    const std::uint64_t two_arrays = missed_by_repetitions([&](int k) {
        fill(b, 1.0);
        for (int i = 0; i < k; ++i) {
            assign(b, Op::add, b, 1.0);
            assign(a, Op::add, a, b);
        }
        assign(b, Op::sub, a, b);
        added += 0.5 * k * (k + 3);
        ASSERT_EQ(b.read(0), added - (k + 1));
    });
    const std::uint64_t new_arrays = missed_by_repetitions([&](int k) {
        Array<double> value = a;
        for (int i = 0; i < k; ++i) {
            const Array<double> next({3});
            assign(next, Op::add, value, 1.0);
            value = next;
        }
        ASSERT_EQ(value.read(1), a.read(1) + k);
    });
    const std::uint64_t steps = missed_by_repetitions([&](int k) {
        Heat heat(5, 5);
        for (int i = 0; i < k; ++i) heat.record(0.2);
        heat.values();
    });
    EXPECT_LE(in_place, 25u);
    EXPECT_LE(two_arrays, 25u);
    EXPECT_LE(new_arrays, 25u);
    EXPECT_LE(steps, 25u);
}

/// Kernels run while `body` runs.
template <class F>
std::uint64_t kernels(F&& body) {
    const std::uint64_t before = xlazy::stats().kernels_run;
    body();
    return xlazy::stats().kernels_run - before;
}

/// (1,n), (n) and (n,1) are one loop; who fails in it is told its place in its own shape.
TEST(Plans, ShapesThatDifferInAxesOfOneIndex) {
    constexpr std::size_t kLength = 50;
    const Array<double> row({1, kLength}, iota<double>(kLength)), flat({kLength}, iota<double>(kLength, 5));
    const Array<double> sum({1, kLength}), square({kLength}), column({kLength, 1});
    const std::uint64_t run = kernels([&] {
        assign(sum, Op::add, row, flat);
        assign(square, Op::mul, flat, flat);
        Window upright = flat.all();
        upright.extents = {kLength, 1};
        upright.strides = {1, 0};
        assign(column, Op::sub, upright, 1.0);
        xlazy::flush();
    });
    EXPECT_EQ(run, 1u);
    for (const std::size_t i : {std::size_t{0}, std::size_t{7}, kLength - 1}) {
        const auto x = static_cast<double>(i);
        EXPECT_EQ(sum.read(i), 2 * x + 5);
        EXPECT_EQ(square.read(i), (x + 5) * (x + 5));
        EXPECT_EQ(column.read(i), x + 4);
    }
    const Array<int> dividends({1, kLength}, iota<int>(kLength)), divisors({kLength}, iota<int>(kLength, -3));
    const Array<int> quotient({1, kLength}), other({kLength});
    assign(quotient, Op::div, dividends, divisors);
    assign(other, Op::add, divisors, divisors);
    try {
        xlazy::flush();
        FAIL() << "nothing was divided by zero";
    } catch (const xlazy::deferred_error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("at element (0,3): 3 / 0"), std::string::npos) << text;
        EXPECT_NE(text.find("(1,50)"), std::string::npos) << text;
    }
    EXPECT_EQ(other.read(4), 2);
}

/// Too small for two threads each; one of them fails.
TEST(Plans, SmallKernelsOfManyLengths) {
    constexpr std::size_t kCount = 30, kLength = 9000;
    for (int round = 0; round < 3; ++round) {
        std::vector<Array<int>> from, to;
        for (std::size_t i = 0; i < kCount; ++i) {
            const auto first = i == 17 ? -4000 : 1;
            from.emplace_back(Extents{kLength + i}, iota<int>(kLength + i, first));
            to.emplace_back(Extents{kLength + i});
        }
        const std::uint64_t run = kernels([&] {
            for (std::size_t i = 0; i < kCount; ++i) assign(to[i], Op::div, from[i], from[i]);
            try {
                xlazy::flush();
                FAIL() << "nothing was divided by zero";
            } catch (const xlazy::deferred_error& error) {
                EXPECT_NE(std::string(error.what()).find("at element (4000): 0 / 0"), std::string::npos)
                    << error.what();
            }
        });
        EXPECT_EQ(run, kCount);
        for (std::size_t i = 0; i < kCount; ++i) {
            if (i == 17) {
                EXPECT_THROW(to[i].read(0), xlazy::deferred_error);
            } else {
                EXPECT_EQ(to[i].values(), std::vector<int>(kLength + i, 1));
            }
        }
    }
}

}  // namespace
