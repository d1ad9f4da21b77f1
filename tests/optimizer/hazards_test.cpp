// SPDX-License-Identifier: BSD-3-Clause
// Wrong results that lazy array libraries were reported to give. Each with every subset of the passes, with the right
// values.
#include "batch.hpp"
#include "byte_machine.hpp"
#include "token_machine.hpp"

#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace xlazy {
namespace {

using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;
using Values = std::vector<double>;

class Hazards : public testing::Test, protected Batch {
protected:
    /// An array that has these values before the batch, and lives on.
    std::uint32_t input(const Values& values) {
        const std::uint32_t b = base(static_cast<std::int64_t>(values.size()), Use::Kept);
        inputs_[b] = values;
        return b;
    }

    /// An array that has these values before the batch, and dies.
    std::uint32_t dying(const Values& values) {
        const std::uint32_t b = base(static_cast<std::int64_t>(values.size()), Use::Input);
        inputs_[b] = values;
        return b;
    }

    /// What an array holds after the batch, the same for all passes.
    void expect(std::uint32_t base, const Values& expected) {
        for (const opt::PassSet set : test::pass_sets()) {
            const bc::Plan plan = opt::make_plan(program, {set, true, {}});
            const std::uint32_t passes = set.bits;
            EXPECT_EQ(test::check_plan(opt::make_plan(program, test::token_options(set)), program), "") << passes;
            for (const auto& backend : {be::make_interpreter(), be::make_openmp(1)}) {
                EXPECT_EQ(run(plan, *backend)[base], expected) << passes;
            }
        }
    }

    bc::Plan best_plan() const { return opt::make_plan(program, {}); }

    static test::Bytes bytes_of(const Values& values) {
        test::Bytes bytes(values.size() * sizeof(double));
        std::memcpy(bytes.data(), values.data(), bytes.size());
        return bytes;
    }

    std::vector<Values> run(const bc::Plan& plan, be::Backend& backend, std::uint64_t geometry = 0) {
        std::map<std::uint32_t, test::Bytes> inputs;
        for (const auto& [base, values] : inputs_) inputs[base] = bytes_of(values);
        std::vector<Values> result;
        for (const test::Bytes& bytes : test::run_bytes(plan, program, inputs, backend, geometry).bases) {
            result.emplace_back(bytes.size() / sizeof(double));
            std::memcpy(result.back().data(), bytes.data(), bytes.size());
        }
        return result;
    }

