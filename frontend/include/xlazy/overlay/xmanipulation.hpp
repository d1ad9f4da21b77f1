// SPDX-License-Identifier: BSD-3-Clause
// ravel and flatten as windows; roll and repeat as copies. (Views such as flip and squeeze call strided_view, which is
// ours.)
#pragma once

#include "xlazy/detail/fallback.hpp"
#include "xlazy/detail/rearrange.hpp"
#include "xlazy/overlay/xoperation.hpp"
#include "xlazy/overlay/xreducer.hpp"
#include "xlazy/overlay/xstrided_view.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xmanipulation.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

namespace stock {

template <class E, class... A>
auto roll(E&& e, A... shift_and_axis) {
    return xt::roll(std::forward<E>(e), shift_and_axis...);
}

}  // namespace stock

/// Single elements of a repeated array.
template <class CT>
class repeated_element {
public:
    using value_type = typename std::decay_t<CT>::value_type;

    repeated_element(CT source, std::size_t axis, const std::vector<std::size_t>& counts)
        : source_(std::move(source)), axis_(axis) {
        for (std::size_t i = 0; i < counts.size(); ++i) origin_.insert(origin_.end(), counts[i], i);
    }
    /// How many indices the repeated axis has.
    std::size_t extent() const noexcept { return origin_.size(); }

    template <class... I>
    value_type operator()(I... i) const {
        const std::size_t index[] = {static_cast<std::size_t>(i)...};
        return element(std::begin(index), std::end(index));
    }
    template <class It>
    value_type element(It first, It last) const {
        xt::xindex index(first, last);
        index[axis_] = origin_[index[axis_]];
        return source_.element(index.cbegin(), index.cend());
    }

private:
    CT source_;
    std::size_t axis_;
    std::vector<std::size_t> origin_;
};

template <class CT>
struct repetition {
    using E = std::decay_t<CT>;
    static constexpr bool native = as_window<E>::native;
    static constexpr bool has_leaves = true;
    static constexpr bool operand_can_fail = any_failure<E>;
    void prepare(std::size_t rank, const std::size_t* extents, leaves& evaluated) const {
        leaves inner;
        const window from = window_now(source, inner);
        record_repeats(from, evaluated.add(bc::dtype_of<typename E::value_type>(), rank, extents, false), axis, counts);
    }
    Value run(std::size_t, const std::size_t*, recording& r) const { return r.evaluated.load_next(r.statement); }

    CT source;
    std::size_t axis;
    std::vector<std::size_t> counts;
};

template <class E>
auto repeat_now(E&& e, const std::vector<std::size_t>& counts, std::size_t axis) {
    using CT = xt::const_xclosure_t<E>;
    auto shape = e.shape();
    located([&] {
        if (axis >= shape.size()) throw std::runtime_error("there is no such axis to repeat elements along");
        if (counts.size() != shape[axis]) {
            throw std::invalid_argument("repeats must have the same size as the specified axis");
        }
    });
    repetition<CT> how{e, axis, counts};
    repeated_element<CT> element(std::forward<E>(e), axis, counts);
    shape[axis] = element.extent();
    return make_made(xt::detail::make_xgenerator(std::move(element), shape), std::move(how));
}
/// Every element `count` times.
template <class E>
auto repeat_now(E&& e, std::size_t count, std::size_t axis) {
    return repeat_now(std::forward<E>(e), std::vector<std::size_t>(axis < e.dimension() ? e.shape()[axis] : 0, count),
                      axis);
}

}  // namespace xlazy::detail

