// SPDX-License-Identifier: BSD-3-Clause
// Views that pick indices one by one (keep, drop). They are recorded as copies between windows: picks in equal steps
// make one window. Where there would be too many, the elements are copied by the host.
#pragma once

#include "xlazy/detail/lowering.hpp"

namespace xlazy::detail {

/// A window of which some axes have places of their own instead of a stride.
struct picked_window {
    struct axis {
        std::size_t number;
        std::vector<std::ptrdiff_t> places;  ///< elements from the window's offset, one for each index
    };
    window frame;  ///< its stride of a picked axis has no meaning
    std::vector<axis> picked;
};

/// A part of a picked window that is a window, and where it lies in a dense array of the picked window's shape.
struct picked_piece {
    window source;
    window dense;
};

/// A window as a left side by itself, of elements T.
template <class T>
struct placed_window {
    using value_type = T;
    window place;
};
template <class T>
struct viewed<placed_window<T>> {
    static constexpr bool ok = true;
    static const window& get(const placed_window<T>& target) noexcept { return target.place; }
};

inline constexpr std::size_t kMostPieces = 64;

/// All pieces in the order of the elements; false if they would be more than `most`. @param to_write no two elements of
/// a piece are the same one
/// @throws std::out_of_range
bool split(const picked_window& all, const window& dense, bool to_write, std::vector<picked_piece>& pieces,
           std::size_t most = kMostPieces);
/// Is an element picked more than once?
bool picks_twice(const picked_window& all);

/// Records copies of the picked elements to `dense`, a new array, or of `dense` to them.
void gather(const picked_window& from, const window& dense);
void scatter(const picked_window& to, const window& dense);

/// `picked_view<E>::ok`: an E picks elements of an array; then `get` says which.
template <class E>
struct picked_view {
    static constexpr bool ok = false;
};
template <class B>
struct picked_view<lazy_view<B>> : picked_view<B> {};

/// A view V that picks elements of any recorded expression; Compose::compose(view, whole) says which.
template <class V, class Compose>
struct picks_of_expression {
    using parent = std::decay_t<decltype(std::declval<const V&>().expression())>;
    using T = typename V::value_type;
    static constexpr bool native = recorded_value<parent> && lowering<parent>::native;
    static constexpr bool has_leaves = true;
    static constexpr bool can_fail = false;
    static constexpr bool operand_can_fail = any_failure<parent>;
    static void prepare(const V& view, leaves& evaluated) {
        if constexpr (viewed<parent>::ok) {
            add(Compose::compose(view, viewed<parent>::get(view.expression())), evaluated);
        } else {
            leaves whole;
            record_leaf<T, xt::layout_type::row_major>(view.expression(), whole);
            add(Compose::compose(view, whole.next()), evaluated);
        }
    }
    static Value run(const V&, recording& r) { return r.evaluated.load_next(r.statement); }

private:
    static void add(const picked_window& from, leaves& evaluated) {
        gather(from, evaluated.add(bc::dtype_of<T>(), from.frame.rank, from.frame.extents, false));
    }
};

}  // namespace xlazy::detail
