// SPDX-License-Identifier: BSD-3-Clause
// Functions that xtensor builds of lambdas, which have no name that could be recorded; means and variances with the
// user's line; sums along an axis that are computed by xtensor.
#pragma once

#include "xlazy/detail/fallback.hpp"
#include "xlazy/detail/scan.hpp"
#include "xlazy/overlay/xoperation.hpp"
#include "xlazy/overlay/xreducer.hpp"

namespace xlazy::detail::overloads {

template <class E1>
    requires lazy<std::decay_t<E1>>
inline auto square(E1&& e1) noexcept {
    return xt::detail::make_xfunction<square_function>(std::forward<E1>(e1));
}
template <class E1>
    requires lazy<std::decay_t<E1>>
inline auto cube(E1&& e1) noexcept {
    return xt::detail::make_xfunction<cube_function>(std::forward<E1>(e1));
}

template <class E1, class E2>
    requires(lazy<std::decay_t<E1>> || lazy<std::decay_t<E2>>)
inline auto isclose(E1&& e1, E2&& e2, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false) noexcept {
    return xt::detail::make_xfunction<closeness>(std::make_tuple(rtol, atol, equal_nan), std::forward<E1>(e1),
                                                 std::forward<E2>(e2));
}
template <class E1, class E2>
    requires(lazy<std::decay_t<E1>> || lazy<std::decay_t<E2>>)
inline auto allclose(E1&& e1, E2&& e2, double rtol = 1e-05, double atol = 1e-08) {
    return overloads::all(overloads::isclose(std::forward<E1>(e1), std::forward<E2>(e2), rtol, atol));
}

}  // namespace xlazy::detail::overloads

namespace xt {
using xlazy::detail::overloads::allclose;
using xlazy::detail::overloads::cube;
using xlazy::detail::overloads::isclose;
using xlazy::detail::overloads::square;
}  // namespace xt

// ---- mean, variance, stddev

namespace xlazy::detail {

template <class T, class E, class... A>
auto mean_of(here line, E&& e, A&&... axes_and_options) {
    return at_line(line, e, [&] { return xt::mean<T>(std::forward<E>(e), std::forward<A>(axes_and_options)...); });
}

/// xtensor takes the mean of the whole and its scalar value; as an array of rank 0 it can wait.
template <class T, class E, class D, class... O>
auto variance_of_all(here line, E&& e, const D& ddof, std::tuple<O...> options) {
    return at_line(line, e, [&] {
        const auto average = xt::mean<T>(e, lazy_options());
        const xtensor<typename std::decay_t<decltype(average)>::value_type, 0> whole(average);
        return xt::detail::mean_noaxis<T>(square(std::forward<E>(e) - whole), ddof, options);
    });
}
template <class T, class E, class X, class D, class... O>
auto variance_over(here line, E&& e, const X& axes, const D& ddof, std::tuple<O...> options) {
    return at_line(line, e, [&] {
        const auto sorted = sorted_axes(e, axes);
        const auto average =
            xt::mean<T>(e, sorted, std::tuple<xt::evaluation_strategy::lazy_type, xt::keep_dims_type>());
        const auto kept = evaluated_copy(average, rt::LineScope::current());
        return xt::detail::mean<T>(square(std::forward<E>(e) - kept), sorted, ddof, options);
    });
}

}  // namespace xlazy::detail

#define XLAZY_NO_AXES_CONDITION , XTL_REQUIRES(is_reducer_options<EVS>)
#define XLAZY_AXES_CONDITION , XTL_REQUIRES(xtl::negation<is_reducer_options<X>>)

namespace xlazy::detail::overloads {
using namespace xt;

XLAZY_REDUCER_FORM(mean, (), (XLAZY_NO_AXES_CONDITION), (), (), (mean_of<T>(line, std::forward<E>(e), options)))
XLAZY_REDUCER_FORM(mean, (, class X), (XLAZY_AXES_CONDITION), (XLAZY_AXES_CONDITION), (, X&& axes),
                   (mean_of<T>(line, std::forward<E>(e), std::forward<X>(axes), options)))
XLAZY_REDUCER_FORM(mean, (, class I, std::size_t N), (), (), (, const I (&axes)[N]),
                   (mean_of<T>(line, std::forward<E>(e), axes, options)))

XLAZY_REDUCER_FORM(variance, (), (XLAZY_NO_AXES_CONDITION), (), (),
                   (variance_of_all<T>(line, std::forward<E>(e), 0u, options)))
XLAZY_REDUCER_FORM(variance, (, class D), (, XTL_REQUIRES(is_reducer_options<EVS>, xtl::is_integral<D>)),
                   (, XTL_REQUIRES(xtl::is_integral<D>)), (, D const& ddof),
                   (variance_of_all<T>(line, std::forward<E>(e), ddof, options)))
XLAZY_REDUCER_FORM(variance, (, class X),
                   (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>,
                                   xtl::negation<xtl::is_integral<std::decay_t<X>>>, is_reducer_options<EVS>)),
                   (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>,
                                   xtl::negation<xtl::is_integral<std::decay_t<X>>>)),
                   (, X&& axes), (variance_over<T>(line, std::forward<E>(e), axes, 0u, options)))
