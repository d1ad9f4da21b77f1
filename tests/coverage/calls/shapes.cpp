// SPDX-License-Identifier: BSD-3-Clause
// Views, slices and shapes.
#include "../call.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xdynamic_view.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xpad.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

namespace {
using Shape = std::vector<std::size_t>;
using Widths = std::vector<std::vector<std::size_t>>;
}  // namespace

CALL(xmanipulation, atleast_1d, "atleast_1d") { out(xt::atleast_1d(in.x)); }
CALL(xmanipulation, atleast_2d, "atleast_2d") { out(xt::atleast_2d(in.x)); }
CALL(xmanipulation, atleast_3d, "atleast_3d") { out(xt::atleast_3d(in.a)); }
CALL(xmanipulation, atleast_Nd, "atleast_Nd") { out(xt::atleast_Nd<4>(in.a)); }
CALL(xmanipulation, expand_dims, "expand_dims") { out(xt::expand_dims(in.a, 1)); }
CALL(xmanipulation, flatnonzero, "flatnonzero") {
    const auto found = xt::flatnonzero<xt::layout_type::row_major>(in.m);
    out(xt::adapt(found, Shape{found.size()}));
}
CALL(xmanipulation, flatten, "flatten") { out(xt::flatten(in.a)); }
CALL(xmanipulation, ravel, "ravel") { out(xt::ravel(in.cube)); }
CALL(xmanipulation, ravel_columns, "ravel") { out(xt::ravel<xt::layout_type::column_major>(in.a)); }
CALL(xmanipulation, flip, "flip") { out(xt::flip(in.a, 1)); }
CALL(xmanipulation, flip_all, "flip") { out(xt::flip(in.cube)); }
CALL(xmanipulation, rot90, "rot90") { out(xt::rot90(in.a)); }
CALL(xmanipulation, rot90_twice, "rot90") { out(xt::rot90<2>(in.a)); }
CALL(xmanipulation, rot90_back, "rot90") { out(xt::rot90<-1>(in.cube, {1, 2})); }
CALL(xmanipulation, roll, "roll") { out(xt::roll(in.a, 5)); }
CALL(xmanipulation, roll_axis, "roll") { out(xt::roll(in.a, -1, 1)); }
CALL(xmanipulation, roll_expression, "roll") { out(xt::roll(in.a * in.b, 2, 0) + 1.); }
CALL(xmanipulation, repeat, "repeat") { out(xt::repeat(in.a, 3, 1)); }
CALL(xmanipulation, repeat_each, "repeat") { out(xt::repeat(in.a, {2, 0, 1}, 0)); }
CALL(xmanipulation, split, "split") {
    for (const auto& part : xt::split(in.a, 2, 1)) out(part);
}
CALL(xmanipulation, hsplit, "hsplit") {
    for (const auto& part : xt::hsplit(in.a, 4)) out(part);
}
CALL(xmanipulation, vsplit, "vsplit") {
    for (const auto& part : xt::vsplit(in.a, 3)) out(part);
}
CALL(xmanipulation, squeeze, "squeeze") { out(xt::squeeze(xt::expand_dims(in.a, 0))); }
CALL(xmanipulation, squeeze_axis, "squeeze") { out(xt::squeeze(xt::view(in.cube, xt::range(1, 2)), 0)); }
CALL(xmanipulation, transpose, "transpose") { out(xt::transpose(in.a)); }
CALL(xmanipulation, transpose_axes, "transpose") { out(xt::transpose(in.cube, {2, 0, 1})); }
CALL(xmanipulation, transpose_expression, "transpose") { out(xt::transpose(in.a + in.b) * 2.); }
CALL(xmanipulation, trim_zeros, "trim_zeros") { out(xt::trim_zeros(xt::clip(in.s, 0., 3.))); }

