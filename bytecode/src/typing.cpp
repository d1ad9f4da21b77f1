// SPDX-License-Identifier: BSD-3-Clause
#include "typing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace xlazy::bc {

Shape shape_from(std::span<const std::int64_t> extents) noexcept {
    Shape shape;
    for (const std::int64_t extent : extents) shape.extents[shape.rank++] = extent;
    return shape;
}

Shape shape_from(std::span<const Dim> dims) noexcept {
    Shape shape;
    for (const Dim& dim : dims) shape.extents[shape.rank++] = dim.extent;
    return shape;
}

Shape reduced(const Shape& shape, unsigned axis, bool keep) noexcept {
    Shape left;
    for (unsigned i = 0; i < shape.rank; ++i) {
        if (i != axis)
            left.extents[left.rank++] = shape.extents[i];
        else if (keep)
            left.extents[left.rank++] = 1;
    }
    return left;
}

bool broadcasts(const Shape& from, const Shape& to) noexcept {
    if (from.rank > to.rank) return false;
    const std::int64_t* const tail = to.extents + (to.rank - from.rank);
    return std::equal(from.extents, from.extents + from.rank, tail,
                      [](std::int64_t a, std::int64_t b) { return a == b || a == 1; });
}

bool same_but_leading_ones(const Shape& a, const Shape& b) noexcept {
    const Shape& longer = a.rank < b.rank ? b : a;
    const Shape& shorter = a.rank < b.rank ? a : b;
    const unsigned extra = longer.rank - shorter.rank;
    return std::all_of(longer.extents, longer.extents + extra, [](std::int64_t extent) { return extent == 1; }) &&
           std::equal(shorter.extents, shorter.extents + shorter.rank, longer.extents + extra);
}

std::string to_string(const Shape& shape) { return fmt::format("({})", fmt::join(shape.span(), ",")); }

namespace {

std::string type_fault(Op op, DType type, DType result) {
    if (!accepts(op, type)) return fmt::format("{} does not take {}", name_of(op), name_of(type));
    const DType implied = result_of(op, type);
    const DType expected = implied == DType::none ? result : implied;
    if (result != expected || !info(result).enabled) {
        return fmt::format("{}.{} does not give {}", name_of(op), name_of(type), name_of(result));
    }
    return {};
}

std::string flags_fault(Op op, DType type, unsigned flags) {
    const bool keep = (flags & Instruction::kKeepAxis) != 0;
    const bool masked = (flags & Instruction::kMasked) != 0;
    if ((flags & ~unsigned{Instruction::kKeepAxis | Instruction::kMasked}) != 0) return "unknown flags";
    if (keep && info(op).kind != OpKind::Reduce) return "only reductions keep an axis";
    if (masked && (!can_fail(op, type) || info(op).kind == OpKind::Library))
        return fmt::format("{}.{} takes no mask", name_of(op), name_of(type));
    return {};
}

std::string axis_fault(Op op, unsigned axis, const Shape& domain) {
    if (!has_axis(op)) return axis == 0 ? "" : "an axis where none belongs";
    if (op == Op::in_range) return axis < kMaxRank ? "" : fmt::format("axis {} of an array", axis);
    if (info(op).kind == OpKind::Library) return domain.rank == 0 ? "" : "a library call over a domain";
    if (axis >= domain.rank) return fmt::format("axis {} of a domain of rank {}", axis, domain.rank);
    if (info(op).kind == OpKind::Reduce && identity_of(op) == Identity::None && domain.extents[axis] == 0 &&
        element_count(reduced(domain, axis, false).span()) != 0) {
        return fmt::format("{} of an empty axis has no value", name_of(op));
    }
    return {};
}

}  // namespace

std::string operation_fault(Op op, DType type, DType result, unsigned flags, unsigned axis, const Shape& domain) {
    if (static_cast<std::size_t>(op) >= kOpCount) return "unknown op";
    if (type >= DType::none || result >= DType::none) return "unknown type";
    std::string fault = type_fault(op, type, result);
    if (fault.empty()) fault = flags_fault(op, type, flags);
    if (fault.empty()) fault = axis_fault(op, axis, domain);
    return fault;
}

}  // namespace xlazy::bc