    std::map<std::uint32_t, Values> inputs_;
};

/// l = a * 2 in a register, d = c, e = l: d gets the memory of a and e that of c, if nobody else has it. What was bound
/// for the one case is not right for the other.
TEST_F(Hazards, ADonorThatIsGivenTheSecondTime) {
    const Extents extents{4};
    const std::uint32_t d = domain(extents), a = dying({1, 2, 3, 4}), c = dying({10, 20, 30, 40});
    const auto all = [&](std::uint32_t b) { return view(b, 0, {{4, 1}}); };
    const Operand l = add(Op::mul, d, all(base(4, Use::Local)), {all(a), scalar(2.0)});
    const std::uint32_t first = base(4, Use::Live), second = base(4, Use::Live);
    add(Op::copy, d, all(first), {all(c)});
    add(Op::copy, d, all(second), {l});
    const bc::Plan gives = best_plan();
    bc::Plan changed = gives;
    bool given = false;
    for (bc::Step& step : changed.steps) {
        given = given || step.donor.kind != bc::Storage::Kind::None;
        step.donor = {};
    }
    EXPECT_TRUE(given) << bc::print(gives);
    const bc::Plan& keeps = changed;
    const auto openmp = be::make_openmp(1);
    for (const bc::Plan* plan : {&keeps, &gives, &keeps, &gives}) {
        const std::vector<Values> values = run(*plan, *openmp, 77);
        EXPECT_EQ(values[first], (Values{10, 20, 30, 40}));
        EXPECT_EQ(values[second], (Values{2, 4, 6, 8}));
    }
}

/// x[2:6] = x[1:5] + 1
TEST_F(Hazards, W03DestinationOverlapsSource) {
    const std::uint32_t x = input({0, 1, 2, 3, 4, 5, 6, 7});
    add(Op::add, domain({4}), view(x, 2, {{4, 1}}), {view(x, 1, {{4, 1}}), scalar(1.0)});
    expect(x, {0, 1, 2, 3, 4, 5, 6, 7});
    EXPECT_EQ(best_plan().kernels.size(), 1u);
    EXPECT_EQ(best_plan().scratch.size(), 0u);
}

/// b[3:5, 0:2] = b[3:5, 2:4]: their bounding boxes overlap in memory, the windows do not
TEST_F(Hazards, W03DisjointColumnsNeedNoTemporary) {
    Values values(24), expected(24);
    std::iota(values.begin(), values.end(), 0.0);
    expected = values;
    for (const std::size_t row : {3u, 4u}) {
        for (const std::size_t column : {0u, 1u}) expected[row * 4 + column] = values[row * 4 + column + 2];
    }
    const std::uint32_t b = input(values);
    add(Op::copy, domain({2, 2}), view(b, 12, {{2, 4}, {2, 1}}), {view(b, 14, {{2, 4}, {2, 1}})});
    expect(b, expected);
    EXPECT_EQ(best_plan().scratch.size(), 0u);
    EXPECT_EQ(best_plan().kernels.size(), 1u);
}

/// a /= view(a, 0, all())
TEST_F(Hazards, W04DivideByOwnRow) {
    const std::uint32_t a = input({2, 4, 6, 8, 1, 1});
    const Operand whole = view(a, 0, {{3, 2}, {2, 1}});
    add(Op::div, domain({3, 2}), whole, {whole, view(a, 0, {{2, 1}})});
    expect(a, {1, 1, 3, 2, .5, .25});
}

/// x += transpose(x)
TEST_F(Hazards, W05AddOwnTranspose) {
    const std::uint32_t x = input({1, 2, 3, 4});
    const Operand whole = view(x, 0, {{2, 2}, {2, 1}});
    add(Op::add, domain({2, 2}), whole, {whole, view(x, 0, {{2, 1}, {2, 2}})});
    expect(x, {2, 5, 5, 8});
}

/// v = view(x, all()); y = v * 2; x(1) = 0 through x itself, which is another view of the same array
TEST_F(Hazards, W08AliasIsReadBeforeTheArrayChanges) {
    const std::uint32_t x = input({1, 2, 3}), y = base(3, Use::Live);
    const std::uint32_t d = domain({3});
    add(Op::mul, d, view(y, 0, {{3, 1}}), {view(x, 0, {{3, 1}}), scalar(2.0)});
    add(Op::copy, domain({1, 1}), view(x, 1, {{1, 3}, {1, 1}}), {scalar(0.0)});
    expect(y, {2, 4, 6});
    expect(x, {1, 0, 3});
}

/// ones({2, 1}) * 1.0, and its columns repeated
TEST_F(Hazards, W19BroadcastOperandsOfExtentOne) {
    const std::uint32_t ones = base(2, Use::Local), scaled = base(2, Use::Live), wide = base(6, Use::Live);
    const std::uint32_t column = domain({2, 1});
    add(Op::copy, column, view(ones, 0, {{2, 1}, {1, 0}}), {scalar(1.0)});
    add(Op::mul, column, view(scaled, 0, {{2, 1}, {1, 0}}), {view(ones, 0, {{2, 1}, {1, 0}}), scalar(1.0)});
    add(Op::mul, domain({2, 3}), view(wide, 0, {{2, 3}, {3, 1}}), {view(scaled, 0, {{2, 1}, {1, 0}}), scalar(3.0)});
    expect(scaled, {1, 1});
    expect(wide, {3, 3, 3, 3, 3, 3});
}

/// arange(4) + ones({1}): the array of one element dies in the batch
TEST_F(Hazards, W19ArrayOfOneElementIsRepeated) {
    const std::uint32_t one = base(1, Use::Local), sum = base(4, Use::Live), range = input({0, 1, 2, 3});
    add(Op::copy, domain({1}), view(one, 0, {{1, 0}}), {scalar(1.0)});
    add(Op::add, domain({4}), view(sum, 0, {{4, 1}}), {view(range, 0, {{4, 1}}), view(one, 0, {{1, 0}})});
    expect(sum, {1, 2, 3, 4});
}

/// u[1:3] = a; v[1:3] = a2, both u and v copies of one array
TEST_F(Hazards, W23TwoUpdatesOfCopies) {
    const std::uint32_t x = input({0, 0, 0, 0}), a = input({1, 2}), a2 = input({3, 4});
    const std::uint32_t u = base(4, Use::Live), v = base(4, Use::Live);
    const std::uint32_t whole = domain({4}), inner = domain({2});
    for (const std::uint32_t copy : {u, v}) add(Op::copy, whole, view(copy, 0, {{4, 1}}), {view(x, 0, {{4, 1}})});
    add(Op::copy, inner, view(u, 1, {{2, 1}}), {view(a, 0, {{2, 1}})});
    add(Op::copy, inner, view(v, 1, {{2, 1}}), {view(a2, 0, {{2, 1}})});
    expect(u, {0, 1, 2, 0});
    expect(v, {0, 3, 4, 0});
    expect(x, {0, 0, 0, 0});
}

/// u = a + 1; v = a * 2, and a dies: one of them may have a's memory
TEST_F(Hazards, W23TwoResultsOfOneDyingOperand) {
    const std::uint32_t a = dying({1, 2, 3}), u = base(3, Use::Live), v = base(3, Use::Live);
    const Operand from = view(a, 0, {{3, 1}});
    add(Op::add, domain({3}), view(u, 0, {{3, 1}}), {from, scalar(1.0)});
    add(Op::mul, domain({3}), view(v, 0, {{3, 1}}), {from, scalar(2.0)});
    expect(u, {2, 3, 4});
    expect(v, {2, 4, 6});
}

/// u = b; v = c - a: a is read after u is written
TEST_F(Hazards, W23AResultBeforeTheDyingOperandIsRead) {
    const std::uint32_t a = dying({1, 2, 3}), b = input({4, 5, 6}), u = base(3, Use::Live), v = base(3, Use::Live);
    add(Op::copy, domain({3}), view(u, 0, {{3, 1}}), {view(b, 0, {{3, 1}})});
    add(Op::sub, domain({3}), view(v, 0, {{3, 1}}), {view(b, 0, {{3, 1}}), view(a, 0, {{3, 1}})});
    expect(u, {4, 5, 6});
    expect(v, {3, 3, 3});
}

/// for k: mask = x > k; one[k] = sum(where(mask, x, 0)); two[k] = sum(where(mask, y, 0)): masks come and go
TEST_F(Hazards, C11MasksOfALoop) {
    constexpr std::int64_t kSteps = 60, kLength = 5;
    const Values xs = {3, 70, 12, 40, 59}, ys = {1, 2, 4, 8, 16};
    const std::uint32_t x = input(xs), y = input(ys), d = domain({kLength});
    const std::uint32_t one = base(kSteps, Use::Live), two = base(kSteps, Use::Live);
    Values ones, twos;
    for (std::int64_t k = 0; k < kSteps; ++k) {
        const Operand limit = scalar(static_cast<double>(k)), zero = scalar(0.0);
        const Operand mask = array(kLength, Use::Local, bc::DType::boolean);
        add(Op::gt, d, mask, {view(x, 0, {{kLength, 1}}), limit});
        ones.push_back(0);
        twos.push_back(0);
        for (const auto& [from, to] : {std::pair(x, one), std::pair(y, two)}) {
            const Operand chosen = add(Op::select, d, temp(), {mask, view(from, 0, {{kLength, 1}}), zero});
            reduce(Op::sum, d, 0, view(to, k, {}), chosen);
        }
        for (std::size_t i = 0; i < xs.size(); ++i) {
            ones.back() += xs[i] > static_cast<double>(k) ? xs[i] : 0;
            twos.back() += xs[i] > static_cast<double>(k) ? ys[i] : 0;
        }
    }
    expect(one, ones);
    expect(two, twos);
}

/// x /= 2; x[1:] += x[:-1]; y = x: a later reader sees what the statement between them changed
TEST_F(Hazards, W24ReadAfterAShiftedUpdate) {
    const std::uint32_t x = input({2, 4, 6, 8}), before = base(4, Use::Live), after = base(4, Use::Live);
    const std::uint32_t whole = domain({4}), part = domain({3});
    const Operand all = view(x, 0, {{4, 1}}), tail = view(x, 1, {{3, 1}});
    add(Op::div, whole, all, {all, scalar(2.0)});
    add(Op::copy, whole, view(before, 0, {{4, 1}}), {all});
    add(Op::add, part, tail, {tail, view(x, 0, {{3, 1}})});
    add(Op::copy, whole, view(after, 0, {{4, 1}}), {all});
    expect(before, {1, 2, 3, 4});
    expect(after, {1, 3, 5, 7});
}

/// a = a + 2 * b into a's own memory
TEST_F(Hazards, W25ResultIsAlsoAnOperand) {
    const std::uint32_t a = input({1, 1}), b = input({2, 2});
    const Operand all = view(a, 0, {{2, 1}});
    const Operand doubled = add(Op::mul, domain({2}), temp(), {scalar(2.0), view(b, 0, {{2, 1}})});
    add(Op::add, domain({2}), all, {all, doubled});
    expect(a, {5, 5});
}

/// x = x - x * 0.001
TEST_F(Hazards, W25ResultIsTwiceAnOperand) {
    const std::uint32_t x = input({1});
    const Operand all = view(x, 0, {{1, 1}});
    const Operand part = add(Op::mul, domain({1}), temp(), {all, scalar(0.001)});
    add(Op::sub, domain({1}), all, {all, part});
    expect(x, {1 - 1 * 0.001});
}

/// b = a * 100 + a - b
TEST_F(Hazards, W25ResultIsTheLastOperand) {
    const std::uint32_t a = input({1, 2}), b = input({3, 4});
    const std::uint32_t d = domain({2});
    const Operand from = view(a, 0, {{2, 1}}), to = view(b, 0, {{2, 1}});
    const Operand large = add(Op::mul, d, temp(), {from, scalar(100.0)});
    const Operand sum = add(Op::add, d, temp(), {large, from});
    add(Op::sub, d, to, {sum, to});
    expect(b, {98, 198});
}

/// The sum of what is no NaN, and exp of a large number: no rule may assume that there are neither NaNs nor infinities.
TEST_F(Hazards, W21NansAndInfinitiesAreSeen) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::uint32_t x = input({1, nan, 3}), sum = input({0}), large = input({0});
    const std::uint32_t d = domain({3});
    const Operand from = view(x, 0, {{3, 1}});
    const Operand is_nan = add(Op::isnan, d, temp(), {from});
    const Operand kept = add(Op::select, d, temp(), {is_nan, scalar(0.0), from});
    reduce(Op::sum, d, 0, view(sum, 0, {}), kept);
    add(Op::exp, domain({1}), view(large, 0, {{1, 1}}), {scalar(1000.0)});
    expect(sum, {4});
    expect(large, {std::numeric_limits<double>::infinity()});
}

