// SPDX-License-Identifier: BSD-3-Clause
#include "passes/regions.hpp"

#include "xlazy/bytecode/region.hpp"

#include <algorithm>
#include <bit>

namespace xlazy::opt {

using bc::Kernel;
using bc::MicroOp;
using bc::RegionMap;
using bc::RegionStorage;
using bc::Storage;
using Kind = bc::MicroOp::Kind;

namespace {

/// A moved kernel is so much smaller than the region's first.
constexpr std::int64_t kSmallPart = 8;

/// First and last kernel that uses something.
struct Lifetime {
    std::uint32_t first = ~0u, last = 0;
};

bool of_scratch(Kind kind) noexcept {
    return kind == Kind::LoadScratch || kind == Kind::StoreScratch || kind == Kind::ReduceScratch;
}

class RegionFinder {
public:
    explicit RegionFinder(Draft& draft) : draft_(draft), program_(draft.program), plan_(draft.plan) {
        find_lifetimes();
    }

    void run() {
        for (std::uint32_t first = 0; first + 1 < plan_.kernels.size();) {
            if (!may_begin(first)) {
                ++first;
                continue;
            }
            const std::uint32_t next = grow(first);
            first = std::max(next, first + 1);
        }
    }

private:
    struct Found {
        bc::Region region;
        std::int64_t spared = 0;
        std::vector<std::pair<std::uint32_t, bc::Version>> versions;  ///< that kernels must make
    };

    void find_lifetimes() {
        bases_.assign(program_.bases.size(), {});
        scratch_.assign(plan_.scratch.size(), {});
        for (std::uint32_t k = 0; k < plan_.kernels.size(); ++k) {
            for (const MicroOp& op : plan_.kernels[k].ops) {
                if (!bc::touches_memory(op)) continue;
                Lifetime& life = of_scratch(op.kind) ? scratch_[op.index] : bases_[program_.views[op.index].base];
                life.first = std::min(life.first, k);
                life.last = k;
            }
        }
    }

    std::int64_t elements(std::uint32_t kernel) const noexcept {
        return bc::element_count(program_.domain_extents(plan_.kernels[kernel].domain));
    }

    /// Even if all that the most kernels touch were spared, it must be enough.
    bool may_begin(std::uint32_t kernel) const noexcept {
        const auto streams = static_cast<std::int64_t>(plan_.kernels[kernel].ops.size() * kMaxRegionKernels);
        return elements(kernel) > 0 && (draft_.anyhow || elements(kernel) * streams * 16 >= kLeastSpared);
    }

    /// @return behind the region that was found, or `first`
    std::uint32_t grow(std::uint32_t first) {
        const auto rank = static_cast<unsigned>(program_.domain_extents(plan_.kernels[first].domain).size());
        Found best;
        for (unsigned axis = 0; axis < rank; ++axis) {
            Found found = grow(first, axis);
            // Kernels that were moved before the region shift it and what was found so far.
            first += moved_;
            best.region.first += moved_;
            for (auto& [kernel, version] : best.versions) kernel += moved_;
            if (found.spared > best.spared) best = std::move(found);
        }
        if (best.spared == 0) return first;
        for (const auto& [kernel, version] : best.versions) plan_.kernels[kernel].versions.push_back(version);
        plan_.regions.push_back(best.region);
        return best.region.end();
    }

    /// The best region that begins so. Versions are not left in the kernels.
    Found grow(std::uint32_t first, unsigned axis) {
        moved_ = 0;
        Found best;
        std::vector<std::pair<std::uint32_t, bc::Version>> versions;
        RegionMap map(program_, plan_, first);
        if (!map.add(axis)) return best;
        while (map.size() < kMaxRegionKernels) {
            const auto next = first + moved_ + static_cast<std::uint32_t>(map.size());
            if (next >= plan_.kernels.size()) break;
            if (move_out(map, first, next)) {
                for (auto& [kernel, version] : versions) ++kernel;
                ++best.region.first;
                for (auto& [kernel, version] : best.versions) ++kernel;
                continue;
            }
            if (!add_next(map, first + moved_, next, versions)) break;
            const std::optional<bc::Region> region = region_of(map, first + moved_, true);
            const std::int64_t spared = region ? spared_by(map) : 0;
            if (spared > best.spared && (draft_.anyhow || (spared >= kLeastSpared && pays(map))))
                best = {*region, spared, versions};
            if (map.closed()) break;
        }
        for (const auto& [kernel, version] : versions)
            std::erase_if(plan_.kernels[kernel].versions,
                          [&](const bc::Version& each) { return each.base == version.base; });
        return best;
    }

