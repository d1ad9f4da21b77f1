// SPDX-License-Identifier: BSD-3-Clause
// How people write: functions that take arrays by value, that return more than their caller uses, that compute what
// another one has computed, expressions written out once more, integer grids.
#include "record.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace xa = xt;

#include "bodies/body.hpp"

#include <cstdint>
#include <vector>

namespace xlazy::test {
namespace {

using Matrix = xt::xtensor<double, 2>;
using Column = xt::xtensor<double, 1>;
using xt::all;
using xt::range;
using xt::view;
using xt::placeholders::_;

Matrix filled(std::size_t rows, std::size_t columns, std::uint32_t seed) {
    return xlazy_bench::array_of<Matrix>(xlazy_bench::spread<double>(rows * columns, 0.5, 1.5, seed),
                                         std::array{rows, columns});
}
Column filled(std::size_t size, std::uint32_t seed) {
    return xlazy_bench::array_of<Column>(xlazy_bench::spread<double>(size, 0.5, 1.5, seed), std::array{size});
}

/// By value, as a numerical recipe would be in Python.
Matrix laplacian(Matrix u) {
    return view(u, range(_, -2), range(1, -1)) + view(u, range(2, _), range(1, -1)) +
           view(u, range(1, -1), range(_, -2)) + view(u, range(1, -1), range(2, _)) -
           4.0 * view(u, range(1, -1), range(1, -1));
}

void by_value() {
    static const Matrix u = filled(2000, 2000, 1);
    static Matrix sharp;
    sharp = view(u, range(1, -1), range(1, -1)) - 0.25 * laplacian(u);
    xlazy_bench::keep(sharp(0, 0));
}

/// Squared differences of every row from some profiles, added up.
void rows_in_variables() {
    static const Matrix x = filled(2000, 1000, 8), profiles = filled(16, 1000, 9);
    static Matrix sum;
    sum = xt::zeros<double>({2000u, 1000u});
    for (std::size_t i = 0; i < profiles.shape(0); ++i) {
        const Column profile = view(profiles, i, all());
        sum += xt::square(x - profile);
    }
    xlazy_bench::keep(sum(0, 0));
}

struct Summary {
    Column mean, variance, smallest, largest;
    Matrix centred;
};

/// Of every column.
Summary summary_of(const Matrix& x) {
    const std::array<std::size_t, 1> along = {0};
    Summary s;
    s.mean = xt::mean(x, along);
    s.centred = x - s.mean;
    s.variance = xt::mean(s.centred * s.centred, along);
    s.smallest = xt::amin(x, along);
    s.largest = xt::amax(x, along);
    return s;
}

void some_results() {
    static const Matrix x = filled(2000, 2000, 2);
    static Matrix scaled;
    {
        const Summary s = summary_of(x);
        scaled = (x - s.smallest) / (s.largest - s.smallest);
    }
    xlazy_bench::keep(scaled(0, 0));
}

Column mean_of(const Matrix& x) { return xt::mean(x, {0}); }
Column deviation_of(const Matrix& x) { return xt::sqrt(xt::mean(xt::square(x - mean_of(x)), {0})); }
Matrix scores_of(const Matrix& x) { return (x - mean_of(x)) / deviation_of(x); }
/// Third moment of the scores.
Column skewness_of(const Matrix& x) { return xt::mean(scores_of(x) * scores_of(x) * scores_of(x), {0}); }

void helper_functions() {
    static const Matrix x = filled(2000, 1000, 3);
    static Column skewness, noise;
    skewness = skewness_of(x);
    noise = deviation_of(x) / mean_of(x);
    xlazy_bench::keep(skewness(0));
}

/// Field and potential of a charge, every formula in full.
void written_out() {
    static const Column x = filled(1'000'000, 4), y = filled(1'000'000, 5), z = filled(1'000'000, 6);
    static Column ex, ey, ez, potential, energy;
    ex = (x - 1.0) / (((x - 1.0) * (x - 1.0) + (y - 2.0) * (y - 2.0) + (z - 3.0) * (z - 3.0)) *
                      xt::sqrt((x - 1.0) * (x - 1.0) + (y - 2.0) * (y - 2.0) + (z - 3.0) * (z - 3.0)));
    ey = (y - 2.0) / (((x - 1.0) * (x - 1.0) + (y - 2.0) * (y - 2.0) + (z - 3.0) * (z - 3.0)) *
                      xt::sqrt((x - 1.0) * (x - 1.0) + (y - 2.0) * (y - 2.0) + (z - 3.0) * (z - 3.0)));
    ez = (z - 3.0) / (((x - 1.0) * (x - 1.0) + (y - 2.0) * (y - 2.0) + (z - 3.0) * (z - 3.0)) *
                      xt::sqrt((x - 1.0) * (x - 1.0) + (y - 2.0) * (y - 2.0) + (z - 3.0) * (z - 3.0)));
    potential = 1.0 / xt::sqrt((x - 1.0) * (x - 1.0) + (y - 2.0) * (y - 2.0) + (z - 3.0) * (z - 3.0));
    energy = 0.5 * (ex * ex + ey * ey + ez * ez);
    xlazy_bench::keep(ex(0));
}

/// Tiles of a picture by the index of a pixel.
void integer_grid() {
    using Indices = xt::xtensor<std::int64_t, 1>;
    static const Indices pixel = xt::arange<std::int64_t>(2'000'000);
    static Indices tile, place;
    tile = pixel / 4096 / 16 * 256 + pixel % 4096 / 16;
    place = pixel / 4096 % 16 * 16 + pixel % 16;
    xlazy_bench::keep(tile(0));
}

/// Wealth from daily returns: compounded, and the loss from a threshold on.
void cumulative() {
    static const Matrix returns = 0.01 * (filled(2500, 800, 7) - 1.0);
    static Matrix wealth, below;
    wealth = xt::exp(xt::cumsum(xt::log(1.0 + returns), 0));
    below = xt::where(wealth < 1.0, 1.0 - wealth, 0.0);
    xlazy_bench::keep(wealth(0, 0));
}

/// What the wind does to the sea, with its speed in every formula.
void wind() {
    static const Matrix u = filled(1000, 1000, 11) - 1.0, v = filled(1000, 1000, 12) - 1.0;
    static Matrix stress_x, stress_y, mixing;
    stress_x = 1.2e-3 * xt::sqrt(u * u + v * v) * u;
    stress_y = 1.2e-3 * xt::sqrt(u * u + v * v) * v;
    mixing = 0.5 * xt::sqrt(u * u + v * v) * (u * u + v * v);
    xlazy_bench::keep(mixing(0, 0));
}

/// Ragged data, an array a track: its speed at every point, and how long it was.
void tracks() {
    static std::vector<Column> x, y, speed;
    static Column length;
    if (x.empty()) {
        for (std::uint32_t i = 0; i < 40; ++i) {
            x.push_back(filled(4000 + 53 * i, 20 + i));
            y.push_back(filled(4000 + 53 * i, 60 + i));
        }
        speed.resize(x.size());
        length = xt::zeros<double>({x.size()});
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto dx = view(x[i], range(1, _)) - view(x[i], range(_, -1));
        const auto dy = view(y[i], range(1, _)) - view(y[i], range(_, -1));
        speed[i] = xt::sqrt(dx * dx + dy * dy);
        view(length, i) = xt::sum(speed[i]);
    }
    xlazy_bench::keep(length(0));
}

Matrix after_a_year(const Matrix& herd) { return herd + 0.3 * herd * (1.0 - herd); }

/// Logistic growth; each year is a new array, which takes the place of the last one.
void new_state() {
    static Matrix herd = filled(1000, 1000, 13);
    {
        Matrix next = after_a_year(herd);
        herd = std::move(next);
    }
    xlazy_bench::keep(herd(0, 0));
}

/// Squashed, then to mean 0 and deviation 1, an array a step.
Matrix prepared(const Matrix& x) {
    const std::array<std::size_t, 1> along = {0};
    const Matrix squashed = xt::tanh(x);
    const Matrix centred = xt::exp(squashed - xt::mean(squashed, along));
    return xt::log(centred / xt::mean(centred, along));
}

void array_a_step() {
    static const Matrix x = filled(2000, 1000, 14);
    static Matrix result;
    {
        Matrix made = prepared(x);
        result = std::move(made);
    }
    xlazy_bench::keep(result(0, 0));
}

}  // namespace

std::vector<RecordedProgram> habits() {
    return {{"by_value", by_value},
            {"rows_in_variables", rows_in_variables},
            {"some_results", some_results},
            {"helper_functions", helper_functions},
            {"written_out", written_out},
            {"integer_grid", integer_grid},
            {"cumulative", cumulative},
            {"wind", wind},
            {"tracks", tracks},
            {"new_state", new_state},
            {"array_a_step", array_a_step}};
}

}  // namespace xlazy::test
