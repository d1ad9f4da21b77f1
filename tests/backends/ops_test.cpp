// SPDX-License-Identifier: BSD-3-Clause
// Every op on every type: the reference against an evaluation of its own, the threaded back end against the reference
// on every layout of memory, instruction set and number of threads.
#include "backends/op_kernels.hpp"
#include "backends/plain_ops.hpp"

namespace xlazy::test {
namespace {

class Ops : public testing::TestWithParam<Case> {};

void compare_with_plain_cxx(const Case& c) {
    constexpr std::int64_t count = 4000;
    TestKernel kernel({count});
    ValueId in[3];
    for (unsigned i = 0; i < bc::info(c.op).arity; ++i) {
        in[i] = kernel.load(kernel.dense(random_base(kernel, operand_type(c, i), count, i + 1), {count}));
    }
    std::initializer_list<ValueId> operands[] = {{}, {in[0]}, {in[0], in[1]}, {in[0], in[1], in[2]}};
    const ValueId value = kernel.compute(c.op, c.type, operands[bc::info(c.op).arity], c.result);
    const std::uint32_t out = kernel.base(c.result, count);
    kernel.store(kernel.dense(out, {count}), value);
    const auto outcome = kernel.run(*be::make_interpreter());

    with_type(c.type, [&]<class T>(std::type_identity<T>) {
        const auto mask = c.op == Op::select ? kernel.values<bool>(kernel.bases[0]) : std::vector<bool>(count);
        const std::size_t first = c.op == Op::select ? 1 : 0;
        const auto a = kernel.values<T>(kernel.bases[first]);
        const auto b = kernel.values<T>(kernel.bases[bc::info(c.op).arity > 1 ? first + 1 : first]);
        const auto third = kernel.values<T>(kernel.bases[c.op != Op::select && bc::info(c.op).arity > 2 ? 2 : first]);
        with_type(c.result, [&]<class R>(std::type_identity<R>) {
            const auto results = kernel.values<R>(outcome.bases[out]);
            for (std::size_t i = 0; i < results.size(); ++i) {
                if constexpr (requires { b[i].real(); }) {
                    // Each rounding of the logarithm turns such a power by many circles.
                    if (c.op == Op::pow && std::abs(b[i]) > 10) continue;
                }
                const R expected = plain_value<R, T>(c.op, mask[i], a[i], b[i], third[i]);
                ASSERT_TRUE(close_enough(c.op, c.type, results[i], expected))
                    << "a " << +a[i] << " b " << +b[i] << " gives " << +results[i] << ", not " << +expected;
            }
        });
    });
}

TEST_P(Ops, TheReferenceComputesWhatCxxComputes) {
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
        if (be::set_isa(isa)) compare_with_plain_cxx(GetParam());
    }
    be::set_isa(be::best_isa());
}

TEST_P(Ops, EveryLayoutThreadsAndInstructionSet) {
    const auto reference = be::make_interpreter();
    constexpr std::pair<be::Isa, int> runs[] = {
        {be::Isa::baseline, 1}, {be::Isa::avx2, 3}, {be::Isa::avx512, 1}, {be::Isa::avx512, 2}};
    for (const auto& [isa, threads] : runs) {
        if (!be::set_isa(isa)) continue;
        const auto backend = be::make_openmp(threads, 0);
        for (int layout = 0; layout < kLayouts; ++layout) {
            const TestKernel kernel = kernel_of(GetParam(), layout);
            ASSERT_EQ(kernel.difference(kernel.run(*reference), kernel.run(*backend)), "")
                << be::name_of(isa) << ", " << threads << " threads, layout " << layout;
        }
    }
    be::set_isa(be::best_isa());
}

INSTANTIATE_TEST_SUITE_P(Table, Ops, testing::ValuesIn(map_cases()),
                         [](const auto& info) { return name_of(info.param); });

/// Every op gives the same bits on every instruction set.
TEST(Ops, DoNotDependOnTheInstructionSet) {
    const auto backend = be::make_openmp(1);
    for (const Case& c : map_cases()) {
        be::set_isa(be::Isa::baseline);
        const TestKernel kernel = kernel_of(c, 0);
        const auto expected = kernel.run(*backend);
        for (const be::Isa isa : {be::Isa::avx2, be::Isa::avx512}) {
            if (!be::set_isa(isa)) continue;
            EXPECT_EQ(kernel.difference(expected, kernel.run(*backend)), "") << name_of(c);
        }
    }
    be::set_isa(be::best_isa());
}

/// A value of a transcendental function depends neither on its position nor on its neighbours.
TEST(VectorMaths, PositionAndNeighboursDoNotMatter) {
    const auto backend = be::make_openmp(1);
    const auto values = random_values<double>(64, 5);
    for (const Case& c : map_cases()) {
        if (bc::info(c.op).maths != bc::Maths::Vector || c.type != DType::f64) continue;
        const auto apply = [&](const std::vector<double>& a) {
            const auto count = static_cast<std::int64_t>(a.size());
            TestKernel kernel({count});
            const ValueId in = kernel.load(kernel.dense(kernel.base_of(a), {count}));
            const ValueId value = bc::info(c.op).arity == 1 ? kernel.compute(c.op, c.type, {in})
                                                            : kernel.compute(c.op, c.type, {in, kernel.scalar(0.75)});
            const std::uint32_t out = kernel.base(c.type, count);
            kernel.store(kernel.dense(out, {count}), value);
            return kernel.values<double>(kernel.run(*backend).bases[out]);
        };
        const auto together = apply(values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double alone = apply({values[i]})[0], behind = apply({1.0, values[i], 1e300})[1];
            ASSERT_TRUE(same_value(alone, together[i])) << name_of(c) << " " << values[i];
            ASSERT_TRUE(same_value(behind, together[i])) << name_of(c) << " " << values[i];
        }
    }
}

TEST(VectorMaths, AnExponentOfTwoIsASquare) {
    const auto a = random_values<double>(1000, 6);
    std::vector<double> exponents(1000, 2.0);
    exponents[7] = 3.0;
    for (const bool scalar : {false, true}) {
        TestKernel kernel({1000});
        const ValueId base = kernel.load(kernel.dense(kernel.base_of(a), {1000}));
        const ValueId exponent =
            scalar ? kernel.scalar(2.0) : kernel.load(kernel.dense(kernel.base_of(exponents), {1000}));
        const std::uint32_t out = kernel.base(DType::f64, 1000);
        kernel.store(kernel.dense(out, {1000}), kernel.compute(Op::pow, DType::f64, {base, exponent}));
        const auto results = kernel.values<double>(kernel.run(*be::make_openmp(1)).bases[out]);
        for (std::size_t i = 0; i < 1000; ++i) {
            if (!scalar && i == 7) continue;
            ASSERT_TRUE(same_value(results[i], a[i] * a[i])) << a[i];
        }
    }
}

TEST(Index, CoordinatesOfEveryAxis) {
    for (const Extents& domain : {Extents{5}, Extents{3, 700}, Extents{400, 3}, Extents{1, 2, 3, 4}, Extents{1}}) {
        for (unsigned axis = 0; axis < domain.size(); ++axis) {
            TestKernel kernel(domain);
            const ValueId index = kernel.compute(Op::index, DType::i64, {}, DType::i64, bc::kNoValue, axis);
            const std::int64_t count = bc::element_count(domain);
            const std::uint32_t out = kernel.base(DType::i64, count);
            kernel.store(kernel.dense(out, domain),
                         kernel.compute(Op::add, DType::i64, {index, kernel.scalar<std::int64_t>(10)}));
            const auto results = kernel.values<std::int64_t>(kernel.run(*be::make_openmp(2, 0)).bases[out]);
            std::int64_t inner = 1;
            for (std::size_t k = axis + 1; k < domain.size(); ++k) inner *= domain[k];
            for (std::int64_t i = 0; i < count; ++i) {
                ASSERT_EQ(results[static_cast<std::size_t>(i)], i / inner % domain[axis] + 10);
            }
        }
    }
}

}  // namespace
}  // namespace xlazy::test
