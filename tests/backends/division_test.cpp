// SPDX-License-Identifier: BSD-3-Clause
// Quotients by one divisor are those of the division instruction, bit for bit, on every instruction set.
#include "backends/test_kernel.hpp"

#include <limits>
#include <type_traits>

namespace xlazy::test {
namespace {

template <class T>
class Division : public testing::Test {
protected:
    using Limits = std::numeric_limits<T>;
    static constexpr int kMantissa = Limits::digits - 1;

    /// Mantissas at random and near both ends, where roundings are decided; exponents in [lowest, highest].
    T value(int lowest, int highest) {
        const auto part = static_cast<T>(random_() >> (64 - kMantissa));
        const T unit = std::ldexp(T(1), -kMantissa), small = static_cast<T>(random_() % 64);
        const T mantissas[] = {1 + part * unit, 1 + small * unit, 2 - (1 + small) * unit, T(1)};
        const int exponent = lowest + static_cast<int>(random_() % static_cast<unsigned>(highest - lowest + 1));
        const T magnitude = std::ldexp(mantissas[random_() % 4], exponent);
        return random_() % 2 == 0 ? magnitude : -magnitude;
    }
    std::vector<T> values(std::size_t count, int lowest, int highest) {
        std::vector<T> all(count);
        for (T& x : all) x = value(lowest, highest);
        return all;
    }
    /// Near the middle between two neighbours of a quotient by `divisor`.
    std::vector<T> near_middles(std::size_t count, T divisor) {
        std::vector<T> all(count);
        for (T& x : all) {
            const T quotient = value(0, 0);
            const long double middle =
                quotient + std::ldexp(static_cast<long double>(quotient > 0 ? 1 : -1), -1 - kMantissa);
            x = static_cast<T>(middle * static_cast<long double>(divisor));
        }
        return all;
    }

    static void check(const std::vector<T>& dividends, T divisor) {
        const auto count = static_cast<std::int64_t>(dividends.size());
        TestKernel kernel({count});
        const std::uint32_t in = kernel.base_of(dividends), out = kernel.base(bc::dtype_of<T>(), count);
        const ValueId quotient = kernel.compute(Op::div, bc::dtype_of<T>(),
                                                {kernel.load(kernel.dense(in, {count})), kernel.scalar(divisor)});
        kernel.store(kernel.dense(out, {count}), quotient);
        kernel.store(kernel.dense(in, {count}), quotient);  // in place, too
        for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
            if (!be::set_isa(isa)) continue;
            const auto outcome = kernel.run(*be::make_openmp(1));
            const auto found = kernel.values<T>(outcome.bases[out]), in_place = kernel.values<T>(outcome.bases[in]);
            for (std::size_t i = 0; i < dividends.size(); ++i) {
                const volatile T dividend = dividends[i];
                const T expected = dividend / divisor;
                ASSERT_TRUE(same_value<T>(found[i], expected) && same_value<T>(in_place[i], expected))
                    << be::name_of(isa) << ": " << dividends[i] << " / " << divisor << " = " << expected << ", not "
                    << found[i] << ", " << in_place[i] << "; element " << i;
            }
        }
        be::set_isa(be::best_isa());
    }

    std::mt19937_64 random_{17};
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Division, Types);

TYPED_TEST(Division, OfOrdinaryNumbers) {
    for (int i = 0; i < 300; ++i) this->check(this->values(2050, -5, 5), this->value(-5, 5));
}

TYPED_TEST(Division, NearTheMiddleOfTwoNumbers) {
    for (int i = 0; i < 300; ++i) {
        const TypeParam divisor = this->value(-3, 3);
        this->check(this->near_middles(2048, divisor), divisor);
    }
}

TYPED_TEST(Division, OfAnyExponent) {
    constexpr int lowest =
        std::numeric_limits<TypeParam>::min_exponent - 1 - (std::numeric_limits<TypeParam>::digits - 1);
    constexpr int highest = std::numeric_limits<TypeParam>::max_exponent - 1;
    for (int exponent = lowest; exponent <= highest; exponent += (highest - lowest) / 40) {
        for (int divisor = lowest; divisor <= highest; divisor += (highest - lowest) / 40) {
            const auto dividends = this->values(300, exponent, std::min(exponent + 2, highest));
            this->check(dividends, this->value(divisor, std::min(divisor + 2, highest)));
        }
    }
}

TYPED_TEST(Division, OfAndBySpecialNumbers) {
    using Limits = std::numeric_limits<TypeParam>;
    const TypeParam special[] = {TypeParam(0),         -TypeParam(0),    Limits::infinity(), -Limits::infinity(),
                                 Limits::quiet_NaN(),  Limits::max(),    Limits::lowest(),   Limits::min(),
                                 Limits::denorm_min(), Limits::epsilon()};
    for (const TypeParam one : special) {
        this->check(this->values(700, -3, 3), one);
        auto dividends = this->values(3000, -3, 3);
        dividends[1111] = one;  // one of a block
        this->check(dividends, TypeParam(3));
        this->check(dividends, TypeParam(-0.75));
        this->check(std::vector<TypeParam>(1500, one), TypeParam(-3));
    }
}

TYPED_TEST(Division, OfEveryLength) {
    for (std::size_t count = 1; count < 600; count += count < 40 ? 1 : 37)
        this->check(this->values(count, -2, 2), TypeParam(7));
}

}  // namespace
}  // namespace xlazy::test
