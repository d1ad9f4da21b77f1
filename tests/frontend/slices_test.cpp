// SPDX-License-Identifier: BSD-3-Clause
// Slices of views one by one, of which xtensor has none for most; expressions as their base class.
#include "support.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xaxis_slice_iterator.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace {

using Slices = support::Frontend;
using list = std::vector<double>;

/// The slices' elements one after the other; 100 slices are too many.
template <class V>
list slices_of(V&& view, std::size_t axis) {
    list all;
    std::size_t count = 0;
    for (auto it = xt::axis_slice_begin(view, axis); it != xt::axis_slice_end(view, axis) && count < 100; ++it, ++count)
        for (const double value : *it) all.push_back(value);
    return all;
}

TEST_F(Slices, OfViewsWithGaps) {
    const xt::xarray<double> a = {{1, 2, 3}, {4, 5, 6}};
    const auto left = xt::view(a, xt::all(), xt::range(0, 2));
    EXPECT_EQ(slices_of(left, 0), (list{1, 4, 2, 5}));
    EXPECT_EQ(slices_of(left, 1), (list{1, 2, 4, 5}));
    EXPECT_EQ(slices_of(xt::transpose(a), 0), (list{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(slices_of(xt::view(a, xt::all(), xt::range(2, 0, -1)), 1), (list{3, 2, 6, 5}));
    xt::xarray<double> b = xt::arange<double>(12.0);
    b.reshape({2, 3, 2});
    EXPECT_EQ(slices_of(xt::view(b, xt::all(), xt::range(1, 3)), 1), (list{2, 4, 3, 5, 8, 10, 9, 11}));
    EXPECT_EQ(slices_of(xt::view(b, 1), 0), (list{6, 8, 10, 7, 9, 11}));
    EXPECT_EQ(slices_of(xt::view(a, xt::range(1, 1)), 1), list{});
}

TEST_F(Slices, AreWrittenThrough) {
    xt::xarray<double> a = {{1, 2, 3}, {4, 5, 6}};
    auto left = xt::view(a, xt::all(), xt::range(0, 2));
    double by = 10;
    for (auto it = xt::axis_slice_begin(left, 0); it != xt::axis_slice_end(left, 0); it++) *it *= by, by *= 10;
    EXPECT_EQ(a, (xt::xarray<double>{{10, 200, 3}, {40, 500, 6}}));
    (*xt::axis_slice_begin(left)) = 0.0;
    EXPECT_EQ(xt::sum(left)(), 700.0);
}

TEST_F(Slices, AlongNoAxis) {
    const xt::xarray<double> a = {{1, 2, 3}, {4, 5, 6}};
    EXPECT_THROW(xt::axis_slice_begin(xt::view(a, 0), 1), std::runtime_error);
}

// An expression that a function takes as its base class may be assigned as it is.
template <class D, class E>
void assign(D& d, const xt::xexpression<E>& e) {
    d = e;
    d += e;
}

TEST_F(Slices, BaseClassesOfExpressions) {
    const xt::xarray<double> a = {{1, 2, 3}, {4, 5, 6}};
    xt::xarray<double> b;
    xt::xtensor<double, 2> c;
    assign(b, a * 2.0);
    assign(c, a);
    EXPECT_EQ(b, a * 4.0);
    EXPECT_EQ(c, a * 2.0);
    auto row = xt::view(b, 0);
    assign(row, xt::view(a, 1));
    EXPECT_EQ(b(0, 2), 12.0);
}

}  // namespace
