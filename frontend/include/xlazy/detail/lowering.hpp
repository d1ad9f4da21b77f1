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

/// The complex numbers `whole` with another real or imaginary part.
Value with_part(rt::Statement& statement, Value whole, bool imaginary, Value part);
/// Arithmetic of a complex and a real number of its parts' type, as std::complex has it: no part meets a zero that the
/// real number would have if it were made complex.
Value record_mixed(rt::Statement& statement, Op op, Value a, Value b);

// Wrappers are recorded as what they wrap.
template <class B>
struct lowering<lazy_function<B>> : lowering<B> {};
template <class B>
struct lowering<lazy_reducer<B>> : lowering<B> {};
template <class B>
struct lowering<lazy_view<B>> : lowering<B> {};

template <class E>
inline constexpr bool is_scalar = false;
template <class CT>
inline constexpr bool is_scalar<xt::xscalar<CT>> = is_number<typename xt::xscalar<CT>::value_type>;

/// Can an E become an operand of type T?
template <class E, class T>
inline constexpr bool lowerable_as = is_recorded<T> && converts_to<typename E::value_type, T>;

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
        return r.statement.scalar(convert_number<T>(e()));
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

template <class F, class R, class... V>
struct composite_function {
    static constexpr bool native = false;
};

template <class F, class... CT>
struct lowering<xt::xfunction<F, CT...>> {
    using E = xt::xfunction<F, CT...>;
    using functor = std::decay_t<F>;
    using R = typename E::value_type;
    static constexpr meeting how = opcode<functor>::how;
    static constexpr bool composite = how == meeting::composite;
    /// Has the operands' types: first, second, third.
    using types = std::conditional_t<composite, composite_function<functor, R, value_of<std::decay_t<CT>>...>,
                                     operand_types<functor, R, value_of<std::decay_t<CT>>...>>;
    static constexpr DType kResult = bc::dtype_of<R>();

    static constexpr bool is_native() {
        if constexpr (how == meeting::none || !is_recorded<R>)
            return false;
        else if constexpr (composite) {
            if constexpr (types::native)
                return operands_lower();
            else
                return false;
        } else {
            return accepted() && operands_lower();
        }
    }
    static constexpr bool native = is_native();
    static constexpr bool has_leaves = (needs_preparation<std::decay_t<CT>> || ...);
    /// The type of the operands of the op.
    static constexpr DType operand_type() {
        if constexpr (how == meeting::select)
            return kResult;
        else
            return bc::dtype_of<typename types::first>();
    }
    static constexpr bool fails_itself() {
        if constexpr (how == meeting::result)
            return bc::can_fail(opcode<functor>::code, operand_type());
        else
            return false;
    }
    static constexpr bool can_fail = fails_itself() || (lowering<std::decay_t<CT>>::can_fail || ...);
    static constexpr bool operand_can_fail = (lowering<std::decay_t<CT>>::operand_can_fail || ...);

    static void prepare(const E& e, leaves& evaluated) {
        std::apply([&](const auto&... argument) { prepare_all(evaluated, argument...); }, e.arguments());
    }
    static Value run(const E& e, recording& r) {
        return std::apply([&](const auto&... argument) { return record(e, r, argument...); }, e.arguments());
    }

private:
    static constexpr bool accepted() {
        if constexpr (how == meeting::convert)
            return true;
        else if constexpr (sizeof...(CT) == 2 && mixed_parts())
            return is_recorded<typename types::first> && is_recorded<typename types::second>;
        else
            return bc::accepts(opcode<functor>::code, operand_type());
    }
    static constexpr bool mixed_parts() {
        if constexpr (requires { types::mixed; })
            return types::mixed;
        else
            return false;
    }
    static constexpr bool operands_lower() {
        if constexpr (sizeof...(CT) == 1)
            return (lowerable_as<std::decay_t<CT>, typename types::first> && ...);
        else if constexpr (sizeof...(CT) == 2)
            return two_lower<std::decay_t<CT>...>();
        else
            return three_lower<std::decay_t<CT>...>();
    }
    template <class A, class B>
    static constexpr bool two_lower() {
        return lowerable_as<A, typename types::first> && lowerable_as<B, typename types::second>;
    }
    template <class A, class B, class C>
    static constexpr bool three_lower() {
        return two_lower<A, B>() && lowerable_as<C, typename types::third>;
    }

    template <class A>
    static void prepare_all(leaves& evaluated, const A& a) {
        prepare_as<typename types::first>(a, evaluated);
    }
    template <class A, class B>
    static void prepare_all(leaves& evaluated, const A& a, const B& b) {
        prepare_as<typename types::first>(a, evaluated);
        prepare_as<typename types::second>(b, evaluated);
    }
    template <class A, class B, class C>
    static void prepare_all(leaves& evaluated, const A& a, const B& b, const C& c) {
        prepare_all(evaluated, a, b);
        prepare_as<typename types::third>(c, evaluated);
    }

    template <class A>
    static Value record(const E& e, recording& r, const A& a) {
        const Value x = lower_as<typename types::first>(a, r);
        if constexpr (composite)
            return types::run(e, r.statement, x);
        else if constexpr (how == meeting::convert)
            return x;
        else
            return r.statement.apply(opcode<functor>::code, kResult, x);
    }
    template <class A, class B>
    static Value record(const E& e, recording& r, const A& a, const B& b) {
        const Value x = lower_as<typename types::first>(a, r);
        const Value y = lower_as<typename types::second>(b, r);
        if constexpr (composite) {
            return types::run(e, r.statement, x, y);
        } else if constexpr (mixed_parts()) {
            return record_mixed(r.statement, opcode<functor>::code, x, y);
        } else {
            if constexpr (fails_itself()) {
                if (r.mask != nullptr) return r.statement.apply_masked(opcode<functor>::code, kResult, x, y, *r.mask);
            }
            return r.statement.apply(opcode<functor>::code, kResult, x, y);
        }
    }
    template <class A, class B, class C>
    static Value record(const E& e, recording& r, const A& a, const B& b, const C& c) {
        const Value x = lower_as<typename types::first>(a, r);
        if constexpr (how == meeting::select) {
            const Value chosen = lower_arm<lowering<B>::can_fail>(b, r, x, true);
            const Value otherwise = lower_arm<lowering<C>::can_fail>(c, r, x, false);
            return r.statement.apply(Op::select, kResult, x, chosen, otherwise);
        } else {
            const Value y = lower_as<typename types::second>(b, r);
            const Value z = lower_as<typename types::third>(c, r);
            if constexpr (composite)
                return types::run(e, r.statement, x, y, z);
            else
                return r.statement.apply(opcode<functor>::code, kResult, x, y, z);
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

}  // namespace xlazy::detail

#include "xlazy/detail/composites.hpp"
