// SPDX-License-Identifier: BSD-3-Clause
// Assignment: the one door to the queue. What cannot be recorded is evaluated by xtensor on synchronised data.
#pragma once

#include "xlazy/detail/lowering.hpp"
#include "xlazy/detail/picked.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xassign.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// Whole containers have two derived_cast (xcontainer's and xexpression's); xtensor's assigner needs the latter.
template <class X>
const xt::xexpression<X>& as_expression(const xt::xexpression<X>& e) {
    return e;
}
template <class X>
xt::xexpression<X>& as_expression(xt::xexpression<X>& e) {
    return e;
}

template <class E>
inline constexpr bool is_recorded_tree = recorded_value<E> && (lowering<E>::native || is_scalar<E>);

/// The target of an assignment, as the run time sees it.
template <class D>
void store(rt::Statement& statement, const D& d, Value value) {
    with_window(d, [&](const rt::ViewRef& view) { statement.store(view, value); });
}

/// Gives the array new storage of the value's shape.
template <class D>
void renew_for(D& d, const rt::Statement& statement, Value value) {
    using shape_type = typename D::shape_type;
    const std::size_t rank = statement.rank_of(value);
    auto shape = xtl::make_sequence<shape_type>(rank, 0);
    if (shape.size() != rank) {
        throw_broadcast("an array of rank " + std::to_string(shape.size()) + " cannot hold a value of rank " +
                        std::to_string(rank));
    }
    for (std::size_t i = 0; i < rank; ++i) shape[i] = static_cast<std::size_t>(statement.extent_of(value, i));
    d.renew(shape);
}

template <class D>
bool value_has_shape(const rt::Statement& statement, Value value, const D& d) {
    const auto& shape = d.shape();
    if (statement.rank_of(value) != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (statement.extent_of(value, i) != static_cast<std::int64_t>(shape[i])) return false;
    }
    return true;
}

/// Its elements are computed by one recorded statement: no window on an array, and no scalar.
template <class E>
inline constexpr bool is_recorded_expression = is_recorded_tree<E> && !viewed<E>::ok && !is_scalar<E>;

/// The expression as an array, or itself if it is as good as one.
template <class E>
decltype(auto) evaluated(const E& e) {
    if constexpr (xt::is_xexpression<E>::value && is_recorded_expression<E>) {
        return xarray<typename E::value_type>(e, rt::LineScope::current());
    } else {
        return (e);
    }
}

// ---- `array = expression`

template <class D, class E>
void record_whole(D& d, const E& e) {
    leaves evaluated;
    prepare_as<value_of<E>>(e, evaluated);
    rt::Statement statement(rt::LineScope::current());
    recording r{statement, evaluated};
    const Value value = lower_as<value_of<E>>(e, r);
    renew_for(d, statement, value);
    store(statement, d, value);
    evaluated.end_statement();
}

/// The shape as an array of type D has it. @throws xt::broadcast_error if D's rank is fixed and another one
template <class D, class S>
typename D::shape_type shape_for(const S& from) {
    auto shape = xtl::make_sequence<typename D::shape_type>(from.size(), 0);
    if (shape.size() != from.size()) {
        throw_broadcast("an array of rank " + std::to_string(shape.size()) + " cannot hold a value of rank " +
                        std::to_string(from.size()));
    }
    std::copy(from.begin(), from.end(), shape.begin());
    return shape;
}

/// The array takes over the evaluated elements.
template <class D, class E>
void evaluate_whole(D& d, const E& e) {
    const auto shape = shape_for<D>(e.shape());
    using T = typename D::value_type;
    constexpr auto kColumns = xt::layout_type::column_major;
    const bool columns = d.dense_layout() == kColumns;
    base_owner base = columns ? evaluate<T, kColumns>(e) : evaluate<T>(e);
    d.renew_dense(shape, base.release());
}

/// A generator that fills its target in a way of its own.
template <class D, class E>
void fill_whole(D& d, const E& e) {
    using T = typename D::value_type;
    const auto shape = shape_for<D>(e.shape());
    base_owner base(bc::dtype_of<T>(), e.size());
    e.functor().fill(static_cast<T*>(rt::base_fill(base.get())));
    d.renew_dense(shape, base.release());
}

