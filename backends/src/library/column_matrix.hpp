// SPDX-License-Identifier: BSD-3-Clause
// A matrix as LAPACK has them: columns one after the other.
#pragma once

#include "library/library.hpp"

#include <algorithm>
#include <limits>

namespace xlazy::be {

/// @throws std::runtime_error for matrices beyond LAPACK's 32-bit extents
inline int to_int(std::int64_t extent) {
    if (extent > std::numeric_limits<int>::max()) throw std::runtime_error("an extent that LAPACK cannot take");
    return static_cast<int>(extent);
}

template <class T>
class ColumnMatrix {
public:
    ColumnMatrix(int row_count, int column_count)
        : rows(row_count),
          columns(column_count),
          leading(std::max(rows, 1)),
          values_(static_cast<std::size_t>(leading) * static_cast<std::size_t>(columns)) {}
    /// A copy of a matrix or a vector; of so many rows, more than it has, if `most_rows` says so.
    explicit ColumnMatrix(const ArrayWindow& window, int most_rows = 0)
        : ColumnMatrix(std::max(most_rows, to_int(window.dims.front().extent)),
                       window.dims.size() == 1 ? 1 : to_int(window.dims.back().extent)) {
        const auto* const from = reinterpret_cast<const T*>(window.start);
        const bc::Dim down = window.dims.front();
        const std::int64_t across = window.dims.size() == 1 ? 0 : window.dims.back().stride;
        for (int column = 0; column < columns; ++column) {
            for (int row = 0; row < down.extent; ++row) at(row, column) = from[row * down.stride + column * across];
        }
    }

    T* data() noexcept { return values_.data(); }
    T& at(int row, int column) noexcept {
        return values_[static_cast<std::size_t>(column) * static_cast<std::size_t>(leading) +
                       static_cast<std::size_t>(row)];
    }
    /// Row by row, the first `row_count` rows. @return the end
    T* put(T* to, int row_count) noexcept {
        for (int row = 0; row < row_count; ++row) {
            for (int column = 0; column < columns; ++column) *to++ = at(row, column);
        }
        return to;
    }
    T* put(T* to) noexcept { return put(to, rows); }

    const int rows, columns, leading;

private:
    std::vector<T> values_;
};

/// Calls a routine twice: for the size of its work space, and with that.
template <class T, class F>
int with_work(F&& routine) {
    T wanted{};
    int ask = -1, info = 0;
    routine(&wanted, &ask, &info);
    int size = std::max(1, static_cast<int>(std::real(wanted)));
    std::vector<T> work(static_cast<std::size_t>(size));
    routine(work.data(), &size, &info);
    return info;
}

}  // namespace xlazy::be
