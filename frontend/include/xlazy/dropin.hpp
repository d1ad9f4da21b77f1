// SPDX-License-Identifier: BSD-3-Clause
/// Makes an unmodified xtensor program lazy without the wrapper headers: compile it with `-include xlazy/dropin.hpp`.
/// It brings the whole of xtensor; macros that configure xtensor must be given on the command line.
#pragma once

#if !__has_include(<xlazy/wrappers_on_path.hpp>)
#ifndef XLAZY_DROPIN
#define XLAZY_DROPIN
#endif
#include "xlazy/detail/all_headers.hpp"
#endif

#include "xlazy/runtime.hpp"
