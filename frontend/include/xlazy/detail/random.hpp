// SPDX-License-Identifier: BSD-3-Clause
// Random arrays: what is drawn, free of types. The bits of an element are a block of Philox4x32-10, whose counter is
// the element's row-major position and whose key is the draw's.
#pragma once

#include "xlazy/detail/recorder.hpp"

#include <cstdint>
#include <mutex>
#include <random>

namespace xlazy::detail {

enum class Distribution : std::uint8_t {
    uniform,            ///< a + (b - a) * [0, 1)
    integers,           ///< lowest + [0, range)
    normal,             ///< mean a, standard deviation b
    exponential,        ///< rate a
    weibull,            ///< shape a, scale b
    extreme_value,      ///< location a, scale b
    lognormal,          ///< exp of normal
    cauchy,             ///< location a, scale b
    geometric,          ///< failures before a success of probability a
    binomial,           ///< successes in a trials of probability b
    negative_binomial,  ///< failures before a successes of probability b
    gamma,              ///< shape a, scale b
    chi_squared,        ///< a degrees of freedom
    student_t,          ///< a degrees of freedom
    fisher_f,           ///< a and b degrees of freedom
    poisson,            ///< rate a
};

struct RandomRequest {
    Distribution distribution;
    bc::DType result;
    double a = 0, b = 0;
    std::uint64_t lowest = 0, range = 0;
};

/// Can it be computed of a fixed number of blocks an element? Else xtensor draws.
bool is_recorded_random(const RandomRequest& request) noexcept;

/// What makes a draw different from others.
struct RandomKey {
    std::uint64_t key;
    std::uint64_t
        stream;  ///< the high half of the counter; a draw of several blocks an element takes the next ones, too
};
/// Takes a key from xtensor's engine, so that seeding that one seeds all. Safe in several threads. XLAZY_SEED is obeyed
/// before the first draw, if the engine is as it was made.
RandomKey next_random_key(std::mt19937& engine);
/// Held while xtensor draws from its engine.
std::mutex& random_mutex() noexcept;

/// A value of the shape. @throws std::invalid_argument for parameters that mean no distribution
rt::Value record_random(rt::Statement& statement, const RandomRequest& request, const RandomKey& key, std::size_t rank,
                        const std::size_t* extents);

/// The default of a random function's parameter `engine`: tells the function that no engine was given, and where.
inline constinit thread_local here unnamed_engine_line{};
inline constinit thread_local bool engine_is_unnamed = false;

}  // namespace xlazy::detail
