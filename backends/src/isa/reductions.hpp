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

/// What a reduction computes in: integer sums in unsigned integers, since vectors of signed ones must not overflow;
/// bools in bytes. The bits are those of the type itself.
template <bc::Op Op, class T>
using Folded = std::conditional_t<
    std::is_same_v<T, bool>, unsigned char,
    typename std::conditional_t<Op == bc::Op::sum && std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                std::make_unsigned<T>, std::type_identity<T>>::type>;

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
void fold(const void* pvalues, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, void* pacc,
          bool fresh) {
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
    const T* values = static_cast<const T*>(pvalues);
    T* acc = static_cast<T*>(pacc);
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
void segments(const void* pvalues, std::int64_t count, std::int64_t n, std::int64_t inner, void* pout) {
    const T* values = static_cast<const T*>(pvalues);
    T* out = static_cast<T*>(pout);
    const std::int64_t lanes = reduction_lanes(inner);
    const std::int64_t width = lanes * inner, length = n * inner;
    if (lanes == 1) {
        for (std::int64_t s = 0; s < count; ++s)
            fold<Op, T>(values + s * length, n, inner, inner, out + s * inner, true);
        return;
    }
    if (n <= lanes) return short_segments<Op, T>(values, count, n, inner, lanes, out);
    T acc[kMaxLaneValues];
    const std::int64_t rows = n / lanes, rest = (n % lanes) * inner;
    for (std::int64_t s = 0; s < count; ++s, values += length, out += inner) {
        fold<Op, T>(values, rows, width, width, acc, true);
        if (rest > 0) fold<Op, T>(values + rows * width, 1, rest, width, acc, false);
        fold_lanes<Op, T>(acc, lanes, lanes, inner);
        std::memcpy(out, acc, static_cast<std::size_t>(inner) * sizeof(T));
    }
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
