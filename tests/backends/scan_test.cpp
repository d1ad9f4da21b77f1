// SPDX-License-Identifier: BSD-3-Clause
// The order of scans, against a transcription of the rule that shares nothing with the back ends; then layouts, threads
// and what stands around a scan in its kernel, against the reference.
#include "backends/random_kernel.hpp"

#include <optional>

namespace xlazy::test {
namespace {

template <class T>
T plain_combine(Op op, T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
        return static_cast<T>(op == Op::cumprod ? x * y : x + y);
    } else {
        return op == Op::cumprod ? a * b : a + b;
    }
}

/// The perfect binary tree over the values of places [begin, end), of which [0, present) are there.
template <class T>
std::optional<T> tree(Op op, const std::vector<T>& values, std::size_t begin, std::size_t end, std::size_t present) {
    if (begin >= present) return std::nullopt;
    if (end - begin == 1) return values[begin];
    const std::size_t middle = begin + (end - begin) / 2;
    const auto left = tree(op, values, begin, middle, present), right = tree(op, values, middle, end, present);
    return right ? plain_combine<T>(op, *left, *right) : left;
}

template <class T>
T whole_tree(Op op, const std::vector<T>& values, std::size_t present) {
    std::size_t size = 1;
    while (size < present) size *= 2;
    return *tree(op, values, 0, size, present);
}

/// A scan of one line, by the rule.
template <class T>
std::vector<T> rule_line(Op op, const std::vector<T>& line, std::int64_t inner) {
    std::int64_t lanes = 32, leaf = 4096;
    while (lanes * inner > 32 && lanes > 1) lanes /= 2;
    while (leaf * inner > 4096 && leaf > 32) leaf /= 2;
    std::vector<T> results, block, leaves;
    T before{}, in_leaf{};
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i) % leaf;
        if (at == 0 && i > 0) leaves.push_back(in_leaf);
        if (at % lanes == 0) {
            block.clear();
            before = in_leaf;
        }
        block.push_back(line[i]);
        in_leaf = whole_tree(op, block, block.size());
        if (at >= lanes) in_leaf = plain_combine<T>(op, before, in_leaf);
        results.push_back(leaves.empty() ? in_leaf
                                         : plain_combine<T>(op, whole_tree(op, leaves, leaves.size()), in_leaf));
    }
    return results;
}

/// Scans of [outer][n][inner] along n, by the rule.
template <class T>
std::vector<T> rule_values(Op op, const std::vector<T>& values, std::int64_t outer, std::int64_t n,
                           std::int64_t inner) {
    std::vector<T> results(values.size());
    for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t i = 0; i < inner; ++i) {
            const auto at = [&](std::int64_t k) { return static_cast<std::size_t>((o * n + k) * inner + i); };
            std::vector<T> line;
            for (std::int64_t k = 0; k < n; ++k) line.push_back(values[at(k)]);
            line = rule_line(op, line, inner);
            for (std::int64_t k = 0; k < n; ++k) results[at(k)] = line[static_cast<std::size_t>(k)];
        }
    }
    return results;
}

/// Sums of these differ in every other order; products stay finite.
template <class T>
std::vector<T> some_values(Op op, std::int64_t count) {
    std::mt19937_64 random(29);
    std::vector<T> values(static_cast<std::size_t>(count));
    const auto unit = [&] { return static_cast<double>(random() >> 11) / static_cast<double>(1ull << 53); };
    const auto real = [&] {
        return op == Op::cumprod ? 1 + (unit() - 0.5) * 1e-2
                                 : (unit() - 0.5) * std::exp2(static_cast<double>(random() % 30));
    };
    for (T& value : values) {
        if constexpr (std::is_integral_v<T>)
            value = static_cast<T>(random() | 1);
        else if constexpr (is_complex<T>) {
            using R = typename T::value_type;
            value = op == Op::cumprod ? std::polar(static_cast<R>(real()), static_cast<R>(unit() * 3))
                                      : T(static_cast<R>(real()), static_cast<R>(unit()));
        } else
            value = static_cast<T>(real());
    }
    return values;
}

struct Shape {
    std::int64_t outer, n, inner;
};

/// Around every border of blocks and leaves.
std::vector<Shape> shapes() {
    std::vector<Shape> result;
    for (const std::int64_t inner : {1, 2, 3, 4, 7, 8, 16, 17, 33, 700, 5000}) {
        std::int64_t leaf = 4096;
        while (leaf * inner > 4096 && leaf > 32) leaf /= 2;
        for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, std::int64_t{5}, std::int64_t{31},
                                     std::int64_t{32}, std::int64_t{33}, leaf - 1, leaf, leaf + 1, 5 * leaf + 3}) {
            if (n * inner > 200000) continue;
            result.push_back({1, n, inner});
            if (n * inner < 10000) result.push_back({4, n, inner});
        }
    }
    result.push_back({1000, 3, 1});
    result.push_back({500, 5, 4});
    result.push_back({3, 40000, 1});
    return result;
}