/// x * 0.0 where x holds a NaN or an infinity: a NaN. 1 is added to the result for the first and 2 for the second.
TEST_F(Hazards, W22TimesZeroIsNotZero) {
    const std::uint32_t x = input({1, std::numeric_limits<double>::quiet_NaN()}), result = input({0});
    const std::uint32_t y = input({1, std::numeric_limits<double>::infinity()});
    const std::uint32_t d = domain({2});
    const auto mark = [&](std::uint32_t from, double value) {
        const Operand product = add(Op::mul, d, temp(), {view(from, 0, {{2, 1}}), scalar(0.0)});
        const Operand is_nan = add(Op::isnan, d, temp(), {product});
        return add(Op::select, d, temp(), {is_nan, scalar(value), scalar(0.0)});
    };
    const Operand of_x = mark(x, 1), of_y = mark(y, 2);
    const Operand both = add(Op::add, d, temp(), {of_x, of_y});
    reduce(Op::sum, d, 0, view(result, 0, {}), both);
    expect(result, {3});
}

/// block(e, 0) + block(e, 1), of an expensive expression: two windows are two values
TEST_F(Hazards, W41OneExpressionOfTwoWindows) {
    const std::uint32_t e = input({1, 4, 9, 16}), out = input({0, 0});
    const std::uint32_t d = domain({2});
    const auto root = [&](std::int64_t offset) {
        const Operand first = add(Op::sqrt, d, temp(), {view(e, offset, {{2, 1}})});
        return add(Op::mul, d, temp(), {first, first});
    };
    const Operand one = root(0), other = root(2);
    add(Op::add, d, view(out, 0, {{2, 1}}), {one, other});
    expect(out, {10, 20});
}