namespace xlazy::detail::overloads {

template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>
    requires lazy<std::decay_t<E>>
inline auto ravel(E&& e) {
    const std::array<std::size_t, 1> shape = {e.size()};
    return reshape_view<L>(std::forward<E>(e), shape);
}
template <xt::layout_type L = XTENSOR_DEFAULT_TRAVERSAL, class E>
    requires lazy<std::decay_t<E>>
inline auto flatten(E&& e) {
    return overloads::ravel<L>(std::forward<E>(e));
}

template <class E>
    requires lazy<std::decay_t<E>>
inline auto roll(E&& e, std::ptrdiff_t shift) {
    if constexpr (is_rearranged<std::decay_t<E>>) {
        return rearranged(e, extents_of(e), true,
                          [&](const window& from, const window& to) { record_roll(from, to, shift); });
    } else {
        return fall_back_to("roll", [&] { return stock::roll(std::forward<E>(e), shift); });
    }
}
template <class E>
    requires lazy<std::decay_t<E>>
inline auto roll(E&& e, std::ptrdiff_t shift, std::ptrdiff_t axis) {
    if constexpr (is_rearranged<std::decay_t<E>>) {
        located([&] { normalise_axes(&axis, 1, e.dimension()); });
        return rearranged(e, extents_of(e), false, [&](const window& from, const window& to) {
            record_roll(from, to, shift, static_cast<std::size_t>(axis));
        });
    } else {
        return fall_back_to("roll", [&] { return stock::roll(std::forward<E>(e), shift, axis); });
    }
}

template <class E>
    requires lazy_condition<std::decay_t<E>>
inline auto trim_zeros(E&& e, const std::string& direction = "fb") {
    if (e.dimension() != 1) throw_statement_error("trim_zeros needs an array with one axis");
    const auto size = static_cast<std::ptrdiff_t>(e.size());
    std::ptrdiff_t first = size;
    std::ptrdiff_t last = 0;
    for_each_true<xt::layout_type::row_major>(e, [&](const auto& index) {
        first = std::min(first, static_cast<std::ptrdiff_t>(index[0]));
        last = static_cast<std::ptrdiff_t>(index[0]) + 1;
    });
    const std::ptrdiff_t begin = direction.find('f') == std::string::npos ? 0 : first;
    const std::ptrdiff_t end = direction.find('b') == std::string::npos || begin == size ? size : last;
    return strided_view(std::forward<E>(e), {xt::range(begin, end)});
}
#define XLAZY_NO_MORE_TYPES(E)
XLAZY_WITH_LINE(repeat, XLAZY_NO_MORE_TYPES, (const std::vector<std::size_t>& repeats, std::size_t axis),
                (repeats, axis))
XLAZY_WITH_LINE(repeat, XLAZY_NO_MORE_TYPES, (std::vector<std::size_t> && repeats, std::size_t axis), (repeats, axis))
XLAZY_WITH_LINE(repeat, XLAZY_NO_MORE_TYPES, (std::size_t repeats, std::size_t axis), (repeats, axis))
#undef XLAZY_NO_MORE_TYPES

// Shifts of other types than xtensor's parameter are a better match here, so there may be a further parameter.
template <class E, class S>
    requires(lazy<std::decay_t<E>> && std::is_integral_v<S> && !std::is_same_v<S, std::ptrdiff_t>)
inline auto roll(E&& e, S shift, here line = here::current()) {
    rt::LineScope scope(line);
    return overloads::roll(std::forward<E>(e), static_cast<std::ptrdiff_t>(shift));
}
template <class E, class S, class A>
    requires(lazy<std::decay_t<E>> && std::is_integral_v<S> && std::is_integral_v<A> &&
             !(std::is_same_v<S, std::ptrdiff_t> && std::is_same_v<A, std::ptrdiff_t>))
inline auto roll(E&& e, S shift, A axis, here line = here::current()) {
    rt::LineScope scope(line);
    return overloads::roll(std::forward<E>(e), static_cast<std::ptrdiff_t>(shift), static_cast<std::ptrdiff_t>(axis));
}

}  // namespace xlazy::detail::overloads

namespace xt {
using xlazy::detail::overloads::flatten;
using xlazy::detail::overloads::ravel;
using xlazy::detail::overloads::repeat;
using xlazy::detail::overloads::roll;
using xlazy::detail::overloads::trim_zeros;
}  // namespace xt
