// SPDX-License-Identifier: BSD-3-Clause
// Compiled kernels in memory and on disk. Whatever the disk does, the worst outcome is that a kernel is compiled again.
#pragma once

#include "xlazy/jit-cache/directory.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace xlazy::jc {

inline constexpr std::uint64_t kDefaultSizeLimit = std::uint64_t{512} << 20;

/// Where entries are kept, and how many.
struct Options {
    Place place;                                           ///< created when the first entry is written
    std::uint64_t size_limit = kDefaultSizeLimit;          ///< of the directory, bytes; 0: memory only
    std::uint64_t memory_limit = std::uint64_t{64} << 20;  ///< of the entries kept in memory, bytes
    /// How long to wait for another process that is making the same entry.
    std::chrono::milliseconds wait_limit{60'000};
    /// Gets the one sentence that tells why the disk is not used, at most once. Called by the thread that found out.
    std::function<void(const std::string&)> warn;
};

/// Where an entry was.
enum class Found : std::uint8_t { nowhere, memory, disk, made };

/// What a lookup found.
struct Lookup {
    std::shared_ptr<const Entry> entry;
    Found where = Found::nowhere;
    explicit operator bool() const noexcept { return entry != nullptr; }
};

/// What a compiler has made.
struct Made {
    Bytes object;
    std::string compiler;  ///< identity of the compiler that really made it
};

/// How often what happened, since the cache was made.
struct Counts {
    std::uint64_t hits_memory = 0, hits_disk = 0, misses = 0, made = 0, stored = 0, damaged = 0;
};

/// Safe to use from any number of threads.
class Cache {
public:
    explicit Cache(Options options);
    ~Cache();
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    /// Looks in memory, then on disk; never waits.
    /// @param compiler identity that the entry must come from; nullopt: there is no compiler, any entry will do
    Lookup find(const Key& key, std::optional<std::string_view> compiler);

    /// find, else the entry is made by `make`: once, however many threads and processes ask for it at the same time.
    /// The others wait, within limits, for the one that makes it.
    /// @param make returns nullopt where it failed; nothing is remembered of failures, on disk or in memory.
    ///             What it throws comes through.
    /// @param stop ends the waiting
    Lookup find_or_make(const Key& key, std::string_view compiler, const std::function<std::optional<Made>()>& make,
                        std::stop_token stop = {});

    /// Keeps an entry that somebody else made, in memory and on disk.
    void insert(Entry entry);

    /// Around fork(), so that the child gets nothing half-done and waits for nobody.
    void before_fork();
    /// The other half: in the parent and in the child. @param child in the child, which begins with an empty memory
    void after_fork(bool child);

    /// Of this object, since it was made.
    Counts counts() const;
    /// One sentence: the directory, or why there is none.
    std::string state() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace xlazy::jc
