// SPDX-License-Identifier: BSD-3-Clause
// Blocks by size class: eight classes a doubling, so at most an eighth of a block is slack. Small blocks come from
// malloc and are kept in a list a class; large ones are mappings of their own, aligned for huge pages, kept in order of
// their release. Of the blocks that have been free for longest the system may take the pages when memory gets short
// (MADV_FREE). Those freed last are not offered: a loop takes them again at once, and a block that was offered costs
// the next to write it 5 to 10 us a MB, a tenth of a kernel.
//
// Which node of a machine the pages lie on is decided by the thread that touches them first. Kernels cut an array among
// the threads the same way every time, so blocks are spread over the nodes as they will be used, and remain so when
// they are reused for arrays of the same size class; that is why there are no lists by node.
#include "xlazy/backends/memory_pool.hpp"

#include "xlazy/backends/device_memory.hpp"

#include "xlazy/bytecode/counting.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace xlazy::be {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// What free small blocks of one class may hold: enough for a loop's temporaries, little beside a program's arrays.
constexpr std::size_t kSmallCacheBytes = std::size_t{4} << 20;
/// Free large blocks are kept up to this, or up to half of the largest amount that was in use, whichever is more: a
/// program that works on gigabytes loses more by fresh pages than by memory that it had anyway.
constexpr std::size_t kLargeCacheBytes = std::size_t{256} << 20;
/// The blocks freed last that are not offered to the system: up to this, or up to a quarter of the largest amount that
/// was in use.
constexpr std::size_t kWarmBytes = std::size_t{128} << 20;

struct SizeClass {
    std::size_t index;
    std::size_t bytes;
};

/// Classes 0..7 are 64, 128, ... 512 bytes; then eight a doubling.
constexpr SizeClass class_of(std::size_t bytes) noexcept {
    const std::size_t units = bytes == 0 ? 1 : (bytes - 1) / kAlignment + 1;
    if (units <= 8) return {units - 1, units * kAlignment};
    const auto exponent =
        static_cast<std::size_t>(std::bit_width(units - 1)) - 4;  // units - 1 = 1xxx... ; the three x count
    const std::size_t step = (units - 1) >> exponent;             // 8..15
    return {exponent * 8 + step, ((step + 1) << exponent) * kAlignment};
}
static_assert(class_of(0).bytes == 64 && class_of(512).index == 7 && class_of(513).index == 8);
static_assert(class_of(1024).bytes == 1024 && class_of(1025).bytes == 1152 &&
              class_of(1024).index + 1 == class_of(1025).index);

/// Blocks of a huge page and more are large.
constexpr std::size_t kSmallClasses = class_of(kHugePage).index;

class SpinLock {
public:
    void lock() noexcept {
        if (bc::single_threaded()) return held_.store(true, std::memory_order_relaxed);
        while (held_.exchange(true, std::memory_order_acquire)) {
            while (held_.load(std::memory_order_relaxed)) __builtin_ia32_pause();
        }
    }
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> held_{false};
};

/// Free blocks of one small class, linked through their first bytes.
struct alignas(kAlignment) SmallList {
    struct Free {
        Free* next;
    };
    SpinLock lock;
    Free* first = nullptr;
    std::size_t count = 0;
    std::uint64_t bytes_allocated = 0;  ///< handed out of this class, as asked for
};

struct LargeBlock {
    void* pointer;
    std::size_t bytes;
    bool offered = false;  ///< to the system
};

void* map_large(std::size_t bytes) noexcept {
    void* whole =
        mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED) return nullptr;
    const auto start = reinterpret_cast<std::uintptr_t>(whole);
    const std::uintptr_t aligned = (start + kHugePage - 1) & ~(kHugePage - 1);
    if (aligned != start) munmap(whole, aligned - start);
    const std::size_t behind = start + kHugePage - aligned;
    if (behind != 0) munmap(reinterpret_cast<void*>(aligned + bytes), behind);
    void* block = reinterpret_cast<void*>(aligned);
    madvise(block, bytes, MADV_HUGEPAGE);  // a wish: without huge pages everything works
    return block;
}

