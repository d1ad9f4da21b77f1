// SPDX-License-Identifier: BSD-3-Clause
// What all bodies use. A worker defines the namespace alias `xa`, for xtensor or what takes its place, before it
// includes a body: the source of a case is the same in every variant.
#pragma once

#include "worker/worker.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace xlazy_bench {

/// Arrays of a job, whose functions are copied.
template <class A>
std::shared_ptr<A> share(A array) {
    return std::make_shared<A>(std::move(array));
}

/// An array with these values, in the order of its own layout.
template <class A, class T, std::size_t N>
A array_of(const std::vector<T>& values, const std::array<std::size_t, N>& shape) {
    A array(typename A::shape_type{shape});
    std::copy(values.begin(), values.end(), array.template begin<A::static_layout>());
    return array;
}

/// Evenly spread elements.
template <class A>
Values sampled(const A& array) {
    Values values;
    values.single = std::is_same_v<typename A::value_type, float>;
    const std::size_t step = sample_step(array.size());
    const auto first = array.template begin<A::static_layout>();
    for (std::size_t i = 0; i < array.size(); i += step)
        values.values.push_back(static_cast<double>(*(first + static_cast<std::ptrdiff_t>(i))));
    return values;
}

template <class T>
Values one_value(T value) {
    return {std::is_same_v<T, float>, {static_cast<double>(value)}};
}

}  // namespace xlazy_bench
