// SPDX-License-Identifier: BSD-3-Clause
// Positions of extremes; sorting, as library calls; what follows from a sorted array.
#pragma once

#include "xlazy/detail/fallback.hpp"
#include "xlazy/detail/lowering_reducer.hpp"
#include "xlazy/overlay/xmath.hpp"
#include "xlazy/overlay/xreducer.hpp"
#include "xlazy/overlay/xstrided_view.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xsort.hpp>
#include "xlazy/detail/stock_end.hpp"

// xtensor's traits name its two aliases, our arrays are other classes.
namespace xt::detail {

template <class VT, class T, layout_type L, class A, class SA>
struct rebind_value_type<VT, xlazy::xarray<T, L, A, SA>> {
    using type = xlazy::xarray<VT, L>;
};
template <class VT, class T, std::size_t N, layout_type L, class A>
struct rebind_value_type<VT, xlazy::xtensor<T, N, L, A>> {
    using type = xlazy::xtensor<VT, N, L>;
};
template <class VT, class T, layout_type L, class A, class SA>
struct flatten_rebind_value_type<VT, xlazy::xarray<T, L, A, SA>> {
    using type = xlazy::xarray<VT, L>;
};
template <class VT, class T, std::size_t N, layout_type L, class A>
struct flatten_rebind_value_type<VT, xlazy::xtensor<T, N, L, A>> {
    using type = xlazy::xtensor<VT, 1, L>;
};
template <class T, layout_type L, class A, class SA>
struct argfunc_result_type<xlazy::xarray<T, L, A, SA>> {
    using type = xlazy::xarray<std::size_t>;
};
template <class T, std::size_t N, layout_type L, class A>
struct argfunc_result_type<xlazy::xtensor<T, N, L, A>> {
    using type = xlazy::xtensor<std::size_t, N - 1>;
};

}  // namespace xt::detail

