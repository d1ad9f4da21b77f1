// SPDX-License-Identifier: BSD-3-Clause
// European call prices by Black and Scholes, with the constants of Bohrium's benchpress: strike 65, rate 8 %,
// volatility 30 %, prices between 58 and 62, 50 days to go. The normal distribution by the polynomial of Abramowitz and
// Stegun, Handbook of Mathematical Functions, 26.2.17.
#pragma once

#include "bodies/body.hpp"

#include <cmath>

namespace xlazy_bench::b05 {

template <class T>
using Array = xa::xtensor<T, 1>;

template <class T>
Array<T> normal_distribution(const Array<T>& x) {
    const T scale = T(0.3989422804014327);  // 1 / sqrt(2 pi)
    const Array<T> l = xa::abs(x);
    const Array<T> k = T(1) / (T(1) + T(0.2316419) * l);
    const Array<T> tail =
        k * (T(0.31938153) + k * (T(-0.356563782) + k * (T(1.781477937) + k * (T(-1.821255978) + k * T(1.330274429)))));
    const Array<T> w = T(1) - scale * xa::exp(-l * l / T(2)) * tail;
    return xa::where(x < T(0), T(1) - w, w);
}

template <class T>
Array<T> call_price(const Array<T>& s) {
    const T strike = T(65), rate = T(0.08), volatility = T(0.3), years = T(50.0 / 365.0);
    const T spread = volatility * std::sqrt(years);
    const Array<T> d1 = (xa::log(s / strike) + (rate + volatility * volatility / T(2)) * years) / spread;
    const Array<T> d2 = d1 - spread;
    return s * normal_distribution<T>(d1) - strike * std::exp(-rate * years) * normal_distribution<T>(d2);
}

/// Prices of all options.
template <class T>
Job make(const Sizes& sizes) {
    const auto s = share(array_of<Array<T>>(spread<T>(sizes.at(0), T(58), T(62), 5), std::array{sizes.at(0)}));
    const auto price = share(Array<T>());
    Job job;
    job.run = [=] {
        *price = call_price<T>(*s);
        keep((*price)(0));
    };
    job.result = [=] {
        *price = call_price<T>(*s);
        return sampled(*price);
    };
    return job;
}

/// Only their mean is kept.
template <class T>
Job make_mean(const Sizes& sizes) {
    const auto s = share(array_of<Array<T>>(spread<T>(sizes.at(0), T(58), T(62), 5), std::array{sizes.at(0)}));
    const auto mean = [=] { return static_cast<double>(xa::mean(call_price<T>(*s))()); };
    Job job;
    job.run = [=] { keep(mean()); };
    job.result = [=] { return one_value(static_cast<T>(mean())); };
    return job;
}

inline void add(Cases& cases) {
    cases["b05.f32"] = make<float>;
    cases["b05.f64"] = make<double>;
    cases["b05.mean"] = make_mean<double>;
}

}  // namespace xlazy_bench::b05
