// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of reductions. The order in which values combine is the rule's (reduction_rule.hpp), never the
// compiler's.
#pragma once

#include "isa/leaves.hpp"
#include "isa/loops.hpp"
#include "isa/row_segments.hpp"
#include "isa/vectors.hpp"
#include "reduction_rule.hpp"

#include <cstring>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// Asking for memory this far ahead reads it 15 % faster than the machine's own foresight.
inline constexpr std::int64_t kBytesAhead = 2048;

/// Columns [0, Vectors * lanes) of all rows, with the accumulators in registers. For few columns.
template <bc::Op Op, class T, int Vectors, int Bytes>
void fold_columns(const T* values, std::int64_t rows, std::int64_t row_stride, T* acc) {
    typedef T Part __attribute__((vector_size(Bytes)));
    constexpr std::int64_t lanes = Bytes / static_cast<int>(sizeof(T));
    Part sums[Vectors];
    std::memcpy(sums, acc, sizeof sums);
    for (std::int64_t row = 0; row < rows; ++row, values += row_stride) {
        for (int v = 0; v < Vectors; ++v) {
            Part part;
            __builtin_prefetch(values + v * lanes + kBytesAhead / static_cast<int>(sizeof(T)));
            std::memcpy(&part, values + v * lanes, sizeof part);
            sums[v] = Element<Op>::combine(sums[v], part);
        }
    }
    std::memcpy(acc, sums, sizeof sums);
}

/// Rows from here on are read whole, several at a time: columns of memory would waste what the machine fetches ahead.
inline constexpr std::int64_t kWideRow = 256;

/// Rows of one group into acc[columns]. `Fresh`: what acc holds does not count.
template <bc::Op Op, int Rows, bool Fresh, class T>
void fold_row_group(const T* values, std::int64_t columns, std::int64_t row_stride, T* acc) {
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
    std::int64_t column = 0;
    for (; column + lanes <= columns; column += lanes) {
        const T* from = values + column;
        for (int row = 0; row < Rows; ++row)
            __builtin_prefetch(from + row * row_stride + kBytesAhead / static_cast<int>(sizeof(T)));
        Vector<T> sum = load_vector(from);
        if constexpr (!Fresh) sum = Element<Op>::combine(load_vector(acc + column), sum);
        for (int row = 1; row < Rows; ++row) sum = Element<Op>::combine(sum, load_vector(from + row * row_stride));
        std::memcpy(acc + column, &sum, sizeof sum);
    }
    for (; column < columns; ++column) {
        T sum = values[column];
        if constexpr (!Fresh) sum = Element<Op>::combine(acc[column], sum);
        for (int row = 1; row < Rows; ++row) sum = Element<Op>::combine(sum, values[row * row_stride + column]);
        acc[column] = sum;
    }
}
template <bc::Op Op, bool Fresh, class T>
std::int64_t fold_some_rows(const T* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, T* acc) {
    const auto group = [&]<int Rows>() {
        fold_row_group<Op, Rows, Fresh>(values, columns, row_stride, acc);
        return std::int64_t{Rows};
    };
    if (rows >= 8) return group.template operator()<8>();
    if (rows >= 4) return group.template operator()<4>();
    if (rows == 3) return group.template operator()<3>();
    return rows == 2 ? group.template operator()<2>() : group.template operator()<1>();
}
template <bc::Op Op, class T>
void fold_wide(const T* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, T* acc, bool fresh) {
    std::int64_t done = 0;
    if (fresh) done = fold_some_rows<Op, true>(values, rows, columns, row_stride, acc);
    while (done < rows)
        done += fold_some_rows<Op, false>(values + done * row_stride, rows - done, columns, row_stride, acc);
}

/// Rows of real numbers, at least one.
template <bc::Op Op, class T>
void fold_rows(const T* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, T* acc, bool fresh) {
    if (columns >= kWideRow) return fold_wide<Op>(values, rows, columns, row_stride, acc, fresh);
    if (fresh) {
        std::memcpy(acc, values, static_cast<std::size_t>(columns) * sizeof(T));
        values += row_stride;
        --rows;
    }
    if (rows == 0) return;
    std::int64_t column = 0;
    const auto blocks = [&]<int Vectors, int Bytes>() {
        constexpr std::int64_t width = Vectors * Bytes / static_cast<int>(sizeof(T));
        for (; column + width <= columns; column += width)
            fold_columns<Op, T, Vectors, Bytes>(values + column, rows, row_stride, acc + column);
    };
    blocks.template operator()<8, kVectorBytes>();
    blocks.template operator()<4, kVectorBytes>();
    blocks.template operator()<3, kVectorBytes>();  // eight lanes of three columns
    blocks.template operator()<2, kVectorBytes>();
    if constexpr (kVectorBytes > 32) blocks.template operator()<3, 32>();
    blocks.template operator()<1, kVectorBytes>();
    if constexpr (kVectorBytes > 32) blocks.template operator()<1, 32>();
    if constexpr (kVectorBytes > 16) blocks.template operator()<1, 16>();
    for (; column < columns; ++column) {
        T sum = acc[column];
        for (std::int64_t row = 0; row < rows; ++row) {
            sum = Element<Op>::combine(sum, values[row * row_stride + column]);
        }
        acc[column] = sum;
    }
}

