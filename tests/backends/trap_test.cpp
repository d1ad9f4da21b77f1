// SPDX-License-Identifier: BSD-3-Clause
// Elements that fail: the smallest index of every instruction, with its operands, on every back end.
#include "backends/random_kernel.hpp"

namespace xlazy::test {
namespace {

template <class T>
std::vector<T> counting(std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 100 + 1);
    return values;
}

template <class T>
class Traps : public testing::Test {};
using IntegerTypes = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                    std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Traps, IntegerTypes);

TYPED_TEST(Traps, TheFirstElementOfEveryInstruction) {
    using T = TypeParam;
    constexpr std::int64_t count = 20000;
    auto divisors = counting<T>(count), moduli = counting<T>(count);
    for (const std::size_t i : {7001u, 7003u, 19999u}) divisors[i] = 0;
    for (const std::size_t i : {12u, 15000u}) moduli[i] = 0;
    TestKernel kernel({100, 200});
    const auto array = [&](const std::vector<T>& values) {
        return kernel.load(kernel.dense(kernel.base_of(values), {100, 200}));
    };
    const ValueId a = array(counting<T>(count)), b = array(divisors), c = array(moduli);
    const ValueId quotient = kernel.compute(Op::div, bc::dtype_of<T>(), {a, b});
    const ValueId rest = kernel.compute(Op::mod, bc::dtype_of<T>(), {a, c});
    const ValueId good = kernel.compute(Op::div, bc::dtype_of<T>(), {a, kernel.scalar(T(3))});
    std::uint32_t out[3];
    const ValueId results[3] = {quotient, rest, good};
    for (int i = 0; i < 3; ++i) {
        out[i] = kernel.base(bc::dtype_of<T>(), count);
        kernel.store(kernel.dense(out[i], {100, 200}), results[i]);
    }
    for (const auto& backend : all_backends()) {
        const auto outcome = kernel.run(*backend);
        ASSERT_EQ(outcome.traps.size(), 2u) << backend->name();
        EXPECT_EQ(outcome.traps[0].instruction, 0u);
        EXPECT_EQ(outcome.traps[0].index, 7001);
        EXPECT_EQ(bc::scalar_value<T>(outcome.traps[0].operands[0]), T(2));
        EXPECT_EQ(bc::scalar_value<T>(outcome.traps[0].operands[1]), T(0));
        EXPECT_EQ(outcome.traps[1].instruction, 1u);
        EXPECT_EQ(outcome.traps[1].index, 12);
        EXPECT_EQ(outcome.traps[1].operands[0].type, bc::dtype_of<T>());
        const auto quotients = kernel.template values<T>(outcome.bases[out[0]]);
        EXPECT_EQ(quotients[7001], T(0));
        EXPECT_EQ(quotients[7000], T(1));
    }
}

TYPED_TEST(Traps, MaskedElementsDoNotFail) {
    using T = TypeParam;
    constexpr std::int64_t count = 5000;
    auto divisors = counting<T>(count);
    std::vector<bool> mask(count, true);
    divisors[10] = divisors[4000] = divisors[4500] = 0;
    mask[10] = mask[20] = false;
    TestKernel kernel({count});
    const ValueId a = kernel.load(kernel.dense(kernel.base_of(counting<T>(count)), {count}));
    const ValueId b = kernel.load(kernel.dense(kernel.base_of(divisors), {count}));
    const ValueId m = kernel.load(kernel.dense(kernel.base_of(mask), {count}));
    const std::uint32_t out = kernel.base(bc::dtype_of<T>(), count);
    kernel.store(kernel.dense(out, {count}), kernel.compute(Op::div, bc::dtype_of<T>(), {a, b}, DType::none, m));
    for (const auto& backend : all_backends()) {
        const auto outcome = kernel.run(*backend);
        ASSERT_EQ(outcome.traps.size(), 1u);
        EXPECT_EQ(outcome.traps[0].index, 4000);
        const auto results = kernel.template values<T>(outcome.bases[out]);
        EXPECT_EQ(results[10], T(0));
        EXPECT_EQ(results[20], T(0));
        EXPECT_EQ(results[21], T(1));
    }
}

