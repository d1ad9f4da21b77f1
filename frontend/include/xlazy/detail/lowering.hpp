// SPDX-License-Identifier: BSD-3-Clause
// From xtensor's expression trees to instructions. A tree is lowered in two phases: `prepare` evaluates the leaves that
// cannot be recorded, since each may need a flush or statements of its own; `run` records the rest as one statement.
#pragma once

#include "xlazy/detail/materialise.hpp"
#include "xlazy/detail/opcodes.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xbroadcast.hpp>
#include <xtensor/xfunction.hpp>
#include <xtensor/xscalar.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

using rt::DType;
using rt::Value;

/// The statement being recorded.
struct recording {
    rt::Statement& statement;
    leaves& evaluated;
    const Value* mask = nullptr;  ///< elements where it is false are not needed: they must not fail
};

/// How an E is recorded. `native`: as itself; otherwise its elements are evaluated.
template <class E>
struct lowering {
    static constexpr bool native = viewed<E>::ok;
    static constexpr bool has_leaves = false;        ///< something below must be evaluated first
    static constexpr bool can_fail = false;          ///< an element can fail on its data
    static constexpr bool operand_can_fail = false;  ///< so can elements of an operand of which each is made
    static void prepare(const E&, leaves&) {}
    static Value run(const E& e, recording& r) {
        return with_window(e, [&](const rt::ViewRef& view) { return r.statement.load(view); });
    }
};

// Wrappers are recorded as what they wrap.
template <class B>
struct lowering<lazy_function<B>> : lowering<B> {};
template <class B>
struct lowering<lazy_reducer<B>> : lowering<B> {};

template <class E>
inline constexpr bool is_scalar = false;
template <class CT>
inline constexpr bool is_scalar<xt::xscalar<CT>> = std::is_arithmetic_v<typename xt::xscalar<CT>::value_type>;

/// Can an E become an operand of type T?
template <class E, class T>
inline constexpr bool lowerable_as = is_recorded<T> && (is_scalar<E> || std::is_arithmetic_v<typename E::value_type>);

/// Is the operand evaluated first?
template <class E>
inline constexpr bool is_leaf = !is_scalar<E> && !(lowering<E>::native && recorded_value<E>);

template <class E>
inline constexpr bool needs_preparation = is_leaf<E> || (!is_scalar<E> && lowering<E>::has_leaves);

template <class E>
inline constexpr bool any_failure = lowering<E>::can_fail || lowering<E>::operand_can_fail;

template <class T, class E>
void prepare_as(const E& e, leaves& evaluated) {
    if constexpr (is_leaf<E>)
        evaluated.add<T>(e);
    else if constexpr (!is_scalar<E> && lowering<E>::has_leaves)
        lowering<E>::prepare(e, evaluated);
}

/// The operand in type T. Scalars are converted here, as C++ would.
template <class T, class E>
Value lower_as(const E& e, recording& r) {
    if constexpr (is_scalar<E>)
        return r.statement.scalar(static_cast<T>(e()));
    else if constexpr (is_leaf<E>)
        return r.evaluated.load_next(r.statement);
    else if constexpr (bc::dtype_of<typename E::value_type>() == bc::dtype_of<T>())
        return lowering<E>::run(e, r);
    else
        return r.statement.cast(lowering<E>::run(e, r), bc::dtype_of<T>());
}

/// Records `e` as a statement of its own, which becomes a leaf, dense in order L: views of it need memory.
template <class T, xt::layout_type L, class E>
void record_leaf(const E& e, leaves& evaluated) {
    leaves inner;
    prepare_as<T>(e, inner);
    rt::Statement statement(rt::LineScope::current());
    recording r{statement, inner};
    const Value value = lower_as<T>(e, r);
    std::size_t extents[bc::kMaxRank];
    const std::size_t rank = statement.rank_of(value);
    for (std::size_t i = 0; i < rank; ++i) extents[i] = static_cast<std::size_t>(statement.extent_of(value, i));
    statement.store(evaluated.add(bc::dtype_of<T>(), rank, extents, L == xt::layout_type::column_major).ref(), value);
    inner.end_statement();
}

