// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/layout.hpp"

#include <algorithm>
#include <numeric>

namespace xlazy::fuzz {
namespace {

using Axes = std::vector<std::size_t>;

void shuffle(Random& random, Axes& axes) {
    for (std::size_t i = axes.size(); i > 1; --i)
        std::swap(axes[i - 1], axes[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
}

/// Axes of the window that lie along an axis of the array; the others are new or repeated.
Axes bound_axes(Random& random, const Shape& natural, const Shape& shape, ViewKind kind) {
    Axes bound;
    bool repeated = false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool repeat = kind == ViewKind::Repeat && shape[axis] > 1 && (!repeated || random.percent(40));
        const bool extra = shape[axis] == 1 && (random.percent(20) || shape.size() - axis > natural.size());
        repeated = repeated || repeat;
        if (!repeat && !extra) bound.push_back(axis);
    }
    // Where the array lacks axes, those of extent 1 are new ones.
    for (std::size_t i = 0; i < bound.size() && bound.size() > natural.size();) {
        if (shape[bound[i]] == 1)
            bound.erase(bound.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    }
    return bound;
}

/// Axes of the array, one for each bound axis.
Axes array_axes(Random& random, std::size_t rank, std::size_t wanted, ViewKind kind) {
    Axes axes(rank);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    if (kind == ViewKind::Transposed || (kind == kAnyKind && random.percent(10))) {
        shuffle(random, axes);
        axes.resize(wanted);
        if (wanted > 1 && std::is_sorted(axes.begin(), axes.end())) std::reverse(axes.begin(), axes.end());
        return axes;
    }
    while (axes.size() > wanted) {
        const bool leading = kind == ViewKind::Slice || random.percent(70);
        const auto drop = leading ? 0 : random.below(static_cast<std::int64_t>(axes.size()));
        axes.erase(axes.begin() + drop);
    }
    return axes;
}

std::int64_t choose_step(Random& random, std::int64_t room, std::int64_t extent, bool innermost, ViewKind kind) {
    if (extent <= 1) return 1;
    const std::int64_t most = std::min<std::int64_t>((room - 1) / (extent - 1), 4);
    if (most < 2) return 1;
    if (kind == ViewKind::Step) return innermost || random.percent(40) ? random.between(2, most) : 1;
    const int chance = kind == kAnyKind || kind == ViewKind::Reverse ? 25 : 0;
    return random.percent(chance) ? random.between(2, most) : 1;
}

std::optional<Window> try_place(Random& random, std::uint32_t base, const Shape& natural, const Shape& shape,
                                ViewKind kind) {
    const Axes bound = bound_axes(random, natural, shape, kind);
    if (bound.size() > natural.size()) return std::nullopt;
    const Axes axes = array_axes(random, natural.size(), bound.size(), kind);
    const Shape strides = dense_strides(natural);
    Window window{base, 0, {}};
    for (std::int64_t extent : shape) window.dims.push_back({extent, 0});
    std::vector<char> used(natural.size(), 0);
    bool reversed = false;
    for (std::size_t i = bound.size(); i-- > 0;) {
        const std::size_t axis = axes[i];
        const std::int64_t room = natural[axis], extent = shape[bound[i]];
        if (extent > room) return std::nullopt;
        used[axis] = 1;
        const std::int64_t step = choose_step(random, room, extent, i + 1 == bound.size(), kind);
        const std::int64_t span = extent == 0 ? 0 : (extent - 1) * step + 1;
        std::int64_t start = random.percent(35) ? 0 : random.below(room - span + 1);
        if (extent == 0 && start == room && start > 0) --start;
        const bool back = extent > 1 && ((kind == ViewKind::Reverse && (!reversed || random.percent(40))) ||
                                         (kind == kAnyKind && random.percent(15)));
        reversed = reversed || back;
        if (back) start += span - 1;
        window.offset += start * strides[axis];
        window.dims[bound[i]].stride = extent == 1 && random.percent(50) ? 0 : (back ? -step : step) * strides[axis];
    }
    for (std::size_t axis = 0; axis < natural.size(); ++axis) {
        if (used[axis]) continue;
        if (natural[axis] == 0 && count_of(shape) != 0) return std::nullopt;
        window.offset += random.below(natural[axis]) * strides[axis];
    }
    if (count_of(natural) == 0) window.offset = 0;
    return window;
}

}  // namespace

std::optional<Window> place(Random& random, std::uint32_t base, const Shape& natural, const Shape& shape,
                            ViewKind kind) {
    constexpr int kTries = 4;  // the choice of axes may leave no room where another would
    for (int tries = 0; tries < kTries; ++tries)
        if (auto found = try_place(random, base, natural, shape, kind)) return found;
    return std::nullopt;
}

Window whole_window(std::uint32_t base, const Shape& natural) {
    Window window{base, 0, {}};
    const Shape strides = dense_strides(natural);
    for (std::size_t axis = 0; axis < natural.size(); ++axis) window.dims.push_back({natural[axis], strides[axis]});
    return window;
}

Shape shape_within(Random& random, const Shape& natural, ViewKind kind) {
    Shape shape = natural;
    const auto any_axis = [&] {
        return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(shape.size())));
    };
    switch (kind) {
        case ViewKind::Whole: return shape;
        case ViewKind::Single:
            for (std::int64_t& extent : shape) extent = 1;
            if (random.percent(50)) shape.clear();
            return shape;
        case ViewKind::Empty:
            if (shape.empty()) shape.push_back(0);
            shape[any_axis()] = 0;
            return shape;
        case ViewKind::Slice:
            if (!shape.empty()) shape[0] = std::max<std::int64_t>(1, shape[0] - random.between(1, 2));
            return shape;
        case ViewKind::Step:
            for (std::int64_t& extent : shape) extent = (extent + 1) / 2;
            return shape;
        default: break;
    }
    for (std::int64_t& extent : shape)
        if (extent > 1 && random.percent(60)) extent -= random.below(std::min<std::int64_t>(extent - 1, 3));
    if (kind == ViewKind::Rows && !shape.empty() && shape.back() > 2) shape.back() = natural.back() - 1;
    if (kind == ViewKind::Transposed) std::reverse(shape.begin(), shape.end());
    if (kind == ViewKind::Repeat) {
        const auto at = random.below(static_cast<std::int64_t>(shape.size()) + 1);
        shape.insert(shape.begin() + at, random.between(2, 4));
    } else if (kind == kAnyKind && !shape.empty() && random.percent(20)) {
        shape.erase(shape.begin());
    }
    return shape;
}

Shape natural_for(Random& random, const Shape& shape, ViewKind kind) {
    Shape natural = shape;
    switch (kind) {
        case ViewKind::Whole: return natural;
        case ViewKind::Slice:
            if (natural.empty() || random.percent(25))
                natural.insert(natural.begin(), random.between(2, 3));
            else
                natural[0] += random.between(1, 3);
            return natural;
        case ViewKind::Step:
            for (std::int64_t& extent : natural)
                if (&extent == &natural.back() || random.percent(40)) extent = 2 * extent + random.below(2);
            return natural;
        case ViewKind::Transposed: std::reverse(natural.begin(), natural.end()); break;
        default: break;
    }
    for (std::int64_t& extent : natural)
        if (random.percent(50)) extent += random.between(1, 2);
    if (kind == ViewKind::Rows && !natural.empty()) ++natural.back();
    if (random.percent(10)) natural.insert(natural.begin(), random.between(1, 3));
    return natural;
}

}  // namespace xlazy::fuzz
