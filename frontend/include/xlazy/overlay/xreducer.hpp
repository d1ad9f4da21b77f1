// SPDX-License-Identifier: BSD-3-Clause
// sum, prod, amin, amax and their nan-forms: with the user's line, with axes in any order, and with a recorded value of rank 0.
#pragma once

#include "xlazy/detail/lowering_reducer.hpp"
#include "xlazy/detail/wrappers.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xmath.hpp>
#include <xtensor/xreducer.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// Default options of a reduction; being a default argument, it knows the line of the call.
struct default_options {
    here line;
    default_options(here place = here::current()) noexcept : line(place) {}
};

using lazy_options = std::tuple<xt::evaluation_strategy::lazy_type>;

template <class O>
inline constexpr bool is_immediate = false;
template <class... O>
inline constexpr bool is_immediate<std::tuple<O...>> =
    (std::is_same_v<std::decay_t<O>, xt::evaluation_strategy::immediate_type> || ...);

inline auto without_immediate(const xt::evaluation_strategy::immediate_type&) { return std::tuple<>(); }
template <class O>
auto without_immediate(const O& option) {
    return std::tuple<O>(option);
}

/// Checks the axes and sorts them; negative ones count from the end. `axes` has `count` elements.
/// @throws std::runtime_error with the user's line
void normalise_axes(std::ptrdiff_t* axes, std::size_t count, std::size_t rank);

template <class I, std::size_t N, class E>
std::array<std::size_t, N> sorted_axes(const E& e, const I (&axes)[N]) {
    std::ptrdiff_t sorted[N];
    std::copy(axes, axes + N, sorted);
    normalise_axes(sorted, N, e.dimension());
    std::array<std::size_t, N> result;
    std::copy(sorted, sorted + N, result.begin());
    return result;
}
template <class X, class E>
auto sorted_axes(const E& e, const X& axes) {
    std::vector<std::ptrdiff_t> sorted(axes.begin(), axes.end());
    normalise_axes(sorted.data(), sorted.size(), e.dimension());
    if constexpr (requires { std::tuple_size<X>::value; }) {
        std::array<std::size_t, std::tuple_size<X>::value> result;
        std::copy(sorted.begin(), sorted.end(), result.begin());
        return result;
    } else {
        return xt::dynamic_shape<std::size_t>(sorted.begin(), sorted.end());
    }
}
template <std::size_t... I, class E>
xt::fixed_shape<I...> sorted_axes(const E&, const xt::fixed_shape<I...>& axes) {
    return axes;
}

template <class B>
auto make_lazy_reducer(B&& b) {
    if constexpr (requires { typename std::decay_t<B>::reduce_functor_type; })
        return lazy_reducer<std::decay_t<B>>(std::forward<B>(b));
    else
        return std::decay_t<B>(std::forward<B>(b));
}

/// Runs `f` as a part of the statement at `line`, on `e`; shapes of `e` that do not fit are reported there. (xtensor
/// asks for them in functions that must not throw.)
template <class E, class F>
auto at_line(here line, const E& e, F&& f) {
    rt::LineScope scope(line);
    return located([&] {
        static_cast<void>(e.shape());
        return f();
    });
}

/// Calls xtensor's reduction. An immediate one becomes an array of ours, recorded.
template <class Call, class T, class Options, class E, class... Axes>
auto reduced(here line, const Options& options, E&& e, Axes&&... axes) {
    return at_line(line, e, [&] {
        if constexpr (is_immediate<Options>) {
            const auto lazy_only = std::apply(
                [](const auto&... o) { return std::tuple_cat(lazy_options(), without_immediate(o)...); }, options);
            const auto lazily = Call::template run<T>(std::forward<E>(e), std::forward<Axes>(axes)..., lazy_only);
            return evaluated_copy(lazily, rt::LineScope::current());
        } else {
            return make_lazy_reducer(Call::template run<T>(std::forward<E>(e), std::forward<Axes>(axes)..., options));
        }
    });
}
template <class Call, class T, class Options, class E, class X>
auto reduced_over(here line, const Options& options, E&& e, const X& axes) {
    rt::LineScope scope(line);
    auto sorted = sorted_axes(e, axes);
    return reduced<Call, T>(line, options, std::forward<E>(e), std::move(sorted));
}

}  // namespace xlazy::detail

