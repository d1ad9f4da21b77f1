// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10 once more, from the words of the paper: 32-bit words, a key schedule, a list of rounds.
#pragma once

#include <array>
#include <cstdint>

namespace xlazy::test {

using PhiloxWords = std::array<std::uint32_t, 4>;

inline PhiloxWords plain_philox(PhiloxWords counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t first = std::uint64_t{counter[0]} * 0xD2511F53u;
        const std::uint64_t second = std::uint64_t{counter[2]} * 0xCD9E8D57u;
        counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
                   static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return counter;
}

/// The two halves of the block as the ops philox and philox_high give them.
inline std::array<std::uint64_t, 2> plain_philox(std::uint64_t low, std::uint64_t high, std::uint64_t key) {
    const auto word = [](std::uint64_t x, int shift) { return static_cast<std::uint32_t>(x >> shift); };
    const PhiloxWords block =
        plain_philox({word(low, 0), word(low, 32), word(high, 0), word(high, 32)}, {word(key, 0), word(key, 32)});
    return {block[0] | std::uint64_t{block[1]} << 32, block[2] | std::uint64_t{block[3]} << 32};
}

}  // namespace xlazy::test
