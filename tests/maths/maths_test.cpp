// SPDX-License-Identifier: BSD-3-Clause
// The maths library's bits, exact values, symmetry and monotony.
#include "maths/inputs.hpp"
#include "maths/one_value.hpp"
#include "xlazy/backends/maths_table.hpp"

#include <gtest/gtest.h>

namespace xlazy::test {
namespace {

using bc::Op;

/// The instruction sets that this machine has; the best one is in use afterwards.
template <class F>
void on_every_isa(F&& f) {
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512})
        if (be::set_isa(isa)) f(isa);
    be::set_isa(be::best_isa());
}

template <class T>
struct Arguments {
    std::vector<T> a, b;
};
/// Random ones, and special values with each other.
template <class T>
Arguments<T> arguments(int arity, std::size_t count) {
    Arguments<T> in{random_arguments<T>(count, 1), random_arguments<T>(count, 2)};
    const auto special = special_values<T>();
    for (std::size_t i = 0; i < special.size(); ++i) {
        for (std::size_t k = 0; k < (arity == 1 ? 1 : special.size()); k += arity == 1 ? 1 : 5) {
            in.a.push_back(special[i]);
            in.b.push_back(special[(i + k) % special.size()]);
        }
    }
    return in;
}

class MathsFunctions : public testing::TestWithParam<MathsFunction> {
protected:
    static std::size_t differing(Op op, OneValueFn one, auto zero) {
        using T = decltype(zero);
        const Arguments<T> in = arguments<T>(GetParam().arity, 40000);
        std::vector<T> expected(in.a.size());
        one(in.a.data(), in.b.data(), expected.data(), static_cast<std::int64_t>(in.a.size()));
        std::size_t count = 0;
        on_every_isa([&](be::Isa isa) {
            const std::vector<T> found = values_of(op, in.a, in.b);
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (same_number(found[i], expected[i])) continue;
                if (count++ == 0)
                    first = (testing::Message() << be::name_of(isa) << " of " << std::hexfloat << in.a[i] << ", "
                                                << in.b[i] << " gives " << found[i] << ", the text " << expected[i])
                                .GetString();
            }
        });
        return count;
    }
    inline static std::string first;
};

/// The text, one value at a time and without vectors, is the measure: a compiler that fused or reordered anything in
/// one of them would show.
TEST_P(MathsFunctions, BitsAreThoseOfTheTextOnEveryInstructionSet) {
    const Op op = GetParam().op;
    EXPECT_EQ(differing(op, one_value(op, bc::DType::f64), 0.0), 0u) << first;
    EXPECT_EQ(differing(op, one_value(op, bc::DType::f32), 0.0f), 0u) << first;
}

/// The C library's function in a wider type.
template <class W>
W wide_value(Op op, W a, W b) {
    switch (op) {
#define XLAZY_WIDE_1(id) \
    case Op::id: return std::id(a);
#define XLAZY_WIDE_2(id) \
    case Op::id: return std::id(a, b);
#define XLAZY_MATHS(id, arity, file) XLAZY_WIDE_##arity(id)
#include "math/functions.def"
        default: return 0;
    }
}

/// The greatest error in units in the last place; infinite if a special value is wrong.
template <class T, class W>
double greatest_error(const MathsFunction& function, std::size_t count) {
    using Limits = std::numeric_limits<T>;
    const Arguments<T> in = arguments<T>(function.arity, count);
    const std::vector<T> values = values_of(function.op, in.a, in.b);
    double greatest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (function.op == Op::pow && in.b[i] == 2) continue;  // a product
        const W exact = wide_value<W>(function.op, in.a[i], in.b[i]);
        const T rounded = static_cast<T>(exact);
        if (same_number(rounded, values[i])) continue;
        const bool finite = std::isfinite(rounded) && std::isfinite(values[i]);
        const bool at_limit = std::abs(rounded) == Limits::max() || std::abs(values[i]) == Limits::max();
        int exponent = 0;
        std::frexp(exact, &exponent);
        const W unit = std::ldexp(W(1), std::max(exponent, Limits::min_exponent) - Limits::digits);
        const double error = finite     ? static_cast<double>(std::abs(exact - static_cast<W>(values[i])) / unit)
                             : at_limit ? 1.0
                                        : std::numeric_limits<double>::infinity();
        greatest = std::max(greatest, error);
    }
    return greatest;
}