/// A view V of an expression that is no window itself: the expression is recorded first, the view is a window on that.
/// Compose::compose(view, whole) says which.
template <class V, class Compose, xt::layout_type L = xt::layout_type::row_major>
struct view_of_expression {
    using parent = std::decay_t<decltype(std::declval<const V&>().expression())>;
    using T = typename V::value_type;
    static constexpr bool native = recorded_value<parent> && lowering<parent>::native;
    static constexpr bool has_leaves = true;
    static constexpr bool can_fail = false;  // the elements of the expression are all computed
    static constexpr bool operand_can_fail = any_failure<parent>;
    static void prepare(const V& view, leaves& evaluated) { record_leaf<T, L>(view.expression(), evaluated); }
    static Value run(const V& view, recording& r) {
        const window whole = r.evaluated.next();
        return r.statement.load(Compose::compose(view, whole).ref());
    }
};

struct compose_strided {
    template <class V>
    static window compose(const V& view, const window& whole) {
        return strided_window(view, whole.base);
    }
};

/// transpose, reshape_view and others of an expression without memory.
template <class CT, class S, xt::layout_type L, xt::layout_type Order>
using flat_view = xt::xstrided_view<CT, S, L, xt::detail::flat_adaptor_getter<CT, Order>>;

template <class CT, class S, xt::layout_type L, xt::layout_type Order>
    requires(!viewed<flat_view<CT, S, L, Order>>::ok)
struct lowering<flat_view<CT, S, L, Order>> : view_of_expression<flat_view<CT, S, L, Order>, compose_strided, Order> {};

template <class CT, class X>
struct lowering<xt::xbroadcast<CT, X>> {
    using E = xt::xbroadcast<CT, X>;
    using operand = std::decay_t<CT>;
    using T = typename E::value_type;
    static constexpr bool native = lowerable_as<operand, T>;
    static constexpr bool has_leaves = needs_preparation<operand>;
    static constexpr bool can_fail = false;
    static constexpr bool operand_can_fail = any_failure<operand>;
    static void prepare(const E& e, leaves& evaluated) { prepare_as<T>(e.expression(), evaluated); }
    static Value run(const E& e, recording& r) {
        recording inner{r.statement, r.evaluated};
        std::size_t extents[bc::kMaxRank];
        const std::size_t rank = copy_extents(e.shape(), extents);
        return r.statement.broadcast(lower_as<T>(e.expression(), inner), rank, extents);
    }
};

// ---- element functions

template <class E>
using value_of = typename E::value_type;

template <class... T>
struct common_operand {
    using type = bool;
};
/// Where C++ compares an A with a B: in the type of A + B, unless both are the same.
template <class A, class B>
struct common_operand<A, B> {
    using type = std::conditional_t<std::is_same_v<A, B>, A, decltype(std::declval<A>() + std::declval<B>())>;
};

template <class F, class R, class... E>
struct operand_type {
    static constexpr meeting how = opcode<F>::how;
    using first = std::tuple_element_t<0, std::tuple<value_of<E>...>>;
    static auto choose() {
        if constexpr (how == meeting::truth)
            return bool();
        else if constexpr (how == meeting::classify)
            return std::conditional_t<std::is_floating_point_v<first>, first, double>();
        else if constexpr (how == meeting::common && (std::is_arithmetic_v<value_of<E>> && ...)) {
            return typename common_operand<value_of<E>...>::type();
        } else if constexpr (how == meeting::convert)
            return first();
        else
            return R();
    }
    using type = decltype(choose());
};

template <class F, class E>
struct composite_function {
    static constexpr bool native = false;
};

