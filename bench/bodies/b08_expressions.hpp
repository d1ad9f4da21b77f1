// SPDX-License-Identifier: BSD-3-Clause
// The expressions of numexpr's manual, each one statement: what an engine gains that fuses them into one loop.
#pragma once

#include "bodies/body.hpp"

namespace xlazy_bench::b08 {

using Array = xa::xtensor<double, 1>;
using Bools = xa::xtensor<bool, 1>;

inline Array scaled(const Array& a, const Array& b) { return 2.0 * a + 3.0 * b; }
inline Array powers(const Array& a, const Array& b) { return 2.0 * a + xa::pow(b, 10.0); }
inline Bools compared(const Array& a, const Array& b) { return a * b - 4.1 * a > 2.5 * b; }
inline Array waves(const Array& a, const Array& b) { return xa::sin(a) + xa::sinh(a / b); }

/// Of values of a from `low` to 1.5.
template <class F>
auto maker(F of, double low) {
    return [=](const Sizes& sizes) {
        const auto values = [&](double low, double high, std::uint32_t seed) {
            return share(array_of<Array>(spread<double>(sizes.at(0), low, high, seed), std::array{sizes.at(0)}));
        };
        const auto a = values(low, 1.5, 81), b = values(0.5, 1.5, 82);
        using Result = decltype(of(*a, *b));
        const auto result = share(Result());
        Job job;
        job.run = [=] {
            *result = of(*a, *b);
            keep(static_cast<double>((*result)(0)));
        };
        job.result = [=] {
            *result = of(*a, *b);
            return sampled(*result);
        };
        return job;
    };
}

inline void add(Cases& cases) {
    cases["b08.scaled"] = maker(scaled, 0.5);
    cases["b08.powers"] = maker(powers, 0.5);
    cases["b08.compared"] = maker(compared, -1.5);
    cases["b08.waves"] = maker(waves, 0.5);
}

}  // namespace xlazy_bench::b08
