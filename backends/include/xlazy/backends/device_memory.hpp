// SPDX-License-Identifier: BSD-3-Clause
// Where the newest value of a block of the pool's memory is. A block has its place on the host for as long as it lives;
// a back end with a device keeps a copy there, and says which of the two is valid. Before the host looks at a block, or
// writes to it, it asks here. Costs one load of a flag where no device is used.
#pragma once

#include <atomic>
#include <cstddef>

namespace xlazy::be {

namespace detail {
extern std::atomic<bool> device_in_use;
bool newest_on_device(const void* memory) noexcept;
void bring_to_host(void* memory);
void host_writes(void* memory);
void forget(void* memory) noexcept;
bool copy_on_device(void* to, void* from, std::size_t bytes);
}  // namespace detail

/// The host's copy is not valid.
inline bool newest_on_device(const void* memory) noexcept {
    return detail::device_in_use.load(std::memory_order_relaxed) && memory != nullptr &&
           detail::newest_on_device(memory);
}
/// The host may read the block afterwards. @throws DeviceError: its value is lost
inline void bring_to_host(void* memory) {
    if (detail::device_in_use.load(std::memory_order_relaxed) && memory != nullptr) detail::bring_to_host(memory);
}
/// The host may read and write the block afterwards, until the next kernel that uses it. @throws DeviceError
inline void host_writes(void* memory) {
    if (detail::device_in_use.load(std::memory_order_relaxed) && memory != nullptr) detail::host_writes(memory);
}
/// The block's value does not matter any more: it will be written whole, or is given back.
inline void forget_on_device(void* memory) noexcept {
    if (detail::device_in_use.load(std::memory_order_relaxed) && memory != nullptr) detail::forget(memory);
}
/// Copies a whole block where its newest value is on the device. @return false: the host is to copy it
inline bool copy_on_device(void* to, void* from, std::size_t bytes) {
    return detail::device_in_use.load(std::memory_order_relaxed) && detail::copy_on_device(to, from, bytes);
}

}  // namespace xlazy::be
