// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "programs/result.hpp"

namespace programs {

/// Fails the current test where `got` is not what xtensor alone has made.
void expect_agreement(const Result& got, const Result& want);

}  // namespace programs
