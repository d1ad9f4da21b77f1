// SPDX-License-Identifier: BSD-3-Clause
// Arrays made of others' elements, as xtensor's builders make them: joined arrays, diagonals, triangles, grids.
// xtensor's generators hide their operands, so ours stand beside them.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include <tuple>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xgenerator.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// xtensor's function object F of a generator, which computes single elements; `how` records them all.
template <class F, class P>
struct made : F {
    made(const F& function, P parts) : F(function), how(std::move(parts)) {}
    P how;
};

/// A generator B of ours.
template <class B>
class lazy_made : public recorded_values<B> {
public:
    using recorded_values<B>::recorded_values;
};
template <class B>
struct holder<lazy_made<B>> : known_holder<lazy_made<B>> {};

template <class F, class R, class S, class P>
auto make_made(const xt::xgenerator<F, R, S>& stock, P parts) {
    using generator = xt::xgenerator<made<F, P>, R, S>;
    return lazy_made<generator>(std::in_place, made<F, P>(stock.functor(), std::move(parts)), stock.shape());
}

template <class F, class P, class R, class S>
struct lowering<xt::xgenerator<made<F, P>, R, S>> {
    using E = xt::xgenerator<made<F, P>, R, S>;
    static constexpr bool native = P::native;
    static constexpr bool has_leaves = P::has_leaves;
    static constexpr bool can_fail = false;  // the operands are computed whole
    static constexpr bool operand_can_fail = P::operand_can_fail;
    static void prepare(const E& e, leaves& evaluated) {
        std::size_t extents[bc::kMaxRank];
        const std::size_t rank = copy_extents(e.shape(), extents);
        e.functor().how.prepare(rank, extents, evaluated);
    }
    static Value run(const E& e, recording& r) {
        recording inner{r.statement, r.evaluated};
        std::size_t extents[bc::kMaxRank];
        const std::size_t rank = copy_extents(e.shape(), extents);
        return e.functor().how.run(rank, extents, inner);
    }
};
template <class B>
struct lowering<lazy_made<B>> : lowering<B> {};

/// Records `e` as a statement that writes `place`.
template <class T, class E>
void record_into(const window& place, const E& e) {
    leaves inner;
    prepare_as<T>(e, inner);
    {
        rt::Statement statement(rt::LineScope::current());
        recording r{statement, inner};
        statement.store(place.ref(), lower_as<T>(e, r));
    }
    inner.end_statement();
}

/// Takes the first `extent` indices of an axis off `rest`; they are the result, without that axis if `single`.
window take_part(window& rest, std::size_t axis, std::size_t extent, bool single);
/// The diagonal at `offset` above the main one of two axes; it is the last axis of the window.
window diagonal_of(const window& whole, std::int64_t offset, std::size_t axis_1, std::size_t axis_2);
/// A vector as an axis of a larger array that repeats it along the others.
window repeated_along(const window& vector, std::size_t axis, std::size_t rank, const std::size_t* extents);
/// The elements on and below the diagonal k of the first two axes (above it if not `lower`), else `zero`.
/// @throws std::runtime_error below 2 axes
Value record_triangle(rt::Statement& statement, Value value, Value zero, std::int64_t k, bool lower);

/// Operands of an E that can be windows on one whole array.
template <class E>
struct as_window {
    static constexpr bool native = viewed<E>::ok || (recorded_value<E> && lowering<E>::native);
    static constexpr bool has_leaves = !viewed<E>::ok;
    static void prepare(const E& e, leaves& evaluated) {
        if constexpr (has_leaves) record_leaf<typename E::value_type, xt::layout_type::row_major>(e, evaluated);
    }
    static window get(const E& e, recording& r) {
        if constexpr (has_leaves)
            return r.evaluated.next();
        else
            return viewed<E>::get(e);
    }
};

