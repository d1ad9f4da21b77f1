// SPDX-License-Identifier: BSD-3-Clause
// The entries that this process has seen, the least recently used ones dropped first. Not synchronised.
#pragma once

#include "xlazy/jit-cache/entry.hpp"

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace xlazy::jc {

struct HashOfHash {
    std::size_t operator()(const Hash128& hash) const noexcept { return hash.low; }
};

class MemoryLevel {
public:
    explicit MemoryLevel(std::uint64_t limit) : limit_(limit) {}

    std::shared_ptr<const Entry> find(const Hash128& hash, const Key& key, std::optional<std::string_view> compiler);
    /// Replaces an entry of the same key and compiler.
    void insert(const Hash128& hash, std::shared_ptr<const Entry> entry);

private:
    struct Slot {
        Hash128 hash;
        std::shared_ptr<const Entry> entry;
    };
    using Slots = std::list<Slot>;
    static std::uint64_t bytes_of(const Entry& entry) {
        return sizeof(Entry) + entry.key.source.size() + entry.key.flags.size() + entry.object.size();
    }
    void erase(Slots::iterator slot);

    std::uint64_t limit_, bytes_ = 0;
    Slots slots_;  // the most recently used first
    std::unordered_multimap<Hash128, Slots::iterator, HashOfHash> index_;
};

}  // namespace xlazy::jc
