// SPDX-License-Identifier: BSD-3-Clause
// Sum, mean, maximum and variance of matrices over all elements or one axis. Variance takes the two passes that a sum
// of squared differences from the mean needs.
#include "hand/buffer.hpp"
#include "hand/hand.hpp"

#include <algorithm>
#include <string>

namespace xlazy_bench::hand {
namespace {

constexpr std::size_t kLanes = 64;     ///< accumulators of a contiguous reduction
constexpr std::size_t kBlock = 16384;  ///< elements a thread takes at a time

struct Add {
    static constexpr double start = 0.0;
    static double combine(double a, double b) { return a + b; }
};
struct Max {
    static constexpr double start = -1e308;
    static double combine(double a, double b) { return a > b ? a : b; }
};
struct Same {
    double operator()(double x) const { return x; }
};
struct SquaredDifference {
    double mean;
    double operator()(double x) const { return (x - mean) * (x - mean); }
};

/// Of `count` contiguous elements, on this thread.
template <class R, class F>
double line(const double* x, std::size_t count, F f) {
    double parts[kLanes];
    std::fill(parts, parts + kLanes, R::start);
    const std::size_t whole = count / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes)
#pragma omp simd
        for (std::size_t k = 0; k < kLanes; ++k) parts[k] = R::combine(parts[k], f(x[i + k]));
    for (std::size_t i = whole; i < count; ++i) parts[0] = R::combine(parts[0], f(x[i]));
    for (std::size_t width = kLanes / 2; width != 0; width /= 2)
        for (std::size_t k = 0; k < width; ++k) parts[k] = R::combine(parts[k], parts[k + width]);
    return parts[0];
}

/// Of `count` contiguous elements, on all threads.
template <class R, class F>
double all(const double* x, std::size_t count, F f) {
    const std::size_t blocks = (count + kBlock - 1) / kBlock;
    std::vector<double> parts(blocks);
#pragma omp parallel for schedule(static)
    for (std::size_t b = 0; b < blocks; ++b)
        parts[b] = line<R>(x + b * kBlock, std::min(kBlock, count - b * kBlock), f);
    return line<R>(parts.data(), blocks, Same());
}

/// out[i] of row i.
template <class R, class F>
void along_rows(const double* x, std::size_t rows, std::size_t columns, double* out, F f) {
    if (columns == 3) {
#pragma omp parallel for simd schedule(static)
        for (std::size_t i = 0; i < rows; ++i) {
            const auto g = f(i);
            out[i] = R::combine(R::combine(g(x[3 * i]), g(x[3 * i + 1])), g(x[3 * i + 2]));
        }
    } else if (rows < 64) {
        for (std::size_t i = 0; i < rows; ++i) out[i] = all<R>(x + i * columns, columns, f(i));
    } else {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < rows; ++i) out[i] = line<R>(x + i * columns, columns, f(i));
    }
}

/// Three columns repeat every 48 elements, so lanes are whole vectors.
template <class R, class F>
void three_columns(const double* x, std::size_t rows, double* out, F f) {
    constexpr std::size_t kPeriod = 48;
    const std::size_t whole = rows * 3 / kPeriod;
    std::fill(out, out + 3, R::start);
#pragma omp parallel
    {
        double parts[kPeriod];
        std::fill(parts, parts + kPeriod, R::start);
        std::vector<decltype(f(0))> g;
        for (std::size_t k = 0; k < kPeriod; ++k) g.push_back(f(k % 3));
        const auto* const each = g.data();
#pragma omp for schedule(static) nowait
        for (std::size_t b = 0; b < whole; ++b) {
            const double* const y = x + b * kPeriod;
#pragma omp simd
            for (std::size_t k = 0; k < kPeriod; ++k) parts[k] = R::combine(parts[k], each[k](y[k]));
        }
#pragma omp critical
        for (std::size_t k = 0; k < kPeriod; ++k) out[k % 3] = R::combine(out[k % 3], parts[k]);
    }
    for (std::size_t i = whole * kPeriod; i < rows * 3; ++i) out[i % 3] = R::combine(out[i % 3], f(i % 3)(x[i]));
}