/// xtensor evaluates and stores, on a new array so that `e` may read the old one.
template <class D, class E>
void stock_whole(D& d, const E& e) {
    synchronise<E>();
    rt::InsideXtensor inside;
    D result;
    if constexpr (xt::has_assign_to<D, E>::value) {
        e.assign_to(as_expression(result));
    } else {
        xt::xexpression_assigner<xt::xtensor_expression_tag>::assign_xexpression(as_expression(result),
                                                                                 as_expression(e));
    }
    rt::throw_held();
    d.assign_temporary(std::move(result));
}

template <class D, class E>
void assign_array(D& d, const E& e) {
    using T = typename D::value_type;
    if constexpr (!xt::is_xexpression<E>::value) {
        d.assign_temporary(D(e));
    } else if constexpr (!D::recorded) {
        stock_whole(d, e);
    } else if constexpr (is_recorded_tree<E>) {
        if constexpr (requires { e.functor().adds_up(); }) {
            if (e.functor().adds_up()) return located([&] { fill_whole(d, e); });
        }
        located([&] { record_whole(d, e); });
    } else if constexpr (converts_to<typename E::value_type, T>) {
        located([&] { evaluate_whole(d, e); });
    } else {
        located([&] { stock_whole(d, e); });
    }
}

// ---- `view = expression`, and every `target op= expression`

template <assignment O>
inline constexpr Op compound_op = [] {
    constexpr Op ops[] = {Op::copy, Op::copy, Op::add,     Op::sub,    Op::mul,
                          Op::div,  Op::mod,  Op::bit_and, Op::bit_or, Op::bit_xor};
    return ops[static_cast<std::size_t>(O)];
}();

template <assignment O>
struct compound_function;
#define XLAZY_COMPOUND(name, function)           \
    template <>                                  \
    struct compound_function<assignment::name> { \
        using type = xt::detail::function;       \
    };
XLAZY_COMPOUND(add, plus)
XLAZY_COMPOUND(subtract, minus)
XLAZY_COMPOUND(multiply, multiplies)
XLAZY_COMPOUND(divide, divides)
XLAZY_COMPOUND(modulo, modulus)
XLAZY_COMPOUND(bit_and, bitwise_and)
XLAZY_COMPOUND(bit_or, bitwise_or)
XLAZY_COMPOUND(bit_xor, bitwise_xor)
#undef XLAZY_COMPOUND

/// `target op= value` computes as `target op value` would.
template <assignment O, class A, class B>
struct compound_types {
    using function = typename compound_function<O>::type;
    using result = std::decay_t<decltype(function()(std::declval<A>(), std::declval<B>()))>;
    using operands = operand_types<function, result, A, B>;
    using first = typename operands::first;
    using value_type = typename operands::second;
    static constexpr bool mixed = operands::mixed;
    static constexpr bool ok =
        is_recorded<first> && is_recorded<value_type> && (mixed || bc::accepts(compound_op<O>, bc::dtype_of<first>()));
};
template <class A, class B>
struct compound_types<assignment::set, A, B> {
    using value_type = A;
    static constexpr bool ok = is_recorded<A>;
};

/// Can the values of `target op= e` be recorded?
template <assignment O, class D, class E>
inline constexpr bool recorded_values_of = [] {
    if constexpr (!xt::is_xexpression<E>::value)
        return false;
    else if constexpr (!is_number<value_of<E>>)
        return false;
    else {
        using types = compound_types<O, value_of<D>, value_of<E>>;
        return types::ok && lowerable_as<E, typename types::value_type>;
    }
}();

template <assignment O, class D, class E>
inline constexpr bool recorded_update = [] {
    if constexpr (viewed<D>::ok)
        return recorded_values_of<O, D, E>;
    else
        return false;
}();

/// `old op value`
template <assignment O, class Types>
Value combine(rt::Statement& statement, Value old, Value value) {
    old = statement.cast(old, bc::dtype_of<typename Types::first>());
    if constexpr (Types::mixed)
        return record_mixed(statement, compound_op<O>, old, value);
    else
        return statement.apply(compound_op<O>, bc::dtype_of<typename Types::result>(), old, value);
}

template <assignment O, class D, class E>
void record_update(D& d, const E& e) {
    using types = compound_types<O, value_of<D>, value_of<E>>;
    using T = typename types::value_type;
    leaves evaluated;
    prepare_as<T>(e, evaluated);
    rt::Statement statement(rt::LineScope::current());
    recording r{statement, evaluated};
    Value value = lower_as<T>(e, r);
    if constexpr (O != assignment::set) {
        const Value old = with_window(d, [&](const rt::ViewRef& view) { return statement.load(view); });
        value = combine<O, types>(statement, old, value);
    }
    if constexpr (requires { d.used(); }) {
        // An array grows to the shape of the result; a view cannot.
        if (O != assignment::set && !value_has_shape(statement, value, d)) renew_for(d, statement, value);
    }
    store(statement, d, value);
    evaluated.end_statement();
}

