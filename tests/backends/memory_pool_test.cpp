// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/backends/memory_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace xlazy::be {
namespace {

constexpr std::size_t kMega = std::size_t{1} << 20;

bool aligned(const void* pointer, std::uintptr_t to) { return reinterpret_cast<std::uintptr_t>(pointer) % to == 0; }

TEST(MemoryPool, BlocksAreAlignedAndUsable) {
    for (std::size_t bytes = 0; bytes < 20 * kMega; bytes = bytes * 5 / 4 + 1) {
        void* block = pool_allocate(bytes);
        ASSERT_NE(block, nullptr);
        ASSERT_TRUE(aligned(block, 64)) << bytes;
        ASSERT_TRUE(bytes < 2 * kMega || aligned(block, 2 * kMega)) << bytes;
        std::memset(block, 1, bytes);
        pool_free(block, bytes);
    }
}

TEST(MemoryPool, FreedBlocksAreUsedAgain) {
    for (const std::size_t bytes : {100ul, 5000ul, 300000ul, 3 * kMega, 50 * kMega}) {
        void* first = pool_allocate(bytes);
        pool_free(first, bytes);
        void* second = pool_allocate(bytes);
        EXPECT_EQ(first, second) << bytes;
        pool_free(second, bytes);
    }
}

TEST(MemoryPool, CountsWhatIsInUse) {
    const PoolStats before = pool_stats();
    void* small = pool_allocate(1000);
    void* large = pool_allocate(10 * kMega);
    const PoolStats during = pool_stats();
    EXPECT_EQ(during.bytes_in_use, before.bytes_in_use + 1000 + 10 * kMega);
    EXPECT_EQ(during.bytes_allocated, before.bytes_allocated + 1000 + 10 * kMega);
    EXPECT_GE(during.bytes_in_use_peak, during.bytes_in_use);
    pool_free(small, 1000);
    pool_free(large, 10 * kMega);
    const PoolStats after = pool_stats();
    EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
    EXPECT_GE(after.bytes_cached, 10 * kMega + 1000);
    pool_reset_peak();
    EXPECT_EQ(pool_stats().bytes_in_use_peak, after.bytes_in_use);
    pool_trim();
    EXPECT_EQ(pool_stats().bytes_cached, 0u);
}

TEST(MemoryPool, TheLimitHolds) {
    void* held = pool_allocate(30 * kMega);
    pool_set_limit(pool_stats().bytes_in_use + 10 * kMega);
    EXPECT_THROW(pool_allocate(11 * kMega), std::bad_alloc);
    void* fits = pool_allocate(9 * kMega);
    EXPECT_THROW(pool_allocate(2 * kMega), std::bad_alloc);
    pool_free(fits, 9 * kMega);
    // The free block of 9 MiB makes room: memory in use and kept stays below the limit, too.
    fits = pool_allocate(10 * kMega);
    EXPECT_EQ(pool_stats().bytes_cached, 0u);
    pool_free(fits, 10 * kMega);
    pool_set_limit(0);
    void* more = pool_allocate(40 * kMega);
    pool_free(more, 40 * kMega);
    pool_free(held, 30 * kMega);
}

TEST(MemoryPool, AFailureLeavesTheCountersAlone) {
    const std::uint64_t before = pool_stats().bytes_in_use;
    EXPECT_THROW(pool_allocate(std::size_t{1} << 60), std::bad_alloc);
    EXPECT_EQ(pool_stats().bytes_in_use, before);
}

TEST(MemoryPool, KeepsABoundedAmount) {
    pool_trim();
    pool_reset_peak();
    std::vector<void*> blocks;
    for (int i = 0; i < 2000; ++i) blocks.push_back(pool_allocate(kMega));
    for (void* block : blocks) pool_free(block, kMega);
    EXPECT_LE(pool_stats().bytes_cached, 64 * kMega);
    for (int i = 0; i < 100; ++i) {
        const std::size_t bytes = (10 + static_cast<std::size_t>(i)) * kMega;
        pool_free(pool_allocate(bytes), bytes);
    }
    // Half of the peak, 1000 MiB here.
    EXPECT_LE(pool_stats().bytes_cached, 1100 * kMega);
    pool_trim();
}

/// Bytes of this process that the system may take at any time.
std::size_t takeable_bytes() {
    std::ifstream file("/proc/self/smaps_rollup");
    std::string word;
    std::size_t kilobytes = 0;
    while (file >> word) {
        if (word == "LazyFree:" && file >> kilobytes) return kilobytes << 10;
    }
    return ~std::size_t{0};
}

TEST(MemoryPool, TheSystemMayTakeBlocksThatAreLongFree) {
    pool_trim();
    pool_reset_peak();
    const std::size_t before = takeable_bytes();
    if (before == ~std::size_t{0}) GTEST_SKIP() << "this kernel does not tell";
    std::vector<void*> blocks;
    for (int i = 0; i < 4; ++i) {
        blocks.push_back(pool_allocate(64 * kMega));
        std::memset(blocks.back(), 1, 64 * kMega);
    }
    EXPECT_EQ(takeable_bytes(), before);
    // The 128 MiB that were freed last are kept for the next statement; of what was freed before, the pages may go.
    for (void* block : blocks) pool_free(block, 64 * kMega);
    EXPECT_EQ(takeable_bytes(), before + 2 * 64 * kMega);
    // Whoever gets such a block writes to it, and it is no longer the system's.
    for (void*& block : blocks) {
        block = pool_allocate(64 * kMega);
        std::memset(block, 2, 64 * kMega);
    }
    EXPECT_EQ(takeable_bytes(), before);
    // A loop that frees one block and takes it again offers nothing.
    for (int i = 0; i < 3; ++i) {
        pool_free(blocks[0], 64 * kMega);
        EXPECT_EQ(takeable_bytes(), before);
        EXPECT_EQ(pool_allocate(64 * kMega), blocks[0]);
    }
    for (void* block : blocks) pool_free(block, 64 * kMega);
    pool_trim();
}

TEST(MemoryPool, ThreadsDoNotShareBlocks) {
    std::vector<std::thread> threads;
    std::vector<int> mistakes(4, 0);
    for (std::size_t t = 0; t < 4; ++t) {
        threads.emplace_back([t, &mistakes] {
            std::mt19937 random(static_cast<unsigned>(t));
            struct Block {
                unsigned char* data;
                std::size_t bytes;
            };
            std::vector<Block> held;
            for (int i = 0; i < 20000; ++i) {
                if (held.size() < 20 || random() % 2 == 0) {
                    const std::size_t bytes = random() % 100 == 0 ? 3 * kMega : random() % 5000 + 1;
                    auto* data = static_cast<unsigned char*>(pool_allocate(bytes));
                    data[0] = data[bytes - 1] = static_cast<unsigned char>(t);
                    held.push_back({data, bytes});
                } else {
                    const std::size_t k = random() % held.size();
                    mistakes[t] += held[k].data[0] != t || held[k].data[held[k].bytes - 1] != t;
                    pool_free(held[k].data, held[k].bytes);
                    held[k] = held.back();
                    held.pop_back();
                }
            }
            for (const Block& block : held) pool_free(block.data, block.bytes);
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const int count : mistakes) EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace xlazy::be