    /// Adds the next kernel along the first axis along which it makes a region with the others and perhaps with more.
    bool add_next(RegionMap& map, std::uint32_t first, std::uint32_t next,
                  std::vector<std::pair<std::uint32_t, bc::Version>>& versions) {
        const auto rank = static_cast<unsigned>(program_.domain_extents(plan_.kernels[next].domain).size());
        for (unsigned axis = 0; axis < rank; ++axis) {
            if (!map.add(axis)) continue;
            if (region_of(map, first, false)) return true;
            const std::size_t before = plan_.kernels[next].versions.size();
            const bool renewed = renew(map, next);
            map.remove_last();
            if (!renewed) continue;
            if (map.add(axis)) {
                if (region_of(map, first, false)) {
                    for (std::size_t i = before; i < plan_.kernels[next].versions.size(); ++i)
                        versions.emplace_back(next, plan_.kernels[next].versions[i]);
                    return true;
                }
                map.remove_last();
            }
            plan_.kernels[next].versions.resize(before);
        }
        return false;
    }

    /// @param complete no kernel follows; else what dies is taken to die in one of those
    std::optional<bc::Region> region_of(RegionMap& map, std::uint32_t first, bool complete) const {
        const auto end = first + static_cast<std::uint32_t>(map.size());
        return map.region([&](Storage storage) {
            const bool base = storage.kind == Storage::Kind::Base;
            const Lifetime& life = (base ? bases_ : scratch_)[storage.index];
            if (base && (program_.bases[storage.index].live || program_.bases[storage.index].initialised)) return false;
            return life.first >= first && (life.last < end || !complete);
        });
    }

    /// Lets the newest kernel write new versions of what others of the region read. @return whether there is one
    bool renew(const RegionMap& map, std::uint32_t number) {
        if (draft_.versionable.empty()) return false;
        Kernel& kernel = plan_.kernels[number];
        bool any = false;
        for (const RegionStorage& storage : map.storages()) {
            if (storage.local || storage.storage.kind != Storage::Kind::Base || !storage.written) continue;
            if (storage.uses.front().kernel + 1 == map.size()) continue;  // nobody before it
            const std::optional<std::uint32_t> view = only_store(kernel, storage.storage.index);
            if (!view || !draft_.versionable[*view] || !has_value_before(storage.storage.index, map)) continue;
            kernel.versions.push_back({storage.storage.index, *view});
            any = true;
        }
        return any;
    }

    bool has_value_before(std::uint32_t base, const RegionMap& map) const noexcept {
        return program_.bases[base].initialised || bases_[base].first + map.size() <= map.end();
    }

    /// The view of the kernel's only store to a base, if no load follows it.
    std::optional<std::uint32_t> only_store(const Kernel& kernel, std::uint32_t base) const noexcept {
        if (kernel.version_of(base) != Kernel::kNoVersion) return std::nullopt;
        std::optional<std::uint32_t> view;
        for (const MicroOp& op : kernel.ops) {
            if (!bc::touches_memory(op) || of_scratch(op.kind) || program_.views[op.index].base != base) continue;
            if (view || op.kind == Kind::ReduceView) return std::nullopt;
            if (op.kind == Kind::StoreView) view = op.index;
        }
        return view;
    }

