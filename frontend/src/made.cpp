// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/detail/made.hpp"

#include <algorithm>
#include <stdexcept>

namespace xlazy::detail {

window take_part(window& rest, std::size_t axis, std::size_t extent, bool single) {
    window part = rest;
    rest.offset += static_cast<std::int64_t>(extent) * rest.strides[axis];
    if (single) {
        std::copy(rest.extents + axis + 1, rest.extents + rest.rank, part.extents + axis);
        std::copy(rest.strides + axis + 1, rest.strides + rest.rank, part.strides + axis);
        --part.rank;
    } else {
        part.extents[axis] = extent;
    }
    return part;
}

window diagonal_of(const window& whole, std::int64_t offset, std::size_t axis_1, std::size_t axis_2) {
    if (axis_1 >= whole.rank || axis_2 >= whole.rank || axis_1 == axis_2) {
        throw std::runtime_error("a diagonal needs two different axes of the array");
    }
    window result{whole.base, whole.offset, 0, {}, {}};
    for (std::size_t i = 0; i < whole.rank; ++i) {
        if (i != axis_1 && i != axis_2) result.add(whole.extents[i], whole.strides[i]);
    }
    auto rows = static_cast<std::int64_t>(whole.extents[axis_1]);
    auto columns = static_cast<std::int64_t>(whole.extents[axis_2]);
    (offset >= 0 ? columns : rows) -= offset >= 0 ? offset : -offset;
    const std::int64_t count = std::max<std::int64_t>(std::min(rows, columns), 0);
    if (count != 0) result.offset += offset >= 0 ? offset * whole.strides[axis_2] : -offset * whole.strides[axis_1];
    result.add(static_cast<std::size_t>(count), whole.strides[axis_1] + whole.strides[axis_2]);
    return result;
}

window repeated_along(const window& vector, std::size_t axis, std::size_t rank, const std::size_t* extents) {
    if (vector.rank != 1) throw std::runtime_error("a grid is made of arrays with one axis");
    window result{vector.base, vector.offset, 0, {}, {}};
    for (std::size_t i = 0; i < rank; ++i) result.add(extents[i], i == axis ? vector.strides[0] : 0);
    return result;
}

Value record_triangle(rt::Statement& statement, Value value, Value zero, std::int64_t k, bool lower) {
    const std::size_t rank = statement.rank_of(value);
    if (rank < 2) throw std::runtime_error("a triangle is a part of an array with two axes or more");
    std::size_t extents[bc::kMaxRank];
    for (std::size_t i = 0; i < rank; ++i) extents[i] = static_cast<std::size_t>(statement.extent_of(value, i));
    const Value row = statement.index(0, rank, extents);
    const Value column = statement.index(1, rank, extents);
    const Value shifted = statement.apply(Op::add, DType::i64, row, statement.scalar(k));
    const Value keep = statement.apply(lower ? Op::ge : Op::le, DType::boolean, shifted, column);
    return statement.apply(Op::select, value.dtype, keep, value, zero);
}

}  // namespace xlazy::detail