XLAZY_REDUCER_FORM(variance, (, class X, class D),
                   (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::is_integral<D>)),
                   (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::is_integral<D>)),
                   (, X&& axes, const D& ddof), (variance_over<T>(line, std::forward<E>(e), axes, ddof, options)))
XLAZY_REDUCER_FORM(variance, (, class A, std::size_t N), (XLAZY_NO_AXES_CONDITION), (), (, const A (&axes)[N]),
                   (variance_over<T>(line, std::forward<E>(e), axes, 0u, options)))
XLAZY_REDUCER_FORM(variance, (, class A, std::size_t N, class D), (), (), (, const A (&axes)[N], D const& ddof),
                   (variance_over<T>(line, std::forward<E>(e), axes, ddof, options)))

XLAZY_REDUCER_FORM(stddev, (), (XLAZY_NO_AXES_CONDITION), (), (),
                   (xt::sqrt(variance_of_all<T>(line, std::forward<E>(e), 0u, options))))
XLAZY_REDUCER_FORM(stddev, (, class X), (XLAZY_AXES_CONDITION), (XLAZY_AXES_CONDITION), (, X&& axes),
                   (xt::sqrt(variance_over<T>(line, std::forward<E>(e), axes, 0u, options))))
XLAZY_REDUCER_FORM(stddev, (, class A, std::size_t N), (), (), (, const A (&axes)[N]),
                   (xt::sqrt(variance_over<T>(line, std::forward<E>(e), axes, 0u, options))))

}  // namespace xlazy::detail::overloads

#undef XLAZY_NO_AXES_CONDITION
#undef XLAZY_AXES_CONDITION

namespace xt {
using xlazy::detail::overloads::mean;
using xlazy::detail::overloads::stddev;
using xlazy::detail::overloads::variance;
}  // namespace xt

// ---- numbers of elements

namespace xlazy::detail {

/// 1 where an element is not 0.
template <class E>
auto ones_of(E&& e) {
    using T = typename std::decay_t<E>::value_type;
    using size = xt::detail::xreducer_size_type_t<T>;
    if constexpr (std::is_same_v<T, bool>)
        return xt::cast<size>(std::forward<E>(e));
    else
        return xt::cast<size>(xt::not_equal(std::forward<E>(e), T(0)));
}
template <class E, class... A>
auto count_of(here line, E&& e, A&&... axes_and_options) {
    return at_line(line, e, [&] {
        auto ones = ones_of(std::forward<E>(e));
        return xt::sum<typename decltype(ones)::value_type>(std::move(ones), std::forward<A>(axes_and_options)...);
    });
}

}  // namespace xlazy::detail

#define XLAZY_COUNT(name, one_axis, counted)                                                                          \
    XLAZY_REDUCER_FORM_OF((class E), name, (), (, XTL_REQUIRES(is_reducer_options<EVS>)), (), (),                     \
                          (count_of(line, counted, options)))                                                         \
    XLAZY_REDUCER_FORM_OF((class E), name, (, class X),                                                               \
                          (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::negation<xtl::is_integral<X>>)), \
                          (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::negation<xtl::is_integral<X>>)), \
                          (, X && axes), (count_of(line, counted, std::forward<X>(axes), options)))                   \
    XLAZY_REDUCER_FORM_OF((class E), name, (, class X),                                                               \
                          (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::is_integral<X>)),                \
                          (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>, xtl::is_integral<X>)),                \
                          (, one_axis axis), (count_of(line, counted, std::array<X, 1>{axis}, options)))              \
    XLAZY_REDUCER_FORM_OF((class E), name, (, class I, std::size_t N), (), (), (, const I(&axes)[N]),                 \
                          (count_of(line, counted, axes, options)))

namespace xlazy::detail::overloads {
using namespace xt;
XLAZY_COUNT(count_nonzero, X, std::forward<E>(e))
XLAZY_COUNT(count_nonnan, X&&, !xt::isnan(std::forward<E>(e)))
}  // namespace xlazy::detail::overloads

#undef XLAZY_COUNT

namespace xt {
using xlazy::detail::overloads::count_nonnan;
using xlazy::detail::overloads::count_nonzero;
}  // namespace xt

// ---- sums and products along an axis

namespace xlazy::detail {

/// `Call::run<T>(e, axis...)` is xtensor's function; it is recorded where Code is an op of ours and the types can be.
template <class Call, rt::Op Code, class F, class T, class E, class... A>
auto accumulated(here line, const E& e, A... axis) {
    rt::LineScope scope(line);
    if constexpr (can_scan<Code, F, T, E>)
        return located([&] { return scan_along<Code, F, T>(e, axis...); });
    else
        return fall_back_to(Call::text, [&] { return Call::template run<T>(e, axis...); });
}

}  // namespace xlazy::detail

