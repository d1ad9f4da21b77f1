// SPDX-License-Identifier: BSD-3-Clause
// What a program costs beside its arithmetic: many small statements, a statement whose result is read at once, the same
// ten operations for arrays of any size, and loops over elements.
#pragma once

#include "bodies/body.hpp"

namespace xlazy_bench::b10 {

using Array = xa::xtensor<double, 1>;
using Matrix = xa::xtensor<double, 2>;

inline Array ramp(std::size_t size, std::uint32_t seed) {
    return array_of<Array>(spread<double>(size, 0.5, 1.5, seed), std::array{size});
}

/// As many statements of one operation as `sizes[1]`, then a read.
inline Job make_statements(const Sizes& sizes) {
    const std::size_t count = sizes.at(1);
    const auto x = share(ramp(sizes.at(0), 1)), y = share(ramp(sizes.at(0), 2));
    const auto work = [=] {
        Array z = *x + *y;
        for (std::size_t i = 1; i < count; ++i) z = z + *y;
        return z;
    };
    Job job;
    job.run = [=] { keep(work()(0)); };
    job.result = [=] { return sampled(work()); };
    return job;
}

inline Array ten_statements(const Array& x, const Array& y) {
    Array t = x * 1.5;
    t = t + y;
    t = t * x;
    t = t - y;
    t = t * 0.5;
    t = t + x;
    t = t * y;
    t = t - 1.0;
    t = t * x;
    t = t + y;
    return t;
}

inline Array one_statement(const Array& x, const Array& y) {
    return ((((x * 1.5 + y) * x - y) * 0.5 + x) * y - 1.0) * x + y;
}

/// Ten operations a flush.
template <class F>
Job make_ten(const Sizes& sizes, F work) {
    const auto x = share(ramp(sizes.at(0), 1)), y = share(ramp(sizes.at(0), 2));
    const auto z = share(Array());
    Job job;
    job.run = [=] {
        *z = work(*x, *y);
        keep((*z)(0));
    };
    job.result = [=] {
        *z = work(*x, *y);
        return sampled(*z);
    };
    return job;
}

// ---- elements of arrays with nothing pending

inline double read_all(const Matrix& a, std::size_t side) {
    double sum = 0;
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) sum += a(i, j);
    return sum;
}

inline double iterate(const Matrix& a, std::size_t) {
    double sum = 0;
    for (const double x : a) sum += x;
    return sum;
}

inline void five_points(const Matrix& a, Matrix& b, std::size_t side) {
    for (std::size_t i = 1; i + 1 < side; ++i)
        for (std::size_t j = 1; j + 1 < side; ++j)
            b(i, j) = 0.2 * (a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
}

inline void write_all(const Matrix&, Matrix& b, std::size_t side) {
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) b(i, j) = static_cast<double>(i + j);
}

inline Matrix square(std::size_t side) {
    return array_of<Matrix>(spread<double>(side * side, 0.0, 1.0, 3), std::array{side, side});
}

inline Job make_reader(const Sizes& sizes, double (*read)(const Matrix&, std::size_t)) {
    const std::size_t side = sizes.at(0);
    const auto a = share(square(side));
    Job job;
    job.run = [=] { keep(read(*a, side)); };
    job.result = [=] { return one_value(read(*a, side)); };
    return job;
}

inline Job make_writer(const Sizes& sizes, void (*write)(const Matrix&, Matrix&, std::size_t)) {
    const std::size_t side = sizes.at(0);
    const auto a = share(square(side)), b = share(square(side));
    Job job;
    job.run = [=] {
        write(*a, *b, side);
        keep((*b)(1, 1));
    };
    job.result = [=] {
        write(*a, *b, side);
        return sampled(*b);
    };
    return job;
}

inline void add(Cases& cases) {
    cases["b10.statements"] = make_statements;
    cases["b10.ten-statements"] = [](const Sizes& sizes) { return make_ten(sizes, ten_statements); };
    cases["b10.one-statement"] = [](const Sizes& sizes) { return make_ten(sizes, one_statement); };
    cases["b10.access.read"] = [](const Sizes& sizes) { return make_reader(sizes, read_all); };
    cases["b10.access.iterate"] = [](const Sizes& sizes) { return make_reader(sizes, iterate); };
    cases["b10.access.stencil"] = [](const Sizes& sizes) { return make_writer(sizes, five_points); };
    cases["b10.access.write"] = [](const Sizes& sizes) { return make_writer(sizes, write_all); };
}

}  // namespace xlazy_bench::b10