CALL(xpad, pad, "pad") { out(xt::pad(in.a, Widths{{1, 2}, {0, 3}}, xt::pad_mode::constant, 7.)); }
CALL(xpad, pad_wrap, "pad") { out(xt::pad(in.a, Widths{{1, 2}, {0, 3}}, xt::pad_mode::wrap)); }
CALL(xpad, pad_periodic, "pad") { out(xt::pad(in.a, 2, xt::pad_mode::periodic)); }
CALL(xpad, pad_symmetric, "pad") { out(xt::pad(in.a, Widths{{1, 2}, {0, 3}}, xt::pad_mode::symmetric)); }
CALL(xpad, pad_reflect, "pad") { out(xt::pad(in.a, Widths{{1, 2}, {2, 3}}, xt::pad_mode::reflect)); }
CALL(xpad, pad_expression, "pad") { out(xt::pad(in.a * 2., 1) + 1.); }
CALL(xpad, tile, "tile") { out(xt::tile(in.a, {2, 3})); }
CALL(xpad, tile_all, "tile") { out(xt::tile(in.a, Shape{3, 1})); }
CALL(xpad, tile_once, "tile") { out(xt::tile(in.x, 2)); }

CALL(xview, view, "view") { out(xt::view(in.a, xt::range(0, 2), 1)); }
CALL(xview, view_target, "view") {
    xt::view(in.a, xt::all(), xt::range(0, 4, 2)) = xt::view(in.b, xt::all(), xt::range(1, 3));
    out(in.a);
}
CALL(xview, row, "row") { out(xt::row(in.a, 1)); }
CALL(xview, col, "col") { out(xt::col(in.a, -1)); }
CALL(xslice, all, "all") { out(xt::view(in.cube, 1, xt::all(), 2)); }
CALL(xslice, range, "range") { out(xt::view(in.a, xt::all(), xt::range(3, 0, -1))); }
CALL(xslice, range_open, "range") { out(xt::view(in.a, xt::range(1, xt::xnone()), xt::range(-3, -1))); }
CALL(xslice, xnone, "xnone") { out(xt::view(in.x, xt::range(xt::xnone(), xt::xnone(), -2))); }
CALL(xslice, newaxis, "newaxis") { out(xt::view(in.x, xt::newaxis(), xt::all())); }
CALL(xslice, ellipsis, "ellipsis") { out(xt::strided_view(in.cube, {xt::ellipsis(), 1})); }
CALL(xslice, keep, "keep") { out(xt::view(in.a, xt::keep(2, 0), xt::all())); }
CALL(xslice, keep_target, "keep") {
    xt::view(in.a, xt::keep(2, 0), xt::keep(1, 3)) = in.four(0);
    out(in.a);
}
CALL(xslice, drop, "drop") { out(xt::view(in.a, xt::all(), xt::drop(1))); }
CALL(xstrided_view, strided_view, "strided_view") {
    out(xt::strided_view(in.cube, {1, xt::ellipsis(), xt::range(0, 3, 2)}));
}
CALL(xstrided_view, strided_view_strides, "strided_view") {
    out(xt::strided_view(in.x, Shape{3, 2}, std::vector<std::ptrdiff_t>{4, 1}, 1));
}
CALL(xstrided_view, strided_view_target, "strided_view") {
    xt::strided_view(in.a, {xt::all(), 2}) = 4.;
    out(in.a);
}
CALL(xstrided_view, reshape_view, "reshape_view") { out(xt::reshape_view(in.a, {2, 6})); }
CALL(xstrided_view, reshape_view_expression, "reshape_view") { out(xt::reshape_view(in.a + in.b, {6, 2})); }
CALL(xdynamic_view, dynamic_view, "dynamic_view") { out(xt::dynamic_view(in.a, {1, xt::range(1, 4)})); }
CALL(xdynamic_view, dynamic_view_keep, "dynamic_view") {
    out(xt::dynamic_view(in.a, {xt::keep(0, 2), xt::range(0, 4, 2)}));
}
CALL(xdynamic_view, dynamic_view_target, "dynamic_view") {
    xt::dynamic_view(in.a, {xt::all(), xt::drop(1)}) = 3.;
    out(in.a);
}
