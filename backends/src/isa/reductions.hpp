// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of reductions. The order in which values combine is the rule's (reduction_rule.hpp), never the compiler's.
#pragma once

#include "isa/loops.hpp"
#include "maths/vector_maths.hpp"
#include "reduction_rule.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// What a reduction computes in: integer sums in unsigned integers, since vectors of signed ones must not overflow; bools in
/// bytes. The bits are those of the type itself.
template <bc::Op Op, class T>
using Folded = std::conditional_t<
    std::is_same_v<T, bool>, unsigned char,
    typename std::conditional_t<Op == bc::Op::sum && std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                std::make_unsigned<T>, std::type_identity<T>>::type>;

/// Columns [0, Vectors * lanes) of all rows, with the accumulators in registers.
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

template <bc::Op Op, class T>
void fold(const void* pvalues, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, void* pacc, bool fresh) {
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
    const T* values = static_cast<const T*>(pvalues);
    T* acc = static_cast<T*>(pacc);
    if (fresh) {
        std::memcpy(acc, values, static_cast<std::size_t>(columns) * sizeof(T));
        values += row_stride;
        --rows;
    }
    if (rows == 0) return;
    std::int64_t column = 0;
    for (; column + 8 * lanes <= columns; column += 8 * lanes) {
        fold_columns<Op, T, 8>(values + column, rows, row_stride, acc + column);
    }
    for (; column + 2 * lanes <= columns; column += 2 * lanes) {
        fold_columns<Op, T, 2>(values + column, rows, row_stride, acc + column);
    }
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

template <bc::Op Op, class T>
void segments(const void* pvalues, std::int64_t count, std::int64_t n, std::int64_t inner, void* pout) {
    const T* values = static_cast<const T*>(pvalues);
    T* out = static_cast<T*>(pout);
    const std::int64_t lanes = reduction_lanes(inner);
    const std::int64_t width = lanes * inner, length = n * inner;
    if (lanes == 1) {
        for (std::int64_t s = 0; s < count; ++s) fold<Op, T>(values + s * length, n, inner, inner, out + s * inner, true);
        return;
    }
    T acc[kMaxLaneValues];
    const std::int64_t rows = n / lanes, rest = (n % lanes) * inner;
    for (std::int64_t s = 0; s < count; ++s, values += length, out += inner) {
        if (rows > 0) fold<Op, T>(values, rows, width, width, acc, true);
        if (rest > 0) fold<Op, T>(values + rows * width, 1, rest, width, acc, rows == 0);
        fold_lanes<Op, T>(acc, lanes, rows > 0 ? lanes : n, inner);
        std::memcpy(out, acc, static_cast<std::size_t>(inner) * sizeof(T));
    }
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
