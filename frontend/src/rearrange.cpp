// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/detail/rearrange.hpp"
#include "xlazy/overlay/xaxis_slice_iterator.hpp"
#include "xlazy/overlay/xmath.hpp"

#include <algorithm>
#include <stdexcept>

namespace xlazy::detail {

namespace {

void copy_statement(const window& from, const window& to) {
    rt::Statement statement(rt::LineScope::current());
    statement.store(to.ref(), statement.load(from.ref()));
}

/// Indices `first` to `first + count` of an axis.
window slice(window w, std::size_t axis, std::size_t first, std::size_t count) {
    w.offset += static_cast<std::int64_t>(first) * w.strides[axis];
    w.extents[axis] = count;
    return w;
}

bool is_empty(const window& w) {
    return std::find(w.extents, w.extents + w.rank, std::size_t{0}) != w.extents + w.rank;
}

/// An axis is cut into the tiles and the places in a tile; `w` repeats along the former with `tile_stride`.
void add_tiled(window& w, std::size_t tiles, std::ptrdiff_t tile_stride, std::size_t extent, std::ptrdiff_t stride) {
    if (tiles != 1) w.add(tiles, tile_stride);
    w.add(extent, stride);
}

/// The element of an axis of n that stands at `at` when the axis goes on beyond its ends.
std::size_t continued(std::ptrdiff_t at, std::size_t n, padding how) {
    const auto count = static_cast<std::ptrdiff_t>(n);
    const auto modulo = [](std::ptrdiff_t value, std::ptrdiff_t period) { return (value % period + period) % period; };
    if (how == padding::wrap) return static_cast<std::size_t>(modulo(at, count));
    if (how == padding::reflect && n == 1) return 0;
    // There and back: the elements at the ends come twice or once.
    const std::ptrdiff_t period = how == padding::symmetric ? 2 * count : 2 * count - 2;
    const std::ptrdiff_t place = modulo(at, period);
    return static_cast<std::size_t>(place < count ? place : period - place - (how == padding::symmetric ? 1 : 0));
}

}  // namespace

void record_roll(const window& from, const window& to, std::ptrdiff_t shift) {
    record_roll(flattened(from), flattened(to), shift, 0);
}

void record_roll(const window& from, const window& to, std::ptrdiff_t shift, std::size_t axis) {
    if (is_empty(from)) return;
    const std::size_t extent = from.extents[axis];
    const auto period = static_cast<std::ptrdiff_t>(extent);
    const auto first = static_cast<std::size_t>((shift % period + period) % period);
    copy_statement(slice(from, axis, 0, extent - first), slice(to, axis, first, extent - first));
    if (first != 0) copy_statement(slice(from, axis, extent - first, first), slice(to, axis, 0, first));
}

void record_tiles(const window& from, const window& to) {
    if (is_empty(to)) return;
    std::size_t axes = from.rank;
    std::size_t last = from.rank;
    for (std::size_t i = 0; i < from.rank; ++i) {
        if (to.extents[i] == from.extents[i]) continue;
        ++axes;
        last = i;
    }
    if (axes > bc::kMaxRank) {
        for (std::size_t at = 0; at < to.extents[last]; at += from.extents[last]) {
            record_tiles(from, slice(to, last, at, from.extents[last]));
        }
        return;
    }
    window source{from.base, from.offset, 0, {}, {}};
    window target{to.base, to.offset, 0, {}, {}};
    for (std::size_t i = 0; i < from.rank; ++i) {
        const std::size_t tiles = to.extents[i] / from.extents[i];
        add_tiled(source, tiles, 0, from.extents[i], from.strides[i]);
        add_tiled(target, tiles, static_cast<std::ptrdiff_t>(from.extents[i]) * to.strides[i], from.extents[i],
                  to.strides[i]);
    }
    copy_statement(source, target);
}

std::vector<std::size_t> padded_shape(const std::vector<std::size_t>& shape, const std::vector<pad_width>& widths) {
    if (widths.size() != shape.size()) throw std::runtime_error("pad needs the widths of every axis");
    std::vector<std::size_t> padded(shape);
    for (std::size_t i = 0; i < shape.size(); ++i) padded[i] += widths[i].before + widths[i].after;
    return padded;
}

window middle_of(const window& to, const std::vector<pad_width>& widths) {
    window w = to;
    for (std::size_t i = 0; i < w.rank; ++i) {
        w = slice(w, i, widths[i].before, w.extents[i] - widths[i].before - widths[i].after);
    }
    return w;
}

void record_padding(const window& from, const window& to, const std::vector<pad_width>& widths, padding how) {
    if (is_empty(to)) return;
    if (is_empty(from)) throw std::runtime_error("an axis without elements cannot be continued by pad");
    picked_window all{from, {}};
    for (std::size_t i = 0; i < from.rank; ++i) {
        if (widths[i].before == 0 && widths[i].after == 0) continue;
        all.frame.extents[i] = to.extents[i];
        all.frame.strides[i] = 0;
        auto& axis = all.picked.emplace_back(picked_window::axis{i, {}});
        for (std::size_t at = 0; at < to.extents[i]; ++at) {
            const auto place = static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(widths[i].before);
            axis.places.push_back(static_cast<std::ptrdiff_t>(continued(place, from.extents[i], how)) *
                                  from.strides[i]);
        }
    }
    gather(all, to);
}

void record_repeats(const window& from, const window& to, std::size_t axis, const std::vector<std::size_t>& counts) {
    if (is_empty(to)) return;
    const bool alike = std::all_of(counts.begin(), counts.end(), [&](std::size_t n) { return n == counts.front(); });
    if (alike && from.rank < bc::kMaxRank) {
        // The repetitions are an axis of their own behind the repeated one.
        window source{from.base, from.offset, 0, {}, {}};
        window target{to.base, to.offset, 0, {}, {}};
        for (std::size_t i = 0; i < from.rank; ++i) {
            const std::size_t count = i == axis ? counts.front() : 1;
            source.add(from.extents[i], from.strides[i]);
            target.add(from.extents[i], static_cast<std::ptrdiff_t>(count) * to.strides[i]);
            if (i != axis) continue;
            source.add(count, 0);
            target.add(count, to.strides[i]);
        }
        return copy_statement(source, target);
    }
    picked_window all{from, {}};
    auto& picked = all.picked.emplace_back(picked_window::axis{axis, {}});
    for (std::size_t i = 0; i < counts.size(); ++i) {
        picked.places.insert(picked.places.end(), counts[i], static_cast<std::ptrdiff_t>(i) * from.strides[axis]);
    }
    all.frame.extents[axis] = picked.places.size();
    all.frame.strides[axis] = 0;
    gather(all, to);
}

void record_convolution(const window& of, const window& by, const window& to) {
    const DType type = to.base->dtype();
    {
        rt::Statement statement(rt::LineScope::current());
        statement.store(to.ref(), statement.scalar(std::int64_t{0}));
    }
    for (std::size_t i = 0; i < by.extents[0]; ++i) {
        const window target = slice(to, 0, i, of.extents[0]);
        rt::Statement statement(rt::LineScope::current());
        const Value factor = statement.load(slice(by, 0, i, 1).ref());
        const Value product = statement.apply(Op::mul, type, statement.load(of.ref()), factor);
        statement.store(target.ref(), statement.apply(Op::add, type, statement.load(target.ref()), product));
    }
}

std::int64_t slice_offset(const window& w, std::size_t axis, std::size_t index, bool by_columns) {
    std::int64_t offset = w.offset;
    for (std::size_t i = 0; i < w.rank; ++i) {
        const std::size_t other = by_columns ? i : w.rank - 1 - i;
        if (other == axis) continue;
        offset += static_cast<std::int64_t>(index % w.extents[other]) * w.strides[other];
        index /= w.extents[other];
    }
    return offset;
}

std::size_t slice_count(const window& w, std::size_t axis) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < w.rank; ++i) count *= i == axis ? 1 : w.extents[i];
    return count;
}

}  // namespace xlazy::detail
