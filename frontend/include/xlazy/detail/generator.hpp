// SPDX-License-Identifier: BSD-3-Clause
// arange and linspace as expressions whose parameters are known; xtensor's generators hide theirs.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include <cmath>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xbuilder.hpp>
#include <xtensor/xgenerator.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// Element i of xt::detail::arange_generator<V, R, S>: R(start + step * V(i)), the last one R(stop) for an end point.
template <class V, class R, class S>
struct progression {
    V start;
    V stop;
    S step;
    bool endpoint;

    /// xtensor adds up steps of an integer type when it assigns the generator itself, and multiplies elsewhere. Are
    /// both the same?
    bool exact(std::size_t count) const {
        if constexpr (std::is_integral_v<V> || !std::is_integral_v<S>) {
            return true;
        } else {
            const V limit = std::ldexp(V(1), std::numeric_limits<V>::digits - 1);
            const V far = std::fabs(start) + std::fabs(static_cast<V>(step)) * static_cast<V>(count);
            return std::trunc(start) == start && far < limit;
        }
    }
};

template <class B>
class lazy_generator : public B {
public:
    template <class V, class R, class S>
    lazy_generator(B&& b, progression<V, R, S> values);
};

template <class V, class R, class S, class Shape>
class lazy_generator<xt::xgenerator<xt::detail::arange_generator<V, R, S>, R, Shape>>
    : public xt::xgenerator<xt::detail::arange_generator<V, R, S>, R, Shape> {
public:
    using base = xt::xgenerator<xt::detail::arange_generator<V, R, S>, R, Shape>;
    lazy_generator(base&& b, progression<V, R, S> values) : base(std::move(b)), progression_(values) {}
    const progression<V, R, S>& values() const noexcept { return progression_; }

private:
    progression<V, R, S> progression_;
};

template <class V, class R, class S, class Shape>
struct lowering<lazy_generator<xt::xgenerator<xt::detail::arange_generator<V, R, S>, R, Shape>>> {
    using E = lazy_generator<xt::xgenerator<xt::detail::arange_generator<V, R, S>, R, Shape>>;
    using T = decltype(V() + S() * V());
    static constexpr bool native = is_recorded<R> && is_recorded<T>;
    static constexpr bool has_leaves = false;
    static constexpr bool can_fail = false;
    static void prepare(const E&, leaves&) {}
    static Value run(const E& e, recording& r) {
        constexpr DType kType = bc::dtype_of<T>();
        rt::Statement& s = r.statement;
        const progression<V, R, S>& p = e.values();
        std::size_t extents[bc::kMaxRank];
        const std::size_t rank = copy_extents(e.shape(), extents);
        const Value index = s.index(0, rank, extents);
        const Value scaled =
            s.apply(Op::mul, kType, s.scalar(static_cast<T>(p.step)), s.cast(s.cast(index, bc::dtype_of<V>()), kType));
        Value value = s.apply(Op::add, kType, s.scalar(static_cast<T>(p.start)), scaled);
        value = s.cast(value, bc::dtype_of<R>());
        if (p.endpoint && extents[0] > 1) {
            const Value last = s.scalar(static_cast<std::int64_t>(extents[0]) - 1);
            const Value at_end = s.apply(Op::eq, DType::boolean, index, last);
            value = s.apply(Op::select, bc::dtype_of<R>(), at_end, s.scalar(static_cast<R>(p.stop)), value);
        }
        return value;
    }
};

template <class B>
struct make_generator;
template <class V, class R, class S, class Shape>
struct make_generator<xt::xgenerator<xt::detail::arange_generator<V, R, S>, R, Shape>> {
    using base = xt::xgenerator<xt::detail::arange_generator<V, R, S>, R, Shape>;
    static lazy_generator<base> from(base&& b, V start, V stop, S step, bool endpoint) {
        return lazy_generator<base>(std::move(b), {start, stop, step, endpoint});
    }
};

}  // namespace xlazy::detail
