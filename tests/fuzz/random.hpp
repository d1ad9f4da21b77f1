// SPDX-License-Identifier: BSD-3-Clause
// A small deterministic generator: the same numbers on every machine and standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace xlazy::fuzz {

/// splitmix64: a good mix of one word, also used as a hash.
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept { return mix(mix(a) ^ b); }

class Random {
public:
    explicit constexpr Random(std::uint64_t seed) noexcept : state_(mix(seed)) {}

    constexpr std::uint64_t word() noexcept { return mix(state_++); }
    /// Uniform in [0, n); 0 for n <= 1.
    constexpr std::int64_t below(std::int64_t n) noexcept {
        return n <= 1 ? 0 : static_cast<std::int64_t>(word() % static_cast<std::uint64_t>(n));
    }
    /// Uniform in [low, high].
    constexpr std::int64_t between(std::int64_t low, std::int64_t high) noexcept { return low + below(high - low + 1); }
    constexpr bool percent(int chance) noexcept { return below(100) < chance; }
    template <class Container>
    constexpr const auto& pick(const Container& from) noexcept {
        return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(std::size(from))))];
    }

private:
    std::uint64_t state_;
};

}  // namespace xlazy::fuzz
