// SPDX-License-Identifier: BSD-3-Clause
// The maths library's functions of complex numbers: their bits, errors and special values.
#include "maths/inputs.hpp"
#include "maths/one_value.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace xlazy::test {
namespace {

using bc::Op;

template <class T>
using Numbers = std::vector<std::complex<T>>;

/// Random ones, and all pairs of special parts.
template <class T>
Numbers<T> arguments(std::size_t count, unsigned seed) {
    Numbers<T> values = complex_arguments<T>(count, seed);
    const auto special = special_values<T>();
    for (std::size_t i = 0; i < special.size(); i += 3)
        for (std::size_t k = seed % 3; k < special.size(); k += 7) values.emplace_back(special[i], special[k]);
    return values;
}

/// The parts of all results; those of abs and arg are one each.
template <class T>
std::vector<T> parts_of(Op op, const Numbers<T>& a, const Numbers<T>& b) {
    const bc::DType type = bc::dtype_of<std::complex<T>>();
    std::vector<T> parts(bc::is_complex(bc::result_of(op, type)) ? 2 * a.size() : a.size());
    be::map_kernel(op, type, be::Form::vv)(a.data(), b.data(), nullptr, parts.data(),
                                           static_cast<std::int64_t>(a.size()));
    return parts;
}

class ComplexMaths : public testing::TestWithParam<MathsFunction> {
protected:
    template <class T>
    static std::string difference() {
        const Op op = GetParam().op;
        const Numbers<T> a = arguments<T>(20000, 1), b = arguments<T>(20000, 4);
        std::vector<T> expected(2 * a.size());
        one_value(op, bc::dtype_of<std::complex<T>>())(a.data(), b.data(), expected.data(),
                                                       static_cast<std::int64_t>(a.size()));
        std::string text;
        for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
            if (!be::set_isa(isa)) continue;
            const std::vector<T> found = parts_of(op, a, b);
            const std::size_t parts = found.size() / a.size();
            for (std::size_t i = 0; i < found.size() && text.empty(); ++i) {
                if (same_number(found[i], expected[i])) continue;
                text = (testing::Message() << be::name_of(isa) << " of " << std::hexfloat << a[i / parts] << ", "
                                           << b[i / parts] << " gives " << found[i] << ", the text " << expected[i])
                           .GetString();
            }
        }
        be::set_isa(be::best_isa());
        return text;
    }
};

TEST_P(ComplexMaths, BitsAreThoseOfTheTextOnEveryInstructionSet) {
    EXPECT_EQ(difference<double>(), "");
    EXPECT_EQ(difference<float>(), "");
}

/// The C library's function.
template <class W>
std::complex<W> library_value(Op op, std::complex<W> a, std::complex<W> b) {
    switch (op) {
#define XLAZY_LIBRARY_1(id) \
    case Op::id: return std::id(a);
#define XLAZY_LIBRARY_2(id) \
    case Op::id: return std::id(a, b);
#define XLAZY_COMPLEX_MATHS(id, arity, result) XLAZY_LIBRARY_##arity(id)
#include "math/functions.def"
        default: return {};
    }
}

/// Units in the last place of T.
template <class T, class W>
double error_of(T value, W exact) {
    using Limits = std::numeric_limits<T>;
    if (same_number(value, static_cast<T>(exact)) || (value == 0 && static_cast<T>(exact) == 0)) return 0;
    if (!std::isfinite(value) || !std::isfinite(static_cast<T>(exact)))
        return std::abs(exact) > Limits::max() * W(0.999) || std::abs(value) == Limits::max() ? 1 : Limits::max();
    int exponent = 0;
    std::frexp(exact, &exponent);
    const W unit = std::ldexp(W(1), std::max(exponent, Limits::min_exponent) - Limits::digits);
    return static_cast<double>(std::abs(exact - static_cast<W>(value)) / unit);
}

template <class T, class W>
void expect_accurate(const MathsFunction& function) {
    const Numbers<T> a = complex_arguments<T>(20000, 11), b = complex_arguments<T>(20000, 12);
    const std::vector<T> found = parts_of(function.op, a, b);
    const std::size_t parts = found.size() / a.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::complex<W> exact = library_value(function.op, std::complex<W>(a[i]), std::complex<W>(b[i]));
        const double re = error_of(found[parts * i], exact.real());
        const double im = parts == 2 ? error_of(found[2 * i + 1], exact.imag()) : 0;
        ASSERT_LE(std::max(re, im), 4) << std::hexfloat << a[i] << " gives " << found[parts * i] << ", "
                                       << found[parts * i + parts - 1] << ", not " << exact;
    }
}
/// All but powers: the C library's own are many units off, as these may be, and Annex G leaves them open.
class ComplexMathsButPowers : public ComplexMaths {};
TEST_P(ComplexMathsButPowers, PartsAreWithinFourUnits) {
    expect_accurate<double, long double>(GetParam());
    expect_accurate<float, double>(GetParam());
}