/// The same window before and after it changes: two values.
TEST_F(Hazards, W41OneWindowAtTwoTimes) {
    const std::uint32_t e = input({1, 4}), before = base(2, Use::Live), after = base(2, Use::Live);
    const std::uint32_t d = domain({2});
    const Operand all = view(e, 0, {{2, 1}});
    const auto root = [&](std::uint32_t to) {
        const Operand first = add(Op::sqrt, d, temp(), {all});
        add(Op::mul, d, view(to, 0, {{2, 1}}), {first, first});
    };
    root(before);
    const Operand second = view(e, 1, {{1, 1}});
    add(Op::add, domain({1}), second, {second, scalar(5.0)});
    root(after);
    expect(before, {1, 4});
    expect(after, {1, 9});
}

/// -inf * 4.9e-324: a subnormal is not zero
TEST_F(Hazards, W46SubnormalsAreNotFlushed) {
    const double tiny = std::numeric_limits<double>::denorm_min(), inf = std::numeric_limits<double>::infinity();
    const std::uint32_t x = input({-inf, 1, 1}), y = input({tiny, tiny, tiny}), out = input({0, 0, 0});
    const std::uint32_t d = domain({3});
    const Operand product = add(Op::mul, d, temp(), {view(x, 0, {{3, 1}}), view(y, 0, {{3, 1}})});
    add(Op::div, d, view(out, 0, {{3, 1}}), {product, scalar(0.5)});
    expect(out, {-inf, 2 * tiny, 2 * tiny});
}

