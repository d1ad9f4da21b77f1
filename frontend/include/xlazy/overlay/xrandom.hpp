// SPDX-License-Identifier: BSD-3-Clause
// xt::random. A function makes an array at once: its elements are drawn when they are needed, by a generator of our own
// that needs no order. Who passes an engine gets what xtensor draws from it.
#pragma once

#include "xlazy/detail/fallback.hpp"
#include "xlazy/detail/random.hpp"
#include "xlazy/detail/scan.hpp"

#include <optional>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xfixed.hpp>
#include <xtensor/xrandom.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// The array for a shape of type S.
template <class T, class S>
struct random_array {
    using type = xarray<T>;
};
template <class T, class I, std::size_t N>
struct random_array<T, std::array<I, N>> {
    using type = xtensor<T, N>;
};
template <class T, std::size_t... N>
struct random_array<T, xt::fixed_shape<N...>> {
    using type = xtensor<T, sizeof...(N)>;
};

inline std::mt19937& unnamed_engine(here line) {
    unnamed_engine_line = line;
    engine_is_unnamed = true;
    return xt::random::get_default_random_engine();
}

/// `stock()` is xtensor's generator.
template <class Array, class S, class F>
Array drawn_by_xtensor(const char* function, const S& shape, F&& stock) {
    return fall_back_to(function, [&] {
        const auto generator = stock();
        Array result;
        result.resize(shape_for<Array>(shape));
        using value_type = typename Array::value_type;
        value_type* to = nullptr;
        if constexpr (Array::recorded)
            to = result.own().storage.fill();
        else
            to = result.own().storage.data();
        const std::vector<std::size_t> index(shape.size());
        for (std::size_t i = 0, count = result.size(); i < count; ++i)
            to[i] = generator.element(index.begin(), index.end());
        return result;
    });
}

template <class T, class S, class E, class F>
auto drawn(const char* function, const S& shape, RandomRequest request, E& engine, F&& stock) {
    using array = typename random_array<T, S>::type;
    const bool unnamed = std::exchange(engine_is_unnamed, false);
    rt::LineScope scope(unnamed ? unnamed_engine_line : here());
    if constexpr (std::is_same_v<E, std::mt19937>) {
        if constexpr (is_recorded<T>) {
            request.result = bc::dtype_of<T>();
            if (unnamed && is_recorded_random(request)) {
                return located([&] {
                    check_rank(shape.size());
                    std::size_t extents[bc::kMaxRank];
                    const std::size_t rank = copy_extents(shape, extents);
                    const RandomKey key = next_random_key(engine);
                    rt::Statement statement(rt::LineScope::current());
                    return new_array<array>(statement, record_random(statement, request, key, rank, extents));
                });
            }
        }
        const std::lock_guard guard(random_mutex());
        return drawn_by_xtensor<array>(function, shape, stock);
    } else {
        return drawn_by_xtensor<array>(function, shape, stock);
    }
}

}  // namespace xlazy::detail

