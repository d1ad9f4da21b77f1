// SPDX-License-Identifier: BSD-3-Clause
// arange, linspace and eye as generators whose parameters can be read; xtensor's hide theirs.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include <cmath>
#include <limits>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xbuilder.hpp>
#include <xtensor/xgenerator.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// As xt::detail::arange_generator<V, R, S>: element i is R(start + step * V(i)); with an end point the last is
/// R(stop).
template <class V, class R, class S>
class progression {
public:
    using value_type = R;

    progression(V first, V last, S by, std::size_t number, bool ends) noexcept
        : start(first), stop(last), step(by), count(number), endpoint(ends) {}

    R operator()() const { return static_cast<R>(start); }
    template <class I, class... More>
    R operator()(I i, More...) const {
        return at(static_cast<std::size_t>(i));
    }
    template <class It>
    R element(It first, It) const {
        return at(static_cast<std::size_t>(*first));
    }
    template <class E>
    void assign_to(xt::xexpression<E>& e) const noexcept {
        fill(e.derived_cast().storage().begin());
    }

    /// xtensor adds up steps of an integer type when it assigns the generator itself, and multiplies elsewhere. These
    /// may differ for floating-point numbers.
    bool adds_up() const noexcept {
        if constexpr (std::is_integral_v<V> || !std::is_integral_v<S>) {
            return false;
        } else {
            const V limit = std::ldexp(V(1), std::numeric_limits<V>::digits - 1);
            const V reach = std::fabs(start) + std::fabs(static_cast<V>(step)) * static_cast<V>(count);
            return std::trunc(start) != start || !(reach < limit);
        }
    }
    /// All elements, as xtensor assigns them.
    template <class It>
    void fill(It to) const noexcept {
        V sum = start;
        for (std::size_t i = 0; i < count; ++i, ++to, sum += static_cast<V>(step)) {
            *to = std::is_integral_v<S> ? static_cast<R>(sum) : at(i);
        }
    }

    V start;
    V stop;
    S step;
    std::size_t count;
    bool endpoint;

private:
    R at(std::size_t i) const {
        if (endpoint && count > 1 && i == count - 1) return static_cast<R>(stop);
        return static_cast<R>(start + step * static_cast<V>(i));
    }
};

template <class V, class R, class S>
auto make_progression(V start, V stop, S step, std::size_t count, bool endpoint) noexcept {
    return xt::detail::make_xgenerator(progression<V, R, S>(start, stop, step, count, endpoint), {count});
}

template <class V, class R, class S, class Q, class Shape>
inline constexpr bool reads_arrays<xt::xgenerator<progression<V, R, S>, Q, Shape>> = false;

template <class V, class R, class S, class Shape>
struct lowering<xt::xgenerator<progression<V, R, S>, R, Shape>> {
    using E = xt::xgenerator<progression<V, R, S>, R, Shape>;
    using T = decltype(V() + S() * V());
    static constexpr bool native = is_recorded<R> && is_recorded<V> && is_recorded<T>;
    static constexpr bool has_leaves = false;
    static constexpr bool can_fail = false;
    static constexpr bool operand_can_fail = false;

    static void prepare(const E&, leaves&) {}
    static Value run(const E& e, recording& r) {
        constexpr DType kType = bc::dtype_of<T>();
        constexpr DType kResult = bc::dtype_of<R>();
        rt::Statement& s = r.statement;
        const progression<V, R, S>& p = e.functor();
        std::size_t extents[bc::kMaxRank];
        const std::size_t rank = copy_extents(e.shape(), extents);
        const Value index = s.index(0, rank, extents);
        const Value steps = s.cast(s.cast(index, bc::dtype_of<V>()), kType);
        const Value scaled = s.apply(Op::mul, kType, s.scalar(static_cast<T>(p.step)), steps);
        const Value value = s.cast(s.apply(Op::add, kType, s.scalar(static_cast<T>(p.start)), scaled), kResult);
        if (!p.endpoint || p.count < 2) return value;
        const Value last = s.scalar(static_cast<std::int64_t>(p.count) - 1);
        const Value at_end = s.apply(Op::eq, DType::boolean, index, last);
        return s.apply(Op::select, kResult, at_end, s.scalar(static_cast<R>(p.stop)), value);
    }
};

/// As xt::detail::eye_fn<T>: 1 where the last index is the one before it plus k.
template <class T>
class diagonal {
public:
    using value_type = T;

    explicit diagonal(std::ptrdiff_t offset) noexcept : k(offset) {}

    T operator()() const { return T(0); }
    template <class... I>
    T operator()(I... i) const {
        const std::ptrdiff_t index[] = {static_cast<std::ptrdiff_t>(i)...};
        return element(std::begin(index), std::end(index));
    }
    template <class It>
    T element(It first, It last) const {
        if (std::distance(first, last) < 2) return T(0);
        return static_cast<std::ptrdiff_t>(*(last - 1)) == static_cast<std::ptrdiff_t>(*(last - 2)) + k ? T(1) : T(0);
    }

    std::ptrdiff_t k;
};

template <class T, class R, class Shape>
inline constexpr bool reads_arrays<xt::xgenerator<diagonal<T>, R, Shape>> = false;

/// @throws std::runtime_error below 2 axes
Value record_diagonal(rt::Statement& statement, std::size_t rank, const std::size_t* extents, std::int64_t k);

template <class T, class R, class Shape>
struct lowering<xt::xgenerator<diagonal<T>, R, Shape>> {
    using E = xt::xgenerator<diagonal<T>, R, Shape>;
    static constexpr bool native = is_recorded<T>;
    static constexpr bool has_leaves = false;
    static constexpr bool can_fail = false;
    static constexpr bool operand_can_fail = false;

    static void prepare(const E&, leaves&) {}
    static Value run(const E& e, recording& r) {
        std::size_t extents[bc::kMaxRank];
        const std::size_t rank = copy_extents(e.shape(), extents);
        return r.statement.cast(record_diagonal(r.statement, rank, extents, e.functor().k), bc::dtype_of<T>());
    }
};

}  // namespace xlazy::detail