/// sum(reshape(x * 2, {2, 3}), 1): the split axis is summed, in the order of the elements
TEST_F(Hazards, W47SumOverASplitAxis) {
    const std::uint32_t x = input({1, 2, 3, 4, 5, 6}), y = base(6, Use::Local), rows = base(2, Use::Live);
    const std::uint32_t columns = base(3, Use::Live);
    add(Op::mul, domain({6}), view(y, 0, {{6, 1}}), {view(x, 0, {{6, 1}}), scalar(2.0)});
    const Operand split = view(y, 0, {{2, 3}, {3, 1}});
    reduce(Op::sum, domain({2, 3}), 1, view(rows, 0, {{2, 1}}), split);
    reduce(Op::sum, domain({2, 3}), 0, view(columns, 0, {{3, 1}}), split);
    expect(rows, {12, 30});
    expect(columns, {10, 14, 18});
}

/// for k: m = x > k; a(all, k) = sum(where(m, x, 0), 1); b(all, k) = sum(where(m, -x, 0), 1)
TEST_F(Hazards, C11MaskedSumsIntoColumns) {
    constexpr std::int64_t rows = 3, n = 4, columns = 20;
    Values x(rows * n), a(rows * columns), b(rows * columns);
    std::iota(x.begin(), x.end(), 0.0);
    const std::uint32_t in = input(x), first = base(rows * columns, Use::Live),
                        second = base(rows * columns, Use::Live);
    const std::uint32_t d = domain({rows, n});
    const Operand all = view(in, 0, {{rows, n}, {n, 1}}), zero = scalar(0.0);
    for (std::int64_t k = 0; k < columns; ++k) {
        const Operand mask = view(base(rows * n, Use::Local, bc::DType::boolean), 0, {{rows, n}, {n, 1}});
        add(Op::gt, d, mask, {all, scalar(static_cast<double>(k))});
        const Operand chosen = add(Op::select, d, temp(), {mask, all, zero});
        reduce(Op::sum, d, 1, view(first, k, {{rows, columns}}), chosen);
        const Operand minus = add(Op::neg, d, temp(), {all});
        const Operand others = add(Op::select, d, temp(), {mask, minus, zero});
        reduce(Op::sum, d, 1, view(second, k, {{rows, columns}}), others);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t place = i / n * columns + static_cast<std::size_t>(k);
            a[place] += x[i] > static_cast<double>(k) ? x[i] : 0;
            b[place] += x[i] > static_cast<double>(k) ? -x[i] : 0;
        }
    }
    expect(first, a);
    expect(second, b);
    EXPECT_EQ(best_plan().kernels.size(), 1u);
}

/// 300 times: t3 += sum(t1, 1); t2 += t3
TEST_F(Hazards, C16ManyReductionsInOneBatch) {
    const std::uint32_t t1 = input({1, 2, 3, 4}), t2 = input({0, 0}), t3 = input({0, 1});
    const std::uint32_t square = domain({2, 2}), row = domain({2});
    const Operand second = view(t2, 0, {{2, 1}}), third = view(t3, 0, {{2, 1}});
    Values sum{0, 1}, total{0, 0};
    for (int i = 0; i < 300; ++i) {
        const Operand sums = reduce(Op::sum, square, 1, temp(), view(t1, 0, {{2, 2}, {2, 1}}));
        add(Op::add, row, third, {third, sums});
        add(Op::add, row, second, {second, third});
        for (std::size_t k = 0; k < 2; ++k) total[k] += sum[k] += k == 0 ? 3 : 7;
    }
    expect(t3, sum);
    expect(t2, total);
}

