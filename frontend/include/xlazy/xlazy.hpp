// SPDX-License-Identifier: BSD-3-Clause
/// For programs written for xlazy: xlazy::xarray and xlazy::xtensor, and xtensor's other names in namespace xlazy,
/// beside an untouched namespace xt. (Unmodified xtensor programs need no header of ours, see xlazy-c++ and
/// xlazy/dropin.hpp.)
#pragma once

#include "xlazy/capture.hpp"
#include "xlazy/detail/all_headers.hpp"
#include "xlazy/load.hpp"
#include "xlazy/names.hpp"
#include "xlazy/runtime.hpp"
