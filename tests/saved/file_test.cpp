// SPDX-License-Identifier: BSD-3-Clause
// Files of captured functions: what is written is read back, and what is damaged is refused with a reason that names
// the file.
#include "bytecode/function_sample.hpp"
#include "saved/sample.hpp"
#include "xlazy/file_error.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <functional>
#include <random>

namespace {

using xlazy::file_error;
using xlazy::rt::decode;
using xlazy::rt::encode;
using xlazy::rt::FunctionFile;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kHeader = 40;

Bytes sample() { return encode({test::function_of(test::kStep), {}, 0, {}}); }

xlazy::jc::Entry kernel(const std::string& source) {
    return {{std::string(xlazy::jc::kKernel), source, "-O2", "avx2"}, "a compiler", 12, Bytes(100, std::byte{7})};
}

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// Makes the header's length and checksum those of the bytes, as if the writer had written them.
void seal(Bytes& bytes) {
    put(bytes, 16, std::uint64_t{bytes.size()});
    put(bytes, 24, std::uint64_t{0});
    put(bytes, 32, std::uint64_t{0});
    const auto seed = XXH3_64bits(bytes.data(), kHeader);
    const auto checksum = XXH3_128bits_withSeed(bytes.data() + kHeader, bytes.size() - kHeader, seed);
    put(bytes, 24, checksum.low64);
    put(bytes, 32, checksum.high64);
}

std::string refusal(const Bytes& bytes) {
    try {
        decode(bytes, "dir/step.xlz");
        return "is accepted";
    } catch (const file_error& error) {
        return error.what();
    }
}

/// A section behind the others.
Bytes with_section(Bytes bytes, const std::string& tag, std::uint32_t flags, std::size_t size) {
    const std::size_t at = bytes.size();
    bytes.resize(at + 16 + (size + 7) / 8 * 8);
    std::memcpy(bytes.data() + at, tag.data(), 4);
    put(bytes, at + 4, flags);
    put(bytes, at + 8, std::uint64_t{size});
    std::uint32_t sections = 0;
    std::memcpy(&sections, bytes.data() + 12, sizeof sections);
    put(bytes, 12, sections + 1);
    seal(bytes);
    return bytes;
}

TEST(FunctionFile, IsReadAsItWasWritten) {
    const FunctionFile file{test::function_of(test::kStep), {kernel("one"), kernel("two")}, 0, {}};
    const Bytes bytes = encode(file);
    const FunctionFile again = decode(bytes, "step.xlz");
    EXPECT_EQ(xlazy::bc::print(again.function), xlazy::bc::print(file.function));
    EXPECT_EQ(again.function.variables[2].value, file.function.variables[2].value);
    ASSERT_EQ(again.kernels.size(), 2u);
    EXPECT_EQ(again.kernels[1].key, file.kernels[1].key);
    EXPECT_EQ(again.kernels[1].object, file.kernels[1].object);
    EXPECT_EQ(encode(again), bytes);
}

TEST(FunctionFile, TheSealOfTheTestsIsTheWriters) {
    Bytes bytes = sample();
    seal(bytes);
    EXPECT_EQ(bytes, sample());
}

TEST(FunctionFile, SectionsOfLaterVersions) {
    const FunctionFile skipped = decode(with_section(sample(), "grad", 0, 21), "step.xlz");
    EXPECT_EQ(skipped.skipped, std::vector<std::string>{"grad"});
    EXPECT_EQ(refusal(with_section(sample(), "grad", 1, 21)),
              "dir/step.xlz: made by a later version: its section 'grad' is needed, and unknown here");
    EXPECT_EQ(refusal(with_section(sample(), "text", 1, 0)), "dir/step.xlz: damaged: two sections 'text'");
}

TEST(FunctionFile, KernelsThatAreDamagedAreLeftOut) {
    Bytes bytes = encode({test::function_of(test::kStep), {kernel("one"), kernel("two")}, 0, {}});
    bytes[bytes.size() - 20] ^= std::byte{1};
    seal(bytes);
    const FunctionFile file = decode(bytes, "step.xlz");
    EXPECT_EQ(file.kernels.size(), 1u);
    EXPECT_EQ(file.damaged_kernels, 1u);
}

TEST(FunctionFile, Truncated) {
    const Bytes whole = sample();
    std::vector<std::size_t> sizes{0, 4, 8, 20, 39, 40, 41, 60, whole.size() / 2, whole.size() - 1};
    for (const std::size_t size : sizes) {
        const std::string why = refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
        EXPECT_TRUE(why == "dir/step.xlz: no saved function: shorter than its header" ||
                    why == "dir/step.xlz: truncated: shorter than its header" ||
                    why == fmt::format("dir/step.xlz: truncated: {} bytes, its header says {}", size, whole.size()))
            << size << ": " << why;
    }
    Bytes longer = whole;
    longer.resize(whole.size() + 5);
    EXPECT_EQ(refusal(longer), "dir/step.xlz: 5 bytes behind its end");
}

TEST(FunctionFile, OtherVersionsAndOtherFiles) {
    for (const std::uint32_t version : {0u, 2u, 3u, 7u, 100u, 0x01000000u, 0x7fffffffu, 0xffffffffu}) {
        Bytes bytes = sample();
        put(bytes, 8, version);
        seal(bytes);
        EXPECT_EQ(refusal(bytes),
                  fmt::format("dir/step.xlz: format version {}, this library knows version 1", version));
    }
    for (const std::size_t at : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
        Bytes bytes = sample();
        bytes[at] ^= std::byte{0x20};
        EXPECT_EQ(refusal(bytes), "dir/step.xlz: no saved function");
    }
}

TEST(FunctionFile, FlippedBits) {
    const Bytes whole = sample();
    std::mt19937 random(5);
    std::size_t checksums = 0;
    for (std::size_t at = 8; at < whole.size(); ++at) {
        Bytes bytes = whole;
        bytes[at] ^= static_cast<std::byte>(1u << (random() % 8));
        const std::string why = refusal(bytes);
        EXPECT_EQ(why.find("dir/step.xlz: "), 0u) << at << ": " << why;
        checksums += why == "dir/step.xlz: damaged: wrong checksum" ? 1 : 0;
    }
    EXPECT_GE(checksums, whole.size() - kHeader);
}

/// The checksum finds accidents. What somebody has written on purpose, the verifier must find.
TEST(FunctionFile, DamageUnderAGoodChecksum) {
    std::mt19937 random(6);
    std::size_t accepted = 0;
    constexpr std::size_t kTries = 4000;
    for (std::size_t number = 0; number < kTries; ++number) {
        Bytes bytes =
            encode({test::function_of(number % 2 == 0 ? test::kStep : xlazy::bc::kFunctionSample), {}, 0, {}});
        for (std::size_t count = 1 + random() % 3; count > 0; --count) {
            const std::size_t at = kHeader + random() % (bytes.size() - kHeader);
            switch (random() % 4) {
                case 0: bytes[at] = static_cast<std::byte>(random()); break;
                case 1: bytes[at] = static_cast<std::byte>('0' + random() % 10); break;
                case 2: bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at)); break;
                default: bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::byte>('9'));
            }
        }
        seal(bytes);
        const std::string why = refusal(bytes);
        accepted += why == "is accepted" ? 1 : 0;
        EXPECT_TRUE(why == "is accepted" || why.starts_with("dir/step.xlz: ")) << why;
    }
    EXPECT_LT(accepted, kTries / 2);
}

