// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of scans, in the order of the rule (reduction_rule.hpp). In blocks of several indices the tree over
// the indices up to each one is Sklansky's parallel prefix (Conditional-sum addition logic, 1960): log2 steps, each of
// which combines the last index of a lower half with all of the upper half. A block lies in a few vectors.
#pragma once

#include "isa/loops.hpp"
#include "isa/vectors.hpp"
#include "reduction_rule.hpp"

#include <cstring>
#include <utility>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// Elements of a vector, from a place of other elements of it. Groups are of 2 * Distance elements, rows of Columns: an
/// upper half takes the lower one's last row, again and again.
template <int Distance, int Columns, class V, int... J>
[[gnu::always_inline]] inline V last_of_lower(V x, std::integer_sequence<int, J...>) {
    return __builtin_shufflevector(x, x, ((J & ~(2 * Distance - 1)) + Distance - Columns + J % Columns)...);
}
template <int Columns, class V, int... J>
[[gnu::always_inline]] inline V last_row(V x, std::integer_sequence<int, J...>) {
    return __builtin_shufflevector(x, x, (static_cast<int>(sizeof...(J)) - Columns + J % Columns)...);
}
/// The upper halves of groups from `upper`, the lower ones from `lower`.
template <int Distance, class V, int... J>
[[gnu::always_inline]] inline V join_halves(V lower, V upper, std::integer_sequence<int, J...>) {
    constexpr int lanes = sizeof...(J);
    return __builtin_shufflevector(lower, upper, ((J & Distance) != 0 ? lanes + J : J)...);
}

/// One step over a block of Vectors vectors, rows of Columns elements: see above.
template <bc::Op Op, class T, int Columns, int Distance, int Vectors>
[[gnu::always_inline]] inline void scan_step(Vector<T> (&x)[Vectors]) {
    constexpr int lanes = kVectorBytes / static_cast<int>(sizeof(T));
    constexpr auto sequence = std::make_integer_sequence<int, lanes>{};
    if constexpr (2 * Distance <= lanes) {
        for (int v = 0; v < Vectors; ++v) {
            const Vector<T> lower = last_of_lower<Distance, Columns>(x[v], sequence);
            x[v] = join_halves<Distance>(x[v], Element<Op>::combine(lower, x[v]), sequence);
        }
    } else {
        constexpr int half = Distance / lanes, row = Columns > lanes ? Columns / lanes : 1;
        for (int v = 0; v < Vectors; ++v) {
            if ((v & half) == 0) continue;
            const int last = (v & ~(2 * half - 1)) + half - row + v % row;
            const Vector<T> lower =
                Columns < lanes ? last_row<(Columns < lanes ? Columns : lanes)>(x[last], sequence) : x[last];
            x[v] = Element<Op>::combine(lower, x[v]);
        }
    }
    if constexpr (2 * Distance * static_cast<int>(sizeof(T)) < Vectors * kVectorBytes)
        scan_step<Op, T, Columns, 2 * Distance>(x);
}

/// Rows of a leaf in blocks of Values elements, rows of Columns, both powers of two. The carry and the prefix lie in
/// vectors, again and again.
template <bc::Op Op, class T, int Values, int Columns>
struct BlockScan {
    static constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
    static constexpr int kVectors = Values / kLanes;
    static constexpr int kRow = Columns > kLanes ? Columns / kLanes : 1;  ///< vectors of a row

    Vector<T> carry[kRow] = {}, prefix[kRow] = {};
    bool fresh, has_prefix;

    BlockScan(const ScanState& state) : fresh(state.fresh), has_prefix(state.prefix != nullptr) {
        if (!fresh) spread(static_cast<const T*>(state.carry), carry);
        if (has_prefix) spread(static_cast<const T*>(state.prefix), prefix);
    }

    static void spread(const T* row, Vector<T> (&to)[kRow]) {
        T values[kRow * kLanes];
        for (int i = 0; i < kRow * kLanes; ++i) values[i] = row[i % Columns];
        std::memcpy(to, values, sizeof to);
    }

