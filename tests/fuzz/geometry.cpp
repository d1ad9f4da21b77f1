// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/geometry.hpp"

#include <algorithm>
#include <unordered_set>

namespace xlazy::fuzz {
namespace {

using bc::Dim;
using bc::Relation;

constexpr std::string_view kNames[] = {"empty", "single", "repeat", "reverse", "transposed",
                                       "step",  "rows",   "slice",  "whole"};

/// The same element at every index, once both are broadcast to a common shape.
bool same_elements(const Window& a, const Window& b) {
    if (a.offset != b.offset) return false;
    const auto dim_from_back = [](const Window& window, std::size_t i) {
        return i < window.dims.size() ? window.dims[window.dims.size() - 1 - i] : Dim{1, 0};
    };
    for (std::size_t i = 0; i < std::max(a.dims.size(), b.dims.size()); ++i) {
        const Dim x = dim_from_back(a, i), y = dim_from_back(b, i);
        if (x.extent != y.extent && x.extent != 1 && y.extent != 1) return false;
        const std::int64_t stride_x = x.extent == 1 ? 0 : x.stride, stride_y = y.extent == 1 ? 0 : y.stride;
        if (stride_x != stride_y) return false;
    }
    return true;
}

}  // namespace

Window window_of(const bc::Program& program, const bc::View& view) {
    const auto dims = program.dims_of(view);
    return {view.base, view.offset, {dims.begin(), dims.end()}};
}

Shape shape_of(const Window& window) {
    Shape shape;
    for (const Dim& dim : window.dims) shape.push_back(dim.extent);
    return shape;
}

std::int64_t count_of(const Window& window) noexcept {
    std::int64_t count = 1;
    for (const Dim& dim : window.dims) count *= dim.extent;
    return count;
}

std::int64_t count_of(const Shape& shape) noexcept {
    std::int64_t count = 1;
    for (std::int64_t extent : shape) count *= extent;
    return count;
}

Shape dense_strides(const Shape& shape) {
    Shape strides(shape.size());
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = stride;
        stride *= shape[axis];
    }
    return strides;
}

bool broadcasts(const Shape& from, const Shape& to) noexcept {
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::int64_t extent = from[from.size() - 1 - i];
        const std::int64_t wanted = i < to.size() ? to[to.size() - 1 - i] : 1;
        if (extent != wanted && extent != 1) return false;
    }
    return from.size() <= to.size();
}

std::string_view name_of(ViewKind kind) noexcept { return kNames[static_cast<std::size_t>(kind)]; }

ViewKind kind_of(const Window& window, std::int64_t base_size) {
    std::vector<Dim> dims;
    for (const Dim& dim : window.dims)
        if (dim.extent != 1) dims.push_back(dim);
    const std::int64_t count = count_of(window);
    if (count == 0) return ViewKind::Empty;
    if (dims.empty()) return ViewKind::Single;
    const auto any = [&](auto test) { return std::any_of(dims.begin(), dims.end(), test); };
    if (any([](const Dim& dim) { return dim.stride == 0; })) return ViewKind::Repeat;
    if (any([](const Dim& dim) { return dim.stride < 0; })) return ViewKind::Reverse;
    for (std::size_t i = 1; i < dims.size(); ++i)
        if (dims[i].stride > dims[i - 1].stride) return ViewKind::Transposed;
    if (dims.back().stride > 1) return ViewKind::Step;
    for (std::size_t i = 1; i < dims.size(); ++i)
        if (dims[i - 1].stride != dims[i].stride * dims[i].extent) return ViewKind::Rows;
    return count == base_size ? ViewKind::Whole : ViewKind::Slice;
}

Relation true_relation(const Window& a, const Window& b) {
    const std::int64_t count_a = count_of(a), count_b = count_of(b);
    if (a.base != b.base || count_a == 0 || count_b == 0) return Relation::Disjoint;
    if (same_elements(a, b)) return Relation::Identical;
    if (count_a > kMaxExactElements || count_b > kMaxExactElements) return Relation::Overlap;
    std::unordered_set<std::int64_t> elements;
    for_each_element(a, [&](std::int64_t at) { elements.insert(at); });
    bool common = false;
    for_each_element(b, [&](std::int64_t at) { common = common || elements.contains(at); });
    return common ? Relation::Overlap : Relation::Disjoint;
}

}  // namespace xlazy::fuzz
