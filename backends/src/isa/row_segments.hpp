// SPDX-License-Identifier: BSD-3-Clause
// Reductions of many short rows, each along consecutive memory with all lanes of the rule: the lanes of a row lie in
// vectors; what is left of as many rows as a vector has lanes is transposed, and goes on side by side.
#pragma once

#include "isa/leaves.hpp"
#include "reduction_rule.hpp"

#include <cstring>
#include <utility>

namespace xlazy::be {
inline namespace XLAZY_ISA {

/// Are there so few vectors to kMaxLaneValues lanes that it pays?
template <class T>
inline constexpr bool kHasRowSegments =
    (sizeof(T) == 4 || sizeof(T) == 8) && kMaxLaneValues * sizeof(T) <= 8 * kVectorBytes;

template <bc::Op Op, class T>
class RowSegments {
public:
    static constexpr std::int64_t width = kVectorBytes / static_cast<int>(sizeof(T));

    explicit RowSegments(std::int64_t n)
        : n_(n), present_(numbers(std::make_integer_sequence<int, width>{}) < static_cast<Number>(n % width)) {}

    /// Reduces `width` rows of n values. Reads up to a vector behind them.
    void reduce(const T* values, T* out) const {
        Vector<T> rows[width];
        for (std::int64_t row = 0; row < width; ++row) rows[row] = fold_row(values + row * n_);
        transpose<1>(rows);
        for (std::int64_t half = width / 2; half > 0; half /= 2) {
            for (std::int64_t lane = 0; lane < half; ++lane) {
                if (lane + half < n_) rows[lane] = Element<Op>::combine(rows[lane], rows[lane + half]);
            }
        }
        std::memcpy(out, &rows[0], sizeof rows[0]);
    }

private:
    static constexpr std::int64_t lanes = kMaxLaneValues, groups = lanes / width;
    using Number = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

    template <int... J>
    static Vector<Number> numbers(std::integer_sequence<int, J...>) {
        return Vector<Number>{J...};
    }

    /// Only the first `count` values count, all of them if there are more than a vector holds.
    [[gnu::always_inline]] void add(Vector<T>& sum, Vector<T> values, std::int64_t count) const {
        const Vector<T> both = Element<Op>::combine(sum, values);
        if (count >= width)
            sum = both;
        else if (count > 0)
            sum = present_ ? both : sum;
    }

    /// Lanes [0, width) of a row, after all others were folded to them.
    [[gnu::always_inline]] Vector<T> fold_row(const T* values) const {
        Vector<T> sums[groups]{load_vector(values)};
        for (std::int64_t group = 1; group < groups; ++group) {
            if (group * width < n_) sums[group] = load_vector(values + group * width);
        }
        std::int64_t at = lanes;
        for (; at + lanes <= n_; at += lanes) {
            for (std::int64_t group = 0; group < groups; ++group)
                sums[group] = Element<Op>::combine(sums[group], load_vector(values + at + group * width));
        }
        for (std::int64_t group = 0; group < groups; ++group) {
            const std::int64_t first = at + group * width;
            if (first < n_) add(sums[group], load_vector(values + first), n_ - first);
        }
        for (std::int64_t half = groups / 2; half > 0; half /= 2) {
            for (std::int64_t group = 0; group < half; ++group) {
                const std::int64_t first = (group + half) * width;
                if (first < n_) add(sums[group], sums[group + half], n_ - first);
            }
        }
        return sums[0];
    }

    std::int64_t n_;
    Vector<Number> present_;  ///< lanes of a vector that only has n % width values
};

/// @return how many rows it reduced: not the last ones, behind which there is nothing to read
template <bc::Op Op, class T>
std::int64_t reduce_rows(const T* values, std::int64_t count, std::int64_t n, T* out) {
    const RowSegments<Op, T> rows(n);
    constexpr std::int64_t width = RowSegments<Op, T>::width;
    std::int64_t done = 0;
    for (; (count - done - width) * n >= width; done += width) rows.reduce(values + done * n, out + done);
    return done;
}

}  // namespace XLAZY_ISA
}  // namespace xlazy::be