// The heads are those of xtensor's functions, so that the constraint makes ours the better ones.
#define XLAZY_RANDOM_FORM(name, head, shape_parameter, shape_value, condition, request, arguments, ...)   \
    template <class T, XLAZY_STRIP head, class E = std::mt19937>                                          \
        requires condition                                                                                \
    auto name(shape_parameter, __VA_ARGS__, E& engine = unnamed_engine(here::current())) {                \
        const auto& extents = shape_value;                                                                \
        return drawn<T>("random::" #name, extents, RandomRequest request, engine,                         \
                        [&] { return stock::random_##name<T>(extents, XLAZY_STRIP arguments, engine); }); \
    }
#define XLAZY_STRIP(...) __VA_ARGS__
#define XLAZY_RANDOM(name, more, condition, request, arguments, ...)                                           \
    namespace xlazy::detail::stock {                                                                           \
    template <class T, class S, class... A>                                                                    \
    auto random_##name(const S& shape, A&&... a) {                                                             \
        return xt::random::name<T>(shape, std::forward<A>(a)...);                                              \
    }                                                                                                          \
    }                                                                                                          \
    namespace xlazy::detail::random_overloads {                                                                \
    XLAZY_RANDOM_FORM(name, (class S XLAZY_STRIP more), const S& shape, shape, condition, request, arguments,  \
                      __VA_ARGS__)                                                                             \
    XLAZY_RANDOM_FORM(name, (class I, std::size_t L XLAZY_STRIP more), const I (&shape)[L], extents_of(shape), \
                      condition, request, arguments, __VA_ARGS__)                                              \
    }

namespace xlazy::detail::random_overloads {

template <class I, std::size_t L>
std::array<std::size_t, L> extents_of(const I (&shape)[L]) {
    std::array<std::size_t, L> extents;
    std::copy(std::begin(shape), std::end(shape), extents.begin());
    return extents;
}

template <class T>
RandomRequest integers_between(T lower, T upper) noexcept {
    const auto low = static_cast<std::uint64_t>(lower);
    const std::uint64_t range = lower < upper ? static_cast<std::uint64_t>(upper) - low : 0;
    return {.distribution = Distribution::integers, .result = {}, .lowest = low, .range = range};
}

}  // namespace xlazy::detail::random_overloads

XLAZY_RANDOM(rand, (), std::is_floating_point_v<T>,
             ({Distribution::uniform, {}, static_cast<double>(lower), static_cast<double>(upper)}), (lower, upper),
             T lower = 0, T upper = 1)
XLAZY_RANDOM(randn, (), std::is_floating_point_v<T>,
             ({Distribution::normal, {}, static_cast<double>(mean), static_cast<double>(std_dev)}), (mean, std_dev),
             T mean = 0, T std_dev = 1)
XLAZY_RANDOM(exponential, (), std::is_floating_point_v<T>, ({Distribution::exponential, {}, static_cast<double>(rate)}),
             (rate), T rate = 1)
XLAZY_RANDOM(gamma, (), std::is_floating_point_v<T>,
             ({Distribution::gamma, {}, static_cast<double>(alpha), static_cast<double>(beta)}), (alpha, beta),
             T alpha = 1, T beta = 1)
XLAZY_RANDOM(weibull, (), std::is_floating_point_v<T>,
             ({Distribution::weibull, {}, static_cast<double>(a), static_cast<double>(b)}), (a, b), T a = 1, T b = 1)
XLAZY_RANDOM(extreme_value, (), std::is_floating_point_v<T>,
             ({Distribution::extreme_value, {}, static_cast<double>(a), static_cast<double>(b)}), (a, b), T a = 0,
             T b = 1)
XLAZY_RANDOM(lognormal, (), std::is_floating_point_v<T>,
             ({Distribution::lognormal, {}, static_cast<double>(mean), static_cast<double>(std_dev)}), (mean, std_dev),
             T mean = 0, T std_dev = 1)
XLAZY_RANDOM(chi_squared, (), std::is_floating_point_v<T>, ({Distribution::chi_squared, {}, static_cast<double>(deg)}),
             (deg), T deg = 1)
XLAZY_RANDOM(cauchy, (), std::is_floating_point_v<T>,
             ({Distribution::cauchy, {}, static_cast<double>(a), static_cast<double>(b)}), (a, b), T a = 0, T b = 1)
XLAZY_RANDOM(fisher_f, (), std::is_floating_point_v<T>,
             ({Distribution::fisher_f, {}, static_cast<double>(m), static_cast<double>(n)}), (m, n), T m = 1, T n = 1)
XLAZY_RANDOM(student_t, (), std::is_floating_point_v<T>, ({Distribution::student_t, {}, static_cast<double>(n)}), (n),
             T n = 1)
XLAZY_RANDOM(binomial, (, class D = double), std::is_integral_v<T>,
             ({Distribution::binomial, {}, static_cast<double>(trials), static_cast<double>(prob)}), (trials, prob),
             T trials = 1, D prob = 0.5)
XLAZY_RANDOM(geometric, (, class D = double), std::is_integral_v<T>,
             ({Distribution::geometric, {}, static_cast<double>(prob)}), (prob), D prob = 0.5)
XLAZY_RANDOM(negative_binomial, (, class D = double), std::is_integral_v<T>,
             ({Distribution::negative_binomial, {}, static_cast<double>(k), static_cast<double>(prob)}), (k, prob),
             T k = 1, D prob = 0.5)
XLAZY_RANDOM(poisson, (, class D = double), std::is_integral_v<T>,
             ({Distribution::poisson, {}, static_cast<double>(rate)}), (rate), D rate = 1.0)
XLAZY_RANDOM(randint, (), std::is_integral_v<T>, (integers_between(lower, upper)), (lower, upper), T lower = 0,
             T upper = (std::numeric_limits<T>::max)())

#undef XLAZY_RANDOM
#undef XLAZY_STRIP
#undef XLAZY_RANDOM_FORM

#ifdef XLAZY_DROPIN
namespace xt::random {
#else
namespace xlazy::random {
#endif
using xlazy::detail::random_overloads::binomial;
using xlazy::detail::random_overloads::cauchy;
using xlazy::detail::random_overloads::chi_squared;
using xlazy::detail::random_overloads::exponential;
using xlazy::detail::random_overloads::extreme_value;
using xlazy::detail::random_overloads::fisher_f;
using xlazy::detail::random_overloads::gamma;
using xlazy::detail::random_overloads::geometric;
using xlazy::detail::random_overloads::lognormal;
using xlazy::detail::random_overloads::negative_binomial;
using xlazy::detail::random_overloads::poisson;
using xlazy::detail::random_overloads::rand;
using xlazy::detail::random_overloads::randint;
using xlazy::detail::random_overloads::randn;
using xlazy::detail::random_overloads::student_t;
using xlazy::detail::random_overloads::weibull;
#ifdef XLAZY_DROPIN
}  // namespace xt::random
#else
}  // namespace xlazy::random
#endif
