// SPDX-License-Identifier: BSD-3-Clause
// Programs that have no benchmark.
#include "record.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace xa = xt;

#include "bodies/b07_shallow_water.hpp"

#include <memory>

namespace xlazy::test {
namespace {

using Matrix = xt::xtensor<double, 2>;
using Column = xt::xtensor<double, 1>;

Matrix filled(std::size_t rows, std::size_t columns, std::uint32_t seed) {
    return xlazy_bench::array_of<Matrix>(xlazy_bench::spread<double>(rows * columns, 0.5, 1.5, seed),
                                         std::array{rows, columns});
}

void shallow_water() {
    static auto water = [] {
        const Matrix still = xt::zeros<double>({2002u, 2002u});
        return std::make_unique<xlazy_bench::b07::Water>(xlazy_bench::b07::Water{filled(2002, 2002, 1), still, still});
    }();
    xlazy_bench::b07::step(*water);
    xlazy_bench::keep(water->h(1, 1));
}

/// (x - mean) / sqrt(variance + epsilon) * weight + bias of every row. After J. Ba, J. Kiros, G. Hinton (2016).
Matrix normalised(const Matrix& x, const Column& weight, const Column& bias) {
    const std::array<std::size_t, 1> row = {1};
    const Column mean = xt::mean(x, row);
    const Matrix centred = x - xt::view(mean, xt::all(), xt::newaxis());
    const Column variance = xt::mean(centred * centred, row);
    const Column scale = 1.0 / xt::sqrt(variance + 1e-5);
    return centred * xt::view(scale, xt::all(), xt::newaxis()) * weight + bias;
}

void layer_norm() {
    static const Matrix x = filled(4096, 1024, 2);
    static const Column weight(Column::shape_type{1024}, 1.5), bias(Column::shape_type{1024}, 0.25);
    static Matrix y;
    y = normalised(x, weight, bias);
    xlazy_bench::keep(y(0, 0));
}

/// Sixteen iterations; points that have left stay where they are.
Matrix iterations(const Matrix& cx, const Matrix& cy) {
    Matrix zx = xt::zeros<double>(cx.shape()), zy = xt::zeros<double>(cx.shape());
    Matrix count = xt::zeros<double>(cx.shape());
    for (int i = 0; i < 16; ++i) {
        const Matrix xx = zx * zx, yy = zy * zy;
        const xt::xtensor<bool, 2> inside = xx + yy < 4.0;
        const Matrix next_x = xx - yy + cx;
        const Matrix next_y = 2.0 * zx * zy + cy;
        zx = xt::where(inside, next_x, zx);
        zy = xt::where(inside, next_y, zy);
        count += xt::where(inside, 1.0, 0.0);
    }
    return count;
}

void mandelbrot() {
    static const Matrix cx = filled(1000, 1500, 3), cy = filled(1000, 1500, 4);
    static Matrix count;
    count = iterations(3.0 * cx - 3.5, 2.0 * cy - 2.0);
    xlazy_bench::keep(count(0, 0));
}

/// Every column to mean 0 and variance 1.
Matrix standardised(const Matrix& x) {
    const std::array<std::size_t, 1> along = {0};
    const Column mean = xt::mean(x, along);
    const Matrix centred = x - mean;
    const Column deviation = xt::sqrt(xt::mean(centred * centred, along));
    return centred / deviation;
}

void standardise() {
    static const Matrix x = filled(1000, 2000, 5);
    static Matrix y;
    y = standardised(x);
    xlazy_bench::keep(y(0, 0));
}

}  // namespace

std::vector<RecordedProgram> small_programs() {
    return {{"shallow_water", shallow_water},
            {"layer_norm", layer_norm},
            {"mandelbrot", mandelbrot},
            {"standardise", standardise}};
}

}  // namespace xlazy::test
