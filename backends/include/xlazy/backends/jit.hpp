// SPDX-License-Identifier: BSD-3-Clause
// Compiled kernels beside interpreted ones: when they are made, and how many were. The results do not depend on it.
#pragma once

#include "xlazy/jit-cache/cache.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace xlazy::be {

/// When kernels are compiled: XLAZY_JIT.
enum class JitMode : std::uint8_t {
    off,         ///< all kernels are interpreted, tile by tile
    background,  ///< a thread compiles what runs often; kernels are interpreted until their code is there
    block,       ///< a kernel's first run waits for the compiler
};

/// When kernels are compiled, by what, and where they are kept.
struct JitOptions {
    JitMode mode = JitMode::off;
    /// Runs on fewer elements are interpreted, and do not count. Measured: a call of compiled code costs as much as
    /// the interpreter's work on some hundred elements, so below that nothing can be gained.
    std::int64_t least_elements = 512;
    /// In the background a kernel is compiled after so many runs, or so many elements in all its runs.
    std::int64_t runs = 2, elements = 10'000'000;
    std::string compiler{};   ///< a name that is looked up in PATH, or a path; empty: the first of the usual ones
    jc::Place cache_place{};  ///< nowhere: nothing is kept on disk
    std::uint64_t cache_bytes = jc::kDefaultSizeLimit;  ///< 0: likewise
    std::chrono::milliseconds compiler_limit{20'000};   ///< a compiler that takes longer is ended
    /// Gets the sentence that tells why kernels are not compiled or not kept, once; from any thread.
    std::function<void(const std::string&)> warn{};
    /// Gets a line for every kernel that is compiled, loaded or refused; from any thread. Empty: nobody asks.
    std::function<void(const std::string&)> trace{};
};

/// For all threads. Not while a kernel runs. The first call that does not switch it off fixes compiler and cache.
void set_jit(JitOptions options);

/// Compiles kernels that have run and have no code yet, the first `most` of them, many in a translation unit: for
/// tests, where a compiler's start is what takes long. Not while a kernel runs.
/// @return how many kernels have new code
std::size_t compile_seen_kernels(std::size_t most);

/// Counters of the process since its start.
struct JitCounts {
    std::uint64_t compiled = 0;  ///< kernels, by a compiler
    std::uint64_t loaded = 0;    ///< kernels, from the cache on disk
    std::uint64_t refused = 0;   ///< kernels that stay interpreted: no compiler, it failed, or no code for an op
    std::uint64_t runs = 0;      ///< of compiled kernels
    double seconds_compiling = 0;
};
/// The counters at this moment.
JitCounts jit_counts() noexcept;

}  // namespace xlazy::be
