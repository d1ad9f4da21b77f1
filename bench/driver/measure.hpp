// SPDX-License-Identifier: BSD-3-Clause
// Runs a case: all its variants take turns, round after round, between two measurements of the memory's bandwidth.
#pragma once

#include "driver/catalog.hpp"
#include "driver/options.hpp"
#include "driver/statistics.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace xlazy_bench {

/// One variant with one number of threads.
struct Measurement {
    const Variant* variant = nullptr;
    int threads = 1;
    std::vector<double> rounds;  ///< seconds a run, the best of each round
    Summary seconds;
    double memory = 0;                 ///< peak bytes beside the inputs
    std::optional<double> kernels;     ///< of xlazy, a run
    std::optional<double> difference;  ///< from the right result, in ULP
    bool wrong = false;                ///< an xlazy variant differs by more than the case allows
    std::string error;                 ///< the worker failed
};

/// Of memory, in bytes a second: of a triad, and of reading.
struct Bandwidth {
    double triad = 0, read = 0;
};
struct Probe {
    Bandwidth before, after;
    std::vector<Bandwidth> rounds;  ///< in each round
    bool is_void() const { return xlazy_bench::is_void(before.triad, after.triad); }
};

struct CaseResult {
    const Case* spec = nullptr;
    std::vector<std::size_t> sizes;
    double elements = 0;
    std::vector<Measurement> measurements;
    std::map<int, Probe> probes;  ///< by threads; for Kind::bandwidth

    const Measurement* find(const std::string& variant, int threads) const;
    /// The fastest of a group that used at most `threads` threads (hand-written loops: exactly that many).
    const Measurement* fastest(Group group, int threads) const;
};

/// Rounds' ratios of times, reduced.
Summary ratio(const Measurement& measurement, const Measurement& reference);

/// Bytes of the fused loop that the measurement moves a second, over the case's limit in the same round (reading, or
/// the triad): the median of the rounds.
double of_limit(const CaseResult& result, const Measurement& measurement);

/// Measures the bandwidth of memory with as many threads, for about as many seconds.
using Prober = std::function<Bandwidth(int threads, double seconds)>;

/// Runs the variants that match the options. Progress goes to `progress`.
CaseResult measure(const Case& spec, const Options& options, const std::string& worker_folder, const Prober& probe,
                   const std::function<void(const std::string&)>& progress);

/// The first runs of a fresh process.
struct EarlyRuns {
    const Case* spec = nullptr;
    std::string how;                  ///< "eager", "interpreted", "empty cache", "full cache", "waits for the compiler"
    std::vector<double> seconds;      ///< of the runs, in their order
    double compiled = 0, loaded = 0;  ///< kernels
    std::string error;
};
/// An example's first runs, each in a process of its own, one after the other on as many threads.
std::vector<EarlyRuns> measure_early(const Case& spec, const Options& options, const std::string& worker_folder,
                                     int threads);

/// The variants and numbers of threads that the options ask for, as CASE/VARIANT/threads:N.
std::vector<std::string> names_of(const Case& spec, const Options& options);

}  // namespace xlazy_bench
