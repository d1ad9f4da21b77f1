// SPDX-License-Identifier: BSD-3-Clause
// Copies between dense and strided memory, by element size.
#pragma once

#include "isa/loops.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// A stride that is known when the loop is compiled.
template <std::int64_t Bytes>
struct Stride {
    constexpr operator std::int64_t() const { return Bytes; }
};

/// out[i] = in[i]; both step by a stride in bytes that is known here if it is that of dense memory.
template <class T, class ToStride, class FromStride>
void move_row(unsigned char* to, ToStride to_stride, const unsigned char* from, FromStride from_stride,
              std::int64_t n) {
    XLAZY_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) {
        *reinterpret_cast<T*>(to + i * to_stride) = *reinterpret_cast<const T*>(from + i * from_stride);
    }
}

/// Each element N times.
template <int N, class T>
void repeat_each(T* to, const T* from, std::int64_t count) {
    XLAZY_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) {
        const T value = from[i];
        for (int k = 0; k < N; ++k) to[N * i + k] = value;
    }
}

/// @return false if there is no loop for so many times
template <class T>
bool repeat_each(void* to, const void* from, std::int64_t count, std::int64_t times) {
    T* const out = static_cast<T*>(to);
    const T* const in = static_cast<const T*>(from);
    switch (times) {
        case 2: repeat_each<2>(out, in, count); return true;
        case 3: repeat_each<3>(out, in, count); return true;
        case 4: repeat_each<4>(out, in, count); return true;
        default: return false;
    }
}

template <class T>
void gather(void* dense, const void* strided, std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
            std::int64_t column_stride) {
    constexpr Stride<sizeof(T)> forward{};
    constexpr Stride<-static_cast<std::int64_t>(sizeof(T))> backward{};
    constexpr Stride<0> repeat{};
    auto* to = static_cast<unsigned char*>(dense);
    const auto* from = static_cast<const unsigned char*>(strided);
    if (row_stride == 0 && column_stride == forward && rows > 1) {  // one row, again and again: what is there doubles
        const std::int64_t all = rows * columns * forward;
        std::int64_t done = columns * forward;
        std::memcpy(to, from, static_cast<std::size_t>(done));
        for (; done < all; done *= 2)
            std::memcpy(to + done, to, static_cast<std::size_t>(done < all - done ? done : all - done));
        return;
    }
    if (row_stride == forward && column_stride == repeat && repeat_each<T>(to, from, rows, columns)) return;
    for (std::int64_t row = 0; row < rows; ++row) {
        if (column_stride == forward)
            move_row<T>(to, forward, from, forward, columns);
        else if (column_stride == repeat)
            move_row<T>(to, forward, from, repeat, columns);
        else if (column_stride == backward)
            move_row<T>(to, forward, from, backward, columns);
        else
            move_row<T>(to, forward, from, column_stride, columns);
        to += columns * forward;
        from += row_stride;
    }
}

template <class T>
void scatter(const void* dense, void* strided, std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
             std::int64_t column_stride) {
    constexpr Stride<sizeof(T)> forward{};
    const auto* from = static_cast<const unsigned char*>(dense);
    auto* to = static_cast<unsigned char*>(strided);
    for (std::int64_t row = 0; row < rows; ++row) {
        if (column_stride == forward)
            move_row<T>(to, forward, from, forward, columns);
        else
            move_row<T>(to, column_stride, from, forward, columns);
        from += columns * forward;
        to += row_stride;
    }
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
