// SPDX-License-Identifier: BSD-3-Clause
// Sorting, extremes and histograms.
#include "../call.hpp"

#include <xtensor/xhistogram.hpp>
#include <xtensor/xsort.hpp>

CALL(xsort, argmin, "argmin") { out(xt::argmin(in.a)); }
CALL(xsort, argmin_axis, "argmin") { out(xt::argmin(in.a, 1)); }
CALL(xsort, argmax, "argmax") { out(xt::argmax(in.a)); }
CALL(xsort, argmax_axis, "argmax") { out(xt::argmax(in.a, 0)); }
CALL(xsort, sort, "sort") { out(xt::sort(in.a)); }
CALL(xsort, sort_axis, "sort") { out(xt::sort(in.a, 0)); }
CALL(xsort, argsort, "argsort") { out(xt::argsort(in.a)); }
CALL(xsort, argsort_axis, "argsort") { out(xt::argsort(in.a, 0)); }
CALL(xsort, unique, "unique") { out(xt::unique(in.b)); }
CALL(xsort, setdiff1d, "setdiff1d") { out(xt::setdiff1d(in.i, in.j)); }
CALL(xsort, median, "median") { out(xt::median(in.a)); }
CALL(xsort, median_axis, "median") { out(xt::median(in.a, 1)); }
CALL(xsort, partition, "partition") { out(xt::view(xt::partition(in.x, 4), 4)); }
CALL(xsort, argpartition, "argpartition") { out(xt::view(xt::argpartition(in.x, 4), 4)); }
CALL(xhistogram, digitize, "digitize") { out(xt::digitize(in.x, in.s)); }
CALL(xhistogram, histogram, "histogram") { out(xt::histogram(in.x, std::size_t{5})); }
CALL(xhistogram, histogram_edges, "histogram") { out(xt::histogram(in.x, xt::linspace<double>(-5., 8., 6))); }
CALL(xhistogram, histogram_weights, "histogram") { out(xt::histogram(in.x, xt::linspace<double>(-5., 8., 6), in.s)); }
CALL(xhistogram, histogram_bin_edges, "histogram_bin_edges") {
    out(xt::histogram_bin_edges(in.x, in.s, -4., 7., 4, xt::histogram_algorithm::linspace));
}
CALL(xhistogram, bincount, "bincount") { out(xt::bincount(xt::flatten(in.j))); }
CALL(xhistogram, bin_items_weights, "bin_items") { out(xt::bin_items(10, in.four + 2.)); }
CALL(xhistogram, bin_items, "bin_items") { out(xt::bin_items(10, std::size_t{4})); }
