// SPDX-License-Identifier: BSD-3-Clause
// Products and quotients of complex numbers: every combination of special parts, and what C99 Annex G asks of them.
#include "backends/test_kernel.hpp"

#include <array>
#include <limits>

namespace xlazy::test {
namespace {

template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

template <class T>
std::vector<T> special_parts() {
    using Limits = std::numeric_limits<T>;
    return {T(0),
            T(-0.0),
            T(1),
            T(-1.5),
            T(3e-20),
            Limits::max(),
            kInf<T>,
            -kInf<T>,
            kNaN<T>,
            Limits::min(),
            Limits::denorm_min(),
            -Limits::max() / 3};
}

template <class T>
using Numbers = std::vector<std::complex<T>>;

/// Every pair of numbers with special parts.
template <class T>
std::pair<Numbers<T>, Numbers<T>> all_pairs() {
    const auto parts = special_parts<T>();
    std::pair<Numbers<T>, Numbers<T>> pairs;
    for (const T re : parts)
        for (const T im : parts)
            for (const T other_re : parts)
                for (const T other_im : parts) {
                    pairs.first.emplace_back(re, im);
                    pairs.second.emplace_back(other_re, other_im);
                }
    return pairs;
}

/// op(a, b), by a back end.
template <class T>
Numbers<T> results(be::Backend& backend, Op op, const Numbers<T>& a, const Numbers<T>& b) {
    const auto count = static_cast<std::int64_t>(a.size());
    TestKernel kernel({count});
    const DType type = bc::dtype_of<std::complex<T>>();
    const ValueId first = kernel.load(kernel.dense(kernel.base_of(a), {count}));
    const ValueId second = kernel.load(kernel.dense(kernel.base_of(b), {count}));
    const std::uint32_t out = kernel.base(type, count);
    kernel.store(kernel.dense(out, {count}), kernel.compute(op, type, {first, second}));
    return kernel.values<std::complex<T>>(kernel.run(backend).bases[out]);
}

template <class T>
class ComplexNumbers : public testing::Test {};
using PartTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexNumbers, PartTypes);

/// The runtime library of GCC, which stock programs call.
TYPED_TEST(ComplexNumbers, AreThoseOfTheRuntimeLibrary) {
    using T = TypeParam;
    const auto [a, b] = all_pairs<T>();
    const auto compare = [&](be::Backend& backend) {
        const auto products = results(backend, Op::mul, a, b), quotients = results(backend, Op::div, a, b);
        for (std::size_t i = 0; i < a.size(); ++i) {
            ASSERT_TRUE(same_value(products[i], a[i] * b[i]))
                << backend.name() << a[i] << " * " << b[i] << " gives " << products[i] << ", not " << a[i] * b[i];
            ASSERT_TRUE(same_value(quotients[i], a[i] / b[i]))
                << backend.name() << a[i] << " / " << b[i] << " gives " << quotients[i] << ", not " << a[i] / b[i];
        }
    };
    compare(*be::make_interpreter());
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
        if (be::set_isa(isa)) compare(*be::make_openmp(1));
    }
    be::set_isa(be::best_isa());
}

template <class T>
bool infinite(std::complex<T> z) {
    return std::isinf(z.real()) || std::isinf(z.imag());
}
template <class T>
bool finite(std::complex<T> z) {
    return std::isfinite(z.real()) && std::isfinite(z.imag());
}
template <class T>
bool nonzero(std::complex<T> z) {
    return z.real() != 0 || z.imag() != 0;  // a NaN part counts
}
template <class T>
bool is_nan(std::complex<T> z) {
    return !infinite(z) && (std::isnan(z.real()) || std::isnan(z.imag()));
}

/// C99 Annex G.5.1, paragraph 4: an infinity times what is neither zero nor a NaN is infinite; an infinity by a finite
/// number is infinite; a finite number by an infinity is zero; what is not zero by zero is infinite.
TYPED_TEST(ComplexNumbers, KeepInfinitiesAndZeros) {
    using T = TypeParam;
    const auto [a, b] = all_pairs<T>();
    const auto backend = be::make_openmp(1);
    const auto products = results(*backend, Op::mul, a, b), quotients = results(*backend, Op::div, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (infinite(a[i]) && nonzero(b[i]) && !is_nan(b[i])) {
            EXPECT_TRUE(infinite(products[i])) << a[i] << " * " << b[i] << " gives " << products[i];
        }
        if (infinite(a[i]) && finite(b[i])) {
            EXPECT_TRUE(infinite(quotients[i])) << a[i] << " / " << b[i] << " gives " << quotients[i];
        }
        // Where the sum of the parts overflows, the standard's formula gives a NaN, here and in the runtime library.
        if (finite(a[i]) && infinite(b[i]) && std::isfinite(std::abs(a[i].real()) + std::abs(a[i].imag()))) {
            EXPECT_EQ(quotients[i], std::complex<T>(0)) << a[i] << " / " << b[i];
        }
        if (finite(a[i]) && nonzero(a[i]) && b[i] == std::complex<T>(0)) {
            EXPECT_TRUE(infinite(quotients[i])) << a[i] << " / " << b[i] << " gives " << quotients[i];
        }
    }
}

/// Where the textbook's formula overflows or loses all digits.
TEST(ComplexNumbers, QuotientsAreScaled) {
    const Numbers<double> a{{1e300, 1e300}, {1e-300, 1e-300}, {1e307, 1e-307}, {3, 4}};
    const Numbers<double> b{{1e300, 1e300}, {1e-300, 1e-300}, {1e204, 1e-204}, {1e308, 1e308}};
    const auto quotients = results(*be::make_openmp(1), Op::div, a, b);
    EXPECT_EQ(quotients[0], std::complex<double>(1));
    EXPECT_EQ(quotients[1], std::complex<double>(1));
    EXPECT_DOUBLE_EQ(quotients[2].real(), 1e103);
    EXPECT_DOUBLE_EQ(quotients[2].imag(), -1e-305);
    EXPECT_DOUBLE_EQ(quotients[3].real(), 3.5e-308);
    EXPECT_DOUBLE_EQ(quotients[3].imag(), 5e-309);
}

}  // namespace
}  // namespace xlazy::test
