// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/detail/picked.hpp"

#include <algorithm>
#include <cstring>

namespace xlazy::detail {

namespace {

/// Picks in equal steps.
struct Run {
    std::size_t begin;
    std::size_t count;
    std::ptrdiff_t step;
};

std::vector<Run> runs_of(const std::vector<std::ptrdiff_t>& places, bool to_write) {
    std::vector<Run> runs;
    for (std::size_t begin = 0; begin < places.size();) {
        Run run{begin, 1, 0};
        if (begin + 1 < places.size()) {
            const std::ptrdiff_t step = places[begin + 1] - places[begin];
            while (begin + run.count < places.size() && !(to_write && step == 0) &&
                   places[begin + run.count] - places[begin + run.count - 1] == step) {
                ++run.count;
                run.step = step;
            }
        }
        runs.push_back(run);
        begin += run.count;
    }
    return runs;
}

/// Calls `visit(picked, dense)` with the distances of each element from the two offsets, row by row.
template <class Visit>
void for_each_element(const picked_window& all, const window& dense, Visit visit) {
    const window& frame = all.frame;
    std::size_t index[bc::kMaxRank] = {};
    for (std::size_t i = 0; i < frame.rank; ++i) {
        if (frame.extents[i] == 0) return;
    }
    for (;;) {
        std::ptrdiff_t picked = 0;
        std::ptrdiff_t at = 0;
        std::size_t next = 0;
        for (std::size_t i = 0; i < frame.rank; ++i) {
            const bool listed = next < all.picked.size() && all.picked[next].number == i;
            picked +=
                listed ? all.picked[next++].places[index[i]] : static_cast<std::ptrdiff_t>(index[i]) * frame.strides[i];
            at += static_cast<std::ptrdiff_t>(index[i]) * dense.strides[i];
        }
        visit(frame.offset + picked, dense.offset + at);
        std::size_t axis = frame.rank;
        while (axis > 0 && ++index[axis - 1] == frame.extents[axis - 1]) index[--axis] = 0;
        if (axis == 0) return;
    }
}

void copy_statement(const window& from, const window& to) {
    rt::Statement statement(rt::LineScope::current());
    const Value value = statement.load(from.ref());
    statement.store(to.ref(), value);
}

}  // namespace

bool split(const picked_window& all, const window& dense, bool to_write, std::vector<picked_piece>& pieces,
           std::size_t most) {
    pieces.assign(1, {all.frame, dense});
    for (const picked_window::axis& axis : all.picked) {
        const std::vector<Run> runs = runs_of(axis.places, to_write);
        if (runs.size() * pieces.size() > most) return false;
        std::vector<picked_piece> finer;
        for (const picked_piece& piece : pieces) {
            for (const Run& run : runs) {
                picked_piece& part = finer.emplace_back(piece);
                part.source.offset += axis.places[run.begin];
                part.source.extents[axis.number] = part.dense.extents[axis.number] = run.count;
                part.source.strides[axis.number] = run.step;
                part.dense.offset += static_cast<std::ptrdiff_t>(run.begin) * dense.strides[axis.number];
            }
        }
        pieces.swap(finer);
    }
    for (const picked_piece& piece : pieces) piece.source.check();
    return true;
}

bool picks_twice(const picked_window& all) {
    return std::any_of(all.picked.begin(), all.picked.end(), [](const picked_window::axis& axis) {
        std::vector<std::ptrdiff_t> places = axis.places;
        std::sort(places.begin(), places.end());
        return std::adjacent_find(places.begin(), places.end()) != places.end();
    });
}

void gather(const picked_window& from, const window& dense) {
    std::vector<picked_piece> pieces;
    if (split(from, dense, false, pieces)) {
        for (const picked_piece& piece : pieces) copy_statement(piece.source, piece.dense);
        return;
    }
    rt::fall_back("keep or drop", rt::LineScope::current());
    const std::size_t size = bc::size_of(dense.base->dtype());
    const auto* source =
        static_cast<const char*>(rt::readable(from.frame.base, rt::Reason::fallback, rt::LineScope::current()));
    auto* target = static_cast<char*>(rt::base_fill(dense.base));
    for_each_element(from, dense, [&](std::ptrdiff_t picked, std::ptrdiff_t at) {
        std::memcpy(target + at * static_cast<std::ptrdiff_t>(size),
                    source + picked * static_cast<std::ptrdiff_t>(size), size);
    });
}

void scatter(const picked_window& to, const window& dense) {
    std::vector<picked_piece> pieces;
    if (split(to, dense, true, pieces)) {
        for (const picked_piece& piece : pieces) copy_statement(piece.dense, piece.source);
        return;
    }
    rt::fall_back("keep or drop", rt::LineScope::current());
    const std::size_t size = bc::size_of(dense.base->dtype());
    const auto* source =
        static_cast<const char*>(rt::readable(dense.base, rt::Reason::fallback, rt::LineScope::current()));
    auto* target = static_cast<char*>(rt::writable(to.frame.base, rt::Reason::fallback, rt::LineScope::current()));
    for_each_element(to, dense, [&](std::ptrdiff_t picked, std::ptrdiff_t at) {
        std::memcpy(target + picked * static_cast<std::ptrdiff_t>(size),
                    source + at * static_cast<std::ptrdiff_t>(size), size);
    });
}

}  // namespace xlazy::detail
