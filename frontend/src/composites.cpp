// SPDX-License-Identifier: BSD-3-Clause
// Element functions of several ops, free of types.
#include "xlazy/detail/composites.hpp"
#include "xlazy/detail/generator.hpp"
#include "xlazy/detail/lowering_reducer.hpp"
#include "xlazy/overlay/xsort.hpp"

namespace xlazy::detail {

Value with_part(rt::Statement& s, Value whole, bool imaginary, Value part) {
    const Value other = s.apply(imaginary ? Op::real : Op::imag, bc::real_of(whole.dtype), whole);
    return imaginary ? s.apply(Op::make_complex, whole.dtype, other, part)
                     : s.apply(Op::make_complex, whole.dtype, part, other);
}

Value record_mixed(rt::Statement& s, Op op, Value a, Value b) {
    const bool real_first = !bc::is_complex(a.dtype);
    const DType type = real_first ? b.dtype : a.dtype;
    if (real_first && op == Op::div) return s.apply(op, type, s.cast(a, type), b);
    const Value z = real_first ? b : a;
    const Value x = real_first ? a : b;
    const DType part = bc::real_of(type);
    const Value re = s.apply(Op::real, part, z);
    Value im = s.apply(Op::imag, part, z);
    if (op == Op::mul || op == Op::div)
        im = s.apply(op, part, im, x);
    else if (real_first && op == Op::sub)
        im = s.apply(Op::neg, part, im);
    return s.apply(Op::make_complex, type, real_first ? s.apply(op, part, x, re) : s.apply(op, part, re, x), im);
}

Value record_power(rt::Statement& statement, Value a, std::size_t exponent, DType narrow, DType result) {
    if (exponent == 1) return a;
    const Value root = statement.cast(record_power(statement, a, exponent / 2, narrow, result), narrow);
    const Value wide = statement.cast(root, result);
    const Value even = statement.apply(Op::mul, result, wide, wide);
    if (exponent % 2 != 0) return statement.apply(Op::mul, result, even, statement.cast(a, result));
    if (bc::info(result).kind != bc::DTypeKind::Complex) return even;
    // xtensor multiplies by 1, which is no identity for complex numbers with infinite parts.
    return statement.apply(Op::mul, result, even, statement.cast(statement.scalar(1.0), result));
}

Value record_clip(rt::Statement& s, Value v, Value low, Value high, DType below, DType above, DType inner,
                  DType result) {
    if (below == result && above == result && inner == result)
        return s.apply(Op::clip, result, s.cast(v, result), s.cast(low, result), s.cast(high, result));
    const Value is_above = s.apply(Op::lt, DType::boolean, s.cast(high, above), s.cast(v, above));
    const Value capped = s.apply(Op::select, inner, is_above, s.cast(high, inner), s.cast(v, inner));
    const Value is_below = s.apply(Op::lt, DType::boolean, s.cast(v, below), s.cast(low, below));
    return s.apply(Op::select, result, is_below, s.cast(low, result), s.cast(capped, result));
}

Value record_nan_to_num(rt::Statement& s, Value x, Value lowest, Value largest) {
    const Value zero = s.cast(s.scalar(0.0), x.dtype);
    const Value is_negative = s.apply(Op::lt, DType::boolean, x, zero);
    const Value finite = s.apply(Op::select, x.dtype, is_negative, lowest, largest);
    const Value bounded = s.apply(Op::select, x.dtype, s.apply(Op::isinf, DType::boolean, x), finite, x);
    return s.apply(Op::select, x.dtype, s.apply(Op::isnan, DType::boolean, x), zero, bounded);
}

Value record_isclose(rt::Statement& s, Value a, Value b, const closeness& how) {
    const auto both = [&](Op op) {
        return s.apply(Op::logical_and, DType::boolean, s.apply(op, DType::boolean, a), s.apply(op, DType::boolean, b));
    };
    const auto magnitude = [&](Value x) { return s.apply(Op::abs, DType::f64, x); };
    const Value distance = magnitude(s.apply(Op::sub, a.dtype, a, b));
    const Value size = s.apply(Op::max, DType::f64, magnitude(a), magnitude(b));
    const Value relative = s.apply(Op::mul, DType::f64, s.scalar(how.rtol), size);
    const Value near =
        s.apply(Op::logical_or, DType::boolean, s.apply(Op::le, DType::boolean, distance, s.scalar(how.atol)),
                s.apply(Op::le, DType::boolean, distance, relative));
    const Value same = s.apply(Op::eq, DType::boolean, a, b);
    const Value unless_nan = s.apply(Op::select, DType::boolean, both(Op::isinf), same, near);
    return s.apply(Op::select, DType::boolean, both(Op::isnan), s.scalar(how.equal_nan), unless_nan);
}

Value reduce_numbers(rt::Statement& s, Op op, Value value, std::uint32_t axes, bool keep_dims) {
    const auto number = [&](double x) { return s.cast(s.scalar(x), value.dtype); };
    const bool extreme = op == Op::amin || op == Op::amax;
    const bool nothing = reduces_nothing(s, value, axes);
    const Value undefined = number(std::numeric_limits<double>::quiet_NaN());
    if (extreme && nothing) return s.apply(Op::add, value.dtype, s.reduce(Op::sum, value, axes, keep_dims), undefined);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double neutral = op == Op::amin ? kInfinity : op == Op::amax ? -kInfinity : op == Op::sum ? 0.0 : 1.0;
    const Value is_nan = s.apply(Op::isnan, DType::boolean, value);
    const Value numbers = s.apply(Op::select, value.dtype, is_nan, number(neutral), value);
    const Value result = s.reduce(op, numbers, axes, keep_dims);
    if (!extreme) return result;
    return s.apply(Op::select, value.dtype, s.reduce(Op::amin, is_nan, axes, keep_dims), undefined, result);
}

Value record_position(rt::Statement& s, Op extreme, Value value, std::size_t axis) {
    const std::size_t rank = s.rank_of(value);
    std::size_t extents[bc::kMaxRank];
    for (std::size_t i = 0; i < rank; ++i) extents[i] = static_cast<std::size_t>(s.extent_of(value, i));
    check_reduced_extents(extreme, s, value, 1u << axis, true);
    Value found = s.apply(Op::eq, DType::boolean, value, s.reduce(extreme, value, 1u << axis, true));
    if (bc::is_float(value.dtype)) {
        found = s.apply(Op::logical_or, DType::boolean, found, s.apply(Op::isnan, DType::boolean, value));
    }
    const Value none = s.scalar(static_cast<std::int64_t>(extents[axis]));
    const Value position = s.apply(Op::select, DType::i64, found, s.index(axis, rank, extents), none);
    return s.cast(s.reduce(Op::amin, position, 1u << axis, false), DType::u64);
}

Value record_diagonal(rt::Statement& s, std::size_t rank, const std::size_t* extents, std::int64_t k) {
    if (rank < 2) throw std::runtime_error("eye needs two axes");
    const Value row = s.apply(Op::add, DType::i64, s.index(rank - 2, rank, extents), s.scalar(k));
    return s.apply(Op::eq, DType::boolean, s.index(rank - 1, rank, extents), row);
}

}  // namespace xlazy::detail