namespace xt {
template <>
struct is_reducer_options_impl<xlazy::detail::default_options> : std::true_type {};
}  // namespace xt

#define XLAZY_UNPACK(...) __VA_ARGS__

// One form of a reduction, as two overloads: without options, where the default argument has the line; and with. The
// latter is more specialised than xtensor's, so it may have a further parameter. `call` uses e, options and line.
#define XLAZY_REDUCER_FORM(...) XLAZY_REDUCER_FORM_OF((class T = void, class E), __VA_ARGS__)
#define XLAZY_REDUCER_FORM_OF(first, name, types, conditions, conditions_with_options, parameters, call)     \
    template <XLAZY_UNPACK first XLAZY_UNPACK types, class EVS = default_options XLAZY_UNPACK conditions>    \
        requires lazy<std::decay_t<E>>                                                                       \
    inline auto name(E&& e XLAZY_UNPACK parameters, EVS es = EVS()) {                                        \
        const here line = es.line;                                                                           \
        const lazy_options options;                                                                          \
        return XLAZY_UNPACK call;                                                                            \
    }                                                                                                        \
    template <XLAZY_UNPACK first XLAZY_UNPACK types, class... O XLAZY_UNPACK conditions_with_options>        \
        requires lazy<std::decay_t<E>>                                                                       \
    inline auto name(E&& e XLAZY_UNPACK parameters, std::tuple<O...> options, here line = here::current()) { \
        return XLAZY_UNPACK call;                                                                            \
    }

#define XLAZY_REDUCTION(name)                                                                                         \
    namespace xlazy::detail::stock {                                                                                  \
    struct name##_call {                                                                                              \
        template <class T, class... A>                                                                                \
        static auto run(A&&... a) {                                                                                   \
            return xt::name<T>(std::forward<A>(a)...);                                                                \
        }                                                                                                             \
    };                                                                                                                \
    }                                                                                                                 \
    namespace xlazy::detail::overloads {                                                                              \
    using namespace xt;                                                                                               \
    XLAZY_REDUCER_FORM(name, (), (, XTL_REQUIRES(is_reducer_options<EVS>)), (), (),                                   \
                       (reduced<stock::name##_call, T>(line, options, std::forward<E>(e))))                           \
    XLAZY_REDUCER_FORM(                                                                                               \
        name, (, class X),                                                                                            \
        (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::negation<xtl::is_integral<std::decay_t<X>>>)),     \
        (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::negation<xtl::is_integral<std::decay_t<X>>>)),     \
        (, X&& axes), (reduced_over<stock::name##_call, T>(line, options, std::forward<E>(e), axes)))                 \
    XLAZY_REDUCER_FORM(                                                                                               \
        name, (, class X), (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::is_integral<std::decay_t<X>>)), \
        (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::is_integral<std::decay_t<X>>)), (, X axis),        \
        (reduced_over<stock::name##_call, T>(line, options, std::forward<E>(e), std::array<X, 1>{axis})))             \
    XLAZY_REDUCER_FORM(name, (, class I, std::size_t N), (), (), (, const I (&axes)[N]),                              \
                       (reduced_over<stock::name##_call, T>(line, options, std::forward<E>(e), axes)))                \
    }                                                                                                                 \
    namespace xt {                                                                                                    \
    using xlazy::detail::overloads::name;                                                                             \
    }

XLAZY_REDUCTION(sum)
XLAZY_REDUCTION(prod)
XLAZY_REDUCTION(amin)
XLAZY_REDUCTION(amax)
XLAZY_REDUCTION(nansum)
XLAZY_REDUCTION(nanprod)
XLAZY_REDUCTION(nanmin)
XLAZY_REDUCTION(nanmax)
