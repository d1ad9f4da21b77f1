// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "xlazy/optimizer/optimizer.hpp"

namespace xlazy::opt {

/// The passes that really run: mandatory ones always, bits without a pass never. Equal sets make equal plans.
PassSet normalised(PassSet passes) noexcept;

}  // namespace xlazy::opt
