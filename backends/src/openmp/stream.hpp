// SPDX-License-Identifier: BSD-3-Clause
// Writing past the caches: whole lines that were not read before, which spares reading them.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace xlazy::be {

/// Copies to memory that nobody reads soon. Other threads may read it after stream_done() of this thread.
inline void stream_copy(void* to, const void* from, std::size_t bytes) noexcept {
    constexpr std::size_t line = 64;
    auto* out = static_cast<std::byte*>(to);
    const auto* in = static_cast<const std::byte*>(from);
    const std::size_t head = (line - reinterpret_cast<std::uintptr_t>(out) % line) % line;
    if (head >= bytes) {
        std::memcpy(out, in, bytes);
        return;
    }
    std::memcpy(out, in, head);
    out += head, in += head, bytes -= head;
    for (; bytes >= line; bytes -= line, out += line, in += line) {
        for (std::size_t i = 0; i < line; i += 16) {
            _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
        }
    }
    std::memcpy(out, in, bytes);
}

inline void stream_done() noexcept { _mm_sfence(); }

}  // namespace xlazy::be
