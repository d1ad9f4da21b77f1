// SPDX-License-Identifier: BSD-3-Clause
// Complex and optional values, arrays in chunks, iterators over slices.
#include "../call.hpp"

#include <xtensor/xaxis_iterator.hpp>
#include <xtensor/xaxis_slice_iterator.hpp>
#include <xtensor/xchunked_array.hpp>
#include <xtensor/xchunked_view.hpp>
#include <xtensor/xcomplex.hpp>
#include <xtensor/xoptional.hpp>
#include <xtensor/xoptional_assembly.hpp>

namespace {
using Shape = std::vector<std::size_t>;
}

CALL(xcomplex, real, "real") { out(xt::real(in.c)); }
CALL(xcomplex, imag, "imag") { out(xt::imag(in.c)); }
CALL(xcomplex, imag_target, "imag") {
    xt::imag(in.c) = in.p;
    out(in.c);
}
CALL(xcomplex, real_expression, "real") { out(xt::real(in.c * in.d)); }
CALL(xcomplex, conj, "conj") { out(xt::conj(in.c)); }
CALL(xcomplex, norm, "norm") { out(xt::norm(in.c)); }
CALL(xcomplex, arg, "arg") { out.ulps(xt::arg(in.c)); }
CALL(xcomplex, angle, "angle") { out.ulps(xt::angle(in.c)); }
CALL(xcomplex, angle_degrees, "angle") { out.ulps(xt::angle(in.c, true)); }
CALL(xoptional, has_value, "has_value") { out(xt::has_value(in.a)); }
CALL(xoptional, value, "value") { out(xt::value(in.a)); }
CALL(xoptional, sign, "sign") {
    xt::xarray_optional<double> optional = {{-1.5, xtl::missing<double>()}};
    out(xt::value(xt::sign(optional)));
}
CALL(xslice, value, "value") { out(xt::view(in.x, 3)); }
CALL(xchunked_array, chunked_array, "chunked_array") {
    auto chunked = xt::chunked_array<double>(Shape{3, 4}, Shape{2, 2});
    chunked = in.a + in.b;
    out(chunked);
}
CALL(xchunked_array, chunked_array_of, "chunked_array") {
    auto chunked = xt::chunked_array(in.a * 2., Shape{2, 2});
    out(chunked);
}
CALL(xchunked_view, as_chunked, "as_chunked") {
    auto chunks = xt::as_chunked(in.a, Shape{2, 2});
    for (auto it = chunks.chunk_begin(); it != chunks.chunk_end(); ++it) *it += 1.;
    out(in.a);
}
CALL(xaxis_iterator, axis_begin, "axis_begin") {
    for (auto it = xt::axis_begin(in.a); it != xt::axis_end(in.a); ++it) out(*it);
}
CALL(xaxis_iterator, axis_end, "axis_end") { out(xt::axis_end(in.a, 1) == xt::axis_begin(in.a, 1)); }
CALL(xaxis_iterator, equal, "operator==") { out(xt::axis_begin(in.a, 1) == xt::axis_begin(in.a, 1)); }
CALL(xaxis_iterator, not_equal, "operator!=") { out(xt::axis_begin(in.a, 1) != xt::axis_end(in.a, 1)); }
CALL(xaxis_slice_iterator, axis_slice_begin, "axis_slice_begin") {
    for (auto it = xt::axis_slice_begin(in.a, 1); it != xt::axis_slice_end(in.a, 1); ++it) out(*it);
}
CALL(xaxis_slice_iterator, axis_slice_end, "axis_slice_end") {
    out(xt::axis_slice_end(in.a, 1) == xt::axis_slice_begin(in.a, 1));
}
CALL(xaxis_slice_iterator, equal, "operator==") { out(xt::axis_slice_begin(in.a, 1) == xt::axis_slice_begin(in.a, 1)); }
CALL(xaxis_slice_iterator, not_equal, "operator!=") {
    out(xt::axis_slice_begin(in.a, 1) != xt::axis_slice_end(in.a, 1));
}
