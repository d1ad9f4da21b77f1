// SPDX-License-Identifier: BSD-3-Clause
// A compiled kernel with everything that it is a function of, and its form on disk. docs/jit-cache.md draws the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xlazy::jc {

/// Contents of a file.
using Bytes = std::vector<std::byte>;

/// What an entry is looked up by. It is stored whole and compared whole; its hash only names the file.
struct Key {
    std::string kind;    ///< what the object is: kKernel, or another use of the same store
    std::string source;  ///< full text
    std::string flags;   ///< everything else that the compiler is told
    std::string isa;     ///< instruction set that the object needs
    bool operator==(const Key&) const = default;
};
inline constexpr std::string_view kKernel = "kernel";

/// A compiled kernel with all that it is a function of.
struct Entry {
    Key key;
    std::string compiler;      ///< identity of the compiler that made the object
    std::int64_t created = 0;  ///< seconds since 1970
    Bytes object;
};

/// Part of the file and, hashed, of its name. Files of another version are not read.
inline constexpr std::uint32_t kFormatVersion = 1;
/// Files that are larger are not read, entries that are larger not written.
inline constexpr std::uint64_t kMaxEntryBytes = std::uint64_t{64} << 20;

/// XXH3, 128 bits.
struct Hash128 {
    std::uint64_t high = 0, low = 0;
    bool operator==(const Hash128&) const = default;
};
/// XXH3-128 of format version and key, each part with its length.
Hash128 hash_of(const Key& key);

/// "<32 hex digits of the key>-<16 hex digits of the compiler>.xlk": what one compiler made never hides what another
/// one made.
std::string file_name(const Key& key, std::string_view compiler);
/// Could file_name have made this name? Others in the directory are not touched.
bool is_file_name(std::string_view name) noexcept;

/// The file's bytes: header, checksum, and the parts in order.
Bytes encode(const Entry& entry);
/// @param why gets what is wrong with the bytes where the result is empty
std::optional<Entry> decode(std::span<const std::byte> file, std::string& why);

}  // namespace xlazy::jc
