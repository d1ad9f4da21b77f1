// SPDX-License-Identifier: BSD-3-Clause
// What we add to those headers of xtensor that have been included so far (no include guard: there may be more by now).
#ifdef XTENSOR_VIEW_HPP
#include "xlazy/overlay/xview.hpp"
#endif
#ifdef XTENSOR_NOALIAS_HPP
#include "xlazy/overlay/xnoalias.hpp"
#endif
#ifdef XTENSOR_INDEX_VIEW_HPP
#include "xlazy/overlay/xindex_view.hpp"
#endif
#ifdef XTENSOR_COMPLEX_HPP
#include "xlazy/overlay/xcomplex.hpp"
#endif
#ifdef XTENSOR_XMASKED_VIEW_HPP
#include "xlazy/overlay/xmasked_view.hpp"
#endif
#ifdef XTENSOR_DYNAMIC_VIEW_HPP
#include "xlazy/overlay/xdynamic_view.hpp"
#endif
#ifdef XLINALG_HPP
#include "xlazy/overlay/xlinalg.hpp"
#endif
#ifdef XTENSOR_RANDOM_HPP
#include "xlazy/overlay/xrandom.hpp"
#endif
#ifdef XTENSOR_SORT_HPP
#include "xlazy/overlay/xsort.hpp"
#endif
#ifdef XTENSOR_XSET_OPERATION_HPP
#include "xlazy/overlay/xset_operation.hpp"
#endif
#ifdef XTENSOR_OPTIONAL_HPP
#include "xlazy/overlay/xoptional.hpp"
#endif
#ifdef XTENSOR_IO_HPP
#include "xlazy/overlay/xio.hpp"
#endif
#ifdef XTENSOR_NPY_HPP
#include "xlazy/overlay/xnpy.hpp"
#endif
#ifdef XTENSOR_NORM_HPP
#include "xlazy/overlay/xnorm.hpp"
#endif
#ifdef XTENSOR_XBLOCKWISE_REDUCER_HPP
#include "xlazy/overlay/xblockwise_reducer.hpp"
#endif
#ifdef XTENSOR_PAD_HPP
#include "xlazy/overlay/xpad.hpp"
#endif
#ifdef XTENSOR_AXIS_SLICE_ITERATOR_HPP
#include "xlazy/overlay/xaxis_slice_iterator.hpp"
#endif