    /// All of a block; the last of its rows may lack. @return the last row that is there goes to the state's carry
    void block(const T* values, int present, T* out, T* last) {
        Vector<T> x[kVectors];
        if (present == Values) {
            std::memcpy(x, values, sizeof x);
        } else {
            T padded[Values] = {};
            std::memcpy(padded, values, static_cast<std::size_t>(present) * sizeof(T));
            std::memcpy(x, padded, sizeof x);
        }
        scan_step<Op, T, Columns, Columns>(x);
        if (!fresh) {
            for (int v = 0; v < kVectors; ++v) x[v] = Element<Op>::combine(carry[v % kRow], x[v]);
        }
        fresh = false;
        constexpr auto sequence = std::make_integer_sequence<int, kLanes>{};
        for (int v = 0; v < kRow; ++v) {
            const Vector<T> row = x[kVectors - kRow + v];
            carry[v] = Columns < kLanes ? last_row<(Columns < kLanes ? Columns : kLanes)>(row, sequence) : row;
        }
        if (present != Values) std::memcpy(last, x, sizeof x);
        if (has_prefix) {
            for (int v = 0; v < kVectors; ++v) x[v] = Element<Op>::combine(prefix[v % kRow], x[v]);
        }
        std::memcpy(out, x, static_cast<std::size_t>(present) * sizeof(T));
    }

    static void run(const T* values, std::int64_t count, const ScanState& state, T* out) {
        BlockScan scan(state);
        for (; count >= Values; count -= Values, values += Values, out += Values)
            scan.block(values, Values, out, nullptr);
        T* const carry = static_cast<T*>(state.carry);
        if (count == 0) {
            std::memcpy(carry, scan.carry, Columns * sizeof(T));
            return;
        }
        T rest[Values];
        scan.block(values, static_cast<int>(count), out, rest);
        std::memcpy(carry, rest + count - Columns, Columns * sizeof(T));
    }
};

/// to[rows][columns] <- row `by` (of `columns` elements) combined with each row of values; `to` may be `values`.
template <bc::Op Op, class T>
void combine_rows(const T* by, const T* values, std::int64_t rows, std::int64_t columns, T* to) {
    for (std::int64_t row = 0; row < rows; ++row, values += columns, to += columns) {
        if constexpr (is_complex<T>) {
            complex_loop<bc::Op::mul, T, Form::vv>(by, values, nullptr, to, columns);
        } else {
            XLAZY_INDEPENDENT
            for (std::int64_t i = 0; i < columns; ++i) to[i] = Element<Op>::combine(by[i], values[i]);
        }
    }
}

/// One row after the other; `prefix` may be null.
template <bc::Op Op, class T>
void scan_rows(const T* values, std::int64_t rows, std::int64_t columns, const ScanState& state, T* out) {
    T* const carry = static_cast<T*>(state.carry);
    const T* const prefix = static_cast<const T*>(state.prefix);
    std::int64_t row = 0;
    if (state.fresh) {
        std::memcpy(carry, values, static_cast<std::size_t>(columns) * sizeof(T));
        if (prefix != nullptr)
            combine_rows<Op>(prefix, values, 1, columns, out);
        else if (out != values)
            std::memcpy(out, values, static_cast<std::size_t>(columns) * sizeof(T));
        ++row;
    }
    if constexpr (is_complex<T>) {
        for (; row < rows; ++row) {
            combine_rows<Op>(carry, values + row * columns, 1, columns, carry);
            if (prefix != nullptr)
                combine_rows<Op>(prefix, carry, 1, columns, out + row * columns);
            else
                std::memcpy(out + row * columns, carry, static_cast<std::size_t>(columns) * sizeof(T));
        }
    } else if (columns == 1) {
        T sum = *carry;
        if (prefix != nullptr) {
            const T before = *prefix;
            for (; row < rows; ++row) {
                sum = Element<Op>::combine(sum, values[row]);
                out[row] = Element<Op>::combine(before, sum);
            }
        } else {
            for (; row < rows; ++row) out[row] = sum = Element<Op>::combine(sum, values[row]);
        }
        *carry = sum;
    } else {
        for (; row < rows; ++row) {
            const T* const from = values + row * columns;
            T* const to = out + row * columns;
            if (prefix != nullptr) {
                XLAZY_INDEPENDENT
                for (std::int64_t i = 0; i < columns; ++i) {
                    const T sum = Element<Op>::combine(carry[i], from[i]);
                    carry[i] = sum;
                    to[i] = Element<Op>::combine(prefix[i], sum);
                }
            } else {
                XLAZY_INDEPENDENT
                for (std::int64_t i = 0; i < columns; ++i) {
                    const T sum = Element<Op>::combine(carry[i], from[i]);
                    carry[i] = sum;
                    to[i] = sum;
                }
            }
        }
    }
}

