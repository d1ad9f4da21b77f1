// SPDX-License-Identifier: BSD-3-Clause
#include "function_file.hpp"

#include "xlazy/file_error.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>

namespace xlazy::rt {
namespace {

constexpr std::array<char, 8> kMagic{'x', 'l', 'a', 'z', 'y', '-', 'f', 'n'};
constexpr std::size_t kAlignment = 8;
/// Files that are larger are not read.
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{64} << 30;

using Tag = std::array<char, 4>;
constexpr Tag kText{'t', 'e', 'x', 't'}, kValues{'v', 'a', 'l', 's'}, kKernels{'k', 'e', 'r', 'n'};

// Little-endian, as all machines that there is code for. The checksum covers everything but itself.
struct Header {
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t sections;
    std::uint64_t bytes;  // of the file
    std::uint64_t checksum_low, checksum_high;
};
static_assert(sizeof(Header) == 40);

struct SectionHeader {
    Tag tag;
    std::uint32_t flags;
    std::uint64_t bytes;  // without the zeros behind it up to the next multiple of 8
};
static_assert(sizeof(SectionHeader) == 16);
constexpr std::uint32_t kRequired = 1;  ///< who does not know the section cannot run the function

using Bytes = std::span<const std::byte>;

XXH128_hash_t checksum_of(Header header, Bytes rest) {
    header.checksum_low = header.checksum_high = 0;
    return XXH3_128bits_withSeed(rest.data(), rest.size(), XXH3_64bits(&header, sizeof header));
}

template <class T>
void append(std::vector<std::byte>& to, const T& value) {
    const Bytes bytes = std::as_bytes(std::span(&value, 1));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

class Writer {
public:
    Writer() : file_(sizeof(Header)) {}

    void section(Tag tag, std::uint32_t flags, Bytes bytes) {
        append(file_, SectionHeader{tag, flags, bytes.size()});
        file_.insert(file_.end(), bytes.begin(), bytes.end());
        file_.resize((file_.size() + kAlignment - 1) / kAlignment * kAlignment);
        ++sections_;
    }

    std::vector<std::byte> finish() {
        Header header{kMagic, kFunctionFileVersion, sections_, file_.size(), 0, 0};
        const XXH128_hash_t checksum = checksum_of(header, Bytes(file_).subspan(sizeof header));
        header.checksum_low = checksum.low64;
        header.checksum_high = checksum.high64;
        std::memcpy(file_.data(), &header, sizeof header);
        return std::move(file_);
    }

private:
    std::vector<std::byte> file_;
    std::uint32_t sections_ = 0;
};

class Reader {
public:
    Reader(Bytes bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    FunctionFile run() {
        check_header();
        read_sections();
        if (text_.data() == nullptr) fail("it has no section 'text'");
        try {
            file_.function = bc::parse_function({reinterpret_cast<const char*>(text_.data()), text_.size()});
        } catch (const bc::ParseError& error) {
            fail(fmt::format("section 'text', {}", error.what()));
        }
        read_values();
        const std::string fault = bc::verify(file_.function);
        if (!fault.empty()) fail(fmt::format("no legal function: {}", fault));
        read_kernels();
        return std::move(file_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const { throw file_error(fmt::format("{}: {}", name_, what)); }

    void check_header() {
        Header header;
        if (bytes_.size() < sizeof kMagic) fail("no saved function: shorter than its header");
        std::memcpy(&header.magic, bytes_.data(), sizeof header.magic);
        if (header.magic != kMagic) fail("no saved function");
        if (bytes_.size() < sizeof header) fail("truncated: shorter than its header");
        std::memcpy(&header, bytes_.data(), sizeof header);
        if (header.version != kFunctionFileVersion) {
            fail(fmt::format("format version {}, this library knows version {}", header.version, kFunctionFileVersion));
        }
        if (header.bytes > bytes_.size())
            fail(fmt::format("truncated: {} bytes, its header says {}", bytes_.size(), header.bytes));
        if (header.bytes < bytes_.size()) fail(fmt::format("{} bytes behind its end", bytes_.size() - header.bytes));
        const XXH128_hash_t checksum = checksum_of(header, bytes_.subspan(sizeof header));
        if (checksum.low64 != header.checksum_low || checksum.high64 != header.checksum_high)
            fail("damaged: wrong checksum");
        sections_ = header.sections;
    }

    void read_sections() {
        Bytes rest = bytes_.subspan(sizeof(Header));
        for (std::uint32_t i = 0; i < sections_; ++i) {
            SectionHeader header;
            if (rest.size() < sizeof header) fail(fmt::format("damaged: section {} is missing", i));
            std::memcpy(&header, rest.data(), sizeof header);
            rest = rest.subspan(sizeof header);
            if (header.bytes > rest.size()) fail(fmt::format("damaged: section {} ends behind the file", i));
            take_section(header, rest.first(header.bytes));
            const std::uint64_t padded = (header.bytes + kAlignment - 1) / kAlignment * kAlignment;
            rest = rest.subspan(std::min<std::uint64_t>(padded, rest.size()));
        }
        if (!rest.empty()) fail("damaged: bytes behind the last section");
    }

    void take_section(const SectionHeader& header, Bytes bytes) {
        std::string tag;
        for (const char c : header.tag) tag += c >= ' ' && c <= '~' ? c : '?';
        const bool known = header.tag == kText || header.tag == kValues || header.tag == kKernels;
        if (!known) {
            if ((header.flags & kRequired) != 0)
                fail(fmt::format("made by a later version: its section '{}' is needed, and unknown here", tag));
            file_.skipped.push_back(tag);
            return;
        }
        Bytes& place = header.tag == kText ? text_ : header.tag == kValues ? values_ : kernels_;
        if (place.data() != nullptr) fail(fmt::format("damaged: two sections '{}'", tag));
        place = bytes;
    }

    /// The values lie one behind the other, in the order of the variables.
    void read_values() {
        Bytes rest = values_;
        for (std::size_t i = 0; i < file_.function.variables.size(); ++i) {
            bc::Variable& variable = file_.function.variables[i];
            if (variable.role != bc::Role::Constant && variable.role != bc::Role::State) continue;
            const bool negative = std::ranges::any_of(variable.extents, [](std::int64_t extent) { return extent < 0; });
            const std::int64_t bytes = variable.byte_count();
            if (negative || static_cast<std::uint64_t>(bytes) > rest.size())
                fail(fmt::format("section 'vals' is too short for x{}", i));
            variable.value.assign(rest.begin(), rest.begin() + bytes);
            rest = rest.subspan(static_cast<std::size_t>(bytes));
        }
        if (!rest.empty()) fail("section 'vals' is longer than the variables' values");
    }

    void read_kernels() {
        for (Bytes rest = kernels_; !rest.empty();) {
            std::uint64_t bytes = 0;
            if (rest.size() < sizeof bytes) fail("section 'kern' ends within a kernel");
            std::memcpy(&bytes, rest.data(), sizeof bytes);
            rest = rest.subspan(sizeof bytes);
            if (bytes > rest.size()) fail("section 'kern' ends within a kernel");
            std::string why;
            std::optional<jc::Entry> entry;
            if (bytes <= jc::kMaxEntryBytes) entry = jc::decode(rest.first(bytes), why);
            if (entry && entry->key.kind == jc::kKernel)
                file_.kernels.push_back(std::move(*entry));
            else
                ++file_.damaged_kernels;
            rest = rest.subspan(bytes);
        }
    }

    Bytes bytes_;
    const std::string& name_;
    std::uint32_t sections_ = 0;
    Bytes text_, values_, kernels_;
    FunctionFile file_;
};

std::string system_text(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_with(const std::string& path, const std::string& what, int error) {
    throw file_error(fmt::format("{}: {}: {}", path, what, system_text(error)));
}

using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

}  // namespace

std::vector<std::byte> encode(const FunctionFile& file) {
    Writer writer;
    const std::string text = bc::print(file.function);
    writer.section(kText, kRequired, std::as_bytes(std::span(text)));
    std::vector<std::byte> values;
    for (const bc::Variable& variable : file.function.variables)
        values.insert(values.end(), variable.value.begin(), variable.value.end());
    if (!values.empty()) writer.section(kValues, kRequired, values);
    if (!file.kernels.empty()) {
        std::vector<std::byte> kernels;
        for (const jc::Entry& kernel : file.kernels) {
            const jc::Bytes bytes = jc::encode(kernel);
            append(kernels, std::uint64_t{bytes.size()});
            kernels.insert(kernels.end(), bytes.begin(), bytes.end());
        }
        writer.section(kKernels, 0, kernels);
    }
    return writer.finish();
}

FunctionFile decode(std::span<const std::byte> bytes, const std::string& name) { return Reader(bytes, name).run(); }

void write_function(const std::string& path, const FunctionFile& file) {
    const std::vector<std::byte> bytes = encode(file);
    const std::string temporary = fmt::format("{}.{}.new", path, ::getpid());
    File out(std::fopen(temporary.c_str(), "wbe"), std::fclose);
    if (out == nullptr) fail_with(path, "cannot be written", errno);
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), out.get()) == bytes.size();
    int error = written ? 0 : errno;
    if (std::fclose(out.release()) != 0 && error == 0) error = errno;
    if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return;
    std::remove(temporary.c_str());
    fail_with(path, "cannot be written", error);
}

FunctionFile read_function(const std::string& path) {
    const File in(std::fopen(path.c_str(), "rbe"), std::fclose);
    if (in == nullptr) fail_with(path, "cannot be read", errno);
    std::vector<std::byte> bytes;
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    for (std::size_t got = kBlock; got == kBlock && bytes.size() <= kMaxFileBytes;) {
        const std::size_t before = bytes.size();
        bytes.resize(before + kBlock);
        errno = 0;
        got = std::fread(bytes.data() + before, 1, kBlock, in.get());
        bytes.resize(before + got);
        if (std::ferror(in.get()) != 0) fail_with(path, "cannot be read", errno);
    }
    if (bytes.size() > kMaxFileBytes) throw file_error(fmt::format("{}: too large", path));
    return decode(bytes, path);
}

}  // namespace xlazy::rt
