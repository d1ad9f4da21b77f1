// SPDX-License-Identifier: BSD-3-Clause
// Selected elements, and indices.
#include "../call.hpp"

#include <xtensor/xindex_view.hpp>
#include <xtensor/xmasked_view.hpp>
#include <xtensor/xset_operation.hpp>
#include <xtensor/xtensor.hpp>

namespace {
using Shape = std::vector<std::size_t>;
}

CALL(xindex_view, filter, "filter") { out(xt::filter(in.a, in.a > 0.)); }
CALL(xindex_view, filter_target, "filter") {
    xt::filter(in.a, in.m) = 9.;
    out(in.a);
}
CALL(xindex_view, filter_update, "filter") {
    xt::filter(in.a, in.m) += 9.;
    out(in.a);
}
CALL(xindex_view, filtration, "filtration") {
    xt::filtration(in.a, in.a > 0.5) = -1.;
    out(in.a);
}
CALL(xindex_view, filtration_update, "filtration") {
    xt::filtration(in.a, in.m) *= 2.;
    out(in.a);
}
CALL(xindex_view, index_view, "index_view") { out(xt::index_view(in.a, {{0, 0}, {2, 3}, {1, 1}})); }
CALL(xindex_view, index_view_target, "index_view") {
    xt::index_view(in.a, {{0, 0}, {2, 3}}) = 5.;
    out(in.a);
}
CALL(xindex_view, index_view_found, "index_view") { out(xt::index_view(in.a, xt::argwhere(in.m))); }
CALL(xmasked_view, masked_view, "masked_view") {
    auto view = xt::masked_view(in.a, in.m);
    view = 2.5;
    out(in.a);
}
CALL(xtensor, from_indices, "from_indices") { out(xt::from_indices(xt::argwhere(in.a > 0.))); }
CALL(xtensor, flatten_indices, "flatten_indices") { out(xt::flatten_indices(xt::argwhere(in.a > 0.))); }
CALL(xtensor, ravel_indices, "ravel_indices") { out(xt::ravel_indices(xt::argwhere(in.a > 0.), in.a.shape())); }
CALL(xset_operation, isin, "isin") { out(xt::isin(in.i, {1, 4, 7})); }
CALL(xset_operation, isin_array, "isin") { out(xt::isin(in.i, in.j)); }
CALL(xset_operation, in1d, "in1d") { out(xt::in1d(xt::arange<int>(9) + in.j(0, 0), {1, 4, 7})); }
CALL(xset_operation, searchsorted, "searchsorted") { out(xt::searchsorted(in.s, in.x)); }
