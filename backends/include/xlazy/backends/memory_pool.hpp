// SPDX-License-Identifier: BSD-3-Clause
// Array memory: pooled, since fresh pages cost far more than the arithmetic on them; 64-byte aligned; large blocks are
// 2 MiB aligned and marked for huge pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace xlazy::be {

/// Counters of the process, in bytes.
struct PoolStats {
    std::uint64_t bytes_allocated = 0;  ///< handed out in all
    std::uint64_t bytes_in_use = 0;
    std::uint64_t bytes_in_use_peak = 0;
    std::uint64_t bytes_cached = 0;  ///< free blocks kept for reuse
    std::uint64_t limit = 0;         ///< most bytes in use; 0: none
};

/// @param bytes 0 gives a valid pointer that must be freed, too
/// @return uninitialised memory, 64-byte aligned
/// @throws std::bad_alloc where the system has none, or the limit would be passed (free blocks are given back first)
void* pool_allocate(std::size_t bytes);
/// Takes back what pool_allocate gave. @param bytes as asked for then
void pool_free(void* pointer, std::size_t bytes) noexcept;
/// Gives free blocks back to the system.
void pool_trim() noexcept;
/// Most bytes in use at a time; 0: no limit. Default: no limit.
void pool_set_limit(std::uint64_t bytes) noexcept;
/// What may still be handed out; the greatest number where there is no limit.
std::uint64_t pool_room() noexcept;
/// The counters at this moment; they belong together only while no other thread allocates.
PoolStats pool_stats() noexcept;
/// The peak begins anew, from what is in use now.
void pool_reset_peak() noexcept;

/// Memory of the pool for as long as it is needed.
class PoolMemory {
public:
    PoolMemory() = default;
    /// @throws std::bad_alloc
    explicit PoolMemory(std::size_t bytes) : data_(static_cast<std::byte*>(pool_allocate(bytes))), bytes_(bytes) {}
    ~PoolMemory() {
        if (data_ != nullptr) pool_free(data_, bytes_);
    }
    PoolMemory(PoolMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
    PoolMemory& operator=(PoolMemory&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    /// 64-byte aligned; null for an object made without memory.
    std::byte* data() const noexcept { return data_; }

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace xlazy::be