class Pool {
public:
    void* allocate(std::size_t bytes) {
        const SizeClass size = class_of(bytes);
        reserve(bytes);
        void* block = size.index < kSmallClasses ? take_small(size, bytes) : take_large(size, bytes);
        if (block == nullptr) {
            trim();
            block = fresh(size);
        }
        if (block == nullptr) {
            in_use_.fetch_sub(bytes, std::memory_order_relaxed);
            throw std::bad_alloc();
        }
        return block;
    }

    void free(void* pointer, std::size_t bytes) noexcept {
        const SizeClass size = class_of(bytes);
        bc::count_down(in_use_, std::uint64_t{bytes});
        if (size.index < kSmallClasses)
            give_small(size, pointer);
        else
            give_large({.pointer = pointer, .bytes = size.bytes});
    }

    void trim() noexcept {
        for (std::size_t index = 0; index < kSmallClasses; ++index) {
            SmallList& list = small_[index];
            SmallList::Free* first;
            {
                const std::lock_guard guard(list.lock);
                first = std::exchange(list.first, nullptr);
                list.count = 0;
            }
            while (first != nullptr) std::free(std::exchange(first, first->next));
        }
        const std::lock_guard guard(large_mutex_);
        release_large(0);
    }

    // Around fork(): a child must not find a lock taken by a thread that it does not have.
    void lock_all() noexcept {
        for (SmallList& list : small_) list.lock.lock();
        large_mutex_.lock();
    }
    void unlock_all() noexcept {
        large_mutex_.unlock();
        for (SmallList& list : small_) list.lock.unlock();
    }

    void set_limit(std::uint64_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }

    std::uint64_t room() const noexcept {
        const std::uint64_t limit = limit_.load(std::memory_order_relaxed);
        if (limit == 0) return std::numeric_limits<std::uint64_t>::max();
        const std::uint64_t used = in_use_.load(std::memory_order_relaxed);
        return limit > used ? limit - used : 0;
    }

    PoolStats stats() noexcept {
        PoolStats stats;
        for (std::size_t index = 0; index < kSmallClasses; ++index) {
            const std::lock_guard guard(small_[index].lock);
            stats.bytes_allocated += small_[index].bytes_allocated;
            stats.bytes_cached += small_[index].count * small_bytes(index);
        }
        const std::lock_guard guard(large_mutex_);
        stats.bytes_allocated += large_allocated_;
        stats.bytes_cached += large_cached_;
        stats.bytes_in_use = in_use_.load(std::memory_order_relaxed);
        stats.limit = limit_.load(std::memory_order_relaxed);
        stats.bytes_in_use_peak = peak_.load(std::memory_order_relaxed);
        return stats;
    }

    void reset_peak() noexcept { peak_.store(in_use_.load(std::memory_order_relaxed), std::memory_order_relaxed); }

private:
    static constexpr std::size_t small_bytes(std::size_t index) noexcept {
        if (index < 8) return (index + 1) * kAlignment;
        return ((index % 8 + 9) << (index / 8 - 1)) * kAlignment;
    }

