// SPDX-License-Identifier: BSD-3-Clause
#include "npy_input.hpp"

#include "npy.hpp"

#include <fmt/format.h>

#include <fstream>

namespace {

/// The product of the shape's extents; -1 if it cannot be read.
std::int64_t elements_of(std::string_view header) {
    const std::size_t begin = header.find('(', header.find("'shape'")), end = header.find(')', begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return -1;
    std::int64_t count = 1, extent = -1;
    for (const char c : header.substr(begin + 1, end - begin)) {
        if (c >= '0' && c <= '9') {
            extent = 10 * std::max<std::int64_t>(extent, 0) + (c - '0');
            if (extent > (std::int64_t{1} << 48)) return -1;
        } else if (extent >= 0) {
            if (__builtin_mul_overflow(count, extent, &count)) return -1;
            extent = -1;
        }
    }
    return count;
}

/// @return the header's dictionary; empty: the file is none of this format
std::string header_of(std::ifstream& in) {
    char start[8] = {};
    if (!in.read(start, sizeof(start)) || std::string_view(start, 6) != "\x93NUMPY") return {};
    unsigned char length[4] = {};
    const int bytes = start[6] == 1 ? 2 : 4;
    if (!in.read(reinterpret_cast<char*>(length), bytes)) return {};
    std::uint32_t size = 0;
    for (int i = bytes; i-- > 0;) size = size << 8 | length[i];
    constexpr std::uint32_t kLongest = 1 << 16;
    if (size > kLongest) return {};
    std::string header(size, '\0');
    return in.read(header.data(), static_cast<std::streamsize>(size)) ? header : std::string();
}

}  // namespace

std::string read_npy(const std::string& file, const xlazy::bc::BaseInfo& base, void* memory) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return kNoFile;
    const std::string header = header_of(in);
    if (header.empty()) return file + ": no .npy file";
    if (header.find("'fortran_order': False") == std::string::npos) return file + ": not in C order";
    const std::string wanted = xlazy::rt::npy_descriptor(base.type);
    if (header.find(wanted) == std::string::npos)
        return fmt::format("{}: the batch wants elements of type {}", file, wanted);
    const std::int64_t elements = elements_of(header);
    if (elements != base.size) return fmt::format("{}: {} elements, the batch wants {}", file, elements, base.size);
    const auto bytes =
        static_cast<std::streamsize>(static_cast<std::size_t>(base.size) * xlazy::bc::size_of(base.type));
    return in.read(static_cast<char*>(memory), bytes) ? std::string() : file + ": ends too early";
}
