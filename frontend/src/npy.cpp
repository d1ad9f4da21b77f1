// SPDX-License-Identifier: BSD-3-Clause
#include "npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace xlazy::rt {

std::string npy_descriptor(bc::DType type) {
    const auto& info = bc::info(type);
    constexpr std::string_view kKinds = "biufc";
    const char kind = kKinds[static_cast<std::size_t>(info.kind)];
    return fmt::format("'{}{}{}'", info.size == 1 ? '|' : '<', kind, info.size);
}

std::string npy_header(bc::DType type, std::span<const std::int64_t> extents, bool column_major) {
    constexpr std::size_t kStart = 10, kAlignment = 64;  // magic, version, length of the dictionary
    std::string dictionary =
        fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': ({}{}), }}", npy_descriptor(type),
                    column_major ? "True" : "False", fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
    dictionary.append(kAlignment - 1 - (kStart + dictionary.size()) % kAlignment, ' ');
    dictionary += '\n';
    std::string header = "\x93NUMPY";
    header += {'\1', '\0', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
    return header + dictionary;
}

std::string npy_header(bc::DType type, std::size_t elements) {
    const auto extent = static_cast<std::int64_t>(elements);
    return npy_header(type, std::span(&extent, 1));
}

}  // namespace xlazy::rt