TYPED_TEST(Traps, UniformDivisorsAndTheMinimum) {
    using T = TypeParam;
    constexpr T minimum = std::numeric_limits<T>::min();
    TestKernel kernel({4, 600});
    const ValueId a = kernel.load(kernel.dense(kernel.base_of(std::vector<T>(2400, minimum)), {4, 600}));
    const ValueId row = kernel.load(kernel.view(kernel.base_of(std::vector<T>{T(-1), 5, 0, 0}), 0, {{4, 1}, {1, 0}}));
    const std::uint32_t out = kernel.base(bc::dtype_of<T>(), 2400), rests = kernel.base(bc::dtype_of<T>(), 2400);
    kernel.store(kernel.dense(out, {4, 600}), kernel.compute(Op::div, bc::dtype_of<T>(), {a, row}));
    kernel.store(kernel.dense(rests, {4, 600}), kernel.compute(Op::mod, bc::dtype_of<T>(), {a, kernel.scalar(T(-1))}));
    const ValueId zero = kernel.scalar(T(0));
    kernel.store(kernel.dense(kernel.base(bc::dtype_of<T>(), 2400), {4, 600}),
                 kernel.compute(Op::div, bc::dtype_of<T>(), {zero, zero}));
    for (const auto& backend : all_backends()) {
        const auto outcome = kernel.run(*backend);
        const auto results = kernel.template values<T>(outcome.bases[out]);
        EXPECT_EQ(results[0], minimum);  // wraps
        EXPECT_EQ(results[600], static_cast<T>(minimum / 5));
        EXPECT_EQ(results[1200], T(0));
        EXPECT_EQ(kernel.template values<T>(outcome.bases[rests])[0], T(0));
        ASSERT_EQ(outcome.traps.size(), 2u);
        EXPECT_EQ(outcome.traps[0].index, 1200);
        EXPECT_EQ(bc::scalar_value<T>(outcome.traps[0].operands[0]), minimum);
        EXPECT_EQ(outcome.traps[1].index, 0);
    }
}

TEST(Traps, OperandsOfADivisionInPlaceAreTheOldOnes) {
    constexpr std::int64_t count = 3000;
    std::vector<std::int32_t> values(count, 9), divisors(count, 2);
    divisors[2500] = 0;
    TestKernel kernel({count});
    const std::uint32_t a = kernel.dense(kernel.base_of(values), {count});
    kernel.store(a, kernel.compute(Op::div, DType::i32,
                                   {kernel.load(a), kernel.load(kernel.dense(kernel.base_of(divisors), {count}))}));
    for (const auto& backend : all_backends()) {
        const auto outcome = kernel.run(*backend);
        ASSERT_EQ(outcome.traps.size(), 1u);
        EXPECT_EQ(bc::scalar_value<std::int32_t>(outcome.traps[0].operands[0]), 9);
        EXPECT_EQ(kernel.values<std::int32_t>(outcome.bases[0])[0], 4);
    }
}

/// Several kernels of a batch report into one list.
TEST(Traps, ListsAreMerged) {
    std::vector<std::int32_t> divisors(100, 1);
    divisors[60] = 0;
    TestKernel kernel({100});
    const ValueId b = kernel.load(kernel.dense(kernel.base_of(divisors), {100}));
    kernel.store(kernel.dense(kernel.base(DType::i32, 100), {100}),
                 kernel.compute(Op::div, DType::i32, {kernel.scalar(1), b}));
    kernel.kernel.ops[2].instruction = 5;
    std::vector<void*> pointers{kernel.bases[0].data(), kernel.bases[1].data()};
    be::Traps traps{{2, 1, {}}, {5, 80, {}}, {9, 3, {}}};
    be::make_openmp(1)->run(kernel.kernel, {&kernel.program, &kernel.plan, pointers, {}}, traps);
    ASSERT_EQ(traps.size(), 3u);
    EXPECT_EQ(traps[1].instruction, 5u);
    EXPECT_EQ(traps[1].index, 60);
}

}  // namespace
}  // namespace xlazy::test