std::vector<be::Isa> instruction_sets() {
    std::vector<be::Isa> sets;
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
        if (be::set_isa(isa)) sets.push_back(isa);
    }
    be::set_isa(be::best_isa());
    return sets;
}

template <class T>
class ScanOrder : public testing::Test {
protected:
    void compare(Op op, be::Backend& backend, const Shape& shape) {
        const auto values = some_values<T>(op, shape.outer * shape.n * shape.inner);
        const auto expected = rule_values(op, values, shape.outer, shape.n, shape.inner);
        const Extents domain{shape.outer, shape.n, shape.inner};
        TestKernel kernel(domain);
        const ValueId value = kernel.load(kernel.dense(kernel.base_of(values), domain));
        const std::uint32_t out = kernel.base(bc::dtype_of<T>(), bc::element_count(domain));
        const DType type = bc::dtype_of<T>();
        kernel.store(kernel.dense(out, domain), kernel.compute(op, type, {value}, type, bc::kNoValue, 1));
        const auto results = kernel.template values<T>(kernel.run(backend).bases[out]);
        for (std::size_t i = 0; i < results.size(); ++i) {
            ASSERT_TRUE(same_value(results[i], expected[i]))
                << bc::name_of(op) << " " << backend.name() << " [" << shape.outer << "][" << shape.n << "]["
                << shape.inner << "], element " << i << ": " << +results[i] << ", not " << +expected[i];
        }
    }
};
using ScanTypes =
    testing::Types<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ScanOrder, ScanTypes);

TYPED_TEST(ScanOrder, IsTheRules) {
    const auto reference = be::make_interpreter();
    const auto one = be::make_openmp(1, 0), three = be::make_openmp(3, 0);
    for (const Op op : {Op::cumsum, Op::cumprod}) {
        for (const Shape& shape : shapes()) {
            this->compare(op, *reference, shape);
            for (const be::Isa isa : instruction_sets()) {
                be::set_isa(isa);
                this->compare(op, *one, shape);
                this->compare(op, *three, shape);
            }
            be::set_isa(be::best_isa());
            if (this->HasFatalFailure()) return;
        }
    }
}

TEST(Scans, EqualAPlainLoopWhereArithmeticIsExact) {
    const std::int64_t n = 100000;
    std::vector<double> values;
    std::vector<std::uint8_t> bytes;
    for (std::int64_t i = 0; i < n; ++i) {
        values.push_back(static_cast<double>(i * 7919 % 1001 - 500));
        bytes.push_back(static_cast<std::uint8_t>(i * 31 + 1));
    }
    TestKernel kernel({n});
    const std::uint32_t sums = kernel.base(DType::f64, n), products = kernel.base(DType::u8, n);
    const ValueId a = kernel.load(kernel.dense(kernel.base_of(values), {n}));
    const ValueId b = kernel.load(kernel.dense(kernel.base_of(bytes), {n}));
    kernel.store(kernel.dense(sums, {n}), kernel.compute(Op::cumsum, DType::f64, {a}));
    kernel.store(kernel.dense(products, {n}), kernel.compute(Op::cumprod, DType::u8, {b}));
    for (const auto& backend : all_backends()) {
        const auto outcome = kernel.run(*backend);
        const auto got = kernel.values<double>(outcome.bases[sums]);
        const auto got_bytes = kernel.values<std::uint8_t>(outcome.bases[products]);
        double sum = 0;
        unsigned product = 1;
        for (std::size_t i = 0; i < values.size(); ++i) {
            sum += values[i];
            product = product * bytes[i] % 256;
            ASSERT_EQ(got[i], sum) << backend->name() << " " << i;
            ASSERT_EQ(got_bytes[i], product) << backend->name() << " " << i;
        }
    }
}

/// Adding up one after the other, a float stops at 2^24.
TEST(Scans, OfManyFloatsAreRoundedOnce) {
    const std::int64_t n = (std::int64_t{1} << 24) + 5000;
    TestKernel kernel({n});
    const std::uint32_t out = kernel.base(DType::f32, n);
    const ValueId ones = kernel.load(kernel.view(kernel.base_of(std::vector<float>{1}), 0, {{1, 0}}));
    kernel.store(kernel.dense(out, {n}), kernel.compute(Op::cumsum, DType::f32, {ones}));
    const auto sums = kernel.values<float>(kernel.run(*be::make_openmp(2, 0)).bases[out]);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(sums[static_cast<std::size_t>(i)], static_cast<float>(i + 1)) << i;
}

TEST(Scans, OfNegativeZerosStay) {
    for (const std::int64_t n : {1, 40, 9000}) {
        TestKernel kernel({n});
        const std::uint32_t out = kernel.base(DType::f64, n);
        const ValueId zeros =
            kernel.load(kernel.dense(kernel.base_of(std::vector<double>(static_cast<std::size_t>(n), -0.0)), {n}));
        kernel.store(kernel.dense(out, {n}), kernel.compute(Op::cumsum, DType::f64, {zeros}));
        for (const auto& backend : all_backends()) {
            for (const double sum : kernel.values<double>(kernel.run(*backend).bases[out]))
                ASSERT_TRUE(same_value(sum, -0.0)) << backend->name() << " " << n;
        }
    }
}

