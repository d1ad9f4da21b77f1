// SPDX-License-Identifier: BSD-3-Clause
// Reductions of computed values: a dot product, and softmax along rows.
#pragma once

#include "bodies/body.hpp"

namespace xlazy_bench::b11 {

inline Job make_dot(const Sizes& sizes) {
    using Array = xa::xtensor<float, 1>;
    const std::array shape = {sizes.at(0)};
    const auto a = share(array_of<Array>(spread<float>(sizes[0], 0.0f, 1.0f, 12), shape));
    const auto b = share(array_of<Array>(spread<float>(sizes[0], 0.0f, 1.0f, 13), shape));
    const auto dot = [=] { return static_cast<float>(xa::sum(*a * *b)()); };
    Job job;
    job.run = [=] { keep(dot()); };
    job.result = [=] { return one_value(dot()); };
    return job;
}

inline Job make_softmax(const Sizes& sizes) {
    using Matrix = xa::xtensor<float, 2>;
    const std::array shape = {sizes.at(0), sizes.at(1)};
    const auto a = share(array_of<Matrix>(spread<float>(shape[0] * shape[1], -4.0f, 4.0f, 14), shape));
    const auto p = share(Matrix());
    const auto softmax = [=] {
        const xa::xtensor<float, 1> top = xa::amax(*a, std::array<std::size_t, 1>{1});
        const Matrix e = xa::exp(*a - xa::view(top, xa::all(), xa::newaxis()));
        const xa::xtensor<float, 1> total = xa::sum(e, std::array<std::size_t, 1>{1});
        *p = e / xa::view(total, xa::all(), xa::newaxis());
    };
    Job job;
    job.run = [=] {
        softmax();
        keep((*p)(0, 0));
    };
    job.result = [=] {
        softmax();
        return sampled(*p);
    };
    return job;
}

inline void add_chains(Cases& cases) {
    cases["b11.dot"] = make_dot;
    cases["b11.softmax"] = make_softmax;
}

}  // namespace xlazy_bench::b11
