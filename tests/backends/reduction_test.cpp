// SPDX-License-Identifier: BSD-3-Clause
// The order of reductions, against a transcription of the rule that shares nothing with the back ends.
#include "backends/random_kernel.hpp"

#include <limits>
#include <optional>

namespace xlazy::test {
namespace {

template <class T>
T plain_combine(Op op, T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
        return op == Op::any ? a || b : a && b;
    else if constexpr (std::is_integral_v<T>) {
        const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
        return static_cast<T>(op == Op::prod ? x * y : x + y);
    } else {
        return op == Op::prod ? a * b : a + b;
    }
}

/// A reduction in the rule's order, of the values at the indices of one line. Absent lanes and leaves are empty.
template <class T>
T rule_value(Op op, const std::vector<T>& line, std::int64_t inner) {
    std::int64_t lanes = 32, leaf = 4096;
    while (lanes * inner > 32 && lanes > 1) lanes /= 2;
    while (leaf * inner > 4096 && leaf > 32) leaf /= 2;
    using Sum = std::optional<T>;
    const auto add = [op](Sum& a, const Sum& b) {
        if (!b) return;
        a = a ? plain_combine<T>(op, *a, *b) : b;
    };
    const auto halve = [&](std::vector<Sum>& sums) {
        const std::size_t half = sums.size() / 2;
        for (std::size_t i = 0; i < half; ++i) add(sums[i], sums[i + half]);
        sums.resize(half);
    };
    std::vector<Sum> leaves;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto in_leaf = static_cast<std::int64_t>(i) % leaf;
        if (in_leaf == 0) leaves.emplace_back();
        if (in_leaf != 0) continue;
        std::vector<Sum> sums(static_cast<std::size_t>(lanes));
        for (std::size_t k = i; k < line.size() && k < i + static_cast<std::size_t>(leaf); ++k) {
            add(sums[(k - i) % static_cast<std::size_t>(lanes)], line[k]);
        }
        while (sums.size() > 1) halve(sums);
        leaves.back() = sums[0];
    }
    while (leaves.size() > 1) {
        if (leaves.size() % 2 == 1) leaves.emplace_back();
        std::vector<Sum> next;
        for (std::size_t k = 0; k < leaves.size(); k += 2) {
            next.push_back(leaves[k]);
            add(next.back(), leaves[k + 1]);
        }
        leaves = next;
    }
    return leaves.empty() ? T(0) : *leaves[0];
}

/// Reductions of [outer][n][inner] over n, by the rule.
template <class T>
std::vector<T> rule_values(Op op, const std::vector<T>& values, std::int64_t outer, std::int64_t n,
                           std::int64_t inner) {
    std::vector<T> results;
    for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t i = 0; i < inner; ++i) {
            std::vector<T> line;
            for (std::int64_t k = 0; k < n; ++k)
                line.push_back(values[static_cast<std::size_t>((o * n + k) * inner + i)]);
            results.push_back(rule_value(op, line, inner));
        }
    }
    return results;
}

/// Magnitudes that differ by many orders: every other order of additions gives other bits.
template <class T>
std::vector<T> wild_values(std::int64_t count) {
    std::mt19937_64 random(17);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values) {
        const double unit = static_cast<double>(random() >> 11) / static_cast<double>(1ull << 53);
        if constexpr (std::is_integral_v<T>)
            value = static_cast<T>(random() | 1);
        else if constexpr (is_complex<T>)
            value = {static_cast<typename T::value_type>((unit - 0.5) * 1e4),
                     static_cast<typename T::value_type>(random() % 1000)};
        else
            value = static_cast<T>((unit - 0.5) * std::exp2(static_cast<double>(random() % 30)));
    }
    return values;
}

struct Shape {
    std::int64_t outer, n, inner;
};

/// Around every border of lanes and leaves.
std::vector<Shape> shapes() {
    std::vector<Shape> result;
    for (const std::int64_t inner : {1, 2, 3, 5, 16, 17, 31, 32, 33, 700, 1000, 5000}) {
        const std::int64_t leaf = std::max<std::int64_t>(32, [&] {
            std::int64_t power = 1;
            while (power * 2 * inner <= 4096) power *= 2;
            return power;
        }());
        for (const std::int64_t n :
             {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{31}, std::int64_t{32}, std::int64_t{33},
              std::int64_t{100}, leaf - 1, leaf, leaf + 1, 2 * leaf, 3 * leaf - 7, 5 * leaf + 3}) {
            result.push_back({1, n, inner});
            if (n * inner < 20000) result.push_back({4, n, inner});
        }
    }
    result.push_back({1000, 3, 1});
    result.push_back({700, 5, 4});
    result.push_back({3, 300000, 1});
    result.push_back({1, 1100, 520});  // leaves in groups
    result.push_back({3, 500, 515});
    return result;
}