/// x = exp(x); y = x(0, 2); x = x + 1; all in the memory that x has
TEST_F(Hazards, P17ChainOfUpdatesInPlace) {
    const std::uint32_t x = input({0, 0, 0, 0}), y = base(2, Use::Live);
    const Operand all = view(x, 0, {{4, 1}});
    add(Op::exp, domain({4}), all, {all});
    add(Op::copy, domain({2}), view(y, 0, {{2, 1}}), {view(x, 0, {{2, 1}})});
    add(Op::add, domain({4}), all, {all, scalar(1.0)});
    expect(x, {2, 2, 2, 2});
    expect(y, {1, 1});
    EXPECT_EQ(opt::footprint_of(program, best_plan()).peak, 6 * sizeof(double));
}

/// One row of a matrix becomes the sum of all rows, which reads it.
TEST_F(Hazards, ReductionIntoItsOwnOperand) {
    const std::uint32_t a = input({1, 2, 3, 4, 5, 6});
    reduce(Op::sum, domain({3, 2}), 0, view(a, 0, {{2, 1}}), view(a, 0, {{3, 2}, {2, 1}}));
    expect(a, {9, 12, 3, 4, 5, 6});
}

/// A repeated row is summed along the axis that repeats it; the result replaces the row.
TEST_F(Hazards, ReductionOfARepeatedRowIntoTheRow) {
    const std::uint32_t a = input({1, 2});
    reduce(Op::sum, domain({2, 2}), 1, view(a, 0, {{2, 1}}), view(a, 0, {{2, 0}, {2, 1}}));
    expect(a, {3, 3});
}

/// x = cumsum(x) + x; y = cumprod(cumsum(x)); x = reversed cumsum: in place, one after the other, overlapping
TEST_F(Hazards, ScansInPlaceAndOfScans) {
    const std::uint32_t x = input({1, 2, 3, 4}), y = base(4, Use::Live);
    const std::uint32_t d = domain({4});
    const Operand whole = view(x, 0, {{4, 1}}), reversed = view(x, 3, {{4, -1}});
    const Operand sums = reduce(Op::cumsum, d, 0, temp(), whole);
    add(Op::add, d, whole, {sums, whole});                          // 2, 5, 9, 14
    const Operand again = reduce(Op::cumsum, d, 0, temp(), whole);  // 2, 7, 16, 30
    reduce(Op::cumprod, d, 0, view(y, 0, {{4, 1}}), again);         // 2, 14, 224, 6720
    reduce(Op::cumsum, d, 0, reversed, whole);                      // 30, 16, 7, 2
    expect(y, {2, 14, 224, 6720});
    expect(x, {30, 16, 7, 2});
}

/// A scan of what the kernel has just written, and of its own axis-sum.
TEST_F(Hazards, AScanBesideReductionsAndUpdates) {
    const std::uint32_t a = input({1, 2, 3, 4, 5, 6}), out = base(6, Use::Live), rows = base(2, Use::Live);
    const std::uint32_t d = domain({2, 3});
    const Operand whole = view(a, 0, {{2, 3}, {3, 1}});
    add(Op::mul, d, whole, {whole, whole});                           // 1, 4, 9, 16, 25, 36
    reduce(Op::sum, d, 1, view(rows, 0, {{2, 1}}), whole);            // 14, 77
    const Operand along = reduce(Op::cumsum, d, 1, temp(), whole);    // 1, 5, 14, 16, 41, 77
    add(Op::sub, d, view(out, 0, {{2, 3}, {3, 1}}), {along, whole});  // 0, 1, 5, 0, 16, 41
    reduce(Op::cumsum, d, 0, whole, along);                           // 1, 5, 14, 17, 46, 91
    expect(rows, {14, 77});
    expect(out, {0, 1, 5, 0, 16, 41});
    expect(a, {1, 5, 14, 17, 46, 91});
}

}  // namespace
}  // namespace xlazy
