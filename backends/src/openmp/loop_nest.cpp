// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/loop_nest.hpp"

#include <algorithm>

namespace xlazy::be {

void LoopNest::reset(std::span<const std::int64_t> extents, int reduced) {
    rank_ = static_cast<unsigned>(extents.size());
    reduced_ = reduced;
    std::copy(extents.begin(), extents.end(), extents_);
    accesses_.clear();
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
    return accesses_.size() - 1;
}

std::size_t LoopNest::add_index(unsigned axis) {
    Access& access = accesses_.emplace_back();
    std::fill_n(access.strides, rank_, 0);
    access.strides[axis] = 1;
    return accesses_.size() - 1;
}

void LoopNest::collapse() {
    unsigned kept = 0;  // axes [0, kept) are final, except that the last of them may grow
    int reduced = kNoAxis;
    const auto move_axis = [&](unsigned from, unsigned to) {
        extents_[to] = extents_[from];
        for (Access& access : accesses_) access.strides[to] = access.strides[from];
    };
    for (unsigned axis = 0; axis < rank_; ++axis) {
        const bool is_reduced = reduced_ == static_cast<int>(axis);
        if (extents_[axis] == 1 && !is_reduced) continue;
        const bool merges = kept > 0 && !is_reduced && reduced != static_cast<int>(kept) - 1 &&
                            std::all_of(accesses_.begin(), accesses_.end(), [&](const Access& access) {
                                return access.strides[kept - 1] == access.strides[axis] * extents_[axis];
                            });
        if (merges) {
            const std::int64_t extent = extents_[kept - 1] * extents_[axis];
            move_axis(axis, kept - 1);
            extents_[kept - 1] = extent;
        } else {
            if (is_reduced) reduced = static_cast<int>(kept);
            if (kept != axis) move_axis(axis, kept);
            ++kept;
        }
    }
    if (kept == 0) {
        extents_[0] = 1;
        for (Access& access : accesses_) access.strides[0] = 0;
        kept = 1;
    }
    rank_ = kept;
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
