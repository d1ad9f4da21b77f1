// SPDX-License-Identifier: BSD-3-Clause
// Operands that lie transposed are read some rows at a time: the same bits as element by element.
#include "backends/test_kernel.hpp"

namespace xlazy::test {
namespace {

template <class T>
std::vector<T> numbers(std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 1000 + i / 1000 % 7);
    return values;
}

/// out <- a + b, where b lies transposed in its last two axes, `offset` elements from the begin of its memory.
template <class T>
void check_sum(const Extents& domain, std::int64_t offset, bool in_place) {
    const DType type = bc::dtype_of<T>();
    const std::int64_t count = bc::element_count(domain), rows = domain[domain.size() - 2], columns = domain.back();
    TestKernel kernel(domain);
    const std::uint32_t a = kernel.base_of(numbers<T>(count)), b = kernel.base_of(numbers<T>(count + offset));
    std::vector<bc::Dim> dims{{rows, 1}, {columns, rows}};
    if (domain.size() == 3) dims.insert(dims.begin(), {domain[0], rows * columns});
    const std::uint32_t transposed = kernel.view(b, offset, dims);
    const ValueId x = kernel.load(kernel.dense(a, domain)), y = kernel.load(transposed);
    const ValueId sum = kernel.compute(Op::add, type, {x, kernel.compute(Op::mul, type, {y, y})});
    kernel.store(kernel.dense(kernel.base(type, count), domain), sum);
    if (in_place) kernel.store(transposed, kernel.compute(Op::add, type, {sum, y}));
    const auto expected = kernel.run(*be::make_interpreter());
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
        if (!be::set_isa(isa)) continue;
        for (int threads = 1; threads <= 3; ++threads) {
            const auto found = kernel.run(*be::make_openmp(threads, 0));
            ASSERT_EQ(kernel.difference(expected, found), "") << be::name_of(isa) << ", " << threads << " threads, "
                                                              << rows << " x " << columns << ", offset " << offset;
        }
    }
    be::set_isa(be::best_isa());
}

template <class T>
class Transposed : public testing::Test {};
using Types = testing::Types<double, float, std::int64_t, std::uint32_t, std::int16_t>;
TYPED_TEST_SUITE(Transposed, Types);

TYPED_TEST(Transposed, Matrices) {
    for (const std::int64_t rows : {8, 9, 16, 23, 100}) {
        for (const std::int64_t columns : {64, 65, 100, 300}) check_sum<TypeParam>({rows, columns}, 0, false);
    }
}

TYPED_TEST(Transposed, AnywhereInALine) {
    for (std::int64_t offset = 1; offset < 17; ++offset) check_sum<TypeParam>({37, 70}, offset, false);
}

TYPED_TEST(Transposed, StacksOfMatrices) {
    check_sum<TypeParam>({5, 19, 66}, 0, false);
    check_sum<TypeParam>({3, 32, 128}, 3, false);
}

TYPED_TEST(Transposed, AlsoWritten) {
    check_sum<TypeParam>({40, 72}, 0, true);
    check_sum<TypeParam>({3, 19, 66}, 5, true);
}

TEST(TransposedOperand, IsReducedInTheOrderOfTheRule) {
    const Extents domain{50, 200};
    for (const unsigned axis : {0u, 1u}) {
        TestKernel kernel(domain);
        std::vector<double> values(10000);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp2(static_cast<double>(i * 7919 % 60));
        const std::uint32_t a = kernel.base_of(values), b = kernel.base_of(values);
        const ValueId x = kernel.load(kernel.dense(a, domain)),
                      y = kernel.load(kernel.view(b, 0, {{50, 1}, {200, 50}}));
        const Extents result{axis == 0 ? 200 : 50};
        kernel.reduce(Op::sum, axis, false, kernel.dense(kernel.base(DType::f64, result[0]), result),
                      kernel.compute(Op::mul, DType::f64, {x, y}));
        kernel.reduce(Op::sum, axis, false, kernel.dense(kernel.base(DType::f64, result[0]), result), y);
        const auto expected = kernel.run(*be::make_interpreter());
        for (int threads = 1; threads <= 3; ++threads)
            EXPECT_EQ(kernel.difference(expected, kernel.run(*be::make_openmp(threads, 0))), "") << "axis " << axis;
    }
}

}  // namespace
}  // namespace xlazy::test
