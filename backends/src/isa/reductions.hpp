// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of reductions. The order in which values combine is the rule's (reduction_rule.hpp), never the
// compiler's.
#pragma once

#include "isa/loops.hpp"
#include "maths/vector_maths.hpp"
#include "reduction_rule.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// Columns [0, Vectors * lanes) of all rows, with the accumulators in registers. For few columns.
template <bc::Op Op, class T, int Vectors>
void fold_columns(const T* values, std::int64_t rows, std::int64_t row_stride, T* acc) {
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
    Vector<T> sums[Vectors];
    std::memcpy(sums, acc, sizeof sums);
    for (std::int64_t row = 0; row < rows; ++row, values += row_stride) {
        for (int v = 0; v < Vectors; ++v) {
            sums[v] = Element<Op>::combine(sums[v], load_vector(values + v * lanes));
        }
    }
    std::memcpy(acc, sums, sizeof sums);
}

/// Rows from here on are read whole, several at a time: columns of memory would waste what the machine fetches ahead.
inline constexpr std::int64_t kWideRow = 512;

template <bc::Op Op, int Rows, class T>
void fold_row_group(const T* values, std::int64_t columns, std::int64_t row_stride, T* acc) {
    XLAZY_INDEPENDENT
    for (std::int64_t column = 0; column < columns; ++column) {
        T sum = acc[column];
        for (int row = 0; row < Rows; ++row) sum = Element<Op>::combine(sum, values[row * row_stride + column]);
        acc[column] = sum;
    }
}
template <bc::Op Op, class T>
void fold_wide(const T* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, T* acc) {
    for (; rows >= 8; rows -= 8, values += 8 * row_stride) fold_row_group<Op, 8>(values, columns, row_stride, acc);
    for (; rows > 0; --rows, values += row_stride) fold_row_group<Op, 1>(values, columns, row_stride, acc);
}

template <bc::Op Op, class T>
void fold(const T* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, T* acc, bool fresh) {
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
    if (fresh) {
        std::memcpy(acc, values, static_cast<std::size_t>(columns) * sizeof(T));
        values += row_stride;
        --rows;
    }
    if (rows == 0) return;
    if (columns >= kWideRow) return fold_wide<Op>(values, rows, columns, row_stride, acc);
    std::int64_t column = 0;
    const auto blocks = [&]<int Vectors>() {
        for (; column + Vectors * lanes <= columns; column += Vectors * lanes) {
            fold_columns<Op, T, Vectors>(values + column, rows, row_stride, acc + column);
        }
    };
    blocks.template operator()<8>();
    blocks.template operator()<4>();
    blocks.template operator()<2>();
    blocks.template operator()<1>();
    for (; column < columns; ++column) {
        T sum = acc[column];
        for (std::int64_t row = 0; row < rows; ++row) {
            sum = Element<Op>::combine(sum, values[row * row_stride + column]);
        }
        acc[column] = sum;
    }
}

/// Folds the lanes of a leaf, `present` of them with values, to the first.
template <bc::Op Op, class T>
void fold_lanes(T* acc, std::int64_t lanes, std::int64_t present, std::int64_t inner) {
    for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
        if (present <= half) continue;
        const std::int64_t count = (present - half) * inner;
        const T* upper = acc + half * inner;
        XLAZY_INDEPENDENT
        for (std::int64_t i = 0; i < count; ++i) acc[i] = Element<Op>::combine(acc[i], upper[i]);
        present = half;
    }
}

/// Segments with at most one index a lane: a lane of many segments lies together, so that the loops are long.
template <bc::Op Op, class T>
void short_segments(const T* values, std::int64_t count, std::int64_t n, std::int64_t inner, std::int64_t lanes,
                    T* out) {
    constexpr std::int64_t capacity = 64;
    T lane_values[kMaxLaneValues * capacity];
    const std::int64_t most = capacity / inner;
    for (std::int64_t done = 0; done < count; done += most) {
        const std::int64_t some = count - done < most ? count - done : most;
        const std::int64_t width = some * inner;
        for (std::int64_t lane = 0; lane < n; ++lane) {
            const T* from = values + (done * n + lane) * inner;
            T* to = lane_values + lane * width;
            if (inner == 1) {
                XLAZY_INDEPENDENT
                for (std::int64_t s = 0; s < some; ++s) to[s] = from[s * n];
            } else {
                for (std::int64_t s = 0; s < some; ++s) {
                    for (std::int64_t i = 0; i < inner; ++i) to[s * inner + i] = from[s * n * inner + i];
                }
            }
        }
        fold_lanes<Op, T>(lane_values, lanes, n, width);
        std::memcpy(out + done * inner, lane_values, static_cast<std::size_t>(width) * sizeof(T));
    }
}

template <bc::Op Op, class T>
void segments(const T* values, std::int64_t count, std::int64_t n, std::int64_t inner, std::int64_t lanes, T* out) {
    const std::int64_t width = lanes * inner, length = n * inner;
    if (lanes == 1) {
        for (std::int64_t s = 0; s < count; ++s)
            fold<Op, T>(values + s * length, n, inner, inner, out + s * inner, true);
        return;
    }
    if (n <= lanes) return short_segments<Op, T>(values, count, n, inner, lanes, out);
    T acc[2 * kMaxLaneValues];  // complex numbers have two parts
    const std::int64_t rows = n / lanes, rest = (n % lanes) * inner;
    for (std::int64_t s = 0; s < count; ++s, values += length, out += inner) {
        fold<Op, T>(values, rows, width, width, acc, true);
        if (rest > 0) fold<Op, T>(values + rows * width, 1, rest, width, acc, false);
        fold_lanes<Op, T>(acc, lanes, lanes, inner);
        std::memcpy(out, acc, static_cast<std::size_t>(inner) * sizeof(T));
    }
}

/// What values are folded as: complex sums part by part, bools as bytes. Integer sums come here unsigned, since vectors
/// of signed integers must not overflow.
template <bc::Op Op, class T>
struct Folded {
    using type = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
    static constexpr std::int64_t parts = 1;
};
template <class T>
struct Folded<bc::Op::sum, Complex<T>> {
    using type = T;
    static constexpr std::int64_t parts = 2;
};

template <bc::Op Op, class T>
void fold_values(const void* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, void* acc,
                 bool fresh) {
    using F = typename Folded<Op, T>::type;
    constexpr std::int64_t parts = Folded<Op, T>::parts;
    fold<Op, F>(static_cast<const F*>(values), rows, parts * columns, parts * row_stride, static_cast<F*>(acc), fresh);
}

template <bc::Op Op, class T>
void segments_of_values(const void* values, std::int64_t count, std::int64_t n, std::int64_t inner, void* out) {
    using F = typename Folded<Op, T>::type;
    constexpr std::int64_t parts = Folded<Op, T>::parts;
    segments<Op, F>(static_cast<const F*>(values), count, n, parts * inner, reduction_lanes(inner),
                    static_cast<F*>(out));
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
