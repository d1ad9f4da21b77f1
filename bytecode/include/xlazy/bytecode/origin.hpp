// SPDX-License-Identifier: BSD-3-Clause
// The user's lines, interned, so that an instruction carries four bytes.
#pragma once

#include <cstdint>
#include <string>

namespace xlazy::bc {

/// Index of an interned Origin; 0 means none, which the verifier rejects.
using OriginId = std::uint32_t;

/// A place in the user's source.
struct Origin {
    const char* file;      ///< never freed
    std::uint32_t line;    ///< counted from 1
    const char* function;  ///< may be null
};

/// Finds or adds an origin. Thread-safe. `file` and `function` are copied when they are new (a shared object that holds
/// them may be unloaded), and found again fast at the same address. Equal texts are the same origin.
OriginId intern_origin(const char* file, std::uint32_t line, const char* function = nullptr);

/// As intern_origin, for texts that may go away: they are copied. For the parser.
OriginId intern_origin_copy(const std::string& file, std::uint32_t line, const std::string& function);

/// The origin of an id. Thread-safe; {"?", 0, nullptr} for 0.
Origin origin(OriginId id) noexcept;

/// For debuggers: the array of the chunks that hold all origins, by id; the first has so many, each other one twice as
/// many as the one before.
const void* origin_chunks() noexcept;
inline constexpr std::uint32_t kFirstOriginChunk = 1024;

/// "file:line", the file alone where the line is 0; "unknown place" for 0.
std::string to_string(OriginId id);

}  // namespace xlazy::bc