/// A sample of what ./run accuracy measures: no worse than the table says.
TEST_P(MathsFunctions, AreWithinTheirUnitsOfTheExactResult) {
    // The reference is rounded, and a sample may hold a worse argument than the one that the table comes from.
    const double limit = most_ulps(GetParam().op), rounding = 0.05;
    for (const be::MathsRow& row : be::maths_table()) {
        if (row.op != GetParam().op || bc::is_complex(row.type)) continue;
        EXPECT_LE(row.error, limit);
        const double found = row.type == bc::DType::f64 ? greatest_error<double, long double>(GetParam(), 20000)
                                                        : greatest_error<float, double>(GetParam(), 20000);
        EXPECT_LE(found, std::max(row.error, 0.5) + rounding) << bc::name_of(row.type);
    }
}

INSTANTIATE_TEST_SUITE_P(Table, MathsFunctions, testing::ValuesIn(maths_functions()),
                         [](const auto& info) { return std::string(bc::name_of(info.param.op)); });

/// Functions whose values another compilation of the text changes.
int changed_functions(OneValueFn (*compiled)(Op, bc::DType)) {
    int changed = 0;
    for (const MathsFunction& function : maths_functions()) {
        const Arguments<double> in = arguments<double>(function.arity, 40000);
        std::vector<double> other(in.a.size());
        compiled(function.op, bc::DType::f64)(in.a.data(), in.b.data(), other.data(),
                                              static_cast<std::int64_t>(in.a.size()));
        const std::vector<double> values = values_of(function.op, in.a, in.b);
        std::size_t count = 0;
        for (std::size_t i = 0; i < values.size(); ++i) count += !same_number(values[i], other[i]);
        changed += count > 0;
    }
    return changed;
}
/// That comparison does see fused operations, wherever a function multiplies and adds without meaning one, and
/// operations that are reordered.
TEST(Maths, FlagsThatChangeTheBitsAreSeen) {
    EXPECT_GT(changed_functions(contracted), 0);
    EXPECT_GT(changed_functions(fast_maths), 20);
}

template <class T>
T value_at(Op op, T a, T b = 0) {
    return values_of<T>(op, {a}, {b})[0];
}

