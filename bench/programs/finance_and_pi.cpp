// SPDX-License-Identifier: BSD-3-Clause
// Long chains of element functions and a sum at the end.
#include "program.hpp"

#include <cmath>
#include <xtensor/xrandom.hpp>

using programs::Vector;

namespace {

Vector cumulative_normal(const Vector& x) {
    const Vector l = xt::abs(x);
    const Vector k = 1.0 / (1.0 + 0.2316419 * l);
    const Vector w = 1.0 - 1.0 / std::sqrt(2 * 3.141592653589793) * xt::exp(-l * l / 2.0) *
                               (0.31938153 * k - 0.356563782 * xt::pow(k, 2) + 1.781477937 * xt::pow(k, 3) -
                                1.821255978 * xt::pow(k, 4) + 1.330274429 * xt::pow(k, 5));
    return xt::where(x < 0.0, 1.0 - w, w);
}

}  // namespace

PROGRAM(black_scholes) {
    const double strike = 65, rate = 0.08, volatility = 0.3;
    const Vector price = programs::scattered<Vector>({size}, 1) * 4.0 + 58.0;
    std::vector<double> values;
    for (std::size_t step = 1; step <= steps; ++step) {
        const double time = static_cast<double>(step) / 365.0;
        const Vector d1 =
            (xt::log(price / strike) + (rate + volatility * volatility / 2) * time) / (volatility * std::sqrt(time));
        const Vector d2 = d1 - volatility * std::sqrt(time);
        const Vector call = price * cumulative_normal(d1) - strike * std::exp(-rate * time) * cumulative_normal(d2);
        values.push_back(xt::sum(call)() / static_cast<double>(size));
    }
    return values;
}

PROGRAM(leibnitz_pi) {
    double sum = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const xt::xtensor<int, 1> n = xt::arange<int>(static_cast<int>(size));
        sum += xt::sum(4.0 * (1.0 - 2.0 * (n % 2)) / (2.0 * n + 1.0))();
    }
    return {sum / static_cast<double>(steps)};
}

/// The numbers differ between the libraries, the value by a few thousandths.
PROGRAM(montecarlo_pi) {
    xt::random::seed(1);
    double sum = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const Vector x = xt::random::rand<double>({size}), y = xt::random::rand<double>({size});
        sum += 4.0 * xt::sum(xt::cast<double>(x * x + y * y <= 1.0))() / static_cast<double>(size);
    }
    return {sum / static_cast<double>(steps)};
}

PROGRAM(rosenbrock) {
    const Vector x = programs::scattered<Vector>({size}, 2);
    double sum = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const auto head = xt::view(x, xt::range(0, size - 1)), tail = xt::view(x, xt::range(1, size));
        sum += xt::sum(100.0 * xt::square(tail - xt::square(head)) + xt::square(1.0 - head))();
    }
    return {sum};
}

PROGRAM(synthetic) {
    Vector a = programs::scattered<Vector>({size}, 3), b = programs::scattered<Vector>({size}, 4);
    for (std::size_t step = 0; step < steps; ++step) {
        const Vector c = a + b * 0.5, d = a - b * 0.25;
        a = c * d + 0.125;
        b = xt::sqrt(xt::abs(c - d)) * 0.5;
    }
    return {xt::sum(a)(), xt::sum(b)(), xt::amax(a)()};
}
