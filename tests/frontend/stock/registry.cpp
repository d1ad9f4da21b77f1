// SPDX-License-Identifier: BSD-3-Clause
// The one symbol that the library of programs compiled against xtensor alone gives out.
#include "../programs/result.hpp"

namespace programs {

const std::vector<Program>& stock_registry() { return registry(); }

}  // namespace programs