/// acc[i] <- combined with values[i].
template <bc::Op Op, class T>
void combine_arrays(T* acc, const T* values, std::int64_t n) {
    if constexpr (is_complex<T>) {
        complex_loop<bc::Op::mul, T, Form::vv>(acc, values, nullptr, acc, n);
    } else {
        XLAZY_INDEPENDENT
        for (std::int64_t i = 0; i < n; ++i) acc[i] = Element<Op>::combine(acc[i], values[i]);
    }
}

template <bc::Op Op, class T>
void fold(const T* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, T* acc, bool fresh) {
    if constexpr (is_complex<T>) {
        if (fresh) {
            std::memcpy(acc, values, static_cast<std::size_t>(columns) * sizeof(T));
            values += row_stride;
            --rows;
        }
        for (; rows > 0; --rows, values += row_stride) combine_arrays<Op>(acc, values, columns);
    } else {
        fold_rows<Op>(values, rows, columns, row_stride, acc, fresh);
    }
}

/// The lane 0 that a vector's lanes come to.
template <bc::Op Op, int Half, class T, int... J>
[[gnu::always_inline]] inline T fold_vector(Vector<T> lanes, std::integer_sequence<int, J...> numbers) {
    constexpr int count = sizeof...(J);
    lanes = Element<Op>::combine(
        lanes, static_cast<Vector<T>>(__builtin_shufflevector(lanes, lanes, ((J + Half) % count)...)));
    if constexpr (Half == 1)
        return lanes[0];
    else
        return fold_vector<Op, Half / 2, T>(lanes, numbers);
}

/// A leaf of consecutive values with all lanes of the rule, which stay in registers.
template <bc::Op Op, class T>
T fold_leaf(const T* values, std::int64_t n) {
    constexpr int width = kVectorBytes / static_cast<int>(sizeof(T)), groups = kMaxLaneValues / width;
    Vector<T> sums[groups];
    std::memcpy(sums, values, sizeof sums);
    std::int64_t at = kMaxLaneValues;
    for (; at + kMaxLaneValues <= n; at += kMaxLaneValues) {
        for (int group = 0; group < groups; ++group) {
            const T* const from = values + at + group * width;
            __builtin_prefetch(from + kBytesAhead / static_cast<int>(sizeof(T)));
            sums[group] = Element<Op>::combine(sums[group], load_vector(from));
        }
    }
    if (at < n) {
        T lanes[kMaxLaneValues];
        std::memcpy(lanes, sums, sizeof sums);
        combine_arrays<Op>(lanes, values + at, n - at);
        std::memcpy(sums, lanes, sizeof sums);
    }
    for (int half = groups / 2; half > 0; half /= 2) {
        for (int group = 0; group < half; ++group) sums[group] = Element<Op>::combine(sums[group], sums[group + half]);
    }
    return fold_vector<Op, width / 2, T>(sums[0], std::make_integer_sequence<int, width>{});
}

/// Folds the lanes of a leaf, `present` of them with values, to the first.
template <bc::Op Op, class T>
void fold_lanes(T* acc, std::int64_t lanes, std::int64_t present, std::int64_t inner) {
    for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
        if (present <= half) continue;
        const std::int64_t count = (present - half) * inner;
        combine_arrays<Op>(acc, acc + half * inner, count);
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
    if constexpr (!is_complex<T>) {
        if (inner == 1 && (lanes == 1 || lanes >= 4)) {
            const bool done = lanes == 1 ? fold_few<Op, T, true>(values, count, n, out)
                                         : fold_few<Op, T, false>(values, count, n, out);
            if (done) return;
        }
        if (inner == 1 && lanes == 1) return fold_leaves<Op, T>(values, count * n, n, out);
        if constexpr (kHasRowSegments<T>) {
            if (inner == 1 && lanes == kMaxLaneValues) {
                const std::int64_t done = reduce_rows<Op, T>(values, count, n, out);
                values += done * n;
                out += done;
                count -= done;
                if (n >= lanes) {
                    for (; count > 0; --count, values += n) *out++ = fold_leaf<Op>(values, n);
                    return;
                }
            }
        }
    }
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

/// What values are folded as: complex sums part by part, bools as bytes. Integer sums and products come here unsigned,
/// since vectors of signed integers must not overflow.
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
void segments_of_values(const void* values, std::int64_t count, std::int64_t n, std::int64_t inner, std::int64_t lanes,
                        void* out) {
    using F = typename Folded<Op, T>::type;
    constexpr std::int64_t parts = Folded<Op, T>::parts;
    segments<Op, F>(static_cast<const F*>(values), count, n, parts * inner, lanes, static_cast<F*>(out));
}

template <bc::Op Op, class F>
void leaves_of_values(const void* values, std::int64_t count, std::int64_t leaf, void* out) {
    fold_leaves<Op, F>(static_cast<const F*>(values), count, leaf, static_cast<F*>(out));
}

template <bc::Op Op, class F>
void tree_of_values(void* leaves, std::int64_t count) {
    fold_tree<Op, F>(static_cast<F*>(leaves), count);
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