template <class T>
class SumOrder : public testing::Test {};
using SumTypes = testing::Types<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                std::uint64_t, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SumOrder, SumTypes);

/// The reductions of a shape by a back end: straight from memory, or of a value that is computed.
template <class T>
std::vector<T> reductions(Op op, be::Backend& backend, const Shape& shape, const std::vector<T>& values,
                          bool computed) {
    const Extents domain{shape.outer, shape.n, shape.inner};
    TestKernel kernel(domain);
    ValueId value = kernel.load(kernel.dense(kernel.base_of(values), domain));
    if (computed) value = kernel.compute(Op::mul, bc::dtype_of<T>(), {value, kernel.scalar(T(1))});
    const std::uint32_t out = kernel.base(bc::dtype_of<T>(), shape.outer * shape.inner);
    kernel.reduce(op, 1, false, kernel.dense(out, {shape.outer, shape.inner}), value);
    return kernel.template values<T>(kernel.run(backend).bases[out]);
}

TYPED_TEST(SumOrder, IsTheRules) {
    using T = TypeParam;
    const auto backends = all_backends();
    for (const Shape& shape : shapes()) {
        const auto values = wild_values<T>(shape.outer * shape.n * shape.inner);
        const auto expected = rule_values(Op::sum, values, shape.outer, shape.n, shape.inner);
        for (const auto& backend : backends) {
            for (const bool computed : {false, true}) {
                const auto results = reductions(Op::sum, *backend, shape, values, computed);
                for (std::size_t i = 0; i < results.size(); ++i) {
                    ASSERT_TRUE(same_value(results[i], expected[i]))
                        << backend->name() << " [" << shape.outer << "][" << shape.n << "][" << shape.inner
                        << "], result " << i << ": " << +results[i] << ", not " << +expected[i];
                }
            }
        }
    }
}

/// Near 1 in magnitude, so that products stay finite.
template <class T>
std::vector<T> factors(std::int64_t count) {
    std::mt19937_64 random(23);
    std::vector<T> values(static_cast<std::size_t>(count));
    const auto near_one = [&] { return 1 + (static_cast<double>(random() % 2000) - 1000) * 1e-5; };
    for (T& value : values) {
        if constexpr (std::is_integral_v<T>)
            value = static_cast<T>(random() | 1);
        else if constexpr (is_complex<T>)
            value = std::polar(static_cast<typename T::value_type>(near_one()),
                               static_cast<typename T::value_type>(near_one() * 3));
        else
            value = static_cast<T>(near_one());
    }
    return values;
}

TYPED_TEST(SumOrder, OfProductsToo) {
    using T = TypeParam;
    const auto backends = all_backends();
    for (const Shape& shape : shapes()) {
        if (shape.outer * shape.n * shape.inner > 200000) continue;
        const auto values = factors<T>(shape.outer * shape.n * shape.inner);
        const auto expected = rule_values(Op::prod, values, shape.outer, shape.n, shape.inner);
        for (const auto& backend : backends) {
            const auto results = reductions(Op::prod, *backend, shape, values, false);
            for (std::size_t i = 0; i < results.size(); ++i) {
                ASSERT_TRUE(same_value(results[i], expected[i]))
                    << backend->name() << " [" << shape.outer << "][" << shape.n << "][" << shape.inner << "], result "
                    << i << ": " << +results[i] << ", not " << +expected[i];
            }
        }
    }
}

TEST(AnyAndAll, OfOneOddElement) {
    for (const std::int64_t n : {1, 2, 3, 4, 31, 40, 5000}) {
        for (const std::int64_t inner : {1, 2, 33, 700}) {
            for (const bool odd : {false, true}) {
                std::vector<bool> values(static_cast<std::size_t>(n * inner), !odd);
                values[static_cast<std::size_t>(n / 2 * inner + inner / 2)] = odd;
                TestKernel kernel({n, inner});
                const ValueId value = kernel.load(kernel.dense(kernel.base_of(values), {n, inner}));
                const std::uint32_t out = kernel.base(DType::boolean, inner);
                kernel.reduce(odd ? Op::any : Op::all, 0, false, kernel.dense(out, {inner}), value);
                for (const auto& backend : all_backends()) {
                    const auto results = kernel.values<bool>(kernel.run(*backend).bases[out]);
                    for (std::int64_t i = 0; i < inner; ++i)
                        EXPECT_EQ(results[static_cast<std::size_t>(i)], odd == (i == inner / 2)) << n << " " << i;
                }
            }
        }
    }
}

