// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/loop_nest.hpp"

#include <algorithm>
#include <cstdlib>

namespace xlazy::be {

void LoopNest::reset(std::span<const std::int64_t> extents, int reduced) {
    rank_ = static_cast<unsigned>(extents.size());
    reduced_ = reduced;
    std::copy(extents.begin(), extents.end(), extents_);
    reduced_inner_ = reduced == kNoAxis ? 1 : count(static_cast<unsigned>(reduced) + 1, rank_);
    accesses_.clear();
    cut_axis_ = kNoAxis;
}

void LoopNest::cut(unsigned axis, std::int64_t count) noexcept {
    cut_axis_ = static_cast<int>(axis);
    extents_[axis] = count;
}

void LoopNest::move_to(std::int64_t first) noexcept {
    for (Access& access : accesses_) access.base = access.origin + first * access.cut_step;
}

std::size_t LoopNest::add(std::byte* start, std::size_t element_size, std::span<const bc::Dim> dims, int lacking) {
    Access& access = accesses_.emplace_back();
    access.base = start;
    access.element_size = static_cast<std::int64_t>(element_size);
    std::size_t left = dims.size();
    for (int axis = static_cast<int>(rank_) - 1; axis >= 0; --axis) {
        const bool repeats = left == 0 || axis == lacking || dims[left - 1].extent == 1;
        access.strides[axis] = repeats ? 0 : dims[left - 1].stride * access.element_size;
        if (left > 0 && axis != lacking) --left;
    }
    access.origin = start;
    if (cut_axis_ != kNoAxis) access.cut_step = access.strides[cut_axis_];
    return accesses_.size() - 1;
}

std::size_t LoopNest::add_index(unsigned axis) {
    Access& access = accesses_.emplace_back();
    std::fill_n(access.strides, rank_, 0);
    access.strides[axis] = 1;
    return accesses_.size() - 1;
}

void LoopNest::copy_axis(unsigned from, unsigned to) noexcept {
    extents_[to] = extents_[from];
    for (Access& access : accesses_) access.strides[to] = access.strides[from];
}

void LoopNest::collapse(bool sort) {
    drop_unit_axes();
    if (sort) sort_axes();
    merge_axes();
}

void LoopNest::drop_unit_axes() noexcept {
    unsigned kept = 0;
    int reduced = kNoAxis;
    for (unsigned axis = 0; axis < rank_; ++axis) {
        const bool is_reduced = reduced_ == static_cast<int>(axis);
        if (extents_[axis] == 1 && !is_reduced) continue;
        if (is_reduced) reduced = static_cast<int>(kept);
        if (kept != axis) copy_axis(axis, kept);
        ++kept;
    }
    if (kept == 0) {
        extents_[0] = 1;
        for (Access& access : accesses_) access.strides[0] = 0;
        kept = 1;
    }
    rank_ = kept;
    reduced_ = reduced;
}

/// Insertion sort by the votes of the accesses; where they are of two minds, or step along one of the axes only, the
/// domain's order stays.
void LoopNest::sort_axes() noexcept {
    const auto votes_to_swap = [&](unsigned outer, unsigned inner) {
        int votes = 0;
        for (const Access& access : accesses_) {
            const std::int64_t a = std::abs(access.strides[outer]), b = std::abs(access.strides[inner]);
            if (access.base != nullptr && a != 0 && b != 0 && a != b) votes += a < b ? 1 : -1;
        }
        return votes;
    };
    for (unsigned axis = 1; axis < rank_; ++axis) {
        unsigned place = axis;
        for (unsigned outer = axis; outer-- > 0;) {
            const int votes = votes_to_swap(outer, axis);
            if (votes < 0) break;
            if (votes > 0) place = outer;
        }
        if (place == axis) continue;
        std::rotate(extents_ + place, extents_ + axis, extents_ + axis + 1);
        for (Access& access : accesses_)
            std::rotate(access.strides + place, access.strides + axis, access.strides + axis + 1);
        if (reduced_ == static_cast<int>(axis))
            reduced_ = static_cast<int>(place);
        else if (reduced_ >= static_cast<int>(place) && reduced_ < static_cast<int>(axis))
            ++reduced_;
    }
}

void LoopNest::merge_axes() noexcept {
    unsigned last = 0;  // axes [0, last] are final, except that the last of them may grow
    int reduced = reduced_ == 0 ? 0 : kNoAxis;
    for (unsigned axis = 1; axis < rank_; ++axis) {
        const bool is_reduced = reduced_ == static_cast<int>(axis);
        const bool merges = !is_reduced && reduced != static_cast<int>(last) &&
                            std::all_of(accesses_.begin(), accesses_.end(), [&](const Access& access) {
                                return access.strides[last] == access.strides[axis] * extents_[axis];
                            });
        const std::int64_t extent = merges ? extents_[last] * extents_[axis] : extents_[axis];
        if (!merges) ++last;
        if (last != axis) copy_axis(axis, last);
        extents_[last] = extent;
        if (is_reduced) reduced = static_cast<int>(last);
    }
    rank_ = last + 1;
    reduced_ = reduced;
}

std::int64_t LoopNest::count(unsigned begin, unsigned end) const noexcept {
    std::int64_t product = 1;
    for (unsigned axis = begin; axis < end; ++axis) product *= extents_[axis];
    return product;
}

Layout LoopNest::layout(const Access& access, unsigned first) const noexcept {
    bool uniform = true, dense = true;
    std::int64_t step = access.element_size;
    for (unsigned axis = rank_; axis-- > first;) {
        if (extents_[axis] == 1) continue;
        uniform = uniform && access.strides[axis] == 0;
        dense = dense && access.strides[axis] == step;
        step *= extents_[axis];
    }
    return uniform ? Layout::Uniform : dense && access.base != nullptr ? Layout::Dense : Layout::Strided;
}

bool LoopNest::same(const Access& a, const Access& b) const noexcept {
    return a.base == b.base && std::equal(a.strides, a.strides + rank_, b.strides);
}

}  // namespace xlazy::be