/// Blocks of `lanes` rows for which there are no vectors.
template <bc::Op Op, class T>
void scan_blocks(const T* values, std::int64_t rows, std::int64_t columns, std::int64_t lanes, const ScanState& state,
                 T* out) {
    T* const carry = static_cast<T*>(state.carry);
    const std::size_t row_bytes = static_cast<std::size_t>(columns) * sizeof(T);
    T block[2 * kMaxLaneValues];  // complex numbers have two parts
    bool fresh = state.fresh;
    for (std::int64_t done = 0; done < rows; done += lanes) {
        const std::int64_t present = rows - done < lanes ? rows - done : lanes;
        std::memcpy(block, values + done * columns, static_cast<std::size_t>(present) * row_bytes);
        for (std::int64_t half = 1; half < present; half *= 2) {
            for (std::int64_t upper = half; upper < present; upper += 2 * half) {
                const std::int64_t some = present - upper < half ? present - upper : half;
                T* const first = block + upper * columns;
                if (is_complex<T> && columns == 1) {
                    if constexpr (is_complex<T>)
                        complex_loop<bc::Op::mul, T, Form::sv>(first - 1, first, nullptr, first, some);
                } else {
                    combine_rows<Op>(first - columns, first, some, columns, first);
                }
            }
        }
        if (!fresh) combine_rows<Op>(carry, block, present, columns, block);
        fresh = false;
        std::memcpy(carry, block + (present - 1) * columns, row_bytes);
        if (state.prefix != nullptr)
            combine_rows<Op>(static_cast<const T*>(state.prefix), block, present, columns, block);
        std::memcpy(out + done * columns, block, static_cast<std::size_t>(present) * row_bytes);
    }
}

/// The same for real numbers, with the lengths of loops known.
template <bc::Op Op, class T, int Lanes, int Columns>
void scan_narrow(const T* values, std::int64_t rows, const ScanState& state, T* out) {
    T carry[Columns], prefix[Columns];
    bool fresh = state.fresh;
    if (!fresh) std::memcpy(carry, state.carry, sizeof carry);
    if (state.prefix != nullptr) std::memcpy(prefix, state.prefix, sizeof prefix);
    for (; rows > 0; rows -= Lanes, values += Lanes * Columns, out += Lanes * Columns) {
        T block[Lanes][Columns] = {};
        const std::int64_t present = rows < Lanes ? rows : Lanes;
        if (present == Lanes)
            std::memcpy(block, values, sizeof block);
        else
            std::memcpy(block, values, static_cast<std::size_t>(present) * sizeof block[0]);
        for (int half = 1; half < Lanes; half *= 2) {
            for (int row = 0; row < Lanes; ++row) {
                if ((row & half) == 0) continue;
                const int last = (row & ~(2 * half - 1)) + half - 1;
                for (int i = 0; i < Columns; ++i) block[row][i] = Element<Op>::combine(block[last][i], block[row][i]);
            }
        }
        if (!fresh) {
            for (auto& row : block) {
                for (int i = 0; i < Columns; ++i) row[i] = Element<Op>::combine(carry[i], row[i]);
            }
        }
        fresh = false;
        std::memcpy(carry, block[present - 1], sizeof carry);
        if (state.prefix != nullptr) {
            for (auto& row : block) {
                for (int i = 0; i < Columns; ++i) row[i] = Element<Op>::combine(prefix[i], row[i]);
            }
        }
        if (present == Lanes)
            std::memcpy(out, block, sizeof block);
        else
            std::memcpy(out, block, static_cast<std::size_t>(present) * sizeof block[0]);
    }
    std::memcpy(state.carry, carry, sizeof carry);
}