    /// Lets the next kernel run before the region, if it is small and nothing in the region must come before it.
    bool move_out(RegionMap& map, std::uint32_t first, std::uint32_t next) {
        if (moves_ == kMaxMoved || elements(next) > elements(first + moved_) / kSmallPart) return false;
        const Kernel& kernel = plan_.kernels[next];
        if (kernel.library_call() != nullptr) return false;
        for (const MicroOp& op : kernel.ops) {
            if (op.kind == Kind::Compute && bc::can_fail(op.op, op.type)) return false;
            if (!bc::touches_memory(op)) continue;
            const bool writes =
                op.kind != Kind::LoadView && op.kind != Kind::LoadScratch && op.kind != Kind::GatherView;
            const Storage storage = of_scratch(op.kind) ? Storage{Storage::Kind::Scratch, op.index}
                                                        : Storage{Storage::Kind::Base, program_.views[op.index].base};
            for (const RegionStorage& known : map.storages()) {
                if (known.storage == storage && (writes || known.written)) return false;
            }
        }
        const auto begin = plan_.kernels.begin();
        std::rotate(begin + first + moved_, begin + next, begin + next + 1);
        map.move_on();
        ++moved_;
        ++moves_;
        find_lifetimes();
        return true;
    }

    /// Bytes that its kernels, run one after the other, would move and the region does not.
    std::int64_t spared_by(const RegionMap& map) const {
        std::int64_t spared = 0;
        for (const RegionStorage& storage : map.storages()) {
            std::int64_t loaded = 0, stored = 0, most_loaded = 0, most_stored = 0;
            for (std::size_t k = 0; k < map.size(); ++k) {
                bool loads = false, stores = false;
                for (const RegionStorage::Use& use : storage.uses) {
                    if (use.kernel == k) (use.access.writes ? stores : loads) = true;
                }
                const std::int64_t bytes = map.row_bytes(storage) * map.extent(k);
                loaded += loads ? bytes : 0;
                stored += stores ? bytes : 0;
                most_loaded = std::max(most_loaded, loads ? bytes : 0);
                most_stored = std::max(most_stored, stores ? bytes : 0);
            }
            const std::int64_t kept = storage.local ? 0 : most_stored + (storage.written ? 0 : most_loaded);
            spared += loaded + stored - std::min(kept, loaded + stored);
        }
        return spared;
    }

    /// Do its rows fit a cache, and are there enough of them?
    bool pays(const RegionMap& map) const {
        std::int64_t rows = 0, shortest = kLeastRun;
        for (const RegionStorage& storage : map.storages()) {
            rows += map.row_bytes(storage) * (storage.local ? 1 + map.rows_kept(storage) : 1);
            for (const RegionStorage::Use& use : storage.uses) {
                if (!use.access.steps() || use.access.outermost() || storage.local) continue;
                shortest = std::min(shortest, std::abs(use.access.stride()) * use.access.element_size);
            }
        }
        const std::int64_t least = map.closes(map.size() - 1) ? leaf_of(map) : 1;
        const std::int64_t piece = std::max<std::int64_t>(kMaxRegionRows / std::max<std::int64_t>(rows, 1), 1);
        return rows <= kMaxRegionRows && least <= piece && map.positions() >= kLeastPositions &&
               map.positions() > least && std::min(piece, map.positions()) * shortest >= kLeastRun;
    }

    /// Indices of a leaf of the last kernel's reduction (docs/semantics.md).
    std::int64_t leaf_of(const RegionMap& map) const noexcept {
        const Kernel& last = plan_.kernels[map.end() - 1];
        const std::span<const std::int64_t> extents = program_.domain_extents(last.domain);
        const std::int64_t inner = bc::element_count(extents.subspan(map.kernel(map.size() - 1).axis + 1));
        return std::max<std::int64_t>(
            32, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(4096 / inner))));
    }

    Draft& draft_;
    const bc::Program& program_;
    bc::Plan& plan_;
    std::vector<Lifetime> bases_, scratch_;
    std::uint32_t moved_ = 0;  ///< kernels that were moved before the region at hand
    unsigned moves_ = 0;       ///< in all
};

}  // namespace

void find_regions(Draft& draft) {
    if (draft.size_class == bc::SizeClass::L1 || draft.size_class == bc::SizeClass::L2) return;
    RegionFinder(draft).run();
}

}  // namespace xlazy::opt