// For arguments of one kind, which is more special than xtensor's `E&&`, so that a further parameter does no harm.
#define XLAZY_ACCUMULATION_REFERENCES(name, code, functor, head, ...)                        \
    head auto name(__VA_ARGS__& e, std::ptrdiff_t axis, here line = here::current()) {       \
        return accumulated<stock::name##_call, code, xt::detail::functor, T>(line, e, axis); \
    }                                                                                        \
    head auto name(const __VA_ARGS__& e, std::ptrdiff_t axis, here line = here::current()) { \
        return accumulated<stock::name##_call, code, xt::detail::functor, T>(line, e, axis); \
    }                                                                                        \
    head auto name(__VA_ARGS__&& e, std::ptrdiff_t axis, here line = here::current()) {      \
        return accumulated<stock::name##_call, code, xt::detail::functor, T>(line, e, axis); \
    }                                                                                        \
    head auto name(__VA_ARGS__& e, here line = here::current()) {                            \
        return accumulated<stock::name##_call, code, xt::detail::functor, T>(line, e);       \
    }                                                                                        \
    head auto name(const __VA_ARGS__& e, here line = here::current()) {                      \
        return accumulated<stock::name##_call, code, xt::detail::functor, T>(line, e);       \
    }                                                                                        \
    head auto name(__VA_ARGS__&& e, here line = here::current()) {                           \
        return accumulated<stock::name##_call, code, xt::detail::functor, T>(line, e);       \
    }
#define XLAZY_COMMA ,
#define XLAZY_ACCUMULATION(name, functor, code)                                                                        \
    namespace xlazy::detail::stock {                                                                                   \
    struct name##_call {                                                                                               \
        static constexpr const char* text = #name;                                                                     \
        template <class T, class E, class... A>                                                                        \
        static auto run(const E& e, A... axis) {                                                                       \
            return xt::name<T>(e, axis...);                                                                            \
        }                                                                                                              \
    };                                                                                                                 \
    }                                                                                                                  \
    namespace xlazy::detail::overloads {                                                                               \
    XLAZY_ACCUMULATION_REFERENCES(name, code, functor, template <class T = void XLAZY_COMMA class B>,                  \
                                  lazy_function<B>)                                                                    \
    XLAZY_ACCUMULATION_REFERENCES(name, code, functor, template <class T = void XLAZY_COMMA class B>, lazy_reducer<B>) \
    XLAZY_ACCUMULATION_REFERENCES(name, code, functor, template <class T = void XLAZY_COMMA class B>, lazy_view<B>)    \
    XLAZY_ACCUMULATION_REFERENCES(name, code, functor, template <class T = void XLAZY_COMMA class C>, shared_array<C>) \
    XLAZY_ACCUMULATION_REFERENCES(name, code, functor,                                                                 \
                                  template <class T = void XLAZY_COMMA class V XLAZY_COMMA xt::layout_type L           \
                                                XLAZY_COMMA class A XLAZY_COMMA class S>                               \
                                  ,                                                                                    \
                                  xlazy::xarray<V, L, A, S>)                                                           \
    XLAZY_ACCUMULATION_REFERENCES(name, code, functor,                                                                 \
                                  template <class T = void XLAZY_COMMA class V XLAZY_COMMA std::size_t N XLAZY_COMMA   \
                                                xt::layout_type L XLAZY_COMMA class A>                                 \
                                  ,                                                                                    \
                                  xlazy::xtensor<V, N, L, A>)                                                          \
    template <class T = void, class E>                                                                                 \
        requires lazy<std::decay_t<E>>                                                                                 \
    auto name(E&& e, std::ptrdiff_t axis) {                                                                            \
        return accumulated<stock::name##_call, code, xt::detail::functor, T>(here(), e, axis);                         \
    }                                                                                                                  \
    template <class T = void, class E>                                                                                 \
        requires lazy<std::decay_t<E>>                                                                                 \
    auto name(E&& e) {                                                                                                 \
        return accumulated<stock::name##_call, code, xt::detail::functor, T>(here(), e);                               \
    }                                                                                                                  \
    }                                                                                                                  \
    namespace xt {                                                                                                     \
    using xlazy::detail::overloads::name;                                                                              \
    }
XLAZY_ACCUMULATION(cumsum, plus, rt::Op::cumsum)
XLAZY_ACCUMULATION(cumprod, multiplies, rt::Op::cumprod)
XLAZY_ACCUMULATION(nancumsum, nan_plus, kNotRecorded)
XLAZY_ACCUMULATION(nancumprod, nan_multiplies, kNotRecorded)
#undef XLAZY_ACCUMULATION
#undef XLAZY_ACCUMULATION_REFERENCES
#undef XLAZY_COMMA
