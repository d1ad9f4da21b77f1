// SPDX-License-Identifier: BSD-3-Clause
#include "live_arrays.hpp"

#include "base_access.hpp"

#include <algorithm>
#include <mutex>

namespace xlazy::rt {
namespace {

struct Listed {
    std::mutex mutex;
    std::vector<LiveArray> arrays;
};

/// Never destroyed: static arrays may outlive main.
Listed& listed() noexcept {
    static Listed* const all = new Listed;
    return *all;
}

}  // namespace

void note_memory(const Base& base, bc::OriginId line) noexcept {
    if (byte_size(base) < kListedBytes) return;
    Listed& all = listed();
    const std::lock_guard lock(all.mutex);
    try {
        all.arrays.push_back({&base, base.dtype(), base.size(), byte_size(base), line});
    } catch (const std::bad_alloc&) {
        // It is missing in a list then.
    }
}

void note_no_memory(const Base& base) noexcept {
    if (byte_size(base) < kListedBytes) return;
    Listed& all = listed();
    const std::lock_guard lock(all.mutex);
    const auto found = std::ranges::find(all.arrays, &base, &LiveArray::base);
    if (found == all.arrays.end()) return;
    *found = all.arrays.back();
    all.arrays.pop_back();
}

std::vector<LiveArray> live_arrays() {
    Listed& all = listed();
    const std::lock_guard lock(all.mutex);
    std::vector<LiveArray> arrays = all.arrays;
    std::ranges::stable_sort(arrays, std::ranges::greater{}, &LiveArray::bytes);
    return arrays;
}

}  // namespace xlazy::rt
