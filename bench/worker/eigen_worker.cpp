// SPDX-License-Identifier: BSD-3-Clause
// What Eigen can say of the cases, as its users write it: expressions that it fuses itself, one thread.
#include "worker/worker.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace {

using namespace xlazy_bench;

template <class T>
using Line = Eigen::Array<T, Eigen::Dynamic, 1>;
template <class T>
using Grid = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Line<T> line(std::size_t size, T low, T high, std::uint32_t seed) {
    const std::vector<T> values = spread<T>(size, low, high, seed);
    return Eigen::Map<const Line<T>>(values.data(), static_cast<Eigen::Index>(size));
}

template <class T>
Grid<T> grid(const Sizes& sizes, T low, T high, std::uint32_t seed) {
    const std::vector<T> values = spread<T>(sizes.at(0) * sizes.at(1), low, high, seed);
    return Eigen::Map<const Grid<T>>(values.data(), static_cast<Eigen::Index>(sizes[0]),
                                     static_cast<Eigen::Index>(sizes[1]));
}

template <class A>
Values sampled(const A& array) {
    Values values;
    values.single = std::is_same_v<typename A::Scalar, float>;
    const auto size = static_cast<std::size_t>(array.size());
    for (std::size_t i = 0; i < size; i += sample_step(size))
        values.values.push_back(static_cast<double>(array.data()[i]));
    return values;
}

/// A job that writes `*result` by `work`.
template <class A, class F>
Job job_of(std::shared_ptr<A> result, F work) {
    Job job;
    job.run = [=] {
        work(*result);
        keep(result->data()[0]);
    };
    job.result = [=] {
        work(*result);
        return sampled(*result);
    };
    return job;
}

Job polynomial(const Sizes& sizes) {
    const auto x = std::make_shared<Line<float>>(line<float>(sizes.at(0), 0.5f, 2.0f, 1));
    return job_of(std::make_shared<Line<float>>(x->size()), [=](Line<float>& y) {
        const Line<float>& v = *x;
        y = 0.1f * v * v * v * v * v - 0.5f * v * v * v * v + 0.25f * v * v * v + 0.75f * v * v - 1.5f * v - 2.0f;
    });
}

/// Of values of a from `low` to 1.5, as b08 has them.
template <class F>
std::function<Job(const Sizes&)> expression(F of, double low) {
    return [=](const Sizes& sizes) {
        const auto a = std::make_shared<Line<double>>(line<double>(sizes.at(0), low, 1.5, 81));
        const auto b = std::make_shared<Line<double>>(line<double>(sizes.at(0), 0.5, 1.5, 82));
        return job_of(std::make_shared<Line<double>>(a->size()), [=](Line<double>& result) { of(*a, *b, result); });
    };
}

Job gates(const Sizes& sizes) {
    struct Cell {
        Grid<float> in, forget, candidate, out, start, state;
    };
    const auto values = [&](std::uint32_t seed) { return grid<float>(sizes, -3.0f, 3.0f, seed); };
    const auto cell =
        std::make_shared<Cell>(Cell{values(31), values(32), values(33), values(34), values(35), values(35)});
    const auto output = std::make_shared<Grid<float>>(cell->start);
    const auto step = [=] {
        const auto sigmoid = [](const Grid<float>& x) { return (1.0f + (-x).exp()).inverse(); };
        Cell& c = *cell;
        c.state = sigmoid(c.forget) * c.state + sigmoid(c.in) * c.candidate.tanh();
        *output = sigmoid(c.out) * c.state.tanh();
    };
    Job job;
    job.run = [=] {
        step();
        keep((*output)(0, 0));
    };
    job.result = [=] {
        cell->state = cell->start;
        step();
        return sampled(*output);
    };
    return job;
}

/// Pairs of arrays of which one number is made.
Job dot(const Sizes& sizes) {
    const auto a = std::make_shared<Line<float>>(line<float>(sizes.at(0), 0.0f, 1.0f, 12));
    const auto b = std::make_shared<Line<float>>(line<float>(sizes.at(0), 0.0f, 1.0f, 13));
    Job job;
    job.run = [=] { keep((*a * *b).sum()); };
    job.result = [=] { return Values{true, {static_cast<double>((*a * *b).sum())}}; };
    return job;
}

}  // namespace

int main() {
    Cases cases;
    cases["b01"] = polynomial;
    cases["b08.scaled"] = expression([](auto& a, auto& b, auto& result) { result = 2.0 * a + 3.0 * b; }, 0.5);
    cases["b08.powers"] = expression([](auto& a, auto& b, auto& result) { result = 2.0 * a + b.pow(10.0); }, 0.5);
    cases["b08.waves"] = expression([](auto& a, auto& b, auto& result) { result = a.sin() + (a / b).sinh(); }, 0.5);
    cases["b09"] = gates;
    cases["b11.dot"] = dot;
    return serve(cases);
}
