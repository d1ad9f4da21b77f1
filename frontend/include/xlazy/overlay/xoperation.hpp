// SPDX-License-Identifier: BSD-3-Clause
// any, all: one recorded reduction. For expressions they know the user's line; being more special than xtensor's `E&&`,
// these overloads may have a further parameter. nonzero and argwhere, of which where(condition) and flatnonzero are
// made: the condition is recorded, its elements are read. Operators and `where` of operands that have none.
#pragma once

#include "xlazy/detail/wrappers.hpp"

namespace xlazy::detail {

/// What an operator of an expression is applied to.
template <class E>
struct element_of {
    using type = E;
};
template <class E>
    requires(xt::is_xexpression<E>::value)
struct element_of<E> {
    using type = typename E::value_type;
};

/// Numbers combine, or xtensor has functions of its own for them (those of which one is complex).
template <class A, class B>
inline constexpr bool are_numbers =
    is_number<A> && is_number<B> && !(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>);

/// Stands for an expression that there cannot be, so that there is one message and not pages.
struct no_expression {
    template <class T>
    operator T() const;
};

/// Is any element true, or (of Op::amin) is each? Read at once.
template <Op Code, class E>
bool reduced_truth(const E& e, here line) {
    rt::LineScope scope(line);
    return located([&] {
        if (xt::compute_size(e.shape()) == 0) return Code == Op::amin;
        leaves evaluated;
        prepare_as<bool>(e, evaluated);
        xtensor<bool, 0> result;
        {
            rt::Statement statement(rt::LineScope::current());
            recording r{statement, evaluated};
            Value value = lower_as<bool>(e, r);
            const std::size_t rank = statement.rank_of(value);
            value = statement.reduce(Code, value, (1u << rank) - 1, false);
            renew_for(result, statement, value);
            store(statement, result, value);
        }
        evaluated.end_statement();
        return result(rt::LineScope::current());
    });
}

/// Can the elements be recorded as bool?
template <class E>
concept lazy_truth = lazy<E> && lowerable_as<E, bool>;

/// Visits the index of each element that is not 0, in order L.
template <xt::layout_type L, class E, class Visit>
void for_each_true(const E& e, Visit&& visit) {
    located([&] {
        using T = typename E::value_type;
        const xarray<bool, L> truth(xt::not_equal(e, T()), rt::LineScope::current());
        const bool* elements = truth.storage().read(rt::Reason::element, rt::LineScope::current());
        const auto shape = e.shape();
        auto index = xtl::make_sequence<xt::xindex_type_t<typename E::shape_type>>(shape.size(), 0);
        const std::size_t size = xt::compute_size(shape);
        for (std::size_t i = 0; i < size; ++i, xt::detail::next_idx<L>(shape, index)) {
            if (elements[i]) visit(index);
        }
    });
}

template <class E>
concept lazy_condition = lazy<E> && lowerable_as<E, typename E::value_type>;

namespace overloads {

template <class T>
    requires lazy_condition<T>
inline auto nonzero(const T& arr) {
    std::vector<std::vector<typename T::size_type>> indices(arr.dimension());
    for_each_true<XTENSOR_DEFAULT_TRAVERSAL>(arr, [&](const auto& index) {
        for (std::size_t axis = 0; axis < indices.size(); ++axis) indices[axis].push_back(index[axis]);
    });
    return indices;
}
template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class T>
    requires lazy_condition<T>
inline auto argwhere(const T& arr) {
    std::vector<xt::xindex_type_t<typename T::shape_type>> indices;
    for_each_true<L>(arr, [&](const auto& index) { indices.push_back(index); });
    return indices;
}

#define XLAZY_TRUTH(name, op, wrapper)                            \
    template <class B>                                            \
        requires lazy_truth<B>                                    \
    bool name(wrapper<B>& e, here line = here::current()) {       \
        return reduced_truth<Op::op>(e, line);                    \
    }                                                             \
    template <class B>                                            \
        requires lazy_truth<B>                                    \
    bool name(const wrapper<B>& e, here line = here::current()) { \
        return reduced_truth<Op::op>(e, line);                    \
    }                                                             \
    template <class B>                                            \
        requires lazy_truth<B>                                    \
    bool name(wrapper<B>&& e, here line = here::current()) {      \
        return reduced_truth<Op::op>(e, line);                    \
    }
#define XLAZY_TRUTHS(name, op)                   \
    template <class E>                           \
        requires lazy_truth<std::decay_t<E>>     \
    inline bool name(E&& e) {                    \
        return reduced_truth<Op::op>(e, here{}); \
    }                                            \
    XLAZY_TRUTH(name, op, lazy_function)         \
    XLAZY_TRUTH(name, op, lazy_reducer)          \
    XLAZY_TRUTH(name, op, lazy_view)
XLAZY_TRUTHS(any, amax)
XLAZY_TRUTHS(all, amin)
#undef XLAZY_TRUTHS
#undef XLAZY_TRUTH

/// Operators whose operands' elements have none: xtensor would say so from deep inside.
#define XLAZY_REFUSED(name, op)                                                                                  \
    template <class E1, class E2>                                                                                \
    concept no_##name = (lazy<std::decay_t<E1>> || lazy<std::decay_t<E2>>)&&!requires(                           \
                            const typename element_of<std::decay_t<E1>>::type& a,                                \
                            const typename element_of<std::decay_t<E2>>::type& b) {                              \
        a op b;                                                                                                  \
    } && !are_numbers<typename element_of<std::decay_t<E1>>::type, typename element_of<std::decay_t<E2>>::type>; \
    template <class E1, class E2>                                                                                \
        requires no_                                                                                             \
    ##name<E1, E2> inline no_expression operator op(E1&&, E2&&) noexcept {                                       \
        static_assert(!no_##name<E1, E2>, "xlazy: the elements of these operands have no operator " #op);        \
        return {};                                                                                               \
    }
XLAZY_REFUSED(plus, +)
XLAZY_REFUSED(minus, -)
XLAZY_REFUSED(times, *)
XLAZY_REFUSED(quotient, /)
XLAZY_REFUSED(rest, %)
XLAZY_REFUSED(less, <)
XLAZY_REFUSED(greater, >)
#undef XLAZY_REFUSED

template <class C, class E1, class E2>
concept no_choice = (lazy<std::decay_t<C>> || lazy<std::decay_t<E1>> || lazy<std::decay_t<E2>>)&&!requires {
    typename std::common_type_t<typename element_of<std::decay_t<E1>>::type,
                                typename element_of<std::decay_t<E2>>::type>;
} && !are_numbers<typename element_of<std::decay_t<E1>>::type, typename element_of<std::decay_t<E2>>::type>;
template <class C, class E1, class E2>
    requires no_choice<C, E1, E2>
inline no_expression where(C&&, E1&&, E2&&) noexcept {
    static_assert(!no_choice<C, E1, E2>, "xlazy: where: the elements of the two expressions have no common type");
    return {};
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::all;
using xlazy::detail::overloads::any;
using xlazy::detail::overloads::argwhere;
using xlazy::detail::overloads::nonzero;
using xlazy::detail::overloads::operator+;
using xlazy::detail::overloads::operator-;
using xlazy::detail::overloads::operator*;
using xlazy::detail::overloads::operator/;
using xlazy::detail::overloads::operator%;
using xlazy::detail::overloads::operator<;
using xlazy::detail::overloads::operator>;
using xlazy::detail::overloads::where;
}  // namespace xt
