// SPDX-License-Identifier: BSD-3-Clause
// xlazy::linalg: linear algebra under the names of xtensor-blas, recorded. In a drop-in build xtensor-blas's own header
// is the one to include, and these are its functions. BLAS and LAPACK are loaded at the first use.
#pragma once

#include "xlazy/xlazy.hpp"

#include "xlazy/overlay/xlinalg.hpp"
