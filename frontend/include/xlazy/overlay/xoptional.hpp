// SPDX-License-Identifier: BSD-3-Clause
// Arrays of ours among optional ones.
#pragma once

#include "xlazy/detail/tag.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xoptional.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xt::detail {

template <class T>
struct split_optional_expression_impl<T, xlazy::detail::lazy_tag>
    : split_optional_expression_impl<T, xtensor_expression_tag> {};

}  // namespace xt::detail