template <class T>
void expect_of_nothing(Op op, T expected) {
    TestKernel kernel({3, 0});
    const ValueId value = kernel.load(kernel.dense(kernel.base(bc::dtype_of<T>(), 0), {3, 0}));
    const std::uint32_t out = kernel.base(bc::dtype_of<T>(), 3);
    kernel.reduce(op, 1, false, kernel.dense(out, {3}), value);
    for (const auto& backend : all_backends()) {
        EXPECT_EQ(kernel.values<T>(kernel.run(*backend).bases[out]), std::vector<T>(3, expected))
            << bc::name_of(op) << " " << backend->name();
    }
}

TEST(Reductions, OfNoElements) {
    expect_of_nothing<std::uint8_t>(Op::prod, 1);
    expect_of_nothing<float>(Op::prod, 1);
    expect_of_nothing<std::complex<double>>(Op::prod, 1);
    expect_of_nothing<std::complex<double>>(Op::sum, 0);
    expect_of_nothing<bool>(Op::any, false);
    expect_of_nothing<bool>(Op::all, true);
}

TEST(Sum, ManyFloatOnesAreExact) {
    constexpr std::int64_t count = (1 << 24) + 1024;
    TestKernel kernel({count});
    const std::uint32_t out = kernel.base(DType::f32, 1);
    const ValueId one = kernel.load(kernel.view(kernel.base_of(std::vector<float>{1.0f}), 0, {{1, 0}}));
    kernel.reduce(Op::sum, 0, false, kernel.view(out, 0, {}), one);
    for (int threads = 1; threads <= 2; ++threads) {
        EXPECT_EQ(kernel.values<float>(kernel.run(*be::make_openmp(threads)).bases[out])[0], static_cast<float>(count));
    }
}

TEST(Sum, NegativeZerosStay) {
    for (const std::int64_t n : {1, 5, 32, 40, 5000}) {
        for (const std::int64_t inner : {1, 3, 40}) {
            TestKernel kernel({n, inner});
            const std::vector<double> zeros(static_cast<std::size_t>(n * inner), -0.0);
            const std::uint32_t out = kernel.base(DType::f64, inner);
            kernel.reduce(Op::sum, 0, false, kernel.dense(out, {inner}),
                          kernel.load(kernel.dense(kernel.base_of(zeros), {n, inner})));
            for (const auto& backend : all_backends()) {
                for (const double result : kernel.values<double>(kernel.run(*backend).bases[out])) {
                    EXPECT_TRUE(result == 0 && std::signbit(result)) << n << " " << inner;
                }
            }
        }
    }
}

TEST(Sum, OfNoIndicesIsZero) {
    for (const bool keep : {false, true}) {
        TestKernel kernel({3, 0, 2});
        const ValueId value = kernel.load(kernel.dense(kernel.base(DType::f64, 0), {3, 0, 2}));
        const std::uint32_t out = kernel.base_of(std::vector<double>(12, 7.0));
        const std::vector<bc::Dim> dims =
            keep ? std::vector<bc::Dim>{{3, 4}, {1, 0}, {2, 1}} : std::vector<bc::Dim>{{3, 4}, {2, 1}};
        kernel.reduce(Op::sum, 1, keep, kernel.view(out, 0, dims), value);
        for (const auto& backend : all_backends()) {
            EXPECT_EQ(kernel.values<double>(kernel.run(*backend).bases[out]),
                      (std::vector<double>{0, 0, 7, 7, 0, 0, 7, 7, 0, 0, 7, 7}));
        }
    }
}

TEST(Sum, OfAxesWithoutElementsIsNothing) {
    for (unsigned axis = 0; axis < 3; ++axis) {
        TestKernel kernel({2, 3, 0});
        const ValueId value = kernel.load(kernel.dense(kernel.base(DType::f64, 0), {2, 3, 0}));
        Extents result{2, 3, 0};
        result.erase(result.begin() + axis);
        const std::uint32_t out = kernel.base_of(std::vector<double>(6, 7.0));
        kernel.reduce(Op::sum, axis, false, kernel.dense(out, result), value);
        for (const auto& backend : all_backends()) {
            EXPECT_EQ(kernel.values<double>(kernel.run(*backend).bases[out]),
                      std::vector<double>(6, axis == 2 ? 0.0 : 7.0));
        }
    }
}

