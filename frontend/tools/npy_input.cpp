// SPDX-License-Identifier: BSD-3-Clause
#include "npy_input.hpp"

#include "npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

namespace {

/// The shape's extents; nothing if it cannot be read.
std::optional<std::vector<std::int64_t>> shape_of(std::string_view header) {
    const std::size_t begin = header.find('(', header.find("'shape'")), end = header.find(')', begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return {};
    std::vector<std::int64_t> extents;
    std::int64_t extent = -1;
    for (const char c : header.substr(begin + 1, end - begin)) {
        if (c >= '0' && c <= '9') {
            extent = 10 * std::max<std::int64_t>(extent, 0) + (c - '0');
            if (extent > (std::int64_t{1} << 48)) return {};
        } else if (extent >= 0) {
            extents.push_back(std::exchange(extent, -1));
        }
    }
    return extents;
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

/// @return empty, or what is wrong; then `in` is where the elements begin and `extents` is the shape
std::string open_npy(const std::string& file, std::string_view who, xlazy::bc::DType type, bool column_major,
                     std::ifstream& in, std::vector<std::int64_t>& extents) {
    in.open(file, std::ios::binary);
    if (!in) return kNoFile;
    const std::string header = header_of(in);
    if (header.empty()) return file + ": no .npy file";
    const std::optional<std::vector<std::int64_t>> shape = shape_of(header);
    if (!shape) return file + ": its shape cannot be read";
    const char* const order = column_major ? "'fortran_order': True" : "'fortran_order': False";
    if (header.find(order) == std::string::npos && (!column_major || shape->size() > 1))
        return fmt::format("{}: not in {} order", file, column_major ? "Fortran" : "C");
    const std::string wanted = xlazy::rt::npy_descriptor(type);
    if (header.find(wanted) == std::string::npos)
        return fmt::format("{}: the {} wants elements of type {}", file, who, wanted);
    extents = *shape;
    return {};
}

std::string read_elements(const std::string& file, std::ifstream& in, void* memory, std::size_t bytes) {
    return in.read(static_cast<char*>(memory), static_cast<std::streamsize>(bytes)) ? std::string()
                                                                                    : file + ": ends too early";
}

}  // namespace

std::string read_npy(const std::string& file, const xlazy::bc::BaseInfo& base, void* memory) {
    std::ifstream in;
    std::vector<std::int64_t> extents;
    std::string problem = open_npy(file, "batch", base.type, false, in, extents);
    if (!problem.empty()) return problem;
    const std::int64_t elements = xlazy::bc::element_count(extents);
    if (elements != base.size) return fmt::format("{}: {} elements, the batch wants {}", file, elements, base.size);
    return read_elements(file, in, memory, static_cast<std::size_t>(base.size) * xlazy::bc::size_of(base.type));
}

std::string read_npy(const std::string& file, const xlazy::array_signature& array, void* memory) {
    std::ifstream in;
    std::vector<std::int64_t> extents;
    std::string problem = open_npy(file, "function", array.type, array.column_major, in, extents);
    if (!problem.empty()) return problem;
    if (extents != array.extents) {
        return fmt::format("{}: of shape ({}), the function wants ({})", file, fmt::join(extents, ","),
                           fmt::join(array.extents, ","));
    }
    return read_elements(file, in, memory, array.bytes);
}
