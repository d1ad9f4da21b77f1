// SPDX-License-Identifier: BSD-3-Clause
// Functions that xtensor builds of lambdas, which have no name that could be recorded; means and variances with the
// user's line; sums along an axis that are computed by xtensor.
#pragma once

#include "xlazy/detail/fallback.hpp"
#include "xlazy/detail/rearrange.hpp"
#include "xlazy/detail/scan.hpp"
#include "xlazy/overlay/xbuilder.hpp"
#include "xlazy/overlay/xoperation.hpp"
#include "xlazy/overlay/xreducer.hpp"
#include "xlazy/overlay/xstrided_view.hpp"

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

// ---- nanmean, nanvar, nanstd

namespace xlazy::detail {

/// xtensor's shares an expression that is no variable; ours are shared as they are.
template <class T, class E, class Options, class... X>
auto nanmean_of(here line, const E& e, const Options& options, const X&... axes) {
    return at_line(line, e, [&] {
        using value_type = std::conditional_t<std::is_void_v<T>, double, T>;
        using common = std::common_type_t<typename E::value_type, value_type>;
        using sum_type = std::conditional_t<std::is_void_v<T>, common, T>;
        return overloads::nansum<sum_type>(e, axes..., options, line) /
               xt::cast<value_type>(overloads::count_nonnan(e, axes..., options, line));
    });
}

template <class T, class E, class Options>
auto nanvar_of_all(here line, const E& e, const Options& options) {
    return at_line(line, e, [&] {
        const auto average = nanmean_of<T>(line, e, lazy_options());
        const xtensor<typename std::decay_t<decltype(average)>::value_type, 0> whole(average);
        return nanmean_of<T>(line, square(e - whole), options);
    });
}
template <class T, class E, class X, class Options>
auto nanvar_over(here line, const E& e, const X& axes, const Options& options) {
    return at_line(line, e, [&] {
        const auto sorted = sorted_axes(e, axes);
        const std::tuple<xt::evaluation_strategy::lazy_type, xt::keep_dims_type> keeping;
        const auto average = nanmean_of<std::conditional_t<std::is_void_v<T>, double, T>>(line, e, keeping, sorted);
        const auto kept = evaluated_copy(average, rt::LineScope::current());
        return nanmean_of<T>(line, square(e - kept), options, sorted);
    });
}

}  // namespace xlazy::detail

#define XLAZY_NAN_REDUCTION(name, all, some)                                                        \
    XLAZY_REDUCER_FORM(name, (), (, XTL_REQUIRES(is_reducer_options<EVS>)), (), (), all)            \
    XLAZY_REDUCER_FORM(name, (, class X), (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>)),   \
                       (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>)), (, X && axes), some) \
    XLAZY_REDUCER_FORM(name, (, class I, std::size_t N), (), (), (, const I(&axes)[N]), some)

namespace xlazy::detail::overloads {
using namespace xt;
XLAZY_NAN_REDUCTION(nanmean, (nanmean_of<T>(line, e, options)), (nanmean_of<T>(line, e, options, axes)))
XLAZY_NAN_REDUCTION(nanvar, (nanvar_of_all<T>(line, e, options)), (nanvar_over<T>(line, e, axes, options)))
XLAZY_NAN_REDUCTION(nanstd, (xt::sqrt(nanvar_of_all<T>(line, e, options))),
                    (xt::sqrt(nanvar_over<T>(line, e, axes, options))))
}  // namespace xlazy::detail::overloads

#undef XLAZY_NAN_REDUCTION

