// SPDX-License-Identifier: BSD-3-Clause
#include "memory_level.hpp"

namespace xlazy::jc {

std::shared_ptr<const Entry> MemoryLevel::find(const Hash128& hash, const Key& key,
                                               std::optional<std::string_view> compiler) {
    const auto [first, last] = index_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        const Entry& entry = *it->second->entry;
        if (entry.key == key && (!compiler || entry.compiler == *compiler)) {
            slots_.splice(slots_.begin(), slots_, it->second);
            return it->second->entry;
        }
    }
    return nullptr;
}

void MemoryLevel::insert(const Hash128& hash, std::shared_ptr<const Entry> entry) {
    const auto [first, last] = index_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        const Entry& other = *it->second->entry;
        if (other.key == entry->key && other.compiler == entry->compiler) {
            erase(it->second);
            break;
        }
    }
    bytes_ += bytes_of(*entry);
    slots_.push_front({hash, std::move(entry)});
    index_.emplace(hash, slots_.begin());
    while (bytes_ > limit_ && slots_.size() > 1) erase(std::prev(slots_.end()));
}

void MemoryLevel::erase(Slots::iterator slot) {
    const auto [first, last] = index_.equal_range(slot->hash);
    for (auto it = first; it != last; ++it) {
        if (it->second == slot) {
            index_.erase(it);
            break;
        }
    }
    bytes_ -= bytes_of(*slot->entry);
    slots_.erase(slot);
}

}  // namespace xlazy::jc