/// Segments of N consecutive values.
template <bc::Op Op, class T, int N>
void scan_few(const T* values, std::int64_t segments, T* out) {
    XLAZY_INDEPENDENT
    for (std::int64_t s = 0; s < segments; ++s) {
        T v[N];
        for (int i = 0; i < N; ++i) v[i] = values[s * N + i];
        for (int half = 1; half < N; half *= 2) {
            for (int i = 0; i < N; ++i) {
                if ((i & half) != 0) v[i] = Element<Op>::combine(v[(i & ~(2 * half - 1)) + half - 1], v[i]);
            }
        }
        for (int i = 0; i < N; ++i) out[s * N + i] = v[i];
    }
}

/// @return false if there is no loop for that length
template <bc::Op Op, class T>
bool scan_few(const T* values, std::int64_t segments, std::int64_t length, T* out) {
    switch (length) {
        case 2: scan_few<Op, T, 2>(values, segments, out); return true;
        case 3: scan_few<Op, T, 3>(values, segments, out); return true;
        case 4: scan_few<Op, T, 4>(values, segments, out); return true;
        case 8: scan_few<Op, T, 8>(values, segments, out); return true;
        default: return false;
    }
}

/// `parts`: elements that a value consists of, all `columns` of a row being `parts` times as many.
template <bc::Op Op, class T, int Parts>
void scan_leaf(const T* values, std::int64_t rows, std::int64_t columns, std::int64_t lanes, const ScanState& state,
               T* out) {
    if (lanes == 1 || std::is_integral_v<T>) return scan_rows<Op>(values, rows, columns, state, out);
    if constexpr (std::is_floating_point_v<T>) {
        constexpr int block = kMaxLaneValues * Parts;
        const auto scan = [&]<int Columns>() {
            constexpr int width = Columns / Parts;  // values of a row
            if constexpr (Columns % Parts != 0 || width > kMaxLaneValues / 2)
                scan_blocks<Op>(values, rows, columns, lanes, state, out);
            else if constexpr ((Columns & (Columns - 1)) == 0)
                BlockScan<Op, T, block, Columns>::run(values, rows * columns, state, out);
            else
                scan_narrow<Op, T, reduction_lanes(width), Columns>(values, rows, state, out);
        };
        switch (columns) {
            case 1: return scan.template operator()<1>();
            case 2: return scan.template operator()<2>();
            case 3: return scan.template operator()<3>();
            case 4: return scan.template operator()<4>();
            case 5: return scan.template operator()<5>();
            case 6: return scan.template operator()<6>();
            case 8: return scan.template operator()<8>();
            case 16: return scan.template operator()<16>();
            case 32: return scan.template operator()<32>();
            default: break;
        }
    }
    scan_blocks<Op>(values, rows, columns, lanes, state, out);
}

/// What values are scanned as: complex sums part by part.
template <bc::Op Op, class T>
struct Scanned {
    using type = T;
    static constexpr int parts = 1;
};
template <class T>
struct Scanned<bc::Op::cumsum, Complex<T>> {
    using type = T;
    static constexpr int parts = 2;
};

template <bc::Op Op, class T>
void scan_values(const void* values, std::int64_t segments, std::int64_t rows, std::int64_t columns, std::int64_t lanes,
                 const ScanState& state, void* out) {
    using S = typename Scanned<Op, T>::type;
    constexpr int parts = Scanned<Op, T>::parts;
    const std::int64_t length = rows * parts * columns;
    if constexpr (!is_complex<S> && parts == 1) {
        const bool whole = state.fresh && state.prefix == nullptr && segments > 1 && columns == 1 && lanes > 1;
        if (whole && scan_few<Op>(static_cast<const S*>(values), segments, rows, static_cast<S*>(out))) return;
    }
    for (std::int64_t s = 0; s < segments; ++s) {
        scan_leaf<Op, S, parts>(static_cast<const S*>(values) + s * length, rows, parts * columns, lanes, state,
                                static_cast<S*>(out) + s * length);
    }
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