/// out[j] of column j: rows are added to partial results of each thread, four at a time.
template <class R, class F>
void along_columns(const double* x, std::size_t rows, std::size_t columns, double* out, F f) {
    if (rows == 3) {
#pragma omp parallel for simd schedule(static)
        for (std::size_t j = 0; j < columns; ++j) {
            const auto g = f(j);
            out[j] = R::combine(R::combine(g(x[j]), g(x[columns + j])), g(x[2 * columns + j]));
        }
        return;
    }
    if (columns == 3) {
        three_columns<R>(x, rows, out, f);
        return;
    }
    std::fill(out, out + columns, R::start);
#pragma omp parallel
    {
        std::vector<double> parts(columns, R::start);
        double* __restrict const p = parts.data();
#pragma omp for schedule(static) nowait
        for (std::size_t i = 0; i < rows / 4; ++i) {
            const double *a = x + 4 * i * columns, *b = a + columns, *c = b + columns, *d = c + columns;
#pragma omp simd
            for (std::size_t j = 0; j < columns; ++j) {
                const auto g = f(j);
                p[j] = R::combine(p[j], R::combine(R::combine(g(a[j]), g(b[j])), R::combine(g(c[j]), g(d[j]))));
            }
        }
#pragma omp critical
        for (std::size_t j = 0; j < columns; ++j) out[j] = R::combine(out[j], p[j]);
    }
    for (std::size_t i = rows / 4 * 4; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) out[j] = R::combine(out[j], f(j)(x[i * columns + j]));
}

/// axis 0: over rows, axis 1: over columns, of a row-major matrix.
template <class R, class F>
void over(int axis, const double* x, std::size_t rows, std::size_t columns, double* out, F f) {
    if (axis < 0)
        *out = all<R>(x, rows * columns, f(0));
    else if (axis == 0)
        along_columns<R>(x, rows, columns, out, f);
    else
        along_rows<R>(x, rows, columns, out, f);
}

enum class Kind { sum, mean, amax, var };

void scale(Buffer<double>& values, double factor) {
#pragma omp parallel for simd schedule(static)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factor;
}

void reduce(Kind kind, int axis, const Buffer<double>& x, std::size_t rows, std::size_t columns, Buffer<double>& out,
            Buffer<double>& means) {
    const auto same = [](std::size_t) { return Same(); };
    if (kind == Kind::amax) return over<Max>(axis, x.data(), rows, columns, out.data(), same);
    const double factor = 1.0 / static_cast<double>(axis < 0 ? rows * columns : axis == 0 ? rows : columns);
    Buffer<double>& sums = kind == Kind::var ? means : out;
    over<Add>(axis, x.data(), rows, columns, sums.data(), same);
    if (kind == Kind::sum) return;
    scale(sums, factor);
    if (kind == Kind::mean) return;
    const double* const mean = means.data();
    over<Add>(axis, x.data(), rows, columns, out.data(), [=](std::size_t i) { return SquaredDifference{mean[i]}; });
    scale(out, factor);
}

/// A column-major matrix is the transpose of a row-major one, with the axes exchanged.
Job make(Kind kind, int axis, bool column_major, const Sizes& sizes) {
    std::size_t rows = sizes.at(0), columns = sizes.at(1);
    if (column_major) {
        std::swap(rows, columns);
        if (axis >= 0) axis = 1 - axis;
    }
    const std::size_t results = axis < 0 ? 1 : axis == 0 ? columns : rows;
    const auto x = std::make_shared<Buffer<double>>(spread<double>(rows * columns, 0.0, 1.0, 11));
    const auto out = std::make_shared<Buffer<double>>(results);
    const auto means = std::make_shared<Buffer<double>>(kind == Kind::var ? results : 1);
    const auto run = [=] { reduce(kind, axis, *x, rows, columns, *out, *means); };
    return {run,
            [=] {
                run();
                Values values;
                for (std::size_t i = 0; i < results; i += sample_step(results)) values.values.push_back((*out)[i]);
                return values;
            },
            nullptr};
}

}  // namespace

void add_axis_reductions(Cases& cases) {
    const char* const names[] = {"sum", "mean", "amax", "var"};
    for (const Kind kind : {Kind::sum, Kind::mean, Kind::amax, Kind::var}) {
        for (const int axis : {-1, 0, 1}) {
            const std::string name = std::string("b11.") + names[static_cast<int>(kind)] + '.' +
                                     (axis < 0 ? "all" : "axis" + std::to_string(axis));
            cases[name] = [=](const Sizes& sizes) { return make(kind, axis, false, sizes); };
            cases[name + ".column"] = [=](const Sizes& sizes) { return make(kind, axis, true, sizes); };
        }
    }
}

}  // namespace xlazy_bench::hand
