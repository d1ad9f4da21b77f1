// SPDX-License-Identifier: BSD-3-Clause
#include "hand/buffer.hpp"
#include "hand/hand.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace xlazy_bench::hand {
namespace {

template <class T>
Values sampled(const T* data, std::size_t size) {
    Values values;
    values.single = sizeof(T) == sizeof(float);
    for (std::size_t i = 0; i < size; i += sample_step(size)) values.values.push_back(static_cast<double>(data[i]));
    return values;
}

template <class T>
std::shared_ptr<Buffer<T>> buffer(const std::vector<T>& values) {
    return std::make_shared<Buffer<T>>(values);
}

// ---- b01

template <bool kStream>
void polynomial(const float* __restrict in, float* __restrict y, std::size_t n) {
    for_all<kStream>(y, n, [=](std::size_t i) {
        const float x = in[i];
        return 0.1f * x * x * x * x * x - 0.5f * x * x * x * x + 0.25f * x * x * x + 0.75f * x * x - 1.5f * x - 2.0f;
    });
}

template <bool kStream>
Job make_polynomial(const Sizes& sizes) {
    const std::size_t n = sizes.at(0);
    const auto x = buffer(spread<float>(n, 0.5f, 2.0f, 1));
    const auto y = std::make_shared<Buffer<float>>(n);
    const auto run = [=] { polynomial<kStream>(x->data(), y->data(), n); };
    return {run,
            [=] {
                run();
                return sampled(y->data(), n);
            },
            nullptr};
}

// ---- b05

template <class T>
inline T normal_distribution(T x) {
    const T scale = T(0.3989422804014327);
    const T l = std::abs(x);
    const T k = T(1) / (T(1) + T(0.2316419) * l);
    const T tail =
        k * (T(0.31938153) + k * (T(-0.356563782) + k * (T(1.781477937) + k * (T(-1.821255978) + k * T(1.330274429)))));
    const T w = T(1) - scale * std::exp(-l * l / T(2)) * tail;
    return x < T(0) ? T(1) - w : w;
}

template <class T>
struct CallPrice {
    const T* s;
    T strike = T(65), rate = T(0.08), volatility = T(0.3), years = T(50.0 / 365.0);
    T spread = volatility * std::sqrt(years);
    T discounted = strike * std::exp(-rate * years);

    T operator()(std::size_t i) const {
        const T d1 = (std::log(s[i] / strike) + (rate + volatility * volatility / T(2)) * years) / spread;
        const T d2 = d1 - spread;
        return s[i] * normal_distribution(d1) - discounted * normal_distribution(d2);
    }
};

template <class T, bool kStream>
Job make_black_scholes(const Sizes& sizes) {
    const std::size_t n = sizes.at(0);
    const auto s = buffer(spread<T>(n, T(58), T(62), 5));
    const auto price = std::make_shared<Buffer<T>>(n);
    const auto run = [=] { for_all<kStream>(price->data(), n, CallPrice<T>{s->data()}); };
    return {run,
            [=] {
                run();
                return sampled(price->data(), n);
            },
            nullptr};
}

Job make_black_scholes_mean(const Sizes& sizes) {
    const std::size_t n = sizes.at(0);
    const auto s = buffer(spread<double>(n, 58.0, 62.0, 5));
    const auto mean = [=] {
        const CallPrice<double> price{s->data()};
        double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
        for (std::size_t i = 0; i < n; ++i) sum += price(i);
        return sum / static_cast<double>(n);
    };
    return {[=] { keep(mean()); }, [=] { return Values{false, {mean()}}; }, nullptr};
}

// ---- b06

/// Rows 1 to side - 2; the two grids then change places. @return sum of the absolute changes
template <bool kStream>
double heat_step(const double* __restrict grid, double* __restrict next, std::size_t side) {
    double change = 0;
#pragma omp parallel reduction(+ : change)
    {
        std::vector<double> line(kStream ? side : 0);
#pragma omp for schedule(static)
        for (std::size_t i = 1; i < side - 1; ++i) {
            const double* const row = grid + i * side;
            double* __restrict const out = kStream ? line.data() : next + i * side;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (std::size_t j = 1; j < side - 1; ++j) {
                const double value = 0.2 * (row[j] + row[j - side] + row[j + side] + row[j - 1] + row[j + 1]);
                sum += std::abs(value - row[j]);
                out[j] = value;
            }
            if constexpr (kStream) stream(next + i * side + 1, out + 1, side - 2);
            change += sum;
        }
        if constexpr (kStream) stream_fence();
    }
    return change;
}

template <bool kStream>
Job make_heat(const Sizes& sizes) {
    const std::size_t side = sizes.at(0);
    struct Grids {
        Buffer<double> now, next;
    };
    const auto initial = [=] {
        std::vector<double> values = spread<double>(side * side, 0.0, 1.0, 6);
        std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(side), 100.0);
        return std::make_shared<Grids>(Grids{Buffer<double>(values), Buffer<double>(values)});
    };
    const auto step = [=](Grids& grids) {
        const double change = heat_step<kStream>(grids.now.data(), grids.next.data(), side);
        std::swap(grids.now, grids.next);
        return change;
    };
    const auto grids = initial();
    return {[=] { keep(step(*grids)); },
            [=] {
                const auto start = initial();
                const double first = step(*start);
                const double second = step(*start);
                Values values = sampled(start->now.data(), side * side);
                values.values.push_back(first);
                values.values.push_back(second);
                return values;
            },
            nullptr};
}

