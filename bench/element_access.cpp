// SPDX-License-Identifier: BSD-3-Clause
// Element access with nothing pending, against stock xtensor in the same process: the loops that users have around their
// array statements must not get slower by switching. Built by xlazy-c++, where stock's classes are xarray_stock.
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>

#include "support/interleave.hpp"

namespace {

constexpr std::size_t kSide = 1000;

template <class T>
void keep(const T& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

template <class Array>
void read_all(const Array& a) {
    double sum = 0;
    for (std::size_t i = 0; i < kSide; ++i)
        for (std::size_t j = 0; j < kSide; ++j) sum += a(i, j);
    keep(sum);
}

template <class Array>
void five_points(const Array& a, Array& b) {
    for (std::size_t i = 1; i + 1 < kSide; ++i)
        for (std::size_t j = 1; j + 1 < kSide; ++j)
            b(i, j) = 0.2 * (a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
    keep(b(1, 1));
}

template <class Array>
void write_all(Array& a) {
    for (std::size_t i = 0; i < kSide; ++i)
        for (std::size_t j = 0; j < kSide; ++j) a(i, j) = static_cast<double>(i + j);
    keep(a(1, 1));
}

template <class Array>
void range_for(const Array& a) {
    double sum = 0;
    for (double x : a) sum += x;
    keep(sum);
}

template <class Stock, class Lazy>
void compare(const char* type) {
    using xlazy_bench::interleave;
    const typename Stock::shape_type shape = {kSide, kSide};
    Stock stock(shape, 1.0), stock_out(shape, 0.0);
    Lazy lazy(typename Lazy::shape_type{kSide, kSide}, 1.0), lazy_out(typename Lazy::shape_type{kSide, kSide}, 0.0);
    const std::string title = std::string(type) + ", 1000 x 1000 doubles: ";
    constexpr int kRounds = 31;
    print(title + "read a(i,j)", interleave({{"stock", [&] { read_all(stock); }}, {"xlazy", [&] { read_all(lazy); }}}, kRounds));
    print(title + "5-point loop", interleave({{"stock", [&] { five_points(stock, stock_out); }},
                                              {"xlazy", [&] { five_points(lazy, lazy_out); }}}, kRounds));
    print(title + "write a(i,j)", interleave({{"stock", [&] { write_all(stock); }}, {"xlazy", [&] { write_all(lazy); }}}, kRounds));
    print(title + "for (x : a)", interleave({{"stock", [&] { range_for(stock); }}, {"xlazy", [&] { range_for(lazy); }}}, kRounds));
}

}  // namespace

int main() {
    compare<xt::xarray_stock<double>, xt::xarray<double>>("xarray");
    compare<xt::xtensor_stock<double, 2>, xt::xtensor<double, 2>>("xtensor");
}
