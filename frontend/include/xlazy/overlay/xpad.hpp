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

template <class S>
std::vector<pad_width> pad_widths_of(std::size_t, const std::vector<std::vector<S>>& widths) {
    std::vector<pad_width> all;
    for (const auto& width : widths) all.push_back(width_of(width.at(0), width.at(1)));
    return all;
}
template <class S>
std::vector<pad_width> pad_widths_of(std::size_t rank, const std::vector<S>& widths) {
    return std::vector<pad_width>(rank, width_of(widths.at(0), widths.at(1)));
}
template <class S>
    requires std::is_integral_v<S>
std::vector<pad_width> pad_widths_of(std::size_t rank, S width) {
    return std::vector<pad_width>(rank, width_of(width, width));
}

template <class E, class W, class V>
auto pad_now(E&& e, const W& widths, xt::pad_mode mode, V value) {
    if constexpr (is_rearranged<std::decay_t<E>>)
        return padded(e, located([&] { return pad_widths_of(e.dimension(), widths); }), mode, value);
    else
        return fall_back_to("pad", [&] { return stock::pad(std::forward<E>(e), widths, mode, value); });
}

template <class E, class C>
auto tile_now(E&& e, const C& counts) {
    if constexpr (!xtl::is_integral<C>::value) {
        if constexpr (is_rearranged<std::decay_t<E>>)
            return tiled(e, counts);
        else
            return fall_back_to("tile", [&] { return stock::tile(std::forward<E>(e), counts); });
    } else {
        std::vector<std::size_t> all(e.dimension(), 1);
        if (!all.empty()) all.front() = static_cast<std::size_t>(counts);
        return tile_now(std::forward<E>(e), all);
    }
}

}  // namespace xlazy::detail

#define XLAZY_PAD_TYPES(E) , class S = typename E::size_type, class V = typename E::value_type
#define XLAZY_PAD(widths)                                                                          \
    XLAZY_WITH_LINE(pad, XLAZY_PAD_TYPES,                                                          \
                    (widths pad_widths, pad_mode mode = pad_mode::constant, V constant_value = 0), \
                    (pad_widths, mode, constant_value))
#define XLAZY_TILE_COUNTS(E) , class C, XTL_REQUIRES(xtl::negation<xtl::is_integral<C>>)
#define XLAZY_TILE_LIST(E) , class S = typename E::size_type
#define XLAZY_TILE_COUNT(E) , class S = typename E::size_type, XTL_REQUIRES(xtl::is_integral<S>)

namespace xlazy::detail::overloads {
using namespace xt;
XLAZY_PAD(const std::vector<std::vector<S>>&)
XLAZY_PAD(const std::vector<S>&)
XLAZY_PAD(S)
XLAZY_WITH_LINE(tile, XLAZY_TILE_COUNTS, (const C& reps), (reps))
XLAZY_WITH_LINE(tile, XLAZY_TILE_LIST, (std::initializer_list<S> reps), (std::vector<S>(reps)))
XLAZY_WITH_LINE(tile, XLAZY_TILE_COUNT, (S reps), (reps))
}  // namespace xlazy::detail::overloads

#undef XLAZY_PAD_TYPES
#undef XLAZY_PAD
#undef XLAZY_TILE_COUNTS
#undef XLAZY_TILE_LIST
#undef XLAZY_TILE_COUNT

namespace xt {
using xlazy::detail::overloads::pad;
using xlazy::detail::overloads::tile;
}  // namespace xt
