// SPDX-License-Identifier: BSD-3-Clause
// Reductions along consecutive memory that combine one value after the other: leaves of one lane. Their order leaves
// nothing to vectorise inside a leaf, so that many leaves go side by side.
#pragma once

#include "isa/extremes.hpp"
#include "isa/loops.hpp"
#include "isa/vectors.hpp"

#include <cstring>
#include <utility>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// Exchanges the elements off the diagonal of 2 x 2 blocks of `Step` elements: one stage of a transposition.
template <int Step, class V, int... J>
[[gnu::always_inline]] inline void exchange(V& a, V& b, std::integer_sequence<int, J...>) {
    constexpr int lanes = sizeof...(J);
    const V low = __builtin_shufflevector(a, b, ((J & Step) != 0 ? lanes + J - Step : J)...);
    const V high = __builtin_shufflevector(a, b, ((J & Step) != 0 ? lanes + J : J + Step)...);
    a = low;
    b = high;
}

template <int Step, class V, int Lanes>
[[gnu::always_inline]] inline void transpose(V (&rows)[Lanes]) {
    for (int row = 0; row < Lanes; ++row) {
        if ((row & Step) == 0) exchange<Step>(rows[row], rows[row + Step], std::make_integer_sequence<int, Lanes>{});
    }
    if constexpr (2 * Step < Lanes) transpose<2 * Step>(rows);
}

template <bc::Op Op, class T>
T fold_in_order(const T* values, std::int64_t count) {
    T sum = values[0];
    for (std::int64_t i = 1; i < count; ++i) sum = Element<Op>::combine(sum, values[i]);
    return sum;
}

/// The machine does not foresee that lines are read in steps of a leaf.
inline constexpr std::int64_t kAhead = 2048;

/// `leaves` leaves, as many as a vector has lanes or fewer; `leaf` is a multiple of the lanes.
template <bc::Op Op, class T>
void fold_leaf_group(const T* values, std::int64_t leaves, std::int64_t leaf, T* out) {
    constexpr int lanes = kVectorBytes / static_cast<int>(sizeof(T));
    const T* starts[lanes];  // lanes too many repeat the last leaf
    for (int lane = 0; lane < lanes; ++lane) starts[lane] = values + (lane < leaves ? lane : leaves - 1) * leaf;
    Vector<T> sum{};
    for (std::int64_t at = 0; at < leaf; at += lanes) {
        Vector<T> block[lanes];
        for (int lane = 0; lane < lanes; ++lane) {
            __builtin_prefetch(starts[lane] + at + kAhead);
            block[lane] = load_vector(starts[lane] + at);
        }
        transpose<1>(block);
        sum = at == 0 ? block[0] : Element<Op>::combine(sum, block[0]);
        for (int i = 1; i < lanes; ++i) sum = Element<Op>::combine(sum, block[i]);
    }
    std::memcpy(out, &sum, static_cast<std::size_t>(leaves) * sizeof(T));
}

/// out[k] <- values[k * leaf, (k + 1) * leaf) combined in order; the last leaf may be shorter.
template <bc::Op Op, class T>
void fold_leaves(const T* values, std::int64_t count, std::int64_t leaf, T* out) {
    constexpr std::int64_t lanes = kVectorBytes / static_cast<int>(sizeof(T));
    if constexpr (sizeof(T) >= 4) {
        while (leaf % lanes == 0 && count >= leaf) {
            const std::int64_t whole = count / leaf, some = whole < lanes ? whole : lanes;
            fold_leaf_group<Op, T>(values, some, leaf, out);
            count -= some * leaf;
            values += some * leaf;
            out += some;
        }
    }
    for (; count > 0; count -= leaf, values += leaf) *out++ = fold_in_order<Op>(values, count < leaf ? count : leaf);
}

/// Combines neighbours until one value is left, the first: the perfect binary tree.
template <bc::Op Op, class T>
void fold_tree(T* values, std::int64_t count) {
    while (count > 1) {
        const std::int64_t pairs = count / 2;
        XLAZY_INDEPENDENT
        for (std::int64_t k = 0; k < pairs; ++k) values[k] = Element<Op>::combine(values[2 * k], values[2 * k + 1]);
        if (count % 2 != 0) values[pairs] = values[count - 1];
        count = pairs + count % 2;
    }
}

/// Segments of N consecutive values: pairwise by lanes, or in order.
template <bc::Op Op, class T, int N, bool InOrder>
void fold_few(const T* values, std::int64_t segments, T* out) {
    XLAZY_INDEPENDENT
    for (std::int64_t s = 0; s < segments; ++s) {
        const T* v = values + s * N;
        if constexpr (N == 2)
            out[s] = Element<Op>::combine(v[0], v[1]);
        else if constexpr (InOrder && N == 3)
            out[s] = Element<Op>::combine(Element<Op>::combine(v[0], v[1]), v[2]);
        else if constexpr (N == 3)
            out[s] = Element<Op>::combine(Element<Op>::combine(v[0], v[2]), v[1]);
        else if constexpr (InOrder)
            out[s] = Element<Op>::combine(Element<Op>::combine(Element<Op>::combine(v[0], v[1]), v[2]), v[3]);
        else
            out[s] = Element<Op>::combine(Element<Op>::combine(v[0], v[2]), Element<Op>::combine(v[1], v[3]));
    }
}

/// @return false if there is no loop for that length
template <bc::Op Op, class T, bool InOrder>
bool fold_few(const T* values, std::int64_t segments, std::int64_t length, T* out) {
    switch (length) {
        case 2: fold_few<Op, T, 2, InOrder>(values, segments, out); return true;
        case 3: fold_few<Op, T, 3, InOrder>(values, segments, out); return true;
        case 4: fold_few<Op, T, 4, InOrder>(values, segments, out); return true;
        default: return false;
    }
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
