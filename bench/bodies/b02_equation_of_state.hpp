// SPDX-License-Identifier: BSD-3-Clause
// The derivative of sea water's dynamic enthalpy by temperature, in about 90 statements without a view: what the
// benchmark equation_of_state of pyhpc-benchmarks computes. The specific volume is the 48-term rational function of
// IOC, SCOR and IAPSO, The international thermodynamic equation of seawater - 2010 (TEOS-10), appendix K:
//     v(p) = (n0 + n1 p + n2 p^2 + n3 p^3) / (d0 + 2 d1 p + d2 p^2)
// with coefficients that depend on salinity and temperature. Its integral from 0 to p, by division with a rest:
//     q0 p + q1 p^2 / 2 + c1 / 2 log(d(p) / d0) + g / (2 r) log(1 + 2 r d2 p / (a b))
// where r = sqrt(d1^2 - d0 d2), a = d1 - r, b = d1 + r + d2 p. A name with a "t" at its end is the derivative by t.
#pragma once

#include "bodies/body.hpp"

#include <cmath>

namespace xlazy_bench::b02 {

using Array = xa::xtensor<double, 3>;

/// Coefficients of the denominator and the numerator, from the manual's v01 and v21 on.
inline constexpr double kD[] = {
    9.998420897506056e+2,  2.839940833161907e0,   -3.147759265588511e-2, 1.181805545074306e-3,   -6.698001071123802e0,
    -2.986498947203215e-2, 2.327859407479162e-4,  -3.988822378968490e-2, 5.095422573880500e-4,   -1.426984671633621e-5,
    1.645039373682922e-7,  -2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6,   -1.806789763745328e-4,
    6.876837219536232e-7,  -3.087032500374211e-7, -1.988366587925593e-8, -1.061519070296458e-11, 1.550932729220080e-10};
inline constexpr double kN[] = {1.0e0,
                                2.775927747785646e-3,
                                -2.349607444135925e-5,
                                1.119513357486743e-6,
                                6.743689325042773e-10,
                                -7.521448093615448e-3,
                                -2.764306979894411e-5,
                                1.262937315098546e-7,
                                9.527875081696435e-10,
                                -1.811147201949891e-11,
                                -3.303308871386421e-5,
                                3.801564588876298e-7,
                                -7.672876869259043e-9,
                                -4.634182341116144e-11,
                                2.681097235569143e-12,
                                5.419326551148740e-6,
                                -2.742185394906099e-5,
                                -3.212746477974189e-7,
                                3.191413910561627e-9,
                                -1.931012931541776e-12,
                                -1.105097577149576e-7,
                                6.211426728363857e-10,
                                -1.119011592875110e-10,
                                -1.941660213148725e-11,
                                -1.864826425365600e-14,
                                1.119522344879478e-14,
                                -1.200507748551599e-15,
                                6.057902487546866e-17};

/// a coefficient, and its derivative by temperature
struct Pair {
    Array value, slope;
};

inline Pair d0_of(const Array& s, const Array& t, const Array& root) {
    const Array pure = kD[0] + t * (kD[1] + t * (kD[2] + t * kD[3]));
    const Array linear = kD[4] + t * (kD[5] + t * kD[6]);
    const Array salty = kD[7] + t * (kD[8] + t * (kD[9] + t * kD[10]));
    const Array pure_t = kD[1] + t * (2.0 * kD[2] + t * (3.0 * kD[3]));
    const Array linear_t = kD[5] + t * (2.0 * kD[6]);
    const Array salty_t = kD[8] + t * (2.0 * kD[9] + t * (3.0 * kD[10]));
    return {pure + s * (linear + root * salty), pure_t + s * (linear_t + root * salty_t)};
}

inline Pair n0_of(const Array& s, const Array& t, const Array& root) {
    const Array pure = kN[0] + t * (kN[1] + t * (kN[2] + t * (kN[3] + t * kN[4])));
    const Array linear = kN[5] + t * (kN[6] + t * (kN[7] + t * (kN[8] + t * kN[9])));
    const Array salty = kN[10] + t * (kN[11] + t * (kN[12] + t * (kN[13] + t * kN[14])));
    const Array pure_t = kN[1] + t * (2.0 * kN[2] + t * (3.0 * kN[3] + t * (4.0 * kN[4])));
    const Array linear_t = kN[6] + t * (2.0 * kN[7] + t * (3.0 * kN[8] + t * (4.0 * kN[9])));
    const Array salty_t = kN[11] + t * (2.0 * kN[12] + t * (3.0 * kN[13] + t * (4.0 * kN[14])));
    const Array inner = linear + s * kN[15] + root * salty;
    return {pure + s * inner, pure_t + s * (linear_t + root * salty_t)};
}

/// @param s absolute salinity [g/kg], shape (x, y, z)
/// @param t conservative temperature [degrees C], (x, y, z)
/// @param p sea pressure [dbar], (1, 1, z)
/// @return [J / (kg K)], (x, y, z)
inline Array enthalpy_by_temperature(const Array& s, const Array& t, const Array& p) {
    const Array root = xa::sqrt(s);
    const Pair d0 = d0_of(s, t, root), n0 = n0_of(s, t, root);
    const Array d1 = 0.5 * (kD[11] + t * (kD[12] + t * kD[13]) + s * (kD[14] + t * kD[15]));
    const Array d1t = 0.5 * (kD[12] + t * (2.0 * kD[13]) + s * kD[15]);
    const Array d2 = kD[16] + t * (kD[17] + t * kD[18]) + s * kD[19];
    const Array d2t = kD[17] + t * (2.0 * kD[18]);
    const Array n1 = kN[16] + t * (kN[17] + t * (kN[18] + t * kN[19])) + s * (kN[20] + t * kN[21]);
    const Array n1t = kN[17] + t * (2.0 * kN[18] + t * (3.0 * kN[19])) + s * kN[21];
    const Array n2 = kN[22] + t * (kN[23] + t * kN[24] + s * kN[25]);
    const Array n2t = kN[23] + t * (2.0 * kN[24]) + s * kN[25];
    const Array n3 = kN[26] + t * kN[27];

    // The division.
    const Array by_d2 = 1.0 / d2;
    const Array q1 = n3 * by_d2;
    const Array q1t = (kN[27] - q1 * d2t) * by_d2;
    const Array q0 = (n2 - 2.0 * d1 * q1) * by_d2;
    const Array q0t = (n2t - 2.0 * (d1t * q1 + d1 * q1t) - q0 * d2t) * by_d2;
    const Array r1 = n1 - d0.value * q1 - 2.0 * d1 * q0;
    const Array r1t = n1t - d0.slope * q1 - d0.value * q1t - 2.0 * (d1t * q0 + d1 * q0t);
    const Array r0 = n0.value - d0.value * q0;
    const Array r0t = n0.slope - d0.slope * q0 - d0.value * q0t;
    const Array c1 = r1 * by_d2;
    const Array c1t = (r1t - c1 * d2t) * by_d2;
    const Array g = r0 - c1 * d1;
    const Array gt = r0t - c1t * d1 - c1 * d1t;

    // The logarithms.
    const Array d = d0.value + p * (2.0 * d1 + d2 * p);
    const Array dt = d0.slope + p * (2.0 * d1t + d2t * p);
    const Array first = xa::log(d / d0.value);
    const Array first_t = dt / d - d0.slope / d0.value;
    const Array r = xa::sqrt(d1 * d1 - d0.value * d2);
    const Array rt = (2.0 * d1 * d1t - d0.slope * d2 - d0.value * d2t) / (2.0 * r);
    const Array a = d1 - r;
    const Array b = d1 + r + d2 * p;
    const Array w = 2.0 * r * d2 * p / (a * b);
    const Array wt = w * (rt / r + d2t * by_d2 - (d1t - rt) / a - (d1t + rt + d2t * p) / b);
    const Array second = 0.5 * xa::log(1.0 + w) / r;
    const Array second_t = 0.5 * (wt / (1.0 + w)) / r - second * rt / r;

    constexpr double kPascal = 1e4;  // in a decibar
    return kPascal * (p * (q0t + 0.5 * p * q1t) + 0.5 * (c1t * first + c1 * first_t) + second * gt + second_t * g);
}

/// Sizes: x, y, z.
inline Job make(const Sizes& sizes) {
    const std::array shape = {sizes.at(0), sizes.at(1), sizes.at(2)};
    const std::size_t count = shape[0] * shape[1] * shape[2];
    const auto s = share(array_of<Array>(spread<double>(count, 1e-2, 10.0, 21), shape));
    const auto t = share(array_of<Array>(spread<double>(count, -12.0, 20.0, 22), shape));
    const auto p =
        share(array_of<Array>(spread<double>(shape[2], 1.0, 1000.0, 23), std::array<std::size_t, 3>{1, 1, shape[2]}));
    const auto slope = share(Array());
    Job job;
    job.run = [=] {
        *slope = enthalpy_by_temperature(*s, *t, *p);
        keep((*slope)(0, 0, 0));
    };
    job.result = [=] {
        *slope = enthalpy_by_temperature(*s, *t, *p);
        return sampled(*slope);
    };
    return job;
}

inline void add(Cases& cases) { cases["b02"] = make; }

}  // namespace xlazy_bench::b02