    /// Counts the bytes as in use. @throws std::bad_alloc where the limit would be passed
    void reserve(std::size_t bytes) {
        const std::uint64_t now = bc::count_up(in_use_, std::uint64_t{bytes}) + bytes;
        const std::uint64_t limit = limit_.load(std::memory_order_relaxed);
        if (limit != 0 && now > limit) {
            in_use_.fetch_sub(bytes, std::memory_order_relaxed);
            throw std::bad_alloc();
        }
        std::uint64_t peak = peak_.load(std::memory_order_relaxed);
        while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
        }
    }

    /// Memory of the system. Free blocks make room for it where the limit would be passed.
    void* fresh(SizeClass size) noexcept {
        const std::uint64_t limit = limit_.load(std::memory_order_relaxed);
        const std::uint64_t held =
            in_use_.load(std::memory_order_relaxed) + large_cached_.load(std::memory_order_relaxed);
        if (limit != 0 && held > limit) trim();
        return size.index < kSmallClasses ? std::aligned_alloc(kAlignment, size.bytes) : map_large(size.bytes);
    }

    void* take_small(SizeClass size, std::size_t bytes) noexcept {
        SmallList& list = small_[size.index];
        {
            const std::lock_guard guard(list.lock);
            list.bytes_allocated += bytes;
            if (SmallList::Free* block = list.first) {
                list.first = block->next;
                --list.count;
                return block;
            }
        }
        return fresh(size);
    }

    void give_small(SizeClass size, void* pointer) noexcept {
        SmallList& list = small_[size.index];
        {
            const std::lock_guard guard(list.lock);
            if ((list.count + 1) * size.bytes <= kSmallCacheBytes) {
                list.first = new (pointer) SmallList::Free{list.first};
                ++list.count;
                return;
            }
        }
        std::free(pointer);
    }

    void* take_large(SizeClass size, std::size_t bytes) noexcept {
        {
            const std::lock_guard guard(large_mutex_);
            large_allocated_ += bytes;
            // The block that was freed last is the likeliest to be in the caches.
            for (auto block = large_.rbegin(); block != large_.rend(); ++block) {
                if (block->bytes != size.bytes) continue;
                void* pointer = block->pointer;
                large_.erase(std::next(block).base());
                large_cached_ -= size.bytes;
                return pointer;
            }
        }
        return fresh(size);
    }

    void give_large(LargeBlock block) noexcept {
        const std::lock_guard guard(large_mutex_);
        const std::uint64_t peak = peak_.load(std::memory_order_relaxed);
        const std::uint64_t most = std::max<std::uint64_t>(peak / 2, kLargeCacheBytes);
        if (block.bytes > most || !remember(block)) {
            munmap(block.pointer, block.bytes);
            return;
        }
        large_cached_ += block.bytes;
        release_large(most);
        offer_all_but(std::max<std::uint64_t>(peak / 4, kWarmBytes));
    }

    /// Offers the blocks freed first to the system, so that at most `warm` bytes are not. What is older than an offered
    /// block is offered, too. The mutex is held.
    void offer_all_but(std::uint64_t warm) noexcept {
        std::uint64_t bytes = 0;
        for (auto block = large_.rbegin(); block != large_.rend() && !block->offered; ++block) {
            bytes += block->bytes;
            if (bytes <= warm) continue;
            madvise(block->pointer, block->bytes, MADV_FREE);
            block->offered = true;
        }
    }

    bool remember(LargeBlock block) noexcept {
        try {
            large_.push_back(block);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    /// Unmaps the blocks that were freed first until at most `most` bytes are kept. The mutex is held.
    void release_large(std::uint64_t most) noexcept {
        std::size_t gone = 0;
        while (large_cached_ > most) {
            munmap(large_[gone].pointer, large_[gone].bytes);
            large_cached_ -= large_[gone++].bytes;
        }
        large_.erase(large_.begin(), large_.begin() + static_cast<std::ptrdiff_t>(gone));
    }

    std::atomic<std::uint64_t> in_use_{0}, peak_{0}, limit_{0};
    std::array<SmallList, kSmallClasses> small_;
    std::mutex large_mutex_;
    std::vector<LargeBlock> large_;               ///< free, in the order in which they were freed
    std::atomic<std::uint64_t> large_cached_{0};  ///< written under the mutex
    std::uint64_t large_allocated_ = 0;
};

/// Never destroyed: arrays may outlive every static object.
Pool& pool() noexcept {
    static Pool& instance = []() -> Pool& {
        pthread_atfork([] { pool().lock_all(); }, [] { pool().unlock_all(); }, [] { pool().unlock_all(); });
        return *new Pool;
    }();
    return instance;
}

}  // namespace

void* pool_allocate(std::size_t bytes) { return pool().allocate(bytes); }
void pool_free(void* pointer, std::size_t bytes) noexcept {
    forget_on_device(pointer);
    pool().free(pointer, bytes);
}
void pool_trim() noexcept { pool().trim(); }
void pool_set_limit(std::uint64_t bytes) noexcept { pool().set_limit(bytes); }
std::uint64_t pool_room() noexcept { return pool().room(); }
PoolStats pool_stats() noexcept { return pool().stats(); }
void pool_reset_peak() noexcept { pool().reset_peak(); }

}  // namespace xlazy::be