namespace xlazy::detail {

namespace stock {

template <class E>
auto unique(const xt::xexpression<E>& e) {
    return xt::unique(e);
}
template <class E1, class E2>
auto setdiff1d(const xt::xexpression<E1>& a, const xt::xexpression<E2>& b) {
    return xt::setdiff1d(a, b);
}
template <class E, class... A>
auto median(E&& e, A... axis) {
    return xt::median(std::forward<E>(e), axis...);
}
template <class E, class... A>
auto sort(const xt::xexpression<E>& e, A... axis) {
    return xt::sort(e, axis...);
}
template <class E, class... A>
auto argsort(const xt::xexpression<E>& e, A... axis) {
    return xt::argsort(e, axis...);
}
template <xt::layout_type L, class E, class... A>
auto argmin(const xt::xexpression<E>& e, A... axis) {
    return xt::argmin<L>(e, axis...);
}
template <xt::layout_type L, class E, class... A>
auto argmax(const xt::xexpression<E>& e, A... axis) {
    return xt::argmax<L>(e, axis...);
}

}  // namespace stock

/// The elements of `e` in order L as a window of rank 1; they are recorded first if they do not lie so.
template <xt::layout_type L, class E>
window flat_window(const E& e, leaves& evaluated) {
    if constexpr (viewed<E>::ok) {
        if (const window w = viewed<E>::get(e); is_dense_in(w, L)) return flattened(w);
    }
    record_leaf<typename E::value_type, L>(e, evaluated);
    return flattened(evaluated.next());
}

template <class E>
struct positions {
    using evaluated = std::conditional_t<is_array<E>, E, xt::temporary_type_t<E>>;
    using type = typename xt::detail::argfunc_result_type<evaluated>::type;
};

/// What xtensor's sort and argsort of an E make.
template <class E>
using sorted_as = typename positions<E>::evaluated;
template <class E>
using flat_sorted_as = typename xt::detail::flatten_rebind_value_type<typename E::value_type, sorted_as<E>>::type;
template <class E>
using argsorted_as = typename xt::detail::rebind_value_type<std::size_t, sorted_as<E>>::type;
template <class E>
using flat_argsorted_as = typename xt::detail::flatten_rebind_value_type<std::size_t, sorted_as<E>>::type;

/// A library call on one operand: its result has the operand's shape.
template <class D, class E>
D called_along(Op op, const E& e, std::ptrdiff_t axis, here line) {
    rt::LineScope scope(line);
    return located([&] {
        normalise_axes(&axis, 1, e.dimension());
        leaves evaluated;
        const window w = operand_window<typename E::value_type>(e, evaluated);
        rt::Statement statement(rt::LineScope::current());
        const Value operand = statement.load(w.ref());
        return new_array<D>(statement, statement.call(op, bc::dtype_of<typename D::value_type>(), w.rank, w.extents,
                                                      {operand}, static_cast<std::size_t>(axis)));
    });
}
/// The same of all elements, in the order in which xtensor iterates over them.
template <class D, class E>
D called_flat(Op op, const E& e, here line) {
    rt::LineScope scope(line);
    return located([&] {
        leaves evaluated;
        const window w = flat_window<xt::layout_type::row_major>(e, evaluated);
        rt::Statement statement(rt::LineScope::current());
        const Value operand = statement.load(w.ref());
        return new_array<D>(
            statement, statement.call(op, bc::dtype_of<typename D::value_type>(), w.rank, w.extents, {operand}, 0));
    });
}

/// The first position along an axis of what `extreme` (amin or amax) finds, or of a NaN.
/// @throws std::runtime_error if there are no elements
Value record_position(rt::Statement& statement, Op extreme, Value value, std::size_t axis);

/// `result` becomes an array of positions along an axis.
template <Op Extreme, class Result>
void store_positions(rt::Statement& statement, Result& result, Value value, std::size_t axis) {
    const Value position = record_position(statement, Extreme, value, axis);
    renew_for(result, statement, position);
    store(statement, result, position);
}

/// The position among all elements in order L. @throws std::runtime_error if there are none
template <Op Extreme, xt::layout_type L, class E>
xtensor<std::size_t, 0> position_of(const E& e, here line) {
    rt::LineScope scope(line);
    return located([&] {
        leaves evaluated;
        const window flat = flat_window<L>(e, evaluated);
        xtensor<std::size_t, 0> result;
        rt::Statement statement(rt::LineScope::current());
        store_positions<Extreme>(statement, result, statement.load(flat.ref()), 0);
        return result;
    });
}

/// The positions along an axis. @throws std::runtime_error
template <Op Extreme, class E>
typename positions<E>::type positions_along(const E& e, std::ptrdiff_t axis, here line) {
    rt::LineScope scope(line);
    return located([&] {
        normalise_axes(&axis, 1, e.dimension());
        using T = typename E::value_type;
        leaves evaluated;
        prepare_as<T>(e, evaluated);
        typename positions<E>::type result;
        {
            rt::Statement statement(rt::LineScope::current());
            recording r{statement, evaluated};
            store_positions<Extreme>(statement, result, lower_as<T>(e, r), static_cast<std::size_t>(axis));
        }
        evaluated.end_statement();
        return result;
    });
}

template <class E>
inline constexpr bool has_positions =
    recorded_value<E> && bc::accepts(Op::amin, bc::dtype_of<typename E::value_type>());

/// The elements between `first` and `last` as an array.
template <class T>
xtensor<T, 1> array_of(const T* first, const T* last) {
    xtensor<T, 1> result;
    const auto count = static_cast<std::size_t>(last - first);
    result.resize(std::array<std::size_t, 1>{count});
    if (count != 0) std::copy(first, last, result.own().storage.fill());
    return result;
}

/// All elements sorted, each once. They are read at once: nobody knows before how many there are.
template <class E>
auto unique_of(const E& e, here line) {
    using T = typename E::value_type;
    if constexpr (lazy<E> && has_positions<E>) {
        auto sorted = called_flat<xtensor<T, 1>>(Op::sort, e, line);
        T* const first = sorted.storage().write(rt::Reason::element, line_or(line));
        return array_of<T>(first, std::unique(first, first + sorted.size()));
    } else {
        return fall_back_to("unique", [&] { return stock::unique(e); });
    }
}

/// The elements of an axis whose mean is the median.
inline auto middle_of_sorted(std::size_t size) {
    if (size == 0) throw_statement_error("a median needs elements");
    return xt::range(static_cast<std::ptrdiff_t>((size - 1) / 2), static_cast<std::ptrdiff_t>(size / 2 + 1));
}

}  // namespace xlazy::detail

