// SPDX-License-Identifier: BSD-3-Clause
// The public run-time interface: flush, statistics, mode, threads, errors. No xtensor here.
#pragma once

#include "xlazy/deferred_error.hpp"
#include "xlazy/detail/here.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace xlazy {

/// Runs everything this thread has recorded. @throws deferred_error
void flush(here line = here::current());

/// What would become of the statements that this thread has recorded, if they ran now: kernels by line, bytes moved and
/// peak memory with and without the optional passes, what gets no memory, and why kernels that share data do not fuse.
/// Runs nothing. XLAZY_EXPLAIN=1 logs the same at every flush. @return several lines; empty if nothing is recorded
std::string explain();

/// Whether statements wait in the queue (lazy) or run at once, through the same kernels (eager).
enum class mode : unsigned char { lazy, eager };

/// The mode of this thread (default: XLAZY_MODE, else lazy).
mode current_mode() noexcept;

/// Sets this thread's mode for its lifetime; both ends flush.
class mode_scope {
public:
    explicit mode_scope(mode wanted, here line = here::current());
    ~mode_scope();
    mode_scope(const mode_scope&) = delete;
    mode_scope& operator=(const mode_scope&) = delete;

private:
    mode outer_;
};

/// Threads of the kernels; 0: XLAZY_NUM_THREADS, OMP_NUM_THREADS, or all cores.
void set_num_threads(int threads);

/// What the process has done so far. Counters are exact when no other thread records; keys and meaning:
/// docs/performance.md.
struct statistics {
    std::uint64_t instructions_recorded = 0;         ///< operations
    std::uint64_t statements_recorded = 0;           ///< assignments
    std::map<std::string, std::uint64_t> flushes;    ///< reason -> count
    std::uint64_t plans_hit = 0;                     ///< batches whose plan was known
    std::uint64_t plans_missed = 0;                  ///< batches that were planned
    std::uint64_t kernels_run = 0;                   ///< loops over arrays
    std::uint64_t kernels_compiled = 0;              ///< by a compiler, in this process
    std::uint64_t kernels_loaded = 0;                ///< from the cache on disk
    std::map<std::string, double> seconds;           ///< record (sampled), plan, compile, run
    std::map<std::string, std::uint64_t> fallbacks;  ///< function -> count
    std::uint64_t bytes_allocated = 0;               ///< handed out to arrays and temporaries, in all
    std::uint64_t bytes_allocated_peak = 0;          ///< most in use at a time
    std::uint64_t bytes_contracted = 0;              ///< of arrays that never needed memory
    std::uint64_t deferred_errors = 0;               ///< that were thrown or logged

    /// The same as JSON, keys as the members.
    std::string json() const;
};

/// Counters of the process since its start.
statistics stats();

}  // namespace xlazy
