// SPDX-License-Identifier: BSD-3-Clause
// Random numbers: the sequences differ, ranges and shapes do not.
#include "../call.hpp"

#include <xtensor/xrandom.hpp>

namespace {
using Shape = std::vector<std::size_t>;
}

#define RANDOM(name, condition, ...)                          \
    CALL(xrandom, name, "random::" #name) {                   \
        const xt::xarray<double> r = xt::random::__VA_ARGS__; \
        out(condition);                                       \
    }
RANDOM(rand, r >= 0. && r < 1., rand<double>(Shape{3, 4}))
RANDOM(randint, r >= 3. && r < 8., randint<int>(Shape{3, 4}, 3, 8))
RANDOM(randn, xt::isfinite(r), randn<double>(Shape{3, 4}))
RANDOM(binomial, r >= 0. && r <= 5., binomial<int>(Shape{3, 4}, 5, 0.5))
RANDOM(geometric, r >= 0., geometric<int>(Shape{3, 4}, 0.5))
RANDOM(negative_binomial, r >= 0., negative_binomial<int>(Shape{3, 4}, 5, 0.5))
RANDOM(poisson, r >= 0., poisson<int>(Shape{3, 4}, 2.))
RANDOM(exponential, r >= 0., exponential<double>(Shape{3, 4}, 1.5))
RANDOM(gamma, r >= 0., gamma<double>(Shape{3, 4}, 2., 1.))
RANDOM(weibull, r >= 0., weibull<double>(Shape{3, 4}, 2., 1.))
RANDOM(extreme_value, xt::isfinite(r), extreme_value<double>(Shape{3, 4}, 0., 1.))
RANDOM(lognormal, r > 0., lognormal<double>(Shape{3, 4}, 0., 1.))
RANDOM(chi_squared, r >= 0., chi_squared<double>(Shape{3, 4}, 2.))
RANDOM(cauchy, xt::isfinite(r), cauchy<double>(Shape{3, 4}, 0., 1.))
RANDOM(fisher_f, r >= 0., fisher_f<double>(Shape{3, 4}, 2., 3.))
RANDOM(student_t, xt::isfinite(r), student_t<double>(Shape{3, 4}, 3.))
CALL(xrandom, choice, "random::choice") {
    const xt::xarray<double> r = xt::random::choice(in.s, 5, true);
    out(r >= -3. && r < 6.);
}
CALL(xrandom, permutation, "random::permutation") {
    const xt::xarray<int> r = xt::random::permutation(7);
    out(xt::sum(r));
}
CALL(xrandom, shuffle, "random::shuffle") {
    xt::random::shuffle(in.i);
    out(xt::sum(in.i));
}
CALL(xrandom, seed, "random::seed") { xt::random::seed(3); }
CALL(xrandom, get_default_random_engine, "random::get_default_random_engine") {
    xt::random::get_default_random_engine();
}
