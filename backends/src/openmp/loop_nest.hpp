// SPDX-License-Identifier: BSD-3-Clause
// The axes that a kernel's tiles are cut from: the domain's, in the order in which most of its memory lies, as few as
// the strides of all its memory operands permit.
#pragma once

#include "codegen/kernel_form.hpp"
#include "xlazy/backends/backend.hpp"

namespace xlazy::be {

/// Memory that a kernel reads or writes, with a stride for each axis of the nest; or the generator `index`, whose
/// "address" is the coordinate along one axis.
struct Access {
    std::byte* base = nullptr;  ///< of the domain's first index; null for generators
    std::int64_t element_size = 1;
    std::int64_t strides[bc::kMaxRank];  ///< bytes; 0 where it repeats
    std::byte* origin = nullptr;         ///< where `base` is if the cut axis begins at 0
    std::int64_t cut_step = 0;           ///< bytes an index of the cut axis
};

class LoopNest {
public:
    static constexpr int kNoAxis = -1;

    /// Starts with the axes of a domain. `reduced`: the axis that its reductions run along, or kNoAxis.
    void reset(std::span<const std::int64_t> extents, int reduced);
    /// Of this axis only so many indices are gone through, from the one on that move_to says. Before operands are
    /// added.
    void cut(unsigned axis, std::int64_t count) noexcept;
    void move_to(std::int64_t first) noexcept;
    /// A window of memory, aligned at the last axis. `lacking`: an axis that the window does not have, or kNoAxis.
    /// @return the index of the access
    std::size_t add(std::byte* start, std::size_t element_size, std::span<const bc::Dim> dims, int lacking);
    /// The operand begins at another place.
    void move(std::size_t access, std::byte* start) noexcept { accesses_[access].base = start; }
    /// The generator `index` along an axis.
    std::size_t add_index(unsigned axis);
    /// Drops axes of extent 1 and merges neighbours along which every access steps evenly. The reduced axis stays
    /// apart. `sort`: axes along which memory lies closer go inwards first.
    void collapse(bool sort);

    unsigned rank() const noexcept { return rank_; }
    int reduced() const noexcept { return reduced_; }
    /// Product of the extents after the reduced axis in the domain's own order: what the reduction rule goes by.
    std::int64_t reduced_inner() const noexcept { return reduced_inner_; }
    std::int64_t extent(unsigned axis) const noexcept { return extents_[axis]; }
    /// Product of the extents of the axes [begin, end).
    std::int64_t count(unsigned begin, unsigned end) const noexcept;
    std::int64_t count() const noexcept { return count(0, rank_); }
    const std::vector<Access>& accesses() const noexcept { return accesses_; }
    /// Layout over the axes from `axis` on.
    Layout layout(const Access& access, unsigned axis) const noexcept;
    /// Do both touch the same element at every index?
    bool same(const Access& a, const Access& b) const noexcept;

private:
    void drop_unit_axes() noexcept;
    void sort_axes() noexcept;
    void merge_axes() noexcept;
    void copy_axis(unsigned from, unsigned to) noexcept;

    unsigned rank_ = 0;
    int reduced_ = kNoAxis;
    std::int64_t reduced_inner_ = 1;
    int cut_axis_ = kNoAxis;  ///< in the order of the domain
    std::int64_t extents_[bc::kMaxRank];
    std::vector<Access> accesses_;
};

}  // namespace xlazy::be