namespace xt {
using xlazy::detail::overloads::nanmean;
using xlazy::detail::overloads::nanstd;
using xlazy::detail::overloads::nanvar;
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
XLAZY_ACCUMULATION(nancumsum, nan_plus, rt::Op::cumsum)
XLAZY_ACCUMULATION(nancumprod, nan_multiplies, rt::Op::cumprod)
#undef XLAZY_ACCUMULATION
#undef XLAZY_ACCUMULATION_REFERENCES
#undef XLAZY_COMMA

// ---- functions that xtensor computes element by element

namespace xlazy::detail {

namespace stock {

template <class E, class O>
auto minmax(E&& e, O options) {
    return xt::minmax(std::forward<E>(e), options);
}
template <class X, class XP, class FP, class... T>
auto interp(const X& x, const XP& xp, const FP& fp, T... ends) {
    return xt::interp(x, xp, fp, ends...);
}
template <class E1, class E2, class M>
auto convolve(const E1& a, const E2& v, M mode) {
    return xt::convolve(a, v, mode);
}
template <class E>
auto cov(const E& x, const E& y) {
    return xt::cov(x, y);
}
template <class F, class E, class... A>
auto accumulate(F&& f, E&& e, A... axis_and_strategy) {
    return xt::accumulate(std::forward<F>(f), std::forward<E>(e), axis_and_strategy...);
}
template <class F, class E, class X, class O>
auto reduce_immediate(F&& f, E&& e, X&& axes, O&& options) {
    return xt::reduce_immediate(std::forward<F>(f), std::forward<E>(e), std::forward<X>(axes),
                                std::forward<O>(options));
}

}  // namespace stock

/// The reducer B of minmax, whose value is recorded as two reductions.
template <class B>
class lazy_minmax : public B {
public:
    explicit lazy_minmax(B reducer) : B(std::move(reducer)) {}

