// SPDX-License-Identifier: BSD-3-Clause
// Rules that instructions and micro-ops share.
#pragma once

#include "xlazy/bytecode/plan.hpp"

#include <string>

namespace xlazy::bc {

/// A shape of at most kMaxRank axes, by value.
using Shape = ScratchShape;

Shape shape_from(std::span<const std::int64_t> extents) noexcept;
Shape shape_from(std::span<const Dim> dims) noexcept;
/// The shape that is left of a reduction along `axis`.
Shape reduced(const Shape& shape, unsigned axis, bool keep) noexcept;
/// Repeating axes of extent 1 and adding axes in front makes `from` to `to`.
bool broadcasts(const Shape& from, const Shape& to) noexcept;
/// The same but for extents of 1 in front.
bool same_but_leading_ones(const Shape& a, const Shape& b) noexcept;
std::string to_string(const Shape& shape);

/// Is the op legal with these types, flags and axis over a domain of this shape?
/// @return the empty string, or what is wrong
std::string operation_fault(Op op, DType type, DType result, unsigned flags, unsigned axis, const Shape& domain);

/// Does a base have a value (at its start, or because something before wrote to it)?
class ValueTracker {
public:
    explicit ValueTracker(const Program& program) : program_(program), has_value_(program.bases.size()) {
        for (std::size_t i = 0; i < has_value_.size(); ++i) has_value_[i] = program.bases[i].initialised;
    }
    void write(std::uint32_t view) { has_value_[program_.views[view].base] = true; }
    /// A view without elements can always be read.
    bool readable(std::uint32_t view) const {
        return has_value_[program_.views[view].base] || interval_of(program_, view).empty();
    }

private:
    const Program& program_;
    std::vector<bool> has_value_;
};

}  // namespace xlazy::bc