template <class F, class... CT>
struct lowering<xt::xfunction<F, CT...>> {
    using E = xt::xfunction<F, CT...>;
    using functor = std::decay_t<F>;
    using R = typename E::value_type;
    using T = typename operand_type<functor, R, std::decay_t<CT>...>::type;
    static constexpr meeting how = opcode<functor>::how;
    static constexpr DType kType = bc::dtype_of<T>();
    static constexpr DType kResult = bc::dtype_of<R>();

    static constexpr bool is_native() {
        if constexpr (how == meeting::none || !is_recorded<R>)
            return false;
        else if constexpr (how == meeting::composite)
            return composite_function<functor, E>::native;
        else if constexpr (how == meeting::convert)
            return (lowerable_as<std::decay_t<CT>, R> && ...);
        else
            return bc::accepts(opcode<functor>::code, kType) && (lowerable_as<std::decay_t<CT>, T> && ...);
    }
    static constexpr bool native = is_native();
    static constexpr bool has_leaves = (needs_preparation<std::decay_t<CT>> || ...);
    static constexpr bool fails_itself() {
        if constexpr (how == meeting::result)
            return bc::can_fail(opcode<functor>::code, kType);
        else
            return false;
    }
    static constexpr bool can_fail = fails_itself() || (lowering<std::decay_t<CT>>::can_fail || ...);
    static constexpr bool operand_can_fail = (lowering<std::decay_t<CT>>::operand_can_fail || ...);

    static void prepare(const E& e, leaves& evaluated) {
        std::apply([&](const auto&... argument) { prepare_all(evaluated, argument...); }, e.arguments());
    }
    static Value run(const E& e, recording& r) {
        return std::apply([&](const auto&... argument) { return record(r, argument...); }, e.arguments());
    }

private:
    template <class C, class A, class B>
    static void prepare_all(leaves& evaluated, const C& c, const A& a, const B& b) {
        if constexpr (how == meeting::select) {
            prepare_as<bool>(c, evaluated);
            prepare_as<R>(a, evaluated);
            prepare_as<R>(b, evaluated);
        } else {
            (prepare_as<T>(c, evaluated), prepare_as<T>(a, evaluated), prepare_as<T>(b, evaluated));
        }
    }
    template <class... A>
    static void prepare_all(leaves& evaluated, const A&... a) {
        using operand = std::conditional_t<how == meeting::convert, R, T>;
        (prepare_as<operand>(a, evaluated), ...);
    }

    template <class A>
    static Value record(recording& r, const A& a) {
        if constexpr (how == meeting::composite)
            return composite_function<functor, E>::run(r, lower_as<R>(a, r));
        else if constexpr (how == meeting::convert)
            return lower_as<R>(a, r);
        else
            return r.statement.apply(opcode<functor>::code, kResult, lower_as<T>(a, r));
    }
    template <class A, class B>
    static Value record(recording& r, const A& a, const B& b) {
        const Value x = lower_as<T>(a, r);
        const Value y = lower_as<T>(b, r);
        if constexpr (fails_itself()) {
            if (r.mask != nullptr) return r.statement.apply_masked(opcode<functor>::code, kResult, x, y, *r.mask);
        }
        return r.statement.apply(opcode<functor>::code, kResult, x, y);
    }
    template <class C, class A, class B>
    static Value record(recording& r, const C& c, const A& a, const B& b) {
        if constexpr (how == meeting::composite) {
            const Value x = lower_as<R>(c, r);
            const Value y = lower_as<R>(a, r);
            return composite_function<functor, E>::run(r, x, y, lower_as<R>(b, r));
        } else {
            const Value condition = lower_as<bool>(c, r);
            const Value chosen = lower_arm<lowering<A>::can_fail>(a, r, condition, true);
            const Value otherwise = lower_arm<lowering<B>::can_fail>(b, r, condition, false);
            return r.statement.apply(Op::select, kResult, condition, chosen, otherwise);
        }
    }
    /// An arm of `where` fails only for elements that are taken from it.
    template <bool Masked, class A>
    static Value lower_arm(const A& a, recording& r, Value condition, bool when) {
        if constexpr (!Masked) {
            return lower_as<R>(a, r);
        } else {
            rt::Statement& s = r.statement;
            Value mask = when ? condition : s.apply(Op::logical_not, DType::boolean, condition);
            if (r.mask != nullptr) mask = s.apply(Op::logical_and, DType::boolean, *r.mask, mask);
            recording inner{s, r.evaluated, &mask};
            return lower_as<R>(a, inner);
        }
    }
};

