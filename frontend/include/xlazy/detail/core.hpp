// SPDX-License-Identifier: BSD-3-Clause
// What every program needs: the containers, their expressions, and the functions that xtensor/xarray.hpp brings along.
#pragma once

#include "xlazy/detail/wrappers.hpp"
#include "xlazy/detail/lowering_reducer.hpp"
#include "xlazy/detail/generator.hpp"
#include "xlazy/overlay/xbuilder.hpp"
#include "xlazy/overlay/xeval.hpp"
#include "xlazy/overlay/xmanipulation.hpp"
#include "xlazy/overlay/xmath.hpp"
#include "xlazy/overlay/xoperation.hpp"
#include "xlazy/overlay/xreducer.hpp"
#include "xlazy/overlay/xstrided_view.hpp"

#include "xlazy/runtime.hpp"

#ifdef XLAZY_DROPIN
namespace xt {
using xlazy::xarray;
using xlazy::xtensor;
}  // namespace xt
#endif