/// Memory of a rank-3 operand: dense in some order of the axes, each forwards or backwards, with or without a gap.
std::vector<std::vector<bc::Dim>> layouts(const Extents& extents) {
    std::vector<std::vector<bc::Dim>> result;
    unsigned order[] = {0, 1, 2};
    do {
        for (const std::int64_t gap : {0, 3}) {
            std::vector<bc::Dim> dims(3);
            std::int64_t step = 1 + gap / 3;
            for (const unsigned axis : order) {
                dims[axis] = {extents[axis], step};
                step = step * extents[axis] + gap;
            }
            result.push_back(dims);
        }
    } while (std::next_permutation(order, order + 3));
    result.push_back(result[0]);
    for (bc::Dim& dim : result.back()) dim.stride = -dim.stride;
    return result;
}

struct Placed {
    std::int64_t offset = 0, size = 1;
};
Placed placed(const std::vector<bc::Dim>& dims) {
    Placed result;
    for (const bc::Dim& dim : dims) {
        result.size += (dim.extent - 1) * std::abs(dim.stride);
        if (dim.stride < 0) result.offset -= (dim.extent - 1) * dim.stride;
    }
    return result;
}

TEST(Scans, OfAnyLayoutByAnyNumberOfThreads) {
    const auto reference = be::make_interpreter();
    for (const Extents& extents : {Extents{3, 4, 300}, Extents{3, 300, 4}, Extents{300, 3, 4}, Extents{2, 9000, 1},
                                   Extents{1, 70, 600}, Extents{70, 1, 600}}) {
        const auto from = layouts(extents);
        for (std::size_t l = 0; l < from.size(); ++l) {
            const auto& to = from[(l * 5 + 1) % from.size()];
            for (unsigned axis = 0; axis < 3; ++axis) {
                const auto source = placed(from[l]), target = placed(to);
                TestKernel kernel(extents);
                const std::uint32_t in = kernel.base_of(some_values<float>(Op::cumsum, source.size));
                const std::uint32_t out = kernel.base(DType::f32, target.size);
                const ValueId value = kernel.load(kernel.view(in, source.offset, from[l]));
                const ValueId scan = kernel.compute(Op::cumsum, DType::f32, {value}, DType::none, bc::kNoValue, axis);
                kernel.store(kernel.view(out, target.offset, to), scan);
                const auto expected = kernel.run(*reference);
                for (int threads = 1; threads <= 8; ++threads) {
                    ASSERT_EQ(kernel.difference(expected, kernel.run(*be::make_openmp(threads, 0))), "")
                        << "layout " << l << ", axis " << axis << ", " << threads << " threads";
                }
            }
        }
    }
}

/// What makes the operand may be computed twice; the stores beside it, and that over the operand, happen once.
TEST(Scans, InPlaceWithStoresAndFailuresAround) {
    const auto reference = be::make_interpreter();
    for (const std::int64_t n : {50, 4096, 50000}) {
        TestKernel kernel({n});
        std::vector<std::int64_t> values, divisors;
        for (std::int64_t i = 0; i < n; ++i) {
            values.push_back(i * 37 % 1000 - 400);
            divisors.push_back(i % (n - 3) == 17 ? 0 : 1 + i % 5);
        }
        const std::uint32_t x = kernel.dense(kernel.base_of(values), {n});
        const std::uint32_t quotients = kernel.dense(kernel.base(DType::i64, n), {n});
        const std::uint32_t doubled = kernel.dense(kernel.base(DType::i64, n), {n});
        const ValueId a = kernel.load(x), b = kernel.load(kernel.dense(kernel.base_of(divisors), {n}));
        const ValueId quotient = kernel.compute(Op::div, DType::i64, {a, b});
        kernel.store(quotients, quotient);
        const ValueId scan = kernel.compute(Op::cumsum, DType::i64, {quotient});
        kernel.store(x, scan);
        kernel.store(doubled, kernel.compute(Op::add, DType::i64, {scan, a}));
        const auto expected = kernel.run(*reference);
        ASSERT_EQ(expected.traps.size(), 1u);
        for (int threads = 1; threads <= 8; ++threads) {
            ASSERT_EQ(kernel.difference(expected, kernel.run(*be::make_openmp(threads, 0))), "")
                << n << " elements, " << threads << " threads";
        }
    }
}

TEST(Scans, OfNoElements) {
    for (const Extents& extents : {Extents{0}, Extents{3, 0}, Extents{0, 3}}) {
        TestKernel kernel(extents);
        const ValueId value = kernel.load(kernel.dense(kernel.base(DType::f64, 0), extents));
        kernel.store(kernel.dense(kernel.base(DType::f64, 0), extents),
                     kernel.compute(Op::cumsum, DType::f64, {value}));
        for (const auto& backend : all_backends()) EXPECT_EQ(kernel.run(*backend).traps.size(), 0u);
    }
}

}  // namespace
}  // namespace xlazy::test
