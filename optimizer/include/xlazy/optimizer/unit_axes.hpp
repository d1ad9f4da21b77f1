// SPDX-License-Identifier: BSD-3-Clause
// Shapes that differ in axes of extent 1 alone become one.
//
//     row = view(a, range(0, 1), all()) * 2;      shape (1,n)
//     sum = row + b;                              b has shape (n), sum (1,n)
//     b2 = sqrt(b);                               (n)
// Instructions share a kernel by the number of their domain, and (1,n) is not (n), though both are the same loop. So
// the batch is planned and run without such axes, where that makes two of its domains equal. Row-major positions stay
// what they are, and so do instructions, temporaries, scalars and bases.
#pragma once

#include "xlazy/bytecode/program.hpp"

#include <optional>

namespace xlazy::opt {

/// The batch without axes of extent 1, as far as that makes domains of it equal; nothing if there are none such. Views
/// and domains of the batch keep their numbers, new ones follow. An axis stays where something is reduced, scanned or
/// numbered along it, or where a temporary is broadcast so that the axis tells which others it lies along.
std::optional<bc::Program> without_unit_axes(const bc::Program& batch);

}  // namespace xlazy::opt
