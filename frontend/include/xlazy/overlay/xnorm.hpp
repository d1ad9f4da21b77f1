// SPDX-License-Identifier: BSD-3-Clause
// Norms as sums and maxima of recorded terms. (norm_l2, norm_lp and the induced norms call these, and find ours.)
#pragma once

#include "xlazy/overlay/xcomplex.hpp"
#include "xlazy/overlay/xmath.hpp"
#include "xlazy/overlay/xreducer.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xnorm.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

template <class E>
auto magnitudes(E&& e) {
    if constexpr (std::is_unsigned_v<typename std::decay_t<E>::value_type>)
        return xt::cast<typename std::decay_t<E>::value_type>(std::forward<E>(e));
    else
        return xt::abs(std::forward<E>(e));
}

// What is reduced, in the type in which xtensor sums it up; `p` is the power of norm_lp_to_p.
struct count_terms {
    template <class E>
    static auto run(double, E&& e) {
        using T = typename std::decay_t<E>::value_type;
        return xt::cast<unsigned long long>(xt::not_equal(std::forward<E>(e), T(0)));
    }
};
struct absolute_terms {
    template <class E>
    static auto run(double, const E& e) {
        using T = typename E::value_type;
        using R = xt::detail::norm_value_type_t<xtl::big_promote_type_t<T>>;
        if constexpr (is_complex<T>)
            return xt::cast<R>(xt::abs(overloads::real(e)) + xt::abs(overloads::imag(e)));
        else
            return xt::cast<R>(magnitudes(e));
    }
};
struct squared_terms {
    template <class E>
    static auto run(double, const E& e) {
        using T = typename E::value_type;
        using R = xt::detail::norm_value_type_t<xtl::big_promote_type_t<T>>;
        if constexpr (is_complex<T>)
            return xt::cast<R>(overloads::norm(e));
        else
            return xt::cast<R>(e * e);
    }
};
struct largest_terms {
    template <class E>
    static auto run(double, const E& e) {
        using T = typename E::value_type;
        using R = decltype(xt::norm_linf(std::declval<T>()));
        if constexpr (is_complex<T>)
            return xt::cast<R>(xt::maximum(xt::abs(overloads::real(e)), xt::abs(overloads::imag(e))));
        else
            return xt::cast<R>(magnitudes(e));
    }
};
struct power_terms {
    template <class E>
    static auto run(double p, const E& e) {
        using T = typename E::value_type;
        using R = xt::norm_type_t<E>;
        if constexpr (is_complex<T>) {
            return xt::cast<R>(power(p, overloads::real(e)) + power(p, overloads::imag(e)));
        } else {
            using P = xtl::real_promote_type_t<T>;
            return xt::cast<R>(power(p, xt::cast<P>(e)));
        }
    }

private:
    /// The power 0 counts the elements that are not 0.
    template <class E>
    static auto power(double p, const E& e) {
        using P = typename E::value_type;
        return xt::where(xt::equal(e, P(0)) && p == 0., P(0), xt::pow(xt::abs(e), static_cast<P>(p)));
    }
};

template <class Terms, class E>
using terms_type = typename decltype(Terms::run(0., std::declval<const E&>()))::value_type;

/// A sum of terms.
template <class Terms, class Options, class E, class... X>
auto norm_sum(here line, const Options& options, double p, const E& e, X&&... axes) {
    return at_line(line, e, [&] {
        return overloads::sum<terms_type<Terms, E>>(Terms::run(p, e), std::forward<X>(axes)..., options, line);
    });
}
/// The largest term, 0 if there are none.
template <class Options, class E, class... X>
auto norm_largest(here line, const Options& options, const E& e, X&&... axes) {
    using T = terms_type<largest_terms, E>;
    return at_line(line, e, [&] {
        return overloads::amax<T>(largest_terms::run(0., e), std::forward<X>(axes)...,
                                  std::tuple_cat(options, xt::initial(T(0))), line);
    });
}

template <class E>
inline constexpr bool has_norms = lazy<E> && recorded_value<E>;

}  // namespace xlazy::detail

// As XLAZY_REDUCER_FORM_OF, in the three forms of xtensor's norms. `power` is the parameter p, if there is one.
#define XLAZY_NORM_FORM(name, types, condition, power, axes, call)                            \
    template <class E XLAZY_UNPACK types, class EVS = default_options XLAZY_UNPACK condition> \
        requires has_norms<std::decay_t<E>>                                                   \
    inline auto name(E&& e XLAZY_UNPACK power XLAZY_UNPACK axes, EVS es = EVS()) {            \
        const lazy_options options;                                                           \
        const here line = line_of(es);                                                        \
        return XLAZY_UNPACK call;                                                             \
    }                                                                                         \
    template <class E XLAZY_UNPACK types, class... O XLAZY_UNPACK condition>                  \
        requires has_norms<std::decay_t<E>>                                                   \
    inline auto name(E&& e XLAZY_UNPACK power XLAZY_UNPACK axes, std::tuple<O...> options,    \
                     here line = here::current()) {                                           \
        return XLAZY_UNPACK call;                                                             \
    }
#define XLAZY_NORM(name, power, all, some)                                                                           \
    XLAZY_NORM_FORM(name, (, class X), (, XTL_REQUIRES(xtl::negation<is_reducer_options<X>>)), power, (, X && axes), \
                    some)                                                                                            \
    XLAZY_NORM_FORM(name, (), (, XTL_REQUIRES(is_xexpression<E>)), power, (), all)                                   \
    XLAZY_NORM_FORM(name, (, class I, std::size_t N), (), power, (, const I(&axes)[N]), some)

namespace xlazy::detail {

inline here line_of(const default_options& options) { return options.line; }

namespace overloads {
using namespace xt;

XLAZY_NORM(norm_l0, (), (norm_sum<count_terms>(line, options, 0., e)),
           (norm_sum<count_terms>(line, options, 0., e, axes)))
XLAZY_NORM(norm_l1, (), (norm_sum<absolute_terms>(line, options, 0., e)),
           (norm_sum<absolute_terms>(line, options, 0., e, axes)))
XLAZY_NORM(norm_sq, (), (norm_sum<squared_terms>(line, options, 0., e)),
           (norm_sum<squared_terms>(line, options, 0., e, axes)))
XLAZY_NORM(norm_linf, (), (norm_largest(line, options, e)), (norm_largest(line, options, e, axes)))
XLAZY_NORM(norm_lp_to_p, (, double p), (norm_sum<power_terms>(line, options, p, e)),
           (norm_sum<power_terms>(line, options, p, e, axes)))

}  // namespace overloads
}  // namespace xlazy::detail

#undef XLAZY_NORM
#undef XLAZY_NORM_FORM

namespace xt {
using xlazy::detail::overloads::norm_l0;
using xlazy::detail::overloads::norm_l1;
using xlazy::detail::overloads::norm_linf;
using xlazy::detail::overloads::norm_lp_to_p;
using xlazy::detail::overloads::norm_sq;
}  // namespace xt