template <class T>
void exact_values() {
    constexpr int most = sizeof(T) == 8 ? 1023 : 127, least = sizeof(T) == 8 ? -1074 : -149;
    for (int n = least; n <= most; ++n) {
        const T power = std::ldexp(T(1), n);
        ASSERT_EQ(value_at<T>(Op::exp2, T(n)), power);
        ASSERT_EQ(value_at<T>(Op::log2, power), T(n));
        ASSERT_EQ(value_at<T>(Op::pow, 2, T(n)), power);
    }
    for (int n = -60; n <= 60; ++n) {
        const T x = T(n);
        EXPECT_EQ(value_at<T>(Op::cbrt, x * x * x), x);
        EXPECT_EQ(value_at<T>(Op::hypot, 3 * x, 4 * x), std::abs(5 * x));
        EXPECT_EQ(value_at<T>(Op::pow, x, 2), x * x);
        EXPECT_EQ(value_at<T>(Op::pow, x, 3), x * x * x);
        EXPECT_EQ(value_at<T>(Op::pow, x, 0), T(1));
        EXPECT_EQ(value_at<T>(Op::pow, std::numeric_limits<T>::quiet_NaN(), 0), T(1));
        EXPECT_EQ(value_at<T>(Op::pow, 1, x), T(1));
        EXPECT_EQ(value_at<T>(Op::pow, x * x, T(0.5)), std::abs(x));
    }
    for (int n = 0, power = 1; n < 8; ++n, power *= 10) EXPECT_EQ(value_at<T>(Op::log10, T(power)), T(n));
    for (const Op op : {Op::exp, Op::exp2, Op::cos, Op::cosh, Op::erfc}) EXPECT_EQ(value_at<T>(op, 0), T(1));
    for (const Op op : {Op::expm1, Op::sin, Op::tan, Op::asin, Op::atan, Op::sinh, Op::tanh, Op::asinh, Op::atanh,
                        Op::erf, Op::cbrt, Op::log1p}) {
        EXPECT_TRUE(same_number(value_at<T>(op, T(0)), T(0))) << bc::name_of(op);
        EXPECT_TRUE(same_number(value_at<T>(op, T(-0.0)), T(-0.0))) << bc::name_of(op);
    }
    for (const Op op : {Op::log, Op::log2, Op::log10, Op::acos, Op::acosh})
        EXPECT_TRUE(same_number(value_at<T>(op, T(1)), T(0))) << bc::name_of(op);
}
TEST(Maths, ExactValues) {
    on_every_isa([](be::Isa) {
        exact_values<double>();
        exact_values<float>();
    });
}

template <class T>
void gamma_values() {
    const T infinity = std::numeric_limits<T>::infinity();
    double factorial = 1;
    for (int n = 1; n <= 23; factorial *= n++) EXPECT_EQ(value_at<T>(Op::tgamma, T(n)), static_cast<T>(factorial)) << n;
    for (const T one : {T(1), T(2)}) EXPECT_TRUE(same_number(value_at<T>(Op::lgamma, one), T(0)));
    for (const T pole : {T(-1), T(-2), T(-19), T(-20), T(-21), T(-1e6), T(-1e30)}) {
        EXPECT_TRUE(std::isnan(value_at<T>(Op::tgamma, pole))) << pole;
        EXPECT_EQ(value_at<T>(Op::lgamma, pole), infinity) << pole;
    }
    EXPECT_EQ(value_at<T>(Op::tgamma, T(0)), infinity);
    EXPECT_EQ(value_at<T>(Op::tgamma, T(-0.0)), -infinity);
    EXPECT_EQ(value_at<T>(Op::tgamma, infinity), infinity);
    EXPECT_TRUE(std::isnan(value_at<T>(Op::tgamma, -infinity)));
    for (const T end : {infinity, -infinity, T(0), T(-0.0)}) EXPECT_EQ(value_at<T>(Op::lgamma, end), infinity) << end;
    // Below the range the sign is that of the interval between two poles.
    EXPECT_TRUE(same_number(value_at<T>(Op::tgamma, T(-1000.5)), T(-0.0)));
    EXPECT_TRUE(same_number(value_at<T>(Op::tgamma, T(-1001.5)), T(0)));
}
/// Next to the zeros of lgamma below -2 and next to its poles the result has all its digits.
/// Whatever exponents lie beside it.
template <class T>
void powers_by_small_integers() {
    std::vector<T> x, y;
    for (int n = -18; n <= 18; ++n) {
        for (const T base : {T(1.25), T(-0.7), T(3), T(1e-20), T(-1e25)}) {
            x.insert(x.end(), {base, std::abs(base)});
            y.insert(y.end(), {T(n), T(n) + T(0.5)});
        }
    }
    on_every_isa([&](be::Isa) {
        const std::vector<T> powers = values_of<T>(Op::pow, x, y);
        for (std::size_t i = 0; i < x.size(); ++i) {
            EXPECT_TRUE(same_number(powers[i], value_at<T>(Op::pow, x[i], y[i]))) << x[i] << " " << y[i];
            const auto about = static_cast<T>(std::pow(static_cast<long double>(x[i]), static_cast<long double>(y[i])));
            if (std::isnormal(about)) {
                EXPECT_LE(std::abs(powers[i] - about), std::abs(about) * std::numeric_limits<T>::epsilon());
            }
        }
        for (T n = 0, power = 1; n < 10; ++n, power *= 5) EXPECT_EQ(value_at<T>(Op::pow, 5, n), power);
    });
}