// They take the expression itself, and so come before xtensor's, which take its base class.
#define XLAZY_POSITIONS(name, op)                                                    \
    template <layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>                    \
        requires lazy<E>                                                             \
    inline auto name(const E& e, here line = here::current()) {                      \
        if constexpr (has_positions<E>)                                              \
            return position_of<Op::op, L>(e, line);                                  \
        else                                                                         \
            return fall_back_to(#name, [&] { return stock::name<L>(e); });           \
    }                                                                                \
    template <layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>                    \
        requires lazy<E>                                                             \
    inline auto name(const E& e, std::ptrdiff_t axis, here line = here::current()) { \
        if constexpr (has_positions<E>)                                              \
            return positions_along<Op::op>(e, axis, line);                           \
        else                                                                         \
            return fall_back_to(#name, [&] { return stock::name<L>(e, axis); });     \
    }

#define XLAZY_SORTING(name, along, flat)                                                  \
    template <class E>                                                                    \
        requires lazy<E>                                                                  \
    inline auto name(const E& e, placeholders::xtuph t, here line = here::current()) {    \
        if constexpr (has_positions<E>)                                                   \
            return called_flat<flat>(Op::name, e, line);                                  \
        else                                                                              \
            return fall_back_to(#name, [&] { return stock::name(e, t); });                \
    }                                                                                     \
    template <class E>                                                                    \
        requires lazy<E>                                                                  \
    inline auto name(const E& e, std::ptrdiff_t axis = -1, here line = here::current()) { \
        if constexpr (has_positions<E>)                                                   \
            return called_along<along>(Op::name, e, axis, line);                          \
        else                                                                              \
            return fall_back_to(#name, [&] { return stock::name(e, axis); });             \
    }

namespace xlazy::detail::overloads {
using namespace xt;
XLAZY_SORTING(sort, sorted_as<E>, flat_sorted_as<E>)
XLAZY_SORTING(argsort, argsorted_as<E>, flat_argsorted_as<E>)
XLAZY_POSITIONS(argmin, amin)
XLAZY_POSITIONS(argmax, amax)

template <class E>
    requires lazy<E>
inline auto unique(const E& e, here line = here::current()) {
    return unique_of(e, line);
}

template <class E1, class E2>
    requires((lazy<E1> || lazy<E2>) && is_xexpression<E1>::value && is_xexpression<E2>::value)
inline auto setdiff1d(const E1& ar1, const E2& ar2, here line = here::current()) {
    using T = typename E1::value_type;
    if constexpr (is_recorded<T> && !is_complex<T>) {
        const auto from = unique_of(ar1, line);
        const auto without = unique_of(ar2, line);
        std::vector<T> left;
        std::set_difference(from.begin(), from.end(), without.begin(), without.end(), std::back_inserter(left));
        xtensor<T, 1> result;
        result.resize(std::array<std::size_t, 1>{left.size()});
        std::copy(left.begin(), left.end(), result.begin());
        return result;
    } else {
        return fall_back_to("setdiff1d", [&] { return stock::setdiff1d(ar1, ar2); });
    }
}

// The heads are those of xtensor's functions, so that the constraint makes ours the better ones.
template <class E>
    requires lazy<std::decay_t<E>>
inline typename std::decay_t<E>::value_type median(E&& e) {
    using array = std::decay_t<E>;
    using T = typename array::value_type;
    if constexpr (has_positions<array>) {
        const auto sorted = called_flat<xtensor<T, 1>>(Op::sort, e, here());
        const std::size_t size = sorted.size();
        located([&] { middle_of_sorted(size); });
        const T* const values = sorted.storage().read(rt::Reason::element, rt::LineScope::current());
        return static_cast<T>(size % 2 != 0 ? values[size / 2] : (values[size / 2 - 1] + values[size / 2]) / T(2));
    } else {
        return fall_back_to("median", [&] { return stock::median(std::forward<E>(e)); });
    }
}
template <class E>
    requires lazy<std::decay_t<E>>
inline auto median(E&& e, std::ptrdiff_t axis) {
    using array = std::decay_t<E>;
    if constexpr (has_positions<array>) {
        located([&] { normalise_axes(&axis, 1, e.dimension()); });
        const auto along = static_cast<std::size_t>(axis);
        auto sorted = called_along<sorted_as<array>>(Op::sort, e, axis, here());
        xstrided_slice_vector slices(e.dimension(), xt::all());
        slices[along] = located([&] { return middle_of_sorted(sorted.shape()[along]); });
        return mean(strided_view(std::move(sorted), slices), {along});
    } else {
        return fall_back_to("median", [&] { return stock::median(std::forward<E>(e), axis); });
    }
}
}  // namespace xlazy::detail::overloads

#undef XLAZY_POSITIONS
#undef XLAZY_SORTING

namespace xt {
using xlazy::detail::overloads::argmax;
using xlazy::detail::overloads::argmin;
using xlazy::detail::overloads::argsort;
using xlazy::detail::overloads::median;
using xlazy::detail::overloads::setdiff1d;
using xlazy::detail::overloads::sort;
using xlazy::detail::overloads::unique;
}  // namespace xt
