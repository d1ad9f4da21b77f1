// SPDX-License-Identifier: BSD-3-Clause
// Library calls as kernels: operands of any strides, results of any strides, failures as traps.
#include "backends/test_kernel.hpp"

#include <algorithm>
#include <numeric>

namespace xlazy::test {
namespace {

/// A call on windows; the last one is the result.
class Call : public TestKernel {
public:
    Call() : TestKernel({}) {}

    void operand(std::uint32_t view) { in_.push_back(load(view)); }
    void run_to(Op op, std::uint32_t view, unsigned axis = 0) {
        MicroOp call;
        call.kind = MicroOp::Kind::ReduceView;
        call.op = op;
        call.type = kernel.ops[in_[0]].result;
        call.result = program.bases[program.views[view].base].type;
        call.axis = static_cast<std::uint8_t>(axis);
        std::copy(in_.begin(), in_.end(), call.in);
        call.index = view;
        call.instruction = 7;
        kernel.ops.push_back(call);
    }

private:
    std::vector<ValueId> in_;
};

/// Runs on both back ends, which must agree but for rounding. @return the reference's outcome
TestKernel::Outcome outcome_of(const Call& call) {
    const auto reference = call.run(*be::make_interpreter());
    const auto threaded = call.run(*be::make_openmp(2));
    EXPECT_EQ(reference.traps.size(), threaded.traps.size());
    return threaded;
}

std::vector<double> numbers(std::size_t count, int seed) {
    std::vector<double> values(count);
    std::mt19937 random(static_cast<unsigned>(seed));
    for (double& value : values) value = static_cast<double>(random() % 2001) / 1000 - 1;
    return values;
}

/// How a matrix of m rows and n columns lies in memory that is larger than it.
struct Lie {
    std::int64_t offset, down, across;
};

TEST(Library, ProductsTakeOperandsAsTheyLie) {
    constexpr std::int64_t m = 5, k = 7, n = 3, room = 400;
    const Lie lies[] = {{0, 0, 1}, {3, 1, 0}, {17, 20, 2}, {390, -20, -2}, {60, -11, 1}, {9, 0, 0}};
    for (const Lie& first : lies) {
        for (const Lie& second : lies) {
            Call call;
            const auto a = numbers(room, 1), b = numbers(room, 2);
            const auto dims = [](const Lie& lie, std::int64_t rows, std::int64_t columns) {
                const std::int64_t down = lie.down == 0 ? columns : lie.down,
                                   across = lie.across == 0 ? rows : lie.across;
                return std::vector<bc::Dim>{{rows, down}, {columns, across}};
            };
            const auto x = dims(first, m, k), y = dims(second, k, n);
            call.operand(call.view(call.base_of(a), first.offset, x));
            call.operand(call.view(call.base_of(b), second.offset, y));
            const std::uint32_t out = call.base(DType::f64, 60);
            call.run_to(Op::matmul, call.view(out, 1, {{m, 2}, {n, 13}}));
            const auto result = TestKernel::values<double>(outcome_of(call).bases[out]);
            for (std::int64_t i = 0; i < m; ++i) {
                for (std::int64_t j = 0; j < n; ++j) {
                    double sum = 0;
                    for (std::int64_t l = 0; l < k; ++l) {
                        sum += a[static_cast<std::size_t>(first.offset + i * x[0].stride + l * x[1].stride)] *
                               b[static_cast<std::size_t>(second.offset + l * y[0].stride + j * y[1].stride)];
                    }
                    ASSERT_NEAR(result[static_cast<std::size_t>(1 + i * 2 + j * 13)], sum, 1e-13);
                }
            }
        }
    }
}

TEST(Library, VectorsAreRowsInFrontAndColumnsBehind) {
    for (const bool integers : {false, true}) {
        Call call;
        const std::vector<double> a = {1, 2, 3}, b = {4, 5, 6, 7, 8, 9};
        const std::vector<std::int32_t> ia(a.begin(), a.end()), ib(b.begin(), b.end());
        call.operand(call.dense(integers ? call.base_of(ia) : call.base_of(a), {3}));
        call.operand(call.dense(integers ? call.base_of(ib) : call.base_of(b), {3, 2}));
        const std::uint32_t out = call.base(integers ? DType::i32 : DType::f64, 2);
        call.run_to(Op::matmul, call.dense(out, {2}));
        const auto outcome = outcome_of(call);
        const auto& bytes = outcome.bases[out];
        if (integers)
            EXPECT_EQ(TestKernel::values<std::int32_t>(bytes), (std::vector<std::int32_t>{40, 46}));
        else
            EXPECT_EQ(TestKernel::values<double>(bytes), (std::vector<double>{40, 46}));
    }
}

TEST(Library, ASingularMatrixIsATrap) {
    for (const Op op : {Op::solve, Op::inverse}) {
        Call call;
        call.operand(call.dense(call.base_of(std::vector<double>{1, 2, 2, 4}), {2, 2}));
        if (op == Op::solve) call.operand(call.dense(call.base_of(std::vector<double>{1, 1}), {2}));
        const std::uint32_t out = call.base_of(std::vector<double>{9, 9, 9, 9});
        call.run_to(op, op == Op::solve ? call.dense(out, {2}) : call.dense(out, {2, 2}));
        const auto outcome = outcome_of(call);
        ASSERT_EQ(outcome.traps.size(), 1u);
        EXPECT_EQ(outcome.traps[0].instruction, 7u);
    }
}

TEST(Library, WhatIsNotPositiveHasNoCholeskyFactorAndWhatIsNotFiniteNoSingularValues) {
    Call negative;
    negative.operand(negative.dense(negative.base_of(std::vector<double>{1, 2, 2, 1}), {2, 2}));
    negative.run_to(Op::cholesky, negative.dense(negative.base(DType::f64, 4), {2, 2}));
    EXPECT_EQ(outcome_of(negative).traps.size(), 1u);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Op op : {Op::svd, Op::eig, Op::eigh}) {
        Call call;
        call.operand(call.dense(call.base_of(std::vector<double>{1, nan, 2, 4}), {2, 2}));
        call.run_to(op, call.dense(call.base(op == Op::eig ? DType::c128 : DType::f64, 2), {2}));
        EXPECT_EQ(outcome_of(call).traps.size(), 1u) << bc::name_of(op);
    }
}

template <class T>
std::vector<T> many(std::size_t count, unsigned range) {
    std::vector<T> values(count);
    std::mt19937 random(3);
    for (T& value : values) value = static_cast<T>(random() % range);
    return values;
}

/// Short lines and long ones, which two threads sort together.
TEST(Library, SortsAlongEveryAxis) {
    const Extents shapes[] = {{7}, {3, 50}, {50, 3}, {4, 5, 6}, {70000}, {40000, 2}, {0, 3}};
    for (const Extents& shape : shapes) {
        const auto count = static_cast<std::size_t>(bc::element_count(shape));
        const auto values = many<std::int32_t>(count, 1000);
        for (unsigned axis = 0; axis < shape.size(); ++axis) {
            Call sort, order;
            for (Call* call : {&sort, &order}) call->operand(call->dense(call->base_of(values), shape));
            const std::uint32_t out = sort.base(DType::i32, static_cast<std::int64_t>(count));
            sort.run_to(Op::sort, sort.dense(out, shape), axis);
            const std::uint32_t places = order.base(DType::u64, static_cast<std::int64_t>(count));
            order.run_to(Op::argsort, order.dense(places, shape), axis);
            const auto sorted = TestKernel::values<std::int32_t>(outcome_of(sort).bases[out]);
            const auto positions = TestKernel::values<std::uint64_t>(outcome_of(order).bases[places]);
            std::int64_t inner = 1;
            for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
            const std::int64_t n = shape[axis];
            for (std::int64_t line = 0; line < static_cast<std::int64_t>(count) / std::max<std::int64_t>(n, 1);
                 ++line) {
                const std::int64_t first = line / inner * n * inner + line % inner;
                const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(first + i * inner); };
                std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
                std::iota(expected.begin(), expected.end(), 0);
                std::stable_sort(expected.begin(), expected.end(),
                                 [&](auto a, auto b) { return values[at(a)] < values[at(b)]; });
                for (std::int64_t i = 0; i < n; ++i) {
                    const std::int64_t place = expected[static_cast<std::size_t>(i)];
                    ASSERT_EQ(positions[at(i)], static_cast<std::uint64_t>(place));
                    ASSERT_EQ(sorted[at(i)], values[at(place)]);
                }
            }
        }
    }
}

