// SPDX-License-Identifier: BSD-3-Clause
// For tests alone: what happens when a pass is wrong.
#pragma once

#include "draft.hpp"

#include <string_view>

namespace xlazy::opt {

/// Called after every pass that ran, before its result is checked, with the right to spoil it; null: nobody is. Not
/// while another thread plans.
extern void (*pass_hook)(std::string_view pass, Draft& draft);

}  // namespace xlazy::opt
