// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer's way into the reader of saved functions: whatever the bytes are, they are refused with a reason, or are a
// legal function. Of a legal one every element that an instruction names is touched, in memory of the variable's size,
// and it prints as it was read. An input that begins as a file does gets a right checksum; any other one is taken for
// the text of a function.
#include "function_file.hpp"
#include "xlazy/file_error.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

using namespace xlazy;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kHeader = 40;
constexpr std::int64_t kMostBytes = 1 << 16, kMostElements = 4096;

[[noreturn]] void wrong(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

void seal(Bytes& bytes) {
    const std::uint64_t size = bytes.size();
    std::memcpy(bytes.data() + 16, &size, sizeof size);
    std::memset(bytes.data() + 24, 0, 16);
    const auto seed = XXH3_64bits(bytes.data(), kHeader);
    const XXH128_hash_t sum = XXH3_128bits_withSeed(bytes.data() + kHeader, bytes.size() - kHeader, seed);
    std::memcpy(bytes.data() + 24, &sum.low64, sizeof sum.low64);
    std::memcpy(bytes.data() + 32, &sum.high64, sizeof sum.high64);
}

/// A variable's elements on the heap, where an access outside of them is seen.
using Memory = std::unique_ptr<unsigned char[]>;

void touch(const bc::Program& batch, std::uint32_t index, unsigned char* memory, std::size_t size, bool write) {
    const bc::View& view = batch.views[index];
    const std::span<const bc::Dim> dims = batch.dims_of(view);
    std::int64_t count = 1;
    for (const bc::Dim& dim : dims) count *= dim.extent;
    volatile unsigned char sum = 0;
    for (std::int64_t element = 0; element < std::min(count, kMostElements); ++element) {
        std::int64_t at = view.offset, rest = element;
        for (std::size_t axis = dims.size(); axis-- > 0; rest /= dims[axis].extent)
            at += rest % dims[axis].extent * dims[axis].stride;
        unsigned char* const place = memory + at * static_cast<std::int64_t>(size);
        if (write)
            std::memset(place, 1, size);
        else
            sum = static_cast<unsigned char>(sum + place[0] + place[size - 1]);
    }
}

void touch_all(const bc::Function& f) {
    std::vector<Memory> memory;
    for (const bc::Variable& variable : f.variables) {
        const std::int64_t bytes = variable.byte_count();
        if (bytes > kMostBytes) return;
        memory.push_back(std::make_unique<unsigned char[]>(static_cast<std::size_t>(bytes)));
        if (!variable.value.empty()) std::memcpy(memory.back().get(), variable.value.data(), variable.value.size());
    }
    for (const bc::Segment& segment : f.segments) {
        const bc::Program& batch = segment.batch;
        const auto reach = [&](bc::Operand operand, bool write) {
            if (!operand.is_view()) return;
            const std::uint32_t base = batch.views[operand.index()].base;
            touch(batch, operand.index(), memory[segment.variables[base]].get(), bc::size_of(batch.bases[base].type),
                  write);
        };
        for (const bc::Instruction& instruction : batch.instructions) {
            for (unsigned k = 0; k < bc::operand_count(instruction); ++k) reach(instruction.in[k], false);
            reach(instruction.out, true);
        }
    }
}

void check(const rt::FunctionFile& file) {
    touch_all(file.function);
    const std::string text = bc::print(file.function);
    if (bc::print(bc::parse_function(text)) != text) wrong("prints in another way when it is read again");
    const Bytes bytes = rt::encode(file);
    if (rt::encode(rt::decode(bytes, "again")) != bytes) wrong("is another file when it is written again");
}

void read_file(Bytes bytes) {
    if (bytes.size() >= kHeader) seal(bytes);
    try {
        check(rt::decode(bytes, "file"));
    } catch (const file_error& error) {
        if (std::string_view(error.what()).substr(0, 6) != "file: ") wrong("an error that does not name the file");
    }
}

void read_text(std::string_view text) {
    try {
        rt::FunctionFile file{bc::parse_function(text), {}, 0, {}};
        for (bc::Variable& variable : file.function.variables) {
            if (variable.role != bc::Role::Constant && variable.role != bc::Role::State) continue;
            const std::int64_t bytes = variable.byte_count();
            if (bytes < 0 || bytes > kMostBytes) return;
            variable.value.resize(static_cast<std::size_t>(bytes));
        }
        if (bc::verify(file.function).empty()) check(file);
    } catch (const bc::ParseError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(data);
    if (size >= 8 && std::memcmp(data, "xlazy-fn", 8) == 0)
        read_file({bytes, bytes + size});
    else
        read_text({reinterpret_cast<const char*>(data), size});
    return 0;
}
