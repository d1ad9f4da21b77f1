// SPDX-License-Identifier: BSD-3-Clause
// How the kernels of a region share their memory, row by row.
//
// Kernels that run piece by piece go through rows: what they touch of an array at one index of the axis along which
// they are cut. Two kernels that touch the same array, one of them writing, must keep their order row by row. So the
// second one may be as many indices ahead of the region's position as the first one is, less those by which it reads
// ahead (a stencil). That gives every kernel a fixed distance from the position, and every array that comes and goes
// inside the region a window of few rows.
//
// Threads take stretches of positions. What is local to the region is made again at the beginning of a stretch, as many
// rows as are read there; what stays must be touched by nobody but the thread that writes it.
#pragma once

#include "xlazy/bytecode/cut_access.hpp"

#include <optional>

namespace xlazy::bc {

/// An array, or temporary, or new version of an array, as the kernels of a region touch it.
struct RegionStorage {
    static constexpr std::uint32_t kNoKernel = ~0u;

    /// A load, store or reduction.
    struct Use {
        std::uint32_t kernel;  ///< position in the region
        std::uint32_t op;      ///< position in the kernel
        CutAccess access;
        std::int64_t row = 0;  ///< that it touches at index 0 of its kernel's axis
    };

    Storage storage;
    std::uint32_t version_of = kNoKernel;  ///< position of the kernel that makes this new version, if it is one
    bool written = false;
    bool local = false;  ///< it comes and goes inside the region
    /// Rows follow each other in memory, this many elements apart, the first one from `origin` on. 0: all uses go
    /// through one window, and rows are its indices.
    std::int64_t stride = 0, origin = 0;
    std::vector<Use> uses;
};

/// Kernels from `first` of a plan on, with an axis each; grows kernel by kernel.
class RegionMap {
public:
    RegionMap(const Program& program, const Plan& plan, std::uint32_t first);

    /// Takes the next kernel, cut along an axis. @return false: it cannot be cut so, and nothing has changed
    bool add(unsigned axis);
    /// Takes back the kernel that came last.
    void remove_last();
    /// The plan's kernels moved: what was first is now the kernel behind.
    void move_on() noexcept { ++first_; }
    /// Kernels so far.
    std::size_t size() const noexcept { return kernels_.size(); }
    /// Kernel of the plan with which it begins.
    std::uint32_t first() const noexcept { return first_; }
    /// Kernel of the plan behind the last one.
    std::uint32_t end() const noexcept { return first_ + static_cast<std::uint32_t>(kernels_.size()); }
    /// A later kernel depends on the order of the rows of the whole: nothing can follow it.
    bool closed() const noexcept { return closed_; }

    /// The kernels as a region, if they can be one. @param is_local does this storage come and go inside?
    template <class IsLocal>
    std::optional<Region> region(IsLocal is_local) {
        for (RegionStorage& each : storages_)
            each.local = each.version_of == RegionStorage::kNoKernel && each.written && is_local(each.storage);
        if (!place_rows() || !schedule()) return std::nullopt;
        Region region{first_, kernels_, {}};
        for (const RegionStorage& each : storages_) {
            if (each.local) region.locals.push_back(each.storage);
        }
        return region;
    }

    /// What its kernels touch, in the order in which they first do.
    const std::vector<RegionStorage>& storages() const noexcept { return storages_; }
    /// Along the axis of the kernel at this position.
    std::int64_t extent(std::size_t kernel) const noexcept { return extents_[kernel]; }
    /// Positions of the region: at the last one, every kernel is done.
    std::int64_t positions() const noexcept;

    /// Does the kernel at this position reduce along the axis that is cut?
    bool closes(std::size_t kernel) const noexcept { return closed_ && kernel + 1 == kernels_.size(); }
    /// Bytes that one index of the axis shows of a storage.
    std::int64_t row_bytes(const RegionStorage& storage) const noexcept;
    /// Rows of a local storage that are in use at a time, besides those that a piece adds.
    std::int64_t rows_kept(const RegionStorage& storage) const noexcept;
    /// Axis and distances of the kernel at this position, counted from the region's first one.
    const RegionKernel& kernel(std::size_t position) const noexcept { return kernels_[position]; }

private:
    /// Two uses of one storage, in different kernels, whose order matters.
    struct Conflict {
        std::uint32_t storage, earlier, later;
    };

    RegionStorage& storage_of(Storage storage, std::uint32_t version_of);
    Storage place_of(Storage storage) const noexcept;
    bool takes(const Kernel& kernel, unsigned axis, std::span<const std::int64_t> extents) const noexcept;
    void note(std::uint32_t storage);
    bool apart(const RegionStorage::Use& a, const RegionStorage::Use& b) const noexcept;
    bool place_rows();
    bool place_rows(RegionStorage& storage) const;
    bool schedule();
    bool find_heads(std::vector<std::int64_t>& most);
    bool find_tails();
    const RegionStorage::Use& earlier(const Conflict& conflict) const noexcept {
        return storages_[conflict.storage].uses[conflict.earlier];
    }
    const RegionStorage::Use& later(const Conflict& conflict) const noexcept {
        return storages_[conflict.storage].uses[conflict.later];
    }

    const Program& program_;
    const Plan& plan_;
    std::uint32_t first_;
    std::vector<Step> gifts_;  ///< allocations that take over memory
    std::vector<RegionKernel> kernels_;
    std::vector<std::int64_t> extents_;
    std::vector<RegionStorage> storages_;
    std::vector<Conflict> conflicts_;  ///< ascending by the later kernel
    bool closed_ = false;
};

/// The map of a region of a plan; nothing if the region does not hold for the batch.
std::optional<RegionMap> map_of(const Region& region, const Plan& plan, const Program& program);

}  // namespace xlazy::bc
