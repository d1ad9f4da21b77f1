// SPDX-License-Identifier: BSD-3-Clause
// A table of numbers by hash, for at most as many as are said: one allocation, linear probing.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace xlazy::opt {

class HashIndex {
public:
    /// @param most numbers that are ever added
    explicit HashIndex(std::size_t most) : slots_(std::bit_ceil(2 * most + 1), kFree) {}

    /// The number with this hash for which `equal` is true; `fresh`, which is added, if there is none.
    template <class Equal>
    std::uint32_t find_or_add(std::uint64_t hash, Equal equal, std::uint32_t fresh) {
        hash ^= hash >> 32;
        for (std::size_t at = hash;; ++at) {
            std::uint32_t& slot = slots_[at & (slots_.size() - 1)];
            if (slot == kFree) slot = fresh;
            if (slot == fresh || equal(slot)) return slot;
        }
    }

private:
    static constexpr std::uint32_t kFree = ~0u;
    std::vector<std::uint32_t> slots_;
};

}  // namespace xlazy::opt
