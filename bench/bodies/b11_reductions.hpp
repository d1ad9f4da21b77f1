// SPDX-License-Identifier: BSD-3-Clause
// Sums, means, maxima and variances over all and over each axis, of shapes that stress different loops, and the place
// of the smallest element.
#pragma once

#include "bodies/body.hpp"

#include <string>

namespace xlazy_bench::b11 {

struct Sum {
    static constexpr const char* name = "sum";
    template <class E, class... X>
    static auto of(const E& e, X&&... axes) {
        return xa::sum(e, std::forward<X>(axes)...);
    }
};
struct Mean {
    static constexpr const char* name = "mean";
    template <class E, class... X>
    static auto of(const E& e, X&&... axes) {
        return xa::mean(e, std::forward<X>(axes)...);
    }
};
struct Maximum {
    static constexpr const char* name = "amax";
    template <class E, class... X>
    static auto of(const E& e, X&&... axes) {
        return xa::amax(e, std::forward<X>(axes)...);
    }
};
struct Variance {
    static constexpr const char* name = "var";
    template <class E, class... X>
    static auto of(const E& e, X&&... axes) {
        return xa::variance(e, std::forward<X>(axes)...);
    }
};

/// Over all elements (axis < 0) or one axis.
template <class Reducer, xa::layout_type L>
Job make(const Sizes& sizes, int axis) {
    using Matrix = xa::xtensor<double, 2, L>;
    const std::size_t rows = sizes.at(0), columns = sizes.at(1);
    const auto a = share(array_of<Matrix>(spread<double>(rows * columns, 0.0, 1.0, 11), std::array{rows, columns}));
    Job job;
    if (axis < 0) {
        const auto all = [=] { return static_cast<double>(Reducer::of(*a)()); };
        job.run = [=] { keep(all()); };
        job.result = [=] { return one_value(all()); };
    } else {
        const auto lines = share(xa::xtensor<double, 1>());
        const auto reduce = [=] {
            *lines = Reducer::of(*a, std::array{static_cast<std::size_t>(axis)});
            keep((*lines)(0));
        };
        job.run = reduce;
        job.result = [=] {
            reduce();
            return sampled(*lines);
        };
    }
    return job;
}

template <class Reducer>
void add_reducer(Cases& cases) {
    for (const int axis : {-1, 0, 1}) {
        const std::string name =
            std::string("b11.") + Reducer::name + '.' + (axis < 0 ? "all" : "axis" + std::to_string(axis));
        cases[name] = [=](const Sizes& sizes) { return make<Reducer, xa::layout_type::row_major>(sizes, axis); };
        cases[name + ".column"] = [=](const Sizes& sizes) {
            return make<Reducer, xa::layout_type::column_major>(sizes, axis);
        };
    }
}

inline Job make_argmin(const Sizes& sizes) {
    using Array = xa::xtensor<float, 1>;
    const auto a = share(array_of<Array>(spread<float>(sizes.at(0), 0.0f, 1.0f, 15), std::array{sizes[0]}));
    const auto place = [=] { return static_cast<double>(xa::argmin(*a)()); };
    Job job;
    job.run = [=] { keep(place()); };
    job.result = [=] { return one_value(place()); };
    return job;
}

inline void add_reductions(Cases& cases) {
    add_reducer<Sum>(cases);
    add_reducer<Mean>(cases);
    add_reducer<Maximum>(cases);
    add_reducer<Variance>(cases);
    cases["b11.argmin"] = make_argmin;
}

}  // namespace xlazy_bench::b11
