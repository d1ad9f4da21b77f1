// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/detail/linalg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::detail {

void extents_list::add(std::size_t extent) {
    check_rank(rank + 1);
    extents[rank++] = extent;
}

std::size_t extents_list::count() const noexcept {
    std::size_t count = 1;
    for (std::size_t i = 0; i < rank; ++i) count *= extents[i];
    return count;
}

void check_matrix(const window& a, const char* function) {
    if (a.rank != 2)
        throw_statement_error(fmt::format("{}: a matrix is needed, not an array of rank {}", function, a.rank));
}

void check_square(const window& a, const char* function) {
    check_matrix(a, function);
    if (a.extents[0] == a.extents[1]) return;
    throw_statement_error(
        fmt::format("{}: a square matrix is needed, not ({},{})", function, a.extents[0], a.extents[1]));
}

window permuted(const window& a, const std::size_t* axes, std::size_t count) {
    window result{a.base, a.offset, 0, {}, {}};
    for (std::size_t i = 0; i < count; ++i) result.add(a.extents[axes[i]], a.strides[axes[i]]);
    return result;
}

window transposed(const window& a) {
    constexpr std::size_t kExchanged[] = {1, 0};
    return permuted(a, kExchanged, 2);
}

window reshaped(const window& dense, const extents_list& shape) {
    window result{dense.base, dense.offset, shape.rank, {}, {}};
    std::ptrdiff_t stride = 1;
    for (std::size_t axis = shape.rank; axis-- > 0;) {
        result.extents[axis] = shape.extents[axis];
        result.strides[axis] = stride;
        stride *= static_cast<std::ptrdiff_t>(shape.extents[axis]);
    }
    return result;
}

Value record_call(rt::Statement& statement, Op op, DType result, const extents_list& shape,
                  std::initializer_list<window> in, std::size_t axis) {
    const auto load = [&](std::size_t i) { return statement.load((in.begin() + i)->ref()); };
    switch (in.size()) {
        case 1: return statement.call(op, result, shape.rank, shape.extents, {load(0)}, axis);
        case 2: return statement.call(op, result, shape.rank, shape.extents, {load(0), load(1)}, axis);
        default: return statement.call(op, result, shape.rank, shape.extents, {load(0), load(1), load(2)}, axis);
    }
}

Value record_product_of_elements(rt::Statement& statement, window a, window b, bool outer) {
    if (outer) a.add(1, 0);
    const Value first = statement.load(a.ref());
    return statement.apply(Op::mul, first.dtype, first, statement.load(b.ref()));
}

Value record_norm_sum(rt::Statement& s, const window& a, double order, std::uint32_t axes) {
    const Value value = s.load(a.ref());
    const DType real = bc::real_of(value.dtype);
    Value term;
    if (order == 0) {
        const Value zero = s.cast(s.scalar(0.0), value.dtype);
        term = s.cast(s.apply(Op::ne, DType::boolean, value, zero), real);
    } else if (order == 2 && bc::is_complex(value.dtype)) {
        term = s.apply(Op::norm, real, value);
    } else {
        const Value magnitude = s.apply(Op::abs, real, value);
        term = order == 1   ? magnitude
               : order == 2 ? s.apply(Op::mul, real, magnitude, magnitude)
                            : s.apply(Op::pow, real, magnitude, s.cast(s.scalar(order), real));
    }
    return s.reduce(Op::sum, term, axes, false);
}

}  // namespace xlazy::detail