struct Mutation {
    const char* from;
    const char* to;
    const char* message;
};

TEST(FunctionFile, IllegalFunctionsUnderAGoodChecksum) {
    const Mutation mutations[] = {
        {"view v1 b1 +0 (2,3):(3,1)", "view v1 b1 +1 (2,3):(3,1)", "no legal function: g0: v1: not inside b1"},
        {"view v1 b1 +0 (2,3):(3,1)", "view v1 b1 +0 (2,3):(9223372036854775807,1)",
         "no legal function: g0: v1: not inside"},
        {"variable x1 f64 (2,3)", "variable x1 f64 (2,4611686018427387904)",
         "no legal function: x1: too many elements"},
        {"variable x2 f64 (2,3)", "variable x2 f64 (2,4611686018427387904)", "section 'vals' is too short for x2"},
        {"variable x2 f64 (2,3)", "variable x2 f64 (2,-3)", "section 'vals' is too short for x2"},
        {"variable x2 f64 (2,3)", "variable x2 f64 (1,3)", "section 'vals' is longer than the variables' values"},
        {"copy.f64 v1 d0 v0", "copy.f64 v0 d0 v0", "no legal function: g0: x0 is written (an input)"},
        {"run g0\n", "", "no legal function: run g1: x1 has no value"},
        {"bases x0 x1 x3", "bases x0 x1 x4", "no legal function: g0: b2 is not of the type and size of x4"},
        {"xlazy-function 1", "xlazy-function 2", "section 'text', line 1, column 16: only version 1"},
    };
    for (const Mutation& mutation : mutations) {
        FunctionFile file{test::function_of(test::kStep), {}, 0, {}};
        const std::string text = xlazy::bc::print(file.function);
        std::string changed = text;
        const std::size_t at = changed.find(mutation.from);
        ASSERT_NE(at, std::string::npos) << mutation.from;
        changed.replace(at, std::strlen(mutation.from), mutation.to);
        Bytes bytes = encode(file);
        // header, header of the section, text padded to 8 bytes
        Bytes other(bytes.begin(), bytes.begin() + kHeader + 16);
        put(other, kHeader + 8, std::uint64_t{changed.size()});
        const auto* const begin = reinterpret_cast<const std::byte*>(changed.data());
        other.insert(other.end(), begin, begin + changed.size());
        other.resize((other.size() + 7) / 8 * 8);
        other.insert(other.end(), bytes.begin() + static_cast<std::ptrdiff_t>(kHeader + 16 + (text.size() + 7) / 8 * 8),
                     bytes.end());
        seal(other);
        const std::string why = refusal(other);
        EXPECT_EQ(why.find(std::string("dir/step.xlz: ") + mutation.message), 0u) << why;
    }
}

using Written = test::Folder;

TEST_F(Written, FilesThatCannotBeReadOrWritten) {
    const auto reading = [](const std::string& file) {
        try {
            xlazy::rt::read_function(file);
            return std::string("is accepted");
        } catch (const file_error& error) {
            return std::string(error.what());
        }
    };
    EXPECT_EQ(reading(path("none.xlz")), path("none.xlz") + ": cannot be read: No such file or directory");
    EXPECT_EQ(reading(path("")), path("") + ": cannot be read: Is a directory");
    std::ofstream(path("text.xlz")) << test::kStep;
    EXPECT_EQ(reading(path("text.xlz")), path("text.xlz") + ": no saved function");
    EXPECT_EQ(reading(saved()), "is accepted");
    try {
        xlazy::rt::write_function(path("none/step.xlz"), {test::function_of(test::kStep), {}, 0, {}});
        FAIL() << "is written";
    } catch (const file_error& error) {
        EXPECT_EQ(std::string(error.what()), path("none/step.xlz") + ": cannot be written: No such file or directory");
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 2);  // no temporary files
}

}  // namespace
