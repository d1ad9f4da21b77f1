// SPDX-License-Identifier: BSD-3-Clause
// Views as the fuzzer sees them, by their elements: slow, and independent of the bytecode's own tests.
#pragma once

#include "xlazy/bytecode/program.hpp"
#include "xlazy/bytecode/structure.hpp"

#include <string_view>
#include <vector>

namespace xlazy::fuzz {

using Shape = std::vector<std::int64_t>;

/// A view that need not be in a program.
struct Window {
    std::uint32_t base = 0;
    std::int64_t offset = 0;
    std::vector<bc::Dim> dims;
};
Window window_of(const bc::Program& program, const bc::View& view);
Shape shape_of(const Window& window);
std::int64_t count_of(const Window& window) noexcept;
std::int64_t count_of(const Shape& shape) noexcept;
/// Row-major strides.
Shape dense_strides(const Shape& shape);
/// Can a value of shape `from` be repeated to `to`?
bool broadcasts(const Shape& from, const Shape& to) noexcept;

/// Calls `visit` with every element's position in the base, row-major.
template <class Visitor>
void for_each_element(const Window& window, Visitor&& visit) {
    if (count_of(window) == 0) return;
    std::vector<std::int64_t> index(window.dims.size(), 0);
    std::int64_t at = window.offset;
    for (;;) {
        visit(at);
        std::size_t axis = window.dims.size();
        for (; axis > 0; --axis) {
            const bc::Dim& dim = window.dims[axis - 1];
            at += dim.stride;
            if (++index[axis - 1] < dim.extent) break;
            at -= dim.stride * dim.extent;
            index[axis - 1] = 0;
        }
        if (axis == 0) return;
    }
}

/// What a view looks like; the first that fits, extents of 1 left out.
enum class ViewKind : std::uint8_t {
    Empty,       ///< no element
    Single,      ///< one element
    Repeat,      ///< a stride of 0
    Reverse,     ///< a negative stride
    Transposed,  ///< strides do not descend
    Step,        ///< innermost stride above 1
    Rows,        ///< dense rows with gaps between them
    Slice,       ///< dense, part of the base
    Whole,       ///< dense, all of the base
    count_
};
std::string_view name_of(ViewKind kind) noexcept;
ViewKind kind_of(const Window& window, std::int64_t base_size);

/// Views of more elements, repeated ones counted each time, are not looked through.
inline constexpr std::int64_t kMaxExactElements = 20000;
/// How two views really lie to each other; Overlap without a look for very large ones that are not Identical.
bc::Relation true_relation(const Window& a, const Window& b);

}  // namespace xlazy::fuzz