// ---- b08

template <class T, class F>
Job make_expression(const Sizes& sizes, double low, F of) {
    const std::size_t n = sizes.at(0);
    const auto a = buffer(spread<double>(n, low, 1.5, 81)), b = buffer(spread<double>(n, 0.5, 1.5, 82));
    const auto result = std::make_shared<Buffer<T>>(n);
    const auto run = [=] {
        const double *x = a->data(), *y = b->data();
        for_all<false>(result->data(), n, [=](std::size_t i) { return static_cast<T>(of(x[i], y[i])); });
    };
    return {run,
            [=] {
                run();
                return sampled(result->data(), n);
            },
            nullptr};
}

/// As a person writes it who knows that few products are cheaper than a power.
double tenth_power(double b) {
    const double b2 = b * b, b4 = b2 * b2;
    return b4 * b4 * b2;
}

void add_expressions(Cases& cases) {
    const auto add = [&]<class T>(const char* name, T, double low, auto of) {
        cases[std::string("b08.") + name] = [=](const Sizes& sizes) { return make_expression<T>(sizes, low, of); };
    };
    add("scaled", 0.0, 0.5, [](double a, double b) { return 2.0 * a + 3.0 * b; });
    add("powers", 0.0, 0.5, [](double a, double b) { return 2.0 * a + tenth_power(b); });
    add("compared", static_cast<unsigned char>(0), -1.5, [](double a, double b) { return a * b - 4.1 * a > 2.5 * b; });
    add("waves", 0.0, 0.5, [](double a, double b) { return std::sin(a) + std::sinh(a / b); });
}

// ---- b09

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

Job make_lstm(const Sizes& sizes) {
    const std::size_t n = sizes.at(0) * sizes.at(1);
    struct Cell {
        Buffer<float> in, forget, candidate, out, start, state, output;
    };
    const auto values = [=](std::uint32_t seed) { return Buffer<float>(spread<float>(n, -3.0f, 3.0f, seed)); };
    const auto cell = std::make_shared<Cell>(
        Cell{values(31), values(32), values(33), values(34), values(35), values(35), values(35)});
    const auto step = [=](const float* before) {
        const float *in = cell->in.data(), *forget = cell->forget.data(), *candidate = cell->candidate.data(),
                    *out = cell->out.data();
        float *state = cell->state.data(), *output = cell->output.data();
#pragma omp parallel for simd schedule(static)
        for (std::size_t i = 0; i < n; ++i) {
            const float now = sigmoid(forget[i]) * before[i] + sigmoid(in[i]) * std::tanh(candidate[i]);
            state[i] = now;
            output[i] = sigmoid(out[i]) * std::tanh(now);
        }
    };
    return {[=] {
                step(cell->state.data());
                keep(cell->output.data()[0]);
            },
            [=] {
                step(cell->start.data());
                return sampled(cell->output.data(), n);
            },
            nullptr};
}

}  // namespace

void add_elementwise(Cases& cases) {
    cases["b01"] = make_polynomial<false>;
    cases["b01.stream"] = make_polynomial<true>;
    cases["b05.f32"] = make_black_scholes<float, false>;
    cases["b05.f32.stream"] = make_black_scholes<float, true>;
    cases["b05.f64"] = make_black_scholes<double, false>;
    cases["b05.f64.stream"] = make_black_scholes<double, true>;
    cases["b05.mean"] = make_black_scholes_mean;
    cases["b06"] = make_heat<false>;
    cases["b06.stream"] = make_heat<true>;
    add_expressions(cases);
    cases["b09"] = make_lstm;
}

void add_probes(Cases& cases) {
    cases["triad"] = [](const Sizes& sizes) {
        const std::size_t n = sizes.at(0);
        const auto a = std::make_shared<Buffer<double>>(n);
        const auto b = buffer(spread<double>(n, 0.0, 1.0, 1));
        const auto c = buffer(spread<double>(n, 0.0, 1.0, 2));
        const auto run = [=] {
            const double *x = b->data(), *y = c->data();
            for_all<true>(a->data(), n, [=](std::size_t i) { return x[i] + 3.0 * y[i]; });
        };
        return Job{run, nullptr, nullptr};
    };
    cases["read"] = [](const Sizes& sizes) {
        const auto a = buffer(spread<double>(sizes.at(0), 0.0, 1.0, 1));
        const auto run = [=] {
            const double* const x = a->data();
            double sum = 0;
            // Eight vectors of 512 bits at a time, so that no addition waits for another.
#pragma omp parallel for schedule(static) reduction(+ : sum)
            for (std::size_t first = 0; first < a->size() / 4096; ++first) {
                double parts[64] = {};
                for (std::size_t i = first * 4096; i < (first + 1) * 4096; i += 64)
#pragma omp simd
                    for (std::size_t k = 0; k < 64; ++k) parts[k] += x[i + k];
                for (const double part : parts) sum += part;
            }
            keep(sum);
        };
        return Job{run, nullptr, nullptr};
    };
}

}  // namespace xlazy_bench::hand
