// SPDX-License-Identifier: BSD-3-Clause
// From kernel text to callable code: loaded modules, cache, compiler, in this order.
#pragma once

#include "jit/compiler.hpp"
#include "jit/loader.hpp"
#include "xlazy/jit-cache/cache.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace xlazy::be::jit {

struct KernelText {
    std::string source;
    std::vector<std::string> flags;  ///< of the compiler, in order
    std::string isa;                 ///< instruction set that the code needs, resolved, never "native"
    std::string subject{};           ///< what it computes, for messages only
};

struct LibraryOptions {
    jc::Options cache;  ///< its `warn` is not used
    CompilerOptions compiler;
    /// Gets the one sentence that tells why kernels are not compiled or not kept; at most one of each kind.
    std::function<void(const std::string&)> warn;
};

struct LibraryCounts {
    std::uint64_t compiled = 0;  ///< by a compiler, in this process
    std::uint64_t loaded = 0;    ///< from the cache on disk
    std::uint64_t failed = 0;
    std::uint64_t nanoseconds_compiling = 0, nanoseconds_loading = 0;
};

/// Safe to use from any number of threads.
class KernelLibrary {
public:
    explicit KernelLibrary(LibraryOptions options);
    ~KernelLibrary();
    KernelLibrary(const KernelLibrary&) = delete;
    KernelLibrary& operator=(const KernelLibrary&) = delete;

    struct Result {
        std::shared_ptr<const Module> module;  ///< null: not there, or failed
        std::string error;                     ///< empty where it is just not there
        bool compiled = false;  ///< by this call; else it was there, or another thread or process made it
    };
    /// What is loaded already, or in the cache: 100 us at most with a warm cache. Never compiles, never waits.
    Result find(const KernelText& text);
    /// find, else compiles: once, however many threads and processes ask. For background threads.
    /// After a failure that every kernel would meet (no compiler, it fails or hangs time and again), `usable` is false
    /// and compiling is not tried any more.
    Result build(const KernelText& text, std::stop_token stop = {});
    /// Takes entries from elsewhere, whatever compiler made them: find gives them where the text is theirs. They are
    /// kept in memory alone.
    void offer(std::vector<jc::Entry> entries);
    /// Everything that is loaded now.
    std::vector<jc::Entry> entries();
    /// Whether build can succeed for what is not in the cache.
    bool usable() const;

    /// Around fork(): the child gets nothing half-done, and waits for nobody. What the parent is compiling it may
    /// compile itself.
    void before_fork();
    void after_fork(bool child);

    LibraryCounts counts() const;
    /// Sentences for people: the compiler and why it, the cache's place.
    std::string compiler_state();
    std::string cache_state() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace xlazy::be::jit
