// SPDX-License-Identifier: BSD-3-Clause
// 0.1x^5 - 0.5x^4 + 0.25x^3 + 0.75x^2 - 1.5x - 2 in float, every power by repeated multiplication and every operation a
// statement: 15 multiplications and 5 additions. After "Simple XLA benchmark" (Y. Bulatov, gist, 2017).
#pragma once

#include "bodies/body.hpp"

namespace xlazy_bench::b01 {

using Array = xa::xtensor<float, 1>;

inline Array term(const Array& x, float factor, int degree) {
    Array t = factor * x;
    for (int i = 1; i < degree; ++i) t *= x;
    return t;
}

inline Array polynomial(const Array& x) {
    Array y = term(x, 0.1f, 5);
    y -= term(x, 0.5f, 4);
    y += term(x, 0.25f, 3);
    y += term(x, 0.75f, 2);
    y -= term(x, 1.5f, 1);
    y -= 2.0f;
    return y;
}

inline Job make(const Sizes& sizes) {
    const auto x = share(array_of<Array>(spread<float>(sizes.at(0), 0.5f, 2.0f, 1), std::array{sizes.at(0)}));
    const auto y = share(Array());
    Job job;
    job.run = [=] {
        *y = polynomial(*x);
        keep((*y)(0));
    };
    job.result = [=] {
        *y = polynomial(*x);
        return sampled(*y);
    };
    return job;
}

inline void add(Cases& cases) { cases["b01"] = make; }

}  // namespace xlazy_bench::b01