/// Targets that are the real or the imaginary parts of a window on complex numbers.
template <class D>
struct part_target {
    static constexpr bool ok = false;
};
template <class B>
struct part_target<lazy_view<B>> : part_target<B> {};

/// Views that are no windows and yet written through by iterators.
template <class B>
inline constexpr bool is_written_through = part_target<B>::ok;

template <assignment O, class D, class E>
inline constexpr bool recorded_part_update = [] {
    if constexpr (part_target<D>::ok)
        return converts_to<value_of<E>, value_of<D>> && recorded_values_of<O, D, E>;
    else
        return false;
}();

/// The whole number is read and written again, with one part new.
template <assignment O, class D, class E>
void record_part_update(D& d, const E& e) {
    using types = compound_types<O, value_of<D>, value_of<E>>;
    using T = typename types::value_type;
    constexpr bool kImaginary = part_target<D>::imaginary;
    constexpr DType kPart = bc::dtype_of<value_of<D>>();
    leaves evaluated;
    prepare_as<T>(e, evaluated);
    rt::Statement statement(rt::LineScope::current());
    recording r{statement, evaluated};
    Value value = lower_as<T>(e, r);
    with_window(d.expression(), [&](const rt::ViewRef& view) {
        const Value whole = statement.load(view);
        if constexpr (O != assignment::set) {
            const Value old = statement.apply(kImaginary ? Op::imag : Op::real, kPart, whole);
            value = combine<O, types>(statement, old, value);
        }
        statement.store(view, with_part(statement, whole, kImaginary, statement.cast(value, kPart)));
    });
    evaluated.end_statement();
}

// ---- the same for views that pick elements

template <assignment O, class D, class E>
inline constexpr bool recorded_scatter = [] {
    if constexpr (picked_view<D>::ok)
        return recorded_values_of<O, D, E>;
    else
        return false;
}();

/// A single value is combined with the elements one by one, in their order: with one that is picked twice, twice.
/// @return false if it need not be done so
template <assignment O, class D, class E>
bool record_each_piece(const picked_window& target, const E& value) {
    std::vector<picked_piece> pieces;
    if (!split(target, target.frame, true, pieces, picks_twice(target) ? SIZE_MAX : kMostPieces)) return false;
    for (const picked_piece& piece : pieces) {
        placed_window<value_of<D>> part{piece.source};
        record_update<O>(part, value);
    }
    return true;
}

/// The value is made whole before the first element changes: it may read the array.
template <assignment O, class D, class E>
void record_scatter(D& d, const E& e) {
    using types = compound_types<O, value_of<D>, value_of<E>>;
    using T = typename types::value_type;
    using V = value_of<D>;
    const picked_window target = picked_view<D>::get(d);
    if constexpr (is_scalar<E> && O != assignment::set) {
        if (record_each_piece<O, D>(target, e)) return;
    }
    const window& frame = target.frame;
    leaves evaluated;
    prepare_as<T>(e, evaluated);
    if constexpr (O != assignment::set) {
        gather(target, evaluated.add(bc::dtype_of<V>(), frame.rank, frame.extents, false));
    }
    leaves result;
    const window dense = result.add(bc::dtype_of<V>(), frame.rank, frame.extents, false);
    {
        rt::Statement statement(rt::LineScope::current());
        recording r{statement, evaluated};
        Value value = lower_as<T>(e, r);
        if constexpr (O != assignment::set) {
            value = combine<O, types>(statement, evaluated.load_next(statement), value);
        }
        statement.store(dense.ref(), value);
    }
    scatter(target, dense);
    evaluated.end_statement();
}

template <assignment O, class B, class E>
void stock_update(B& target, const E& e) {
    if constexpr (O == assignment::set)
        target = e;
    else if constexpr (O == assignment::add)
        target += e;
    else if constexpr (O == assignment::subtract)
        target -= e;
    else if constexpr (O == assignment::multiply)
        target *= e;
    else if constexpr (O == assignment::divide)
        target /= e;
    else if constexpr (O == assignment::modulo)
        target %= e;
    else if constexpr (O == assignment::bit_and)
        target &= e;
    else if constexpr (O == assignment::bit_or)
        target |= e;
    else
        target ^= e;
}

