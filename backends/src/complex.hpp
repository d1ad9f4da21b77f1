// SPDX-License-Identifier: BSD-3-Clause
// Complex numbers as the loops compute them: std::complex's layout, with arithmetic that is written out, so that it is
// the same in every tier and vectorises. Products and quotients (operators * and /) are for code of no instruction set:
// see complex_loop.
#pragma once

#include "isa/isa_namespace.hpp"

#include "xlazy/bytecode/dtype.hpp"

#include <complex>
#include <limits>
#include <type_traits>

namespace xlazy::be {
inline namespace XLAZY_ISA {

template <class T>
struct Complex {
    T re, im;
    friend constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
    friend constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend constexpr Complex operator-(Complex a) { return {-a.re, -a.im}; }
};

/// What loops and the reference compute in, for a C++ type of the table of element types.
template <class T>
struct KernelTypeOf {
    using type = T;
};
template <class T>
struct KernelTypeOf<std::complex<T>> {
    using type = Complex<T>;
};
template <class T>
using KernelType = typename KernelTypeOf<T>::type;

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<Complex<T>> = true;

/// The element type of a kernel type.
template <class T>
inline constexpr bc::DType kDType = bc::dtype_of<T>();
template <class T>
inline constexpr bc::DType kDType<Complex<T>> = bc::dtype_of<std::complex<T>>();

template <class T>
T absolute(T a) {
    if constexpr (std::is_same_v<T, float>)
        return __builtin_fabsf(a);
    else
        return __builtin_fabs(a);
}
template <class T>
T copy_sign(T a, T sign) {
    if constexpr (std::is_same_v<T, float>)
        return __builtin_copysignf(a, sign);
    else
        return __builtin_copysign(a, sign);
}
template <class T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr bool is_infinite(T a) {
    return absolute(a) == kInfinity<T>;
}
template <class T>
constexpr bool is_finite(T a) {
    return absolute(a) < kInfinity<T>;
}
template <class T>
constexpr bool is_infinite(Complex<T> a) {
    return is_infinite(a.re) || is_infinite(a.im);
}
template <class T>
constexpr bool is_finite(Complex<T> a) {
    return is_finite(a.re) && is_finite(a.im);
}

template <class T>
constexpr Complex<T> conjugate(Complex<T> a) {
    return {a.re, -a.im};
}
template <class T>
constexpr T squared_magnitude(Complex<T> a) {
    return a.re * a.re + a.im * a.im;
}

/// A product or quotient with NaN in both parts may stand for an infinity or a zero.
template <class T>
constexpr bool is_lost(Complex<T> a) {
    return (a.re != a.re) & (a.im != a.im);
}

/// The product by the four products of parts. Lost where an infinity meets a zero or an opposite infinity.
template <class T>
constexpr Complex<T> plain_product(Complex<T> a, Complex<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// 1 with the sign of `a` where it is infinite, else 0 with its sign: the corner of a box around infinity.
template <class T>
T corner(T a) {
    return copy_sign(is_infinite(a) ? T(1) : T(0), a);
}
/// A NaN counts as a zero of its sign.
template <class T>
T zero_if_nan(T a) {
    return a != a ? copy_sign(T(0), a) : a;
}
template <class T>
Complex<T> zero_nans(Complex<T> a) {
    return {zero_if_nan(a.re), zero_if_nan(a.im)};
}
template <class T>
Complex<T> corner(Complex<T> a) {
    return {corner(a.re), corner(a.im)};
}

/// A lost product once more: infinite if an operand is, or a product of parts overflowed. C99 Annex G.5.1.
template <class T>
Complex<T> recovered_product(Complex<T> a, Complex<T> b, Complex<T> lost) {
    bool infinite = false;
    if (is_infinite(a)) {
        a = corner(a);
        b = zero_nans(b);
        infinite = true;
    }
    if (is_infinite(b)) {
        b = corner(b);
        a = zero_nans(a);
        infinite = true;
    }
    if (!infinite && (is_infinite(a.re * b.re) || is_infinite(a.im * b.im) || is_infinite(a.re * b.im) ||
                      is_infinite(a.im * b.re))) {
        a = zero_nans(a);
        b = zero_nans(b);
        infinite = true;
    }
    if (!infinite) return lost;
    const Complex<T> direction = plain_product(a, b);
    return {kInfinity<T> * direction.re, kInfinity<T> * direction.im};
}

/// The power of two by which all parts of a quotient's operands are multiplied, so that nothing overflows or loses
/// digits as a subnormal.
template <class T>
constexpr T quotient_scale(Complex<T> a, Complex<T> b) {
    if constexpr (std::is_same_v<T, float>) {
        return 1;
    } else {
        using Limits = std::numeric_limits<T>;
        constexpr T least = Limits::min(), small = Limits::epsilon(), large = Limits::max() / 2, limit = large * small;
        const T x = absolute(a.re), y = absolute(a.im), re = absolute(b.re), im = absolute(b.im);
        const T divisor = re < im ? im : re;
        const bool few_digits =
            ((x < least) & (y < limit) & (divisor < limit)) | ((y < least) & (x < limit) & (divisor < limit));
        return divisor >= large ? T(0.5) : ((divisor < small) | few_digits) ? T(1) / small : T(1);
    }
}

/// Smith's quotient: the divisor's larger part is taken out. All operands are scaled by a power of two where parts
/// would overflow or lose digits as subnormals: M. Baudin and R. L. Smith, A Robust Complex Division in Scilab,
/// arXiv:1210.4539, with the single scaling that GCC's runtime library has. float computes in double, where neither
/// can happen.
template <class T>
constexpr Complex<T> plain_quotient(Complex<T> a, Complex<T> b) {
    if constexpr (std::is_same_v<T, float>) {
        const double x = a.re, y = a.im, c = b.re, d = b.im;
        const double divisor = c * c + d * d;
        return {static_cast<float>((x * c + y * d) / divisor), static_cast<float>((y * c - x * d) / divisor)};
    } else {
        // The parts that go with the larger part of the divisor come first.
        const bool turned = absolute(b.re) < absolute(b.im);
        T x = turned ? a.im : a.re, y = turned ? a.re : a.im, c = turned ? b.im : b.re, d = turned ? b.re : b.im;
        const T scale = quotient_scale(a, b);
        x *= scale;
        y *= scale;
        c *= scale;
        d *= scale;
        const T ratio = d / c, divisor = d * ratio + c;
        const bool normal = absolute(ratio) > std::numeric_limits<T>::min();
        const T from_y = normal ? y * ratio : d * (y / c), from_x = normal ? x * ratio : d * (x / c);
        return {(from_y + x) / divisor, (turned ? from_x - y : y - from_x) / divisor};
    }
}

/// A lost quotient once more: infinite if the divisor is zero or the dividend infinite, zero if the divisor is
/// infinite. C99 Annex G.5.1.
template <class T>
Complex<T> recovered_quotient(Complex<T> a, Complex<T> b, Complex<T> lost) {
    const T scale = quotient_scale(a, b);
    a = {a.re * scale, a.im * scale};
    b = {b.re * scale, b.im * scale};
    if (b.re == 0 && b.im == 0 && (a.re == a.re || a.im == a.im)) {
        const T infinity = copy_sign(kInfinity<T>, b.re);
        return {infinity * a.re, infinity * a.im};
    }
    T factor;
    if (is_infinite(a) && is_finite(b)) {
        a = corner(a);
        factor = kInfinity<T>;
    } else if (is_infinite(b) && is_finite(a)) {
        b = corner(b);
        factor = 0;
    } else {
        return lost;
    }
    const Complex<T> direction = plain_product(a, conjugate(b));
    return {factor * direction.re, factor * direction.im};
}

template <class T>
Complex<T> operator*(Complex<T> a, Complex<T> b) {
    const Complex<T> product = plain_product(a, b);
    return is_lost(product) ? recovered_product(a, b, product) : product;
}
template <class T>
Complex<T> operator/(Complex<T> a, Complex<T> b) {
    const Complex<T> quotient = plain_quotient(a, b);
    return is_lost(quotient) ? recovered_quotient(a, b, quotient) : quotient;
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