TEST(Library, NaNsComeLast) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    Call call;
    call.operand(call.dense(call.base_of(std::vector<double>{nan, 2, -inf, nan, inf, -1}), {6}));
    const std::uint32_t out = call.base(DType::f64, 6);
    call.run_to(Op::sort, call.dense(out, {6}));
    const auto sorted = TestKernel::values<double>(outcome_of(call).bases[out]);
    EXPECT_EQ((std::vector<double>{sorted.begin(), sorted.begin() + 4}), (std::vector<double>{-inf, -1, 2, inf}));
    EXPECT_TRUE(std::isnan(sorted[4]) && std::isnan(sorted[5]));
}

TEST(Library, Searches) {
    for (const unsigned right : {0u, 1u}) {
        Call call;
        call.operand(call.dense(call.base_of(std::vector<double>{1, 2, 2, 5}), {4}));
        call.operand(call.dense(call.base_of(std::vector<double>{0, 2, 3, 5, 9, 1}), {2, 3}));
        const std::uint32_t out = call.base(DType::u64, 6);
        call.run_to(Op::searchsorted, call.dense(out, {2, 3}), right);
        const std::vector<std::uint64_t> expected =
            right == 0 ? std::vector<std::uint64_t>{0, 1, 3, 3, 4, 0} : std::vector<std::uint64_t>{0, 3, 3, 4, 4, 1};
        EXPECT_EQ(TestKernel::values<std::uint64_t>(outcome_of(call).bases[out]), expected);
    }
    Call member;
    member.operand(member.dense(member.base_of(std::vector<std::int32_t>{4, 1, 7, 4}), {4}));
    member.operand(member.dense(member.base_of(std::vector<std::int32_t>{7, 4, 4}), {3}));
    const std::uint32_t out = member.base(DType::boolean, 4);
    member.run_to(Op::isin, member.dense(out, {4}));
    EXPECT_EQ(TestKernel::values<bool>(outcome_of(member).bases[out]), (std::vector<bool>{true, false, true, true}));
    Call bins;
    bins.operand(bins.dense(bins.base_of(std::vector<double>{0, 0.5, 1, 2.9, 3, 3.1, -1}), {7}));
    bins.operand(bins.dense(bins.base_of(std::vector<double>{0, 1, 2, 3}), {4}));
    bins.operand(bins.dense(bins.base_of(std::vector<double>{1, 1, 2, 1, 4, 9, 9}), {7}));
    const std::uint32_t sums = bins.base(DType::f64, 3);
    bins.run_to(Op::histogram, bins.dense(sums, {3}));
    EXPECT_EQ(TestKernel::values<double>(outcome_of(bins).bases[sums]), (std::vector<double>{2, 2, 5}));
}

}  // namespace
}  // namespace xlazy::test