    using B::operator();
    typename B::value_type operator()(here line = here::current()) const {
        rt::LineScope scope(line);
        return located([&] {
            const auto& e = this->expression();
            using T = typename std::decay_t<decltype(e)>::value_type;
            using limits = std::numeric_limits<T>;
            if (xt::compute_size(e.shape()) == 0) return typename B::value_type{limits::max(), limits::lowest()};
            const xtensor<T, 0> low(overloads::amin(e), rt::LineScope::current());
            const xtensor<T, 0> high(overloads::amax(e), rt::LineScope::current());
            return typename B::value_type{low(rt::LineScope::current()), high(rt::LineScope::current())};
        });
    }
};
template <class B>
struct holder<lazy_minmax<B>> : known_holder<lazy_minmax<B>> {};

/// x as the rows of a matrix, y (if it has axes) below it.
template <class E>
auto variables_of(const E& x, const E& y) {
    using matrix = xarray<typename E::value_type>;
    if (y.dimension() != 0) return matrix(overloads::stack(xt::xtuple(x, y)));
    if (x.dimension() != 1) return matrix(x);
    return matrix(overloads::reshape_view(x, std::array<std::size_t, 2>{1, x.shape()[0]}));
}

/// The covariances of a matrix's rows.
template <class M>
M covariances(const M& rows) {
    using T = typename M::value_type;
    using shape = std::array<std::size_t, 3>;
    if (rows.dimension() != 2) throw_statement_error("cov needs arrays with one or two axes");
    const std::size_t m = rows.shape()[0];
    const std::size_t n = rows.shape()[1];
    const std::array<std::size_t, 1> along = {1};
    const M centred(rows - M(xt::mean(rows, along, xt::keep_dims | xt::evaluation_strategy::lazy)));
    const auto products =
        overloads::reshape_view(centred, shape{m, 1, n}) * overloads::reshape_view(centred, shape{1, m, n});
    return M(overloads::sum(products, std::array<std::size_t, 1>{2}) / static_cast<T>(n - 1));
}

inline constexpr std::size_t kMostShifts = 64;

/// `to` is the full convolution of two vectors; one statement for each element of `by`.
void record_convolution(const window& of, const window& by, const window& to);

template <class E1, class E2>
inline constexpr bool can_convolve = [] {
    if constexpr (recorded_value<E1> && recorded_value<E2>)
        return std::is_same_v<typename E1::value_type, typename E2::value_type> &&
               !std::is_same_v<typename E1::value_type, bool> && as_window<E1>::native && as_window<E2>::native;
    else
        return false;
}();

template <class E1, class E2>
xtensor<typename E1::value_type, 1> full_convolution(const E1& of, const E2& by) {
    leaves first, second;
    const window long_one = window_now(of, first);
    const window short_one = window_now(by, second);
    using vector = xtensor<typename E1::value_type, 1>;
    vector result;
    result.renew(shape_for<vector>(std::array<std::size_t, 1>{of.size() + by.size() - 1}));
    record_convolution(long_one, short_one, viewed<vector>::get(result));
    return result;
}

namespace overloads {
using namespace xt;

template <class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)>
    requires lazy<std::decay_t<E>>
inline auto minmax(E&& e, EVS es = EVS()) {
    auto reducer = stock::minmax(std::forward<E>(e), es);
    if constexpr (requires { typename decltype(reducer)::reduce_functor_type; })
        return lazy_minmax<decltype(reducer)>(std::move(reducer));
    else
        return reducer;
}

// A user's own functions.
template <class F, class E, class EVS = DEFAULT_STRATEGY_ACCUMULATORS, XTL_REQUIRES(is_evaluation_strategy<EVS>)>
    requires lazy<std::decay_t<E>>
inline auto accumulate(F&& f, E&& e, EVS evaluation_strategy = EVS()) {
    return fall_back_to("accumulate",
                        [&] { return stock::accumulate(std::forward<F>(f), std::forward<E>(e), evaluation_strategy); });
}
template <class F, class E, class EVS = DEFAULT_STRATEGY_ACCUMULATORS>
    requires lazy<std::decay_t<E>>
inline auto accumulate(F&& f, E&& e, std::ptrdiff_t axis, EVS evaluation_strategy = EVS()) {
    return fall_back_to("accumulate", [&] {
        return stock::accumulate(std::forward<F>(f), std::forward<E>(e), axis, evaluation_strategy);
    });
}
template <class F, class E, class X, class O>
    requires lazy<std::decay_t<E>>
inline auto reduce_immediate(F&& f, E&& e, X&& axes, O&& raw_options) {
    return fall_back_to("reduce_immediate", [&] {
        return stock::reduce_immediate(std::forward<F>(f), std::forward<E>(e), std::forward<X>(axes),
                                       std::forward<O>(raw_options));
    });
}

template <class E1, class E2, class E3, class T>
    requires(lazy<E1> || lazy<E2> || lazy<E3>)
inline auto interp(const E1& x, const E2& xp, const E3& fp, T left, T right) {
    return fall_back_to("interp", [&] { return stock::interp(x, xp, fp, left, right); });
}
template <class E1, class E2, class E3>
    requires(lazy<E1> || lazy<E2> || lazy<E3>)
inline auto interp(const E1& x, const E2& xp, const E3& fp) {
    return fall_back_to("interp", [&] { return stock::interp(x, xp, fp); });
}

template <class E1>
    requires lazy<E1>
inline auto cov(const E1& x, const E1& y = E1()) {
    if constexpr (recorded_value<E1> && std::is_floating_point_v<typename E1::value_type>)
        return located([&] { return covariances(variables_of(x, y)); });
    else
        return fall_back_to("cov", [&] { return stock::cov(x, y); });
}

template <class E1, class E2, class E3>
    requires(lazy<std::decay_t<E1>> || lazy<std::decay_t<E2>>)
inline auto convolve(E1&& a, E2&& v, E3 mode) {
    if constexpr (std::is_same_v<E3, convolve_mode::full> && can_convolve<std::decay_t<E1>, std::decay_t<E2>>) {
        const std::size_t shifts = std::min(a.size(), v.size());
        if (a.dimension() == 1 && v.dimension() == 1 && shifts != 0 && shifts <= kMostShifts) {
            return located([&] { return a.size() < v.size() ? full_convolution(v, a) : full_convolution(a, v); });
        }
        return fall_back_to("convolve", [&] {
            return xlazy::xtensor<typename std::decay_t<E1>::value_type, 1>(stock::convolve(a, v, mode));
        });
    } else {
        return fall_back_to("convolve", [&] { return stock::convolve(a, v, mode); });
    }
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
template <class B>
struct xcontainer_inner_types<xlazy::detail::lazy_minmax<B>> : xcontainer_inner_types<B> {};
template <class B>
struct xiterable_inner_types<xlazy::detail::lazy_minmax<B>> : xiterable_inner_types<B> {};

using xlazy::detail::overloads::accumulate;
using xlazy::detail::overloads::convolve;
using xlazy::detail::overloads::cov;
using xlazy::detail::overloads::interp;
using xlazy::detail::overloads::minmax;
using xlazy::detail::overloads::reduce_immediate;
}  // namespace xt