/// C99 Annex G, as the C library has it. Free signs and rounding aside.
template <class T>
std::string unlike_annex_g(const MathsFunction& function) {
    const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const T special[] = {0, T(-0.0), 1, -2, T(0.5), infinity, -infinity, nan};
    Numbers<T> a;
    for (const T re : special)
        for (const T im : special) a.emplace_back(re, im);
    const std::vector<T> found = parts_of(function.op, a, a);
    const std::size_t parts = found.size() / a.size();
    const auto alike = [](T x, T y, bool free_sign) {
        if (x != x || y != y) return x != x && y != y;
        if (std::isinf(y) || y == 0) return free_sign ? std::abs(x) == std::abs(y) : same_number(x, y);
        return std::abs(x - y) <= 8 * std::numeric_limits<T>::epsilon() * std::abs(y);
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::complex<T> value = library_value(function.op, a[i], a[i]);
        const T re = found[parts * i], im = parts == 2 ? found[2 * i + 1] : T(0);
        const bool free = std::isnan(value.real()) || std::isnan(value.imag()) ||
                          (function.op == Op::exp && a[i].real() == -infinity && !std::isfinite(a[i].imag()));
        if (alike(re, value.real(), free) && (parts == 1 || alike(im, value.imag(), free))) continue;
        return (testing::Message() << a[i] << " gives " << re << ", " << im << ", not " << value).GetString();
    }
    return "";
}
TEST_P(ComplexMathsButPowers, SpecialValuesAreThoseOfAnnexG) {
    EXPECT_EQ(unlike_annex_g<double>(GetParam()), "");
    EXPECT_EQ(unlike_annex_g<float>(GetParam()), "");
}

std::vector<MathsFunction> all_but_powers() {
    std::vector<MathsFunction> functions = complex_functions();
    std::erase_if(functions, [](const MathsFunction& f) { return f.op == Op::pow; });
    return functions;
}
std::string name_of_case(const testing::TestParamInfo<MathsFunction>& info) {
    return std::string(bc::name_of(info.param.op));
}
INSTANTIATE_TEST_SUITE_P(Table, ComplexMaths, testing::ValuesIn(complex_functions()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Table, ComplexMathsButPowers, testing::ValuesIn(all_but_powers()), name_of_case);

template <class T>
void powers() {
    const T infinity = std::numeric_limits<T>::infinity(), epsilon = std::numeric_limits<T>::epsilon();
    const Numbers<T> a = complex_arguments<T>(2000, 21);
    const auto power = [](const Numbers<T>& x, std::complex<T> y) {
        const std::vector<T> parts = parts_of(Op::pow, x, Numbers<T>(x.size(), y));
        Numbers<T> values;
        for (std::size_t i = 0; i < x.size(); ++i) values.emplace_back(parts[2 * i], parts[2 * i + 1]);
        return values;
    };
    const Numbers<T> squares = power(a, T(2)), ones = power(a, T(0)), same = power(a, T(1)), roots = power(a, T(0.5));
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::complex<T> square = a[i] * a[i];
        EXPECT_EQ(std::memcmp(&squares[i], &square, sizeof square), 0) << a[i] << squares[i] << square;
        EXPECT_EQ(ones[i], std::complex<T>(1));
        EXPECT_LE(std::abs(same[i] - a[i]), 1000 * epsilon * std::abs(a[i]));
        EXPECT_LE(std::abs(roots[i] - std::sqrt(a[i])), 1000 * epsilon * std::abs(roots[i]));
    }
    const Numbers<T> zero{T(0)};
    EXPECT_EQ(power(zero, {2.5, 1})[0], std::complex<T>(0));
    EXPECT_EQ(power(zero, T(0))[0], std::complex<T>(1));
    EXPECT_TRUE(std::isnan(power(zero, {0, 1})[0].real()));
    EXPECT_EQ(power({{infinity, 0}}, T(2))[0].real(), infinity);
}
/// What the logarithm is rounded by, the exponent multiplies: that much a power of doubles may be off, and a few units.
/// Powers of floats are computed in doubles.
template <class T, class W>
void powers_are_near(double units, double units_each) {
    const Numbers<T> a = complex_arguments<T>(500, 22);
    for (const std::complex<T> y : {std::complex<T>(0.3, -2), {7, 5}, {-30, 1}, {100, -20}, {400, 0}, {-1000, 300}}) {
        const std::vector<T> found = parts_of(Op::pow, a, Numbers<T>(a.size(), y));
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!(std::abs(a[i]) > T(0.2) && std::abs(a[i]) < T(5))) continue;
            const std::complex<W> l = std::complex<W>(y) * std::log(std::complex<W>(a[i])), exact = std::exp(l);
            const W size = std::abs(exact);
            if (!(size > std::numeric_limits<T>::min() && size < std::numeric_limits<T>::max() / 2)) continue;
            const std::complex<W> difference = std::complex<W>(found[2 * i], found[2 * i + 1]) - exact;
            const double off = static_cast<double>(std::abs(difference) / size) / std::numeric_limits<T>::epsilon();
            ASSERT_LE(off, units + units_each * static_cast<double>(std::abs(l))) << a[i] << " to the " << y;
        }
    }
}
TEST(ComplexPowers, AreAsNearAsTheirLogarithms) {
    powers_are_near<double, long double>(4, 2);
    powers_are_near<float, double>(1, 0);
}

TEST(ComplexPowers, KeepWhatIsExact) {
    powers<double>();
    powers<float>();
}

}  // namespace
}  // namespace xlazy::test
