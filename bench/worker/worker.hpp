// SPDX-License-Identifier: BSD-3-Clause
// A worker: one program for each variant (stock xtensor, xlazy, hand-written loops, ...). It holds the arrays of one
// case at a time and runs it when the driver says so, so that variants take turns without sharing macros, heaps or
// OpenMP run times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace xlazy_bench {

using Sizes = std::vector<std::size_t>;

/// What a run computed, for the comparison with the hand-written loop.
struct Values {
    bool single = false;  ///< computed in float
    std::vector<double> values;
};

/// A case with its arrays.
struct Job {
    std::function<void()> run;       ///< the work, complete when it returns
    std::function<Values()> result;  ///< of one run from the initial state; empty: nothing to compare
    /// Instead of `run`, for work of which only a part is measured: seconds of that part, in one run.
    std::function<double()> timed;
};

using Cases = std::map<std::string, std::function<Job(const Sizes&)>>;

/// Reads commands from the standard input and answers each with one line on the standard output:
///   open CASE SIZE...    makes the arrays and runs twice, long ones once: `ok FIRST SECOND`, seconds; or `missing`
///   turn SECONDS COUNT   one untimed run, then up to COUNT timed ones within SECONDS: `times T...`, seconds a run
///   early SECONDS COUNT  the same without the untimed run
///   runs                 how often the case has run: `runs N`
///   result FILE          writes evenly spread values as doubles: `values N single|double`
///   memory               peak of resident bytes above those after the arrays were made: `memory BYTES`
/// An exception is answered with `error TEXT`.
int serve(const Cases& cases);

/// Keeps the compiler from dropping the computation of `value`.
template <class T>
inline void keep(const T& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

/// Input values: deterministic, spread evenly over [low, high), the same in every variant.
template <class T>
std::vector<T> spread(std::size_t count, T low, T high, std::uint32_t seed) {
    std::vector<T> values(count);
    std::uint32_t state = seed * 2654435761u + 1u;
    for (T& value : values) {
        state = state * 1664525u + 1013904223u;
        value = low + (high - low) * (static_cast<T>(state >> 8) * static_cast<T>(1.0 / 16777216.0));
    }
    return values;
}

/// How far apart values are taken, so that at most `count` of `size` are.
inline std::size_t sample_step(std::size_t size, std::size_t count = 1000003) { return size / count + 1; }

}  // namespace xlazy_bench
