// SPDX-License-Identifier: BSD-3-Clause
// pad and tile, recorded as copies.
#pragma once

#include "xlazy/detail/fallback.hpp"
#include "xlazy/detail/rearrange.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xpad.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

namespace stock {

template <class E, class W, class V>
auto pad(E&& e, const W& widths, xt::pad_mode mode, V value) {
    return xt::pad(std::forward<E>(e), widths, mode, value);
}
template <class E, class C>
auto tile(E&& e, const C& counts) {
    return xt::tile(std::forward<E>(e), counts);
}

}  // namespace stock

template <class E, class V>
auto padded(const E& e, const std::vector<pad_width>& widths, xt::pad_mode mode, V value) {
    using T = typename E::value_type;
    return rearranged(e, located([&] { return padded_shape(extents_of(e), widths); }), false,
                      [&](const window& from, const window& to) {
                          if (mode == xt::pad_mode::symmetric)
                              return record_padding(from, to, widths, padding::symmetric);
                          if (mode == xt::pad_mode::reflect) return record_padding(from, to, widths, padding::reflect);
                          if (mode != xt::pad_mode::constant) return record_padding(from, to, widths, padding::wrap);
                          {
                              rt::Statement statement(rt::LineScope::current());
                              statement.store(to.ref(), statement.scalar(convert_number<T>(value)));
                          }
                          rt::Statement statement(rt::LineScope::current());
                          statement.store(middle_of(to, widths).ref(), statement.load(from.ref()));
                      });
}

template <class E, class C>
auto tiled(const E& e, const C& counts) {
    std::vector<std::size_t> shape = extents_of(e);
    std::size_t axis = 0;
    for (const auto count : counts) {
        if (axis < shape.size()) shape[axis] *= static_cast<std::size_t>(count);
        ++axis;
    }
    if (axis != shape.size()) throw_statement_error("tile needs a number of repetitions for every axis");
    return rearranged(e, shape, false, record_tiles);
}

template <class S>
pad_width width_of(S before, S after) {
    return {static_cast<std::size_t>(before), static_cast<std::size_t>(after)};
}

}  // namespace xlazy::detail

#define XLAZY_PAD(widths, make_widths)                                                                                \
    namespace xlazy::detail::overloads {                                                                              \
    using namespace xt;                                                                                               \
    template <class E, class S = typename std::decay_t<E>::size_type, class V = typename std::decay_t<E>::value_type> \
        requires lazy<std::decay_t<E>>                                                                                \
    inline auto pad(E&& e, widths pad_widths, pad_mode mode = pad_mode::constant, V constant_value = 0) {             \
        if constexpr (is_rearranged<std::decay_t<E>>) {                                                               \
            std::vector<pad_width> all;                                                                               \
            make_widths;                                                                                              \
            return padded(e, all, mode, constant_value);                                                              \
        } else {                                                                                                      \
            return fall_back_to("pad",                                                                                \
                                [&] { return stock::pad(std::forward<E>(e), pad_widths, mode, constant_value); });    \
        }                                                                                                             \
    }                                                                                                                 \
    }
XLAZY_PAD(const std::vector<std::vector<S>>&, for (const auto& width
                                                   : pad_widths) all.push_back(width_of(width.at(0), width.at(1))))
XLAZY_PAD(const std::vector<S>&, all.assign(e.dimension(), width_of(pad_widths.at(0), pad_widths.at(1))))
XLAZY_PAD(S, all.assign(e.dimension(), width_of(pad_widths, pad_widths)))
#undef XLAZY_PAD

namespace xlazy::detail::overloads {

template <class E, class C, XTL_REQUIRES(xtl::negation<xtl::is_integral<C>>)>
    requires lazy<std::decay_t<E>>
inline auto tile(E&& e, const C& reps) {
    if constexpr (is_rearranged<std::decay_t<E>>)
        return tiled(e, reps);
    else
        return fall_back_to("tile", [&] { return stock::tile(std::forward<E>(e), reps); });
}
template <class E, class S = typename std::decay_t<E>::size_type>
    requires lazy<std::decay_t<E>>
inline auto tile(E&& e, std::initializer_list<S> reps) {
    return overloads::tile(std::forward<E>(e), std::vector<S>(reps));
}
template <class E, class S = typename std::decay_t<E>::size_type, XTL_REQUIRES(xtl::is_integral<S>)>
    requires lazy<std::decay_t<E>>
inline auto tile(E&& e, S reps) {
    std::vector<std::size_t> counts(e.dimension(), 1);
    if (!counts.empty()) counts.front() = static_cast<std::size_t>(reps);
    return overloads::tile(std::forward<E>(e), counts);
}

}  // namespace xlazy::detail::overloads

namespace xt {
using xlazy::detail::overloads::pad;
using xlazy::detail::overloads::tile;
}  // namespace xt