/// The class of xtensor's that has the operators which ours shadow.
template <class D>
struct stock_target {
    using type = xt::xcontainer_semantic<D>;
};
template <class B>
struct stock_target<lazy_view<B>> {
    using type = B;
};

/// A pointer into the array is out, and `noalias` is not to move it: stock keeps the buffer where the shape stays.
template <class D, class E>
bool keeps_buffer(const D& d, const E& e) {
    if (!rt::base_pinned(base_of(d)) || e.dimension() != d.dimension()) return false;
    auto shape = xt::uninitialized_shape<xt::dynamic_shape<std::size_t>>(e.dimension());
    e.broadcast_shape(shape, false);
    return std::equal(shape.begin(), shape.end(), d.shape().begin());
}

/// Left sides that are elements by their indices; see indexed.hpp.
template <class D>
struct indexed_target {
    static constexpr bool ok = false;
};
template <class B>
struct indexed_target<lazy_view<B>> : indexed_target<B> {};

template <assignment O, class D, class E>
inline constexpr bool recorded_indexed = [] {
    if constexpr (indexed_target<D>::ok)
        return recorded_values_of<O, D, E>;
    else
        return false;
}();

template <assignment O, class D, class E>
bool record_indexed(D& d, const E& e);

template <assignment O, class D, class E>
void update(D& d, const E& e) {
    if constexpr (recorded_indexed<O, D, E>) {
        if (located([&] { return record_indexed<O>(d, e); })) return;
    }
    if constexpr (recorded_update<O, D, E>) {
        located([&] { record_update<O>(d, e); });
    } else if constexpr (recorded_scatter<O, D, E>) {
        located([&] { record_scatter<O>(d, e); });
    } else if constexpr (recorded_part_update<O, D, E>) {
        located([&] { record_part_update<O>(d, e); });
    } else {
        using cause = std::conditional_t<viewed<D>::ok, E, D>;
        if constexpr (reads_arrays<D>)
            rt::fall_back(fallback_name<cause>::get(), rt::LineScope::current());
        else
            synchronise<E>();
        rt::InsideXtensor inside;
        auto& target = static_cast<typename stock_target<D>::type&>(d);
        // A number is combined with the elements one by one, with one that is there twice twice.
        if constexpr (recorded_indexed<O, D, E> && is_scalar<E>)
            located([&] { stock_update<O>(target, e()); });
        else
            located([&] { stock_update<O>(target, e); });
        rt::throw_held();
    }
}

/// `chosen_part<D>::ok`: a D changes the elements where a condition holds, by `run<O>(d, value)`; see chosen.hpp.
template <class D>
struct chosen_part {
    static constexpr bool ok = false;
};

template <class E>
inline constexpr bool is_plain_value = [] {
    if constexpr (xt::is_xexpression<E>::value)
        return is_number<value_of<E>>;
    else
        return is_number<E>;
}();

/// Can an element change so?
template <assignment O, class V, class E>
inline constexpr bool combines_with = [] {
    if constexpr (O == assignment::add)
        return requires(V& element, const E& e) { element += e; };
    else if constexpr (O == assignment::subtract)
        return requires(V& element, const E& e) { element -= e; };
    else if constexpr (O == assignment::multiply)
        return requires(V& element, const E& e) { element *= e; };
    else if constexpr (O == assignment::divide)
        return requires(V& element, const E& e) { element /= e; };
    else
        return std::is_assignable_v<V&, const E&>;
}();

template <assignment O, class D, class E>
void assign_to(D& d, const E& e) {
    if constexpr (chosen_part<D>::ok && is_plain_value<E>) {
        chosen_part<D>::template run<O>(d, e);
    } else if constexpr (O == assignment::in_place) {
        if constexpr (recorded_update<assignment::set, D, E>) {
            if (keeps_buffer(d, e)) return update<assignment::set>(d, e);
        }
        assign_to<assignment::set>(d, e);
    } else if constexpr (O == assignment::set && requires { d.used(); }) {
        if constexpr (std::is_same_v<D, E>) {
            if (&d.peek() == &e.peek()) return;
            copy_array(d, e);
        } else {
            assign_array(d, e);
        }
    } else if constexpr (xt::is_xexpression<E>::value) {
        update<O>(d, e);
    } else if constexpr (is_number<E>) {
        update<O>(d, xt::xscalar<const E&>(e));
    } else if constexpr (!is_number<value_of<D>> || combines_with<O, value_of<D>, E>) {
        if constexpr (reads_arrays<D>) rt::fall_back(fallback_name<E>::get(), rt::LineScope::current());
        rt::InsideXtensor inside;
        stock_update<O>(static_cast<typename stock_target<D>::type&>(d), e);
        rt::throw_held();
    } else {
        static_assert(combines_with<O, value_of<D>, E>,
                      "xlazy: the right side is no expression, and nothing that an element can become");
    }
}