/// concatenate, stack.
template <class R, class... CT>
struct joined {
    static constexpr bool native = is_recorded<R> && (lowerable_as<std::decay_t<CT>, R> && ...);
    static constexpr bool has_leaves = true;
    static constexpr bool operand_can_fail = (any_failure<std::decay_t<CT>> || ...);
    void prepare(std::size_t rank, const std::size_t* extents, leaves& evaluated) const {
        window rest = evaluated.add(bc::dtype_of<R>(), rank, extents, false);
        const auto record = [&](const auto& part) {
            const std::size_t extent = stacked ? 1 : static_cast<std::size_t>(part.shape()[axis]);
            record_into<R>(take_part(rest, axis, extent, stacked), part);
        };
        std::apply([&](const auto&... part) { (record(part), ...); }, parts);
    }
    Value run(std::size_t, const std::size_t*, recording& r) const { return r.evaluated.load_next(r.statement); }

    std::tuple<CT...> parts;
    std::size_t axis;
    bool stacked;
};

template <class CT>
struct diagonal_part {
    using E = std::decay_t<CT>;
    static constexpr bool native = as_window<E>::native;
    static constexpr bool has_leaves = as_window<E>::has_leaves;
    static constexpr bool operand_can_fail = any_failure<E>;
    void prepare(std::size_t, const std::size_t*, leaves& evaluated) const { as_window<E>::prepare(source, evaluated); }
    Value run(std::size_t, const std::size_t*, recording& r) const {
        return r.statement.load(diagonal_of(as_window<E>::get(source, r), offset, axis_1, axis_2).ref());
    }

    CT source;
    std::int64_t offset;
    std::size_t axis_1;
    std::size_t axis_2;
};

/// The matrix with this diagonal.
template <class CT>
struct diagonal_matrix {
    using E = std::decay_t<CT>;
    using T = typename E::value_type;
    static constexpr bool native = lowerable_as<E, T>;
    static constexpr bool has_leaves = true;
    static constexpr bool operand_can_fail = any_failure<E>;
    void prepare(std::size_t rank, const std::size_t* extents, leaves& evaluated) const {
        const window whole = evaluated.add(bc::dtype_of<T>(), rank, extents, false);
        {
            rt::Statement statement(rt::LineScope::current());
            statement.store(whole.ref(), statement.scalar(T()));
        }
        record_into<T>(diagonal_of(whole, offset, 0, 1), source);
    }
    Value run(std::size_t, const std::size_t*, recording& r) const { return r.evaluated.load_next(r.statement); }

    CT source;
    std::int64_t offset;
};

template <class CT>
struct triangle {
    using E = std::decay_t<CT>;
    using T = typename E::value_type;
    static constexpr bool native = lowerable_as<E, T>;
    static constexpr bool has_leaves = needs_preparation<E>;
    static constexpr bool operand_can_fail = any_failure<E>;
    void prepare(std::size_t, const std::size_t*, leaves& evaluated) const { prepare_as<T>(source, evaluated); }
    Value run(std::size_t, const std::size_t*, recording& r) const {
        const Value value = lower_as<T>(source, r);
        return record_triangle(r.statement, value, r.statement.scalar(T()), k, lower);
    }

    CT source;
    std::int64_t k;
    bool lower;
};

/// One of meshgrid's arrays.
template <class CT>
struct grid {
    using E = std::decay_t<CT>;
    static constexpr bool native = as_window<E>::native;
    static constexpr bool has_leaves = as_window<E>::has_leaves;
    static constexpr bool operand_can_fail = any_failure<E>;
    void prepare(std::size_t, const std::size_t*, leaves& evaluated) const { as_window<E>::prepare(source, evaluated); }
    Value run(std::size_t rank, const std::size_t* extents, recording& r) const {
        return r.statement.load(repeated_along(as_window<E>::get(source, r), axis, rank, extents).ref());
    }

    CT source;
    std::size_t axis;
};

}  // namespace xlazy::detail

namespace xt {
namespace extension {

template <class F, class P, class R, class S>
struct xgenerator_base<xlazy::detail::made<F, P>, R, S> : xlazy_base {};

}  // namespace extension

template <class B>
struct xcontainer_inner_types<xlazy::detail::lazy_made<B>> : xcontainer_inner_types<B> {};
template <class B>
struct xiterable_inner_types<xlazy::detail::lazy_made<B>> : xiterable_inner_types<B> {};

}  // namespace xt
