// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/jit-cache/entry.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace xlazy::jc {

namespace {

constexpr std::array<char, 8> kMagic{'x', 'l', 'a', 'z', 'y', 'j', 'i', 't'};
constexpr std::size_t kParts = 6;
constexpr std::size_t kKeyDigits = 32, kCompilerDigits = 16;
constexpr std::string_view kSuffix = ".xlk";

// Little-endian, as all machines that the objects run on. The checksum covers everything but itself.
struct Header {
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t header_bytes;
    std::int64_t created;
    std::array<std::uint64_t, kParts> lengths;  // kind, source, flags, isa, compiler, object
    std::uint64_t checksum_low, checksum_high;
};
static_assert(sizeof(Header) == 88);

XXH128_hash_t checksum_of(Header header, std::span<const std::byte> parts) {
    header.checksum_low = header.checksum_high = 0;
    return XXH3_128bits_withSeed(parts.data(), parts.size(), XXH3_64bits(&header, sizeof header));
}

bool is_hex(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

Hash128 hash_of(const Key& key) {
    // Part by part, each with what came before and its own length: no copy of a long source is made.
    XXH128_hash_t digest{kFormatVersion, 0};
    for (const std::string* part : {&key.kind, &key.source, &key.flags, &key.isa}) {
        const std::uint64_t before[]{digest.low64, digest.high64, part->size()};
        digest = XXH3_128bits_withSeed(part->data(), part->size(), XXH3_64bits(before, sizeof before));
    }
    return {digest.high64, digest.low64};
}

std::string file_name(const Key& key, std::string_view compiler) {
    const Hash128 hash = hash_of(key);
    return fmt::format("{:016x}{:016x}-{:016x}{}", hash.high, hash.low, XXH3_64bits(compiler.data(), compiler.size()),
                       kSuffix);
}

bool is_file_name(std::string_view name) noexcept {
    return name.size() == kKeyDigits + 1 + kCompilerDigits + kSuffix.size() && name.ends_with(kSuffix) &&
           name[kKeyDigits] == '-' && is_hex(name.substr(0, kKeyDigits)) &&
           is_hex(name.substr(kKeyDigits + 1, kCompilerDigits));
}

Bytes encode(const Entry& entry) {
    const std::array<std::span<const std::byte>, kParts> parts{
        std::as_bytes(std::span(entry.key.kind)),  std::as_bytes(std::span(entry.key.source)),
        std::as_bytes(std::span(entry.key.flags)), std::as_bytes(std::span(entry.key.isa)),
        std::as_bytes(std::span(entry.compiler)),  std::span(entry.object)};
    Header header{};
    header.magic = kMagic;
    header.version = kFormatVersion;
    header.header_bytes = sizeof(Header);
    header.created = entry.created;
    Bytes file(sizeof(Header));
    for (std::size_t part = 0; part < kParts; ++part) {
        header.lengths[part] = parts[part].size();
        file.insert(file.end(), parts[part].begin(), parts[part].end());
    }
    const XXH128_hash_t checksum = checksum_of(header, std::span(file).subspan(sizeof(Header)));
    header.checksum_low = checksum.low64;
    header.checksum_high = checksum.high64;
    std::memcpy(file.data(), &header, sizeof header);
    return file;
}

std::optional<Entry> decode(std::span<const std::byte> file, std::string& why) {
    const auto refuse = [&](std::string_view reason) {
        why = reason;
        return std::nullopt;
    };
    Header header;
    if (file.size() < sizeof header) return refuse("shorter than a header");
    std::memcpy(&header, file.data(), sizeof header);
    if (header.magic != kMagic) return refuse("not a cache entry");
    if (header.version != kFormatVersion) {
        return refuse(fmt::format("format version {}, this is {}", header.version, kFormatVersion));
    }
    if (header.header_bytes != sizeof header) return refuse("header of another length");
    std::uint64_t left = file.size() - sizeof header;
    for (const std::uint64_t length : header.lengths) {
        if (length > left) return refuse("shorter than its header says");
        left -= length;
    }
    if (left != 0) return refuse("longer than its header says");
    const std::span<const std::byte> parts = file.subspan(sizeof header);
    const XXH128_hash_t checksum = checksum_of(header, parts);
    if (checksum.low64 != header.checksum_low || checksum.high64 != header.checksum_high) {
        return refuse("wrong checksum");
    }
    Entry entry;
    entry.created = header.created;
    const char* next = reinterpret_cast<const char*>(parts.data());
    std::size_t part = 0;
    for (std::string* text : {&entry.key.kind, &entry.key.source, &entry.key.flags, &entry.key.isa, &entry.compiler}) {
        text->assign(next, header.lengths[part]);
        next += header.lengths[part++];
    }
    entry.object.assign(parts.end() - static_cast<std::ptrdiff_t>(header.lengths[part]), parts.end());
    return entry;
}

}  // namespace xlazy::jc