// ---- element functions of several ops

template <class E>
struct composite_lowering {
    using R = typename E::value_type;
    static constexpr DType kType = bc::dtype_of<R>();
    static constexpr bool native = is_recorded<R> && !std::is_same_v<R, bool>;
    static Value multiply(recording& r, Value a, Value b) { return r.statement.apply(Op::mul, kType, a, b); }
};

template <class E>
struct composite_function<square_function, E> : composite_lowering<E> {
    static Value run(recording& r, Value x) { return composite_function::multiply(r, x, x); }
};
template <class E>
struct composite_function<cube_function, E> : composite_lowering<E> {
    static Value run(recording& r, Value x) {
        return composite_function::multiply(r, composite_function::multiply(r, x, x), x);
    }
};

/// The first operand's type; xtensor's integer powers narrow to it on the way.
template <class E>
using first_operand = typename std::decay_t<std::tuple_element_t<0, typename E::tuple_type>>::value_type;

template <std::size_t N, class E>
struct composite_function<xt::detail::pow_impl<N>, E> : composite_lowering<E> {
    using base = composite_lowering<E>;
    static constexpr bool native = base::native && std::is_same_v<first_operand<E>, typename E::value_type>;
    static Value run(recording& r, Value x) { return power<N>(r, x); }

private:
    template <std::size_t K>
    static Value power(recording& r, Value x) {
        if constexpr (K == 1) {
            return x;
        } else {
            const Value root = power<K / 2>(r, x);
            const Value even = base::multiply(r, root, root);
            if constexpr (K % 2 == 0)
                return even;
            else
                return base::multiply(r, even, x);
        }
    }
};

template <class E>
struct composite_function<xt::math::clamp_fun, E> : composite_lowering<E> {
    using base = composite_lowering<E>;
    template <class... T>
    static constexpr bool all_result = (std::is_same_v<T, typename E::value_type> && ...);
    template <class>
    struct same_types;
    template <class... CT>
    struct same_types<std::tuple<CT...>> {
        static constexpr bool value = all_result<typename std::decay_t<CT>::value_type...>;
    };
    static constexpr bool native = base::native && same_types<typename E::tuple_type>::value;
    static Value run(recording& r, Value x, Value low, Value high) {
        rt::Statement& s = r.statement;
        const Value above = s.apply(Op::lt, DType::boolean, high, x);
        const Value capped = s.apply(Op::select, base::kType, above, high, x);
        const Value below = s.apply(Op::lt, DType::boolean, x, low);
        return s.apply(Op::select, base::kType, below, low, capped);
    }
};

/// a * PI / 180, and a * 180 / PI.
template <class E>
struct composite_function<xt::math::deg2rad, E> : composite_lowering<E> {
    static Value run(recording& r, Value x) {
        using R = typename E::value_type;
        const Value scaled = composite_function::multiply(r, x, r.statement.scalar(xt::numeric_constants<R>::PI));
        return r.statement.apply(Op::div, composite_function::kType, scaled, r.statement.scalar(R(180)));
    }
};
template <class E>
struct composite_function<xt::math::rad2deg, E> : composite_lowering<E> {
    static Value run(recording& r, Value x) {
        using R = typename E::value_type;
        const Value scaled = composite_function::multiply(r, x, r.statement.scalar(R(180)));
        return r.statement.apply(Op::div, composite_function::kType, scaled,
                                 r.statement.scalar(xt::numeric_constants<R>::PI));
    }
};

}  // namespace xlazy::detail
