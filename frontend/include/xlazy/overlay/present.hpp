// SPDX-License-Identifier: BSD-3-Clause
// What we add to those headers of xtensor that have been included so far (no include guard: there may be more by now).
#ifdef XTENSOR_VIEW_HPP
#include "xlazy/overlay/xview.hpp"
#endif
