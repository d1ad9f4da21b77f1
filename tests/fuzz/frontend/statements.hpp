// SPDX-License-Identifier: BSD-3-Clause
// The statements of level C. Ordinary xtensor source, compiled twice: XLAZY_FUZZ_LIBRARY is `lazy` with the wrapper
// headers, `stock` without. No operation here is undefined in stock: denominators are not 0, casts fit.
#pragma once

#include "fuzz/frontend/world.hpp"

namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY {

struct Statement {
    const char* name;
    void (*run)(World&);
};
std::vector<Statement> value_statements();   ///< elementwise, types, masks
std::vector<Statement> array_statements();   ///< views, broadcasting, reductions, whole arrays, the host
std::vector<Statement> layout_statements();  ///< layouts, left sides, picks, memory of the user's
std::vector<Statement> type_statements();    ///< every element type

}  // namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY
