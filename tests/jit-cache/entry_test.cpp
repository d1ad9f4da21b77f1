// SPDX-License-Identifier: BSD-3-Clause
#include "jit-cache/support.hpp"

#include <fmt/core.h>

#include <cstring>
#include <random>
#include <set>

namespace xlazy::jc {
namespace {

Entry sample() {
    Entry entry = entry_of("double f(double x) { return x; } /* \xc3\xa4 \0 */", "gcc 12.2");
    entry.key.source.push_back('\0');
    entry.object = bytes_of("object code");
    return entry;
}

TEST(EntryTest, ComesBackWhole) {
    const Entry entry = sample();
    std::string why;
    const auto back = decode(encode(entry), why);
    ASSERT_TRUE(back) << why;
    EXPECT_EQ(back->key, entry.key);
    EXPECT_EQ(back->compiler, entry.compiler);
    EXPECT_EQ(back->created, entry.created);
    EXPECT_EQ(back->object, entry.object);
}

TEST(EntryTest, EveryTruncationIsRefused) {
    const Bytes file = encode(sample());
    for (std::size_t size = 0; size < file.size(); ++size) {
        std::string why;
        EXPECT_FALSE(decode(std::span(file).first(size), why)) << size;
        EXPECT_FALSE(why.empty());
    }
    Bytes longer = file;
    longer.push_back(std::byte{0});
    std::string why;
    EXPECT_FALSE(decode(longer, why));
}

TEST(EntryTest, EveryFlippedBitIsRefused) {
    const Bytes file = encode(sample());
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
        Bytes damaged = file;
        damaged[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        std::string why;
        EXPECT_FALSE(decode(damaged, why)) << "bit " << bit;
    }
}

TEST(EntryTest, ZeroedAndRandomBytesAreRefused) {
    const std::size_t size = encode(sample()).size();
    std::string why;
    EXPECT_FALSE(decode(Bytes(size), why));
    std::mt19937 random(1);
    for (int round = 0; round < 1000; ++round) {
        Bytes file = encode(sample());
        // Lengths that overflow their sum, and everything else.
        const std::size_t start = round % 2 == 0 ? 0 : 24;
        for (std::size_t i = start; i < file.size(); ++i) file[i] = static_cast<std::byte>(random());
        EXPECT_FALSE(decode(file, why));
    }
}

TEST(EntryTest, AnotherVersionIsNamed) {
    Bytes file = encode(sample());
    const std::uint32_t version = kFormatVersion + 1;
    std::memcpy(file.data() + 8, &version, sizeof version);
    std::string why;
    EXPECT_FALSE(decode(file, why));
    EXPECT_NE(why.find("version"), std::string::npos) << why;
}

TEST(EntryTest, NamesTellKeysAndCompilersApart) {
    std::set<std::string> names;
    const Key key = key_of("source");
    names.insert(file_name(key, "gcc"));
    names.insert(file_name(key, "clang"));
    for (std::string Key::*part : {&Key::kind, &Key::source, &Key::flags, &Key::isa}) {
        Key other = key;
        (other.*part).push_back('x');
        names.insert(file_name(other, "gcc"));
    }
    // What moves from one part to the next is another key.
    Key moved = key;
    moved.source += moved.flags;
    moved.flags.clear();
    names.insert(file_name(moved, "gcc"));
    EXPECT_EQ(names.size(), 7u);
    for (const std::string& name : names) EXPECT_TRUE(is_file_name(name)) << name;
    EXPECT_EQ(file_name(key, "gcc").substr(0, 33), file_name(key, "clang").substr(0, 33));
}

TEST(EntryTest, OtherNamesAreNoNamesOfEntries) {
    const std::string name = file_name(key_of("source"), "gcc");
    EXPECT_TRUE(is_file_name(name));
    EXPECT_FALSE(is_file_name(""));
    EXPECT_FALSE(is_file_name(fmt::format("../{}", name.substr(3))));
    EXPECT_FALSE(is_file_name(fmt::format("{}x", name)));
    EXPECT_FALSE(is_file_name(fmt::format("/{}", name.substr(1))));
    EXPECT_FALSE(is_file_name(fmt::format("A{}", name.substr(1))));
    EXPECT_FALSE(is_file_name(fmt::format("{}w", name.substr(0, name.size() - 1))));
}

}  // namespace
}  // namespace xlazy::jc
