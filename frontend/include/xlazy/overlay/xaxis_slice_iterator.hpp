// SPDX-License-Identifier: BSD-3-Clause
// Iterators over the slices of a view of ours. xtensor's own step through memory as if its elements were all there.
#pragma once

#include "xlazy/overlay/xstrided_view.hpp"

#include <iterator>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xaxis_slice_iterator.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// Where slice number `index` along an axis of the window begins, in its base. The slices are counted as elements of an
/// array without that axis, by columns or by rows.
std::int64_t slice_offset(const window& w, std::size_t axis, std::size_t index, bool by_columns);
/// How many there are.
std::size_t slice_count(const window& w, std::size_t axis);

/// An iterator over the slices along one axis of V, a view on an array. Its value is a view: writes go through.
template <class V>
class slice_iterator {
public:
    using strides_type = std::array<std::ptrdiff_t, 1>;
    /// Of views that cannot be written the slices cannot either.
    using source_type = std::conditional_t<std::is_const_v<std::remove_reference_t<typename V::reference>>, const V, V>;
    using value_type = decltype(overloads::strided_view(std::declval<source_type&>(), std::array<std::size_t, 1>(),
                                                        strides_type(), 0));
    using reference = value_type;
    using pointer = xtl::xclosure_pointer<value_type>;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    slice_iterator(const V& view, std::size_t axis, std::size_t index) : view_(view), axis_(axis), index_(index) {}

    reference operator*() const {
        const window w = viewed<V>::get(view_);
        const auto offset = slice_offset(w, axis_, index_, view_.layout() == xt::layout_type::column_major);
        source_type view(view_);
        return overloads::strided_view(view, std::array<std::size_t, 1>{w.extents[axis_]},
                                       strides_type{w.strides[axis_]}, static_cast<std::size_t>(offset));
    }
    pointer operator->() const { return pointer(operator*()); }
    slice_iterator& operator++() { return ++index_, *this; }
    slice_iterator operator++(int) {
        slice_iterator before(*this);
        ++index_;
        return before;
    }
    friend bool operator==(const slice_iterator& a, const slice_iterator& b) {
        return a.axis_ == b.axis_ && a.index_ == b.index_ && same_place<V>(a.view_, b.view_);
    }

private:
    V view_;
    std::size_t axis_;
    std::size_t index_;
};

template <class E>
inline constexpr bool has_view_slices = !is_array<E> && viewed<E>::ok && lazy<E>;

template <class E>
slice_iterator<held<E>> slices_from(const E& e, std::size_t axis, bool end) {
    return located([&] {
        const window w = viewed<E>::get(e);
        if (axis >= w.rank) throw_statement_error("there is no such axis to take slices along");
        return slice_iterator<held<E>>(e, axis, end ? slice_count(w, axis) : 0);
    });
}

namespace overloads {

// The heads are those of xtensor's functions, so that the constraint makes ours the better ones.
template <class E>
    requires has_view_slices<std::decay_t<E>>
inline auto axis_slice_begin(E&& e) {
    return slices_from(e, 0, false);
}
template <class E>
    requires has_view_slices<std::decay_t<E>>
inline auto axis_slice_begin(E&& e, typename std::decay_t<E>::size_type axis) {
    return slices_from(e, axis, false);
}
template <class E>
    requires has_view_slices<std::decay_t<E>>
inline auto axis_slice_end(E&& e) {
    return slices_from(e, 0, true);
}
template <class E>
    requires has_view_slices<std::decay_t<E>>
inline auto axis_slice_end(E&& e, typename std::decay_t<E>::size_type axis) {
    return slices_from(e, axis, true);
}

}  // namespace overloads
}  // namespace xlazy::detail

namespace xt {
using xlazy::detail::overloads::axis_slice_begin;
using xlazy::detail::overloads::axis_slice_end;
}  // namespace xt
