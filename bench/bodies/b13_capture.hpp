// SPDX-License-Identifier: BSD-3-Clause
// Bodies of loops, one iteration a run, for arrays of any size: recorded each time, or captured once and called.
#pragma once

#include "bodies/b01_polynomial.hpp"
#include "bodies/b05_black_scholes.hpp"
#include "bodies/b09_lstm.hpp"

#ifdef XLAZY_BENCH_CAPTURE
#include <xlazy/capture.hpp>
#endif

#include <cmath>
#include <tuple>

namespace xlazy_bench::b13 {

using Array = xa::xtensor<double, 1>;
using Grid = xa::xtensor<double, 2>;
using Number = xa::xtensor<double, 0>;

/// The function as it is run.
template <bool captured, class F, class... A>
auto ready(F function, const A&... examples) {
#ifdef XLAZY_BENCH_CAPTURE
    if constexpr (captured) return xlazy::capture(function, examples...);
#endif
    if constexpr (!captured) {
        ((void)examples, ...);
        return function;
    }
}

template <bool captured, class F, class Result, class... A>
void run(const F& function, Result& result, const A&... arguments) {
    if constexpr (captured)
        function.into(result)(arguments...);
    else
        result = function(arguments...);
}

/// From one array to another.
template <bool captured, class F, class A>
Job make_map(F function, const A& start) {
    const auto x = share(A(start)), y = share(A());
    const auto f = share(ready<captured>(function, *x));
    Job job;
    job.run = [=] {
        run<captured>(*f, *y, *x);
        keep((*y)(0));
    };
    job.result = [=] {
        run<captured>(*f, *y, *x);
        return sampled(*y);
    };
    return job;
}

template <bool captured>
Job make_polynomial(const Sizes& sizes) {
    return make_map<captured>([](const b01::Array& x) { return b01::polynomial(x); },
                              array_of<b01::Array>(spread<float>(sizes.at(0), 0.5f, 2.0f, 1), std::array{sizes.at(0)}));
}

template <bool captured>
Job make_black_scholes(const Sizes& sizes) {
    return make_map<captured>([](const Array& s) { return b05::call_price<double>(s); },
                              array_of<Array>(spread<double>(sizes.at(0), 58, 62, 5), std::array{sizes.at(0)}));
}

/// The grid has about so many points.
inline std::array<std::size_t, 2> side_of(std::size_t points) {
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(points))));
    return {side, side};
}

inline void heat_step(Grid& grid) {
    using namespace xa::placeholders;
    auto centre = xa::view(grid, xa::range(1, -1), xa::range(1, -1));
    centre =
        0.2 * (centre + xa::view(grid, xa::range(_, -2), xa::range(1, -1)) +
               xa::view(grid, xa::range(2, _), xa::range(1, -1)) + xa::view(grid, xa::range(1, -1), xa::range(_, -2)) +
               xa::view(grid, xa::range(1, -1), xa::range(2, _)));
}

/// The grid is the program's: what one call leaves, the next one takes.
template <bool captured>
Job make_heat(const Sizes& sizes) {
    const std::array<std::size_t, 2> shape = side_of(sizes.at(0));
    const auto grid = share(array_of<Grid>(spread<double>(shape[0] * shape[1], 0.0, 100.0, 6), shape));
    const auto f = share(ready<captured>([=] { heat_step(*grid); }));
    Job job;
    job.run = [=] {
        (*f)();
        keep((*grid)(1, 1));
    };
    job.result = [=] {
        *grid = array_of<Grid>(spread<double>(shape[0] * shape[1], 0.0, 100.0, 6), shape);
        (*f)();
        (*f)();
        return sampled(*grid);
    };
    return job;
}

/// So is the cell.
template <bool captured>
Job make_lstm(const Sizes& sizes) {
    using b09::Matrix;
    const std::array<std::size_t, 2> shape = side_of(sizes.at(0));
    const auto values = [=](std::uint32_t seed) {
        return share(array_of<Matrix>(spread<float>(shape[0] * shape[1], -3.0f, 3.0f, seed), shape));
    };
    const auto in = values(31), forget = values(32), candidate = values(33), out = values(34), start = values(35);
    const auto cell = share(b09::Cell{*start, *start});
    const auto f = share(ready<captured>(
        [=](const Matrix& i, const Matrix& g, const Matrix& c, const Matrix& o) { b09::step(*cell, i, g, c, o); }, *in,
        *forget, *candidate, *out));
    Job job;
    job.run = [=] {
        (*f)(*in, *forget, *candidate, *out);
        keep(cell->output(0, 0));
    };
    job.result = [=] {
        cell->state = cell->output = *start;
        (*f)(*in, *forget, *candidate, *out);
        return sampled(cell->output);
    };
    return job;
}

struct Iterate {
    Array x, r, p;
    Number rr;
};

/// An iteration of conjugate gradients for a symmetric matrix with three diagonals. After M. Hestenes and E. Stiefel,
/// Methods of conjugate gradients for solving linear systems, 1952.
inline std::tuple<Array, Array, Array, Number> gradient_step(const Array& x, const Array& r, const Array& p,
                                                             const Number& rr) {
    using namespace xa::placeholders;
    Array ap = 2.5 * p;
    xa::view(ap, xa::range(1, _)) -= xa::view(p, xa::range(_, -1));
    xa::view(ap, xa::range(_, -1)) -= xa::view(p, xa::range(1, _));
    const Number alpha = rr / xa::sum(p * ap);
    const Array new_x = x + alpha * p;
    const Array new_r = r - alpha * ap;
    const Number new_rr = xa::sum(new_r * new_r);
    const Array new_p = new_r + (new_rr / rr) * p;
    return {new_x, new_r, new_p, new_rr};
}

template <bool captured>
Job make_gradient(const Sizes& sizes) {
    const Array b = array_of<Array>(spread<double>(sizes.at(0), -1.0, 1.0, 7), std::array{sizes.at(0)});
    const auto from = share(Iterate{xa::zeros_like(b), b, b, xa::sum(b * b)}), to = share(Iterate());
    const auto f = share(ready<captured>(gradient_step, from->x, from->r, from->p, from->rr));
    const auto step = [=] {
        if constexpr (captured)
            f->into(to->x, to->r, to->p, to->rr)(from->x, from->r, from->p, from->rr);
        else
            std::tie(to->x, to->r, to->p, to->rr) = (*f)(from->x, from->r, from->p, from->rr);
    };
    Job job;
    job.run = [=] {
        step();
        keep(to->p(0));
    };
    job.result = [=] {
        step();
        return sampled(to->p);
    };
    return job;
}

template <bool captured>
void add_bodies(Cases& cases, const std::string& suffix) {
    cases["b13.polynomial" + suffix] = make_polynomial<captured>;
    cases["b13.black-scholes" + suffix] = make_black_scholes<captured>;
    cases["b13.heat" + suffix] = make_heat<captured>;
    cases["b13.lstm" + suffix] = make_lstm<captured>;
    cases["b13.gradient" + suffix] = make_gradient<captured>;
}

inline void add(Cases& cases) {
    add_bodies<false>(cases, "");
#ifdef XLAZY_BENCH_CAPTURE
    add_bodies<true>(cases, ".captured");
#endif
}

}  // namespace xlazy_bench::b13