TEST(Maths, PowersBySmallIntegers) {
    powers_by_small_integers<float>();
    powers_by_small_integers<double>();
}

TEST(Maths, GammaFunctions) {
    gamma_values<double>();
    gamma_values<float>();
    for (int k = 2; k <= 17; ++k) {
        double step = 1;
        for (int i = 1; i <= k; ++i) step /= i;
        for (const double near : {-k - step, -k + step, -k + 1.5 * step, -k - 1e-9}) {
            for (double x = near - 40 * std::abs(std::nextafter(near, 0) - near); x <= near + 1e-13 * k;
                 x = std::nextafter(x, 0)) {
                if (x == std::rint(x)) continue;
                const long double exact = std::lgamma(static_cast<long double>(x));
                const double value = value_at<double>(Op::lgamma, x);
                ASSERT_LE(std::abs(exact - static_cast<long double>(value)), 2.5e-16L * std::abs(exact) + 1e-300L)
                    << std::hexfloat << x;
            }
        }
    }
}

template <class T>
void symmetry() {
    const auto a = random_arguments<T>(100000, 3);
    auto minus = a;
    for (T& x : minus) x = -x;
    for (const Op op : {Op::sin, Op::tan, Op::asin, Op::atan, Op::sinh, Op::tanh, Op::asinh, Op::atanh, Op::erf,
                        Op::cbrt, Op::cos, Op::cosh}) {
        const bool even = op == Op::cos || op == Op::cosh;
        const auto plus = values_of(op, a, a), other = values_of(op, minus, minus);
        for (std::size_t i = 0; i < a.size(); ++i)
            ASSERT_TRUE(same_number(even ? plus[i] : -plus[i], other[i])) << bc::name_of(op) << " " << a[i];
    }
}
TEST(Maths, OddAndEvenFunctionsAreExactlySo) {
    symmetry<double>();
    symmetry<float>();
}

/// Runs of neighbouring numbers all over the range.
template <class T>
void monotony(Op op, T lowest, T highest) {
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> where(0, 1);
    std::vector<T> a;
    for (int run = 0; run < 400; ++run) {
        const double u = where(random);
        T x = run % 2 == 0 ? static_cast<T>(lowest + u * (static_cast<double>(highest) - lowest))
                           : static_cast<T>(std::exp2(-30 + 31 * u) * (lowest < 0 && run % 4 == 1 ? -1 : 1));
        if (x < lowest || x > highest) continue;
        for (int i = 0; i < 300; ++i, x = std::nextafter(x, std::numeric_limits<T>::infinity())) a.push_back(x);
    }
    const auto values = values_of(op, a, a);
    for (std::size_t i = 1; i < a.size(); ++i) {
        ASSERT_TRUE(i % 300 == 0 || values[i - 1] <= values[i]) << bc::name_of(op) << " " << std::hexfloat << a[i];
    }
}
TEST(Maths, GrowingFunctionsGrow) {
    struct Range {
        Op op;
        double lowest, highest;
    };
    for (const auto& [op, lowest, highest] :
         {Range{Op::exp, -740, 709}, Range{Op::log, 0, 1e6}, Range{Op::tanh, -20, 20}, Range{Op::atan, -100, 100},
          Range{Op::erf, -6, 6}, Range{Op::cbrt, -1e6, 1e6}}) {
        monotony<double>(op, lowest, highest);
        monotony<float>(op, static_cast<float>(std::max(lowest, -100.0)), static_cast<float>(std::min(highest, 88.0)));
    }
}

}  // namespace
}  // namespace xlazy::test
