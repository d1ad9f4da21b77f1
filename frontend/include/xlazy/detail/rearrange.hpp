// SPDX-License-Identifier: BSD-3-Clause
// New arrays that have another's elements at other places: roll, repeat, pad, tile. They are recorded as copies between
// windows.
#pragma once

#include "xlazy/detail/evaluate.hpp"
#include "xlazy/detail/made.hpp"
#include "xlazy/detail/picked.hpp"

#include <vector>

namespace xlazy::detail {

/// Can an E be recorded into memory of its own type?
template <class E>
inline constexpr bool is_rearranged = viewed<E>::ok || (recorded_value<E> && lowering<E>::native);

/// Where the elements of `e` lie, dense in row-major order if `dense`; they are recorded if they lie nowhere so.
template <class E>
window window_now(const E& e, leaves& evaluated, bool dense = false) {
    if constexpr (viewed<E>::ok) {
        const window w = viewed<E>::get(e);
        if (!dense || is_dense_in(w, xt::layout_type::row_major)) return w;
    }
    record_leaf<typename E::value_type, xt::layout_type::row_major>(e, evaluated);
    return evaluated.next();
}

/// The array that xtensor evaluates an E to, with another shape: `record(from, to)` writes its elements.
template <class E, class Record>
auto rearranged(const E& e, const std::vector<std::size_t>& shape, bool dense, Record record) {
    return located([&] {
        leaves evaluated;
        const window from = window_now(e, evaluated, dense);
        using result_type = xt::temporary_type_t<E>;
        result_type result;
        result.renew(shape_for<result_type>(shape));
        record(from, viewed<result_type>::get(result));
        return result;
    });
}

template <class E>
std::vector<std::size_t> extents_of(const E& e) {
    return {e.shape().begin(), e.shape().end()};
}

/// The elements moved on by `shift` places, those beyond the end to the begin; both windows are dense.
void record_roll(const window& from, const window& to, std::ptrdiff_t shift);
/// The same along an axis.
void record_roll(const window& from, const window& to, std::ptrdiff_t shift, std::size_t axis);
/// `to` is `from` side by side, as often as it fits.
void record_tiles(const window& from, const window& to);

/// Elements at both ends of one axis.
struct pad_width {
    std::size_t before;
    std::size_t after;
};
enum class padding : unsigned char { wrap, symmetric, reflect };
/// The shape of a padded array. @throws std::runtime_error for another number of widths than axes
std::vector<std::size_t> padded_shape(const std::vector<std::size_t>& shape, const std::vector<pad_width>& widths);
/// The array in the middle of `to`.
window middle_of(const window& to, const std::vector<pad_width>& widths);
/// `to` is `from` continued beyond its ends. @throws std::runtime_error for an axis without elements
void record_padding(const window& from, const window& to, const std::vector<pad_width>& widths, padding how);

/// `to` is `from` with element i of an axis repeated counts[i] times.
void record_repeats(const window& from, const window& to, std::size_t axis, const std::vector<std::size_t>& counts);

}  // namespace xlazy::detail

// A function `name` of an array and more, in its three forms; name_now computes it. `head(E)` adds template parameters.
// The first form has xtensor's own head. For arrays with a name, and for expressions of ours, the others are more
// special than that, so that a further parameter, the user's line, does no harm.
#define XLAZY_LIST(...) __VA_ARGS__
#define XLAZY_WITH_LINE(name, head, parameters, arguments)                           \
    template <class E head(std::decay_t<E>)>                                         \
        requires lazy<std::decay_t<E>>                                               \
    inline auto name(E&& e, XLAZY_LIST parameters) {                                 \
        return name##_now(std::forward<E>(e), XLAZY_LIST arguments);                 \
    }                                                                                \
    template <class E head(std::decay_t<E>)>                                         \
        requires lazy<std::decay_t<E>>                                               \
    inline auto name(E& e, XLAZY_LIST parameters, here line = here::current()) {     \
        rt::LineScope scope(line);                                                   \
        return name##_now(e, XLAZY_LIST arguments);                                  \
    }                                                                                \
    template <template <class> class W, class B head(W<B>)>                          \
        requires lazy<W<B>>                                                          \
    inline auto name(W<B>&& e, XLAZY_LIST parameters, here line = here::current()) { \
        rt::LineScope scope(line);                                                   \
        return name##_now(std::move(e), XLAZY_LIST arguments);                       \
    }