TEST(Extrema, ANaNPropagatesAndBoolsWork) {
    for (const std::int64_t n : {3, 40, 5000}) {
        auto values = wild_values<double>(n);
        const double smallest = *std::min_element(values.begin(), values.end());
        for (const bool with_nan : {false, true}) {
            if (with_nan) values[static_cast<std::size_t>(n / 2)] = std::numeric_limits<double>::quiet_NaN();
            TestKernel kernel({n});
            const ValueId value = kernel.load(kernel.dense(kernel.base_of(values), {n}));
            const ValueId negative = kernel.compute(Op::lt, DType::f64, {value, kernel.scalar(0.0)});
            const std::uint32_t least = kernel.base(DType::f64, 1), all = kernel.base(DType::boolean, 1),
                                any = kernel.base(DType::boolean, 1);
            kernel.reduce(Op::amin, 0, false, kernel.view(least, 0, {}), value);
            kernel.reduce(Op::amin, 0, false, kernel.view(all, 0, {}), negative);
            kernel.reduce(Op::amax, 0, false, kernel.view(any, 0, {}), negative);
            for (const auto& backend : all_backends()) {
                const auto outcome = kernel.run(*backend);
                const double result = kernel.values<double>(outcome.bases[least])[0];
                EXPECT_TRUE(with_nan ? std::isnan(result) : result == smallest);
                EXPECT_FALSE(kernel.values<bool>(outcome.bases[all])[0]);
                EXPECT_TRUE(kernel.values<bool>(outcome.bases[any])[0]);
            }
        }
    }
}

/// Whatever is skipped on the way: the places of NaN, infinities and zeros of both signs.
template <class T>
void compare_extremes(const Shape& shape, std::int64_t seed) {
    using Limits = std::numeric_limits<T>;
    auto values = wild_values<T>(shape.outer * shape.n * shape.inner);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const T special[] = {Limits::quiet_NaN(),
                         -Limits::quiet_NaN(),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::max(),
                         T(-0.0),
                         T(0.0)};
    for (std::int64_t k = 0; k < seed; ++k) values[random() % values.size()] = special[random() % 7];
    if (seed % 2 != 0) {
        for (T& value : values) value = value < 0 || value > 0 ? std::copysign(T(0), value) : value;
    }
    const Extents domain{shape.outer, shape.n, shape.inner};
    TestKernel kernel(domain);
    const ValueId value = kernel.load(kernel.dense(kernel.base_of(values), domain));
    for (const Op op : {Op::amin, Op::amax}) {
        const std::uint32_t out = kernel.base(bc::dtype_of<T>(), shape.outer * shape.inner);
        kernel.reduce(op, 1, false, kernel.dense(out, {shape.outer, shape.inner}), value);
    }
    const auto expected = kernel.run(*be::make_interpreter());
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
        if (!be::set_isa(isa)) continue;
        for (const int threads : {1, 3})
            EXPECT_EQ(kernel.difference(expected, kernel.run(*be::make_openmp(threads, 0))), "")
                << shape.outer << " " << shape.n << " " << shape.inner << ", " << seed << " special values";
    }
    be::set_isa(be::best_isa());
}

TEST(Extrema, OfSpecialValues) {
    for (const Shape& shape : {Shape{1, 5000, 1}, Shape{2, 300, 1}, Shape{1, 100, 300}, Shape{1, 1100, 520},
                               Shape{3, 40, 24}, Shape{1, 5, 5000}}) {
        for (std::int64_t seed = 0; seed < 8; ++seed) {
            compare_extremes<double>(shape, seed);
            compare_extremes<float>(shape, seed);
        }
    }
}

TEST(Reductions, OfDifferentAxesInOneKernelAreRefused) {
    TestKernel kernel({3, 4});
    const ValueId value = kernel.load(kernel.dense(kernel.base(DType::f64, 12), {3, 4}));
    kernel.reduce(Op::sum, 0, false, kernel.dense(kernel.base(DType::f64, 4), {4}), value);
    kernel.reduce(Op::sum, 1, false, kernel.dense(kernel.base(DType::f64, 3), {3}), value);
    EXPECT_THROW(kernel.run(*be::make_openmp(1)), std::logic_error);
}

}  // namespace
}  // namespace xlazy::test
