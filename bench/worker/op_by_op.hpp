// SPDX-License-Identifier: BSD-3-Clause
// Arrays whose every operation is one xtensor assignment into an array of its own, as NumPy and CuPy do it: what a
// program costs when nothing is rewritten. Covers what the bodies use.
#pragma once

#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <type_traits>
#include <utility>

namespace op_by_op {

using xt::all;
using xt::layout_type;
using xt::newaxis;
using xt::range;
namespace placeholders = xt::placeholders;

template <class T, std::size_t N, layout_type L = layout_type::row_major>
class xtensor;

/// A window on an array; reading it is part of the operation that uses it.
template <class V>
struct window {
    V values;

    template <class A>
    window& operator=(const A& a) {
        xt::noalias(values) = a.values;
        return *this;
    }
};

template <class A>
struct is_operand : std::false_type {};
template <class T, std::size_t N, layout_type L>
struct is_operand<xtensor<T, N, L>> : std::true_type {};
template <class V>
struct is_operand<window<V>> : std::true_type {};

template <class... A>
using operation = std::enable_if_t<(is_operand<A>::value || ...), int>;

template <class A>
const auto& inner(const A& a) {
    if constexpr (is_operand<A>::value)
        return a.values;
    else
        return a;
}

/// The expression, computed.
template <class E>
auto computed(const E& expression) {
    constexpr std::size_t kRank = std::tuple_size<typename E::shape_type>::value;
    xtensor<typename E::value_type, kRank> result;
    result.values.resize(expression.shape());
    xt::noalias(result.values) = expression;
    return result;
}

template <class T, std::size_t N, layout_type L>
class xtensor {
public:
    using stock = xt::xtensor<T, N, L>;
    using value_type = T;
    using shape_type = typename stock::shape_type;
    static constexpr layout_type static_layout = L;

    xtensor() = default;
    explicit xtensor(const shape_type& shape) : values(stock::from_shape(shape)) {}

    template <class A>
    xtensor& operator+=(const A& a) {
        xt::noalias(values) += inner(a);
        return *this;
    }
    template <class A>
    xtensor& operator-=(const A& a) {
        xt::noalias(values) -= inner(a);
        return *this;
    }
    template <class A>
    xtensor& operator*=(const A& a) {
        xt::noalias(values) *= inner(a);
        return *this;
    }
    template <class... I>
    T operator()(I... index) const {
        return values(index...);
    }
    std::size_t size() const { return values.size(); }
    template <layout_type M>
    auto begin() {
        return values.template begin<M>();
    }
    template <layout_type M>
    auto begin() const {
        return values.template begin<M>();
    }

    stock values;
};

template <class A, class B, operation<A, B> = 0>
auto operator+(const A& a, const B& b) {
    return computed(inner(a) + inner(b));
}
template <class A, class B, operation<A, B> = 0>
auto operator-(const A& a, const B& b) {
    return computed(inner(a) - inner(b));
}
template <class A, class B, operation<A, B> = 0>
auto operator*(const A& a, const B& b) {
    return computed(inner(a) * inner(b));
}
template <class A, class B, operation<A, B> = 0>
auto operator/(const A& a, const B& b) {
    return computed(inner(a) / inner(b));
}
template <class A, class B, operation<A, B> = 0>
auto operator<(const A& a, const B& b) {
    return computed(inner(a) < inner(b));
}
template <class A, operation<A> = 0>
auto operator-(const A& a) {
    return computed(-inner(a));
}
template <class A, operation<A> = 0>
auto abs(const A& a) {
    return computed(xt::abs(inner(a)));
}
template <class A, operation<A> = 0>
auto exp(const A& a) {
    return computed(xt::exp(inner(a)));
}
template <class A, operation<A> = 0>
auto log(const A& a) {
    return computed(xt::log(inner(a)));
}
template <class A, operation<A> = 0>
auto sqrt(const A& a) {
    return computed(xt::sqrt(inner(a)));
}
template <class A, operation<A> = 0>
auto tanh(const A& a) {
    return computed(xt::tanh(inner(a)));
}
template <class C, class A, class B, operation<C> = 0>
auto where(const C& condition, const A& a, const B& b) {
    return computed(xt::where(inner(condition), inner(a), inner(b)));
}
template <class A, class... X, operation<A> = 0>
auto sum(const A& a, X&&... axes) {
    return computed(xt::sum(inner(a), std::forward<X>(axes)...));
}
template <class A, class... X, operation<A> = 0>
auto mean(const A& a, X&&... axes) {
    return computed(xt::mean(inner(a), std::forward<X>(axes)...));
}
template <class A, class... X, operation<A> = 0>
auto amax(const A& a, X&&... axes) {
    return computed(xt::amax(inner(a), std::forward<X>(axes)...));
}
template <class A, class... S>
auto view(A& a, S... slices) {
    return window<decltype(xt::view(a.values, slices...))>{xt::view(a.values, slices...)};
}

}  // namespace op_by_op