template <class D>
void fill_with(D& d, typename D::value_type value) {
    rt::Statement statement(rt::LineScope::current());
    store(statement, d, statement.scalar(value));
}

template <class D>
void copy_array(D& d, const D& from) {
    const auto& source = from.peek();
    if (&source == D::cell_type::unused()) {
        d.assign_temporary(D());
        return;
    }
    if constexpr (D::recorded) {
        rt::Statement statement(rt::LineScope::current());
        const Value value = with_window(from, [&](const rt::ViewRef& view) { return statement.load(view); });
        d.take_layout(source);
        store(statement, d, value);
    } else {
        d.take_layout(source);
        d.own().storage = source.storage;
    }
}

}  // namespace xlazy::detail

namespace xt {

/// The entry points through which xtensor's own functions assign. Specialised whole: in the general template the left
/// side is resized before assign_data is reached, and scalar_computed_assign never reaches it.
template <>
class xexpression_assigner<xlazy::detail::lazy_tag> {
public:
    template <class E1, class E2>
    static void assign_xexpression(E1& e1, const E2& e2) {
        whole(e1.derived_cast(), e2.derived_cast());
    }
    template <class E1, class E2>
    static void computed_assign(xexpression<E1>& e1, const xexpression<E2>& e2) {
        auto& d = e1.derived_cast();
        if constexpr (xlazy::detail::viewed<E1>::ok)
            xlazy::detail::assign_to<xlazy::detail::assignment::set>(d, e2.derived_cast());
        else
            stock(e2.derived_cast(), [&](const auto& value) {
                xexpression_assigner<xtensor_expression_tag>::computed_assign(e1, xlazy::detail::as_expression(value));
            });
    }
    template <class E1, class E2, class F>
    static void scalar_computed_assign(xexpression<E1>& e1, const E2& e2, F&& f) {
        stock(e2, [&](const auto& value) {
            xexpression_assigner<xtensor_expression_tag>::scalar_computed_assign(e1, value, std::forward<F>(f));
        });
    }
    template <class E1, class E2>
    static void assert_compatible_shape(const xexpression<E1>& e1, const xexpression<E2>& e2) {
        const auto& to = e1.derived_cast().shape();
        const auto& from = e2.derived_cast().shape();
        if (!broadcastable(from, to)) xlazy::detail::located([&] { throw_broadcast_error(from, to); });
    }
    template <class E1, class E2>
    static void assign_data(xexpression<E1>& e1, const xexpression<E2>& e2, bool) {
        auto& d = e1.derived_cast();
        if constexpr (xlazy::detail::viewed<E1>::ok) {
            xlazy::detail::update<xlazy::detail::assignment::set>(d, e2.derived_cast());
        } else {
            // Not trivial: the shapes that the operands were made with may be out of date.
            stock(e2.derived_cast(), [&](const auto& value) {
                xexpression_assigner_base<xtensor_expression_tag>::assign_data(e1, xlazy::detail::as_expression(value),
                                                                               false);
            });
        }
    }

private:
    template <class D, class E>
    static void whole(D& d, const E& e) {
        if constexpr (requires { d.used(); })
            xlazy::detail::assign_to<xlazy::detail::assignment::set>(d, e);
        else
            stock(e, [&](const auto& value) {
                xexpression_assigner<xtensor_expression_tag>::assign_xexpression(xlazy::detail::as_expression(d),
                                                                                 xlazy::detail::as_expression(value));
            });
    }
    /// A plain container is filled, or a target is updated that is no window: xtensor copies what we have computed.
    template <class E, class F>
    static void stock(const E& e, F&& f) {
        auto&& value = xlazy::detail::evaluated(e);
        xlazy::rt::flush(xlazy::rt::Reason::convert, xlazy::rt::LineScope::current());
        {
            xlazy::rt::InsideXtensor inside;
            f(value);
        }
        xlazy::rt::throw_held();
    }
};

}  // namespace xt
