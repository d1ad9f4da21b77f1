// SPDX-License-Identifier: BSD-3-Clause
// Element functions of xmath.hpp.
#include "../call.hpp"

#define UNARY(name, operand) \
    CALL(xmath, name, #name) { out.ulps(xt::name(operand)); }
#define BINARY(name, left, right) \
    CALL(xmath, name, #name) { out.ulps(xt::name(left, right)); }

UNARY(abs, in.a)
UNARY(fabs, in.a)
UNARY(sign, in.a)
UNARY(ceil, in.a)
UNARY(floor, in.a)
UNARY(trunc, in.a)
UNARY(round, in.a)
UNARY(rint, in.a)
UNARY(nearbyint, in.a)
UNARY(exp, in.a)
UNARY(exp2, in.a)
UNARY(expm1, in.a)
UNARY(log, in.p)
UNARY(log2, in.p)
UNARY(log10, in.p)
UNARY(log1p, in.p)
UNARY(sqrt, in.p)
UNARY(cbrt, in.a)
UNARY(sin, in.a)
UNARY(cos, in.a)
UNARY(tan, in.a)
UNARY(asin, in.u)
UNARY(acos, in.u)
UNARY(atan, in.a)
UNARY(sinh, in.a)
UNARY(cosh, in.a)
UNARY(tanh, in.a)
UNARY(asinh, in.a)
UNARY(acosh, in.p + 1.)
UNARY(atanh, in.u)
UNARY(erf, in.a)
UNARY(erfc, in.a)
UNARY(tgamma, in.p)
UNARY(lgamma, in.p)
UNARY(square, in.a)
UNARY(cube, in.a)
UNARY(deg2rad, in.a)
UNARY(radians, in.a)
UNARY(rad2deg, in.a)
UNARY(degrees, in.a)
UNARY(isnan, in.n)
UNARY(isinf, in.n)
UNARY(isfinite, in.n)
UNARY(nan_to_num, in.n)

BINARY(atan2, in.a, in.b)
BINARY(fdim, in.a, in.b)
BINARY(fmax, in.a, in.b)
BINARY(fmin, in.a, in.b)
BINARY(maximum, in.a, in.b)
BINARY(minimum, in.a, in.b)
BINARY(fmod, in.a, in.b)
BINARY(remainder, in.a, in.b)
BINARY(hypot, in.a, in.b)
BINARY(isclose, in.a, in.b)

CALL(xmath, pow, "pow") { out.ulps(xt::pow(in.p, in.a)); }
CALL(xmath, pow_scalar, "pow") { out.ulps(xt::pow(in.p, 1.5)); }
CALL(xmath, pow_whole, "pow") { out.ulps(xt::pow<5>(in.a)); }
CALL(xmath, fma, "fma") { out(xt::fma(in.a, in.b, in.p)); }
CALL(xmath, clip, "clip") { out(xt::clip(in.a, -0.5, 0.75)); }
CALL(xmath, allclose, "allclose") { out(xt::allclose(in.a, in.a + 1e-12)); }
CALL(xmath, integers, "abs") { out(xt::abs(in.i)); }
CALL(xmath, broadcast, "maximum") { out(xt::maximum(in.cube, in.four)); }
