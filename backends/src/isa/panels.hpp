// SPDX-License-Identifier: BSD-3-Clause
// Transposed memory, some rows at a time, so that each line of it is read once.
#pragma once

#include "isa/leaves.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// As PanelFn. T is an unsigned integer: bits are moved.
template <class T>
void transpose_panel(const void* from, std::int64_t column_stride, std::int64_t columns, void* to,
                     std::int64_t row_stride) {
    constexpr std::int64_t rows = kPanelRowBytes / static_cast<int>(sizeof(T));
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
    const auto* in = static_cast<const std::byte*>(from);
    auto* out = static_cast<std::byte*>(to);
    std::int64_t column = 0;
    for (; column + lanes <= columns; column += lanes, in += lanes * column_stride, out += kVectorBytes) {
        for (std::int64_t row = 0; row < rows; row += lanes) {
            Vector<T> block[lanes];
            for (std::int64_t i = 0; i < lanes; ++i)
                std::memcpy(&block[i], in + i * column_stride + row * static_cast<std::int64_t>(sizeof(T)),
                            kVectorBytes);
            transpose<1>(block);
            for (std::int64_t i = 0; i < lanes; ++i) std::memcpy(out + (row + i) * row_stride, &block[i], kVectorBytes);
        }
    }
    for (; column < columns; ++column, in += column_stride, out += sizeof(T)) {
        for (std::int64_t row = 0; row < rows; ++row)
            std::memcpy(out + row * row_stride, in + row * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    }
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
