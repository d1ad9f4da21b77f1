// SPDX-License-Identifier: BSD-3-Clause
// What the run time costs beside the arithmetic: recording by statements, operations and operands, and a flush of a
// known batch by instructions and kernels. Costs of one thing are differences of two lines, see the counters.
#include "xlazy/detail/recorder.hpp"
#include "xlazy/runtime.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace {

using xlazy::here;
using namespace xlazy::rt;
using xlazy::bc::DType;

constexpr std::size_t kBatch = 500;  ///< statements a batch

/// Small one-dimensional arrays.
class Arrays {
public:
    Arrays(std::size_t count, std::size_t elements) : extent_(elements) {
        for (std::size_t i = 0; i < count; ++i) {
            bases_.push_back(base_new(DType::f64, elements));
            auto* const memory = static_cast<double*>(base_fill(bases_.back()));
            std::fill_n(memory, elements, 1.0);
        }
    }
    ~Arrays() {
        for (Base* base : bases_) base_release(base);
    }
    Arrays(const Arrays&) = delete;
    Arrays& operator=(const Arrays&) = delete;

    Base*& operator[](std::size_t i) { return bases_[i]; }
    ViewRef view(std::size_t i) const { return view_of(bases_[i]); }
    ViewRef view_of(Base* base) const { return {base, 0, 1, &extent_, &stride_}; }
    std::size_t count() const { return bases_.size(); }

private:
    std::vector<Base*> bases_;
    std::size_t extent_;
    std::ptrdiff_t stride_ = 1;
};

/// target <- chain of `operations` on arrays with numbers from 1 on, `operands` of them different.
void record(const Arrays& arrays, Base* target, std::size_t operations, std::size_t operands) {
    Statement statement(here::current());
    Value value = statement.load(arrays.view(1));
    for (std::size_t i = 0; i < operations; ++i) {
        value = statement.apply(Op::add, DType::f64, value, statement.load(arrays.view(1 + i % operands)));
    }
    statement.store(arrays.view_of(target), value);
}

benchmark::Counter per_item(double items) { return {items, benchmark::Counter::kIsRate | benchmark::Counter::kInvert}; }

/// Time of a statement with range(0) operations on range(1) arrays; flushes are not timed.
void BM_record_in_place(benchmark::State& state) {
    Arrays arrays(33, 4);
    const auto operations = static_cast<std::size_t>(state.range(0));
    const auto operands = static_cast<std::size_t>(state.range(1));
    const std::size_t batch = kBatch / (1 + operations / 8);
    for (auto _ : state) {
        for (std::size_t i = 0; i < batch; ++i) record(arrays, arrays[0], operations, operands);
        state.PauseTiming();
        xlazy::flush();
        state.ResumeTiming();
    }
    const double statements = static_cast<double>(state.iterations()) * static_cast<double>(batch);
    state.counters["statement"] = per_item(statements);
}
BENCHMARK(BM_record_in_place)->Args({1, 1})->Args({1, 2})->Args({2, 1})->Args({9, 1})->Args({17, 1})->Args({17, 17});

/// As above with one operation, every statement to a new array that replaces the old one.
void BM_record_new_array(benchmark::State& state) {
    Arrays arrays(3, 4);
    for (auto _ : state) {
        for (std::size_t i = 0; i < kBatch; ++i) {
            Base* const next = base_new(DType::f64, 4);
            record(arrays, next, 1, 1);
            base_release(std::exchange(arrays[0], next));
        }
        state.PauseTiming();
        xlazy::flush();
        state.ResumeTiming();
    }
    const double statements = static_cast<double>(state.iterations()) * static_cast<double>(kBatch);
    state.counters["statement"] = per_item(statements);
}
BENCHMARK(BM_record_new_array);

/// A known batch of range(0) statements with range(1) operations each, on arrays of 4 elements: recorded untimed,
/// flushed. Statements write different arrays; `fused` runs them as one kernel, range(2) == 0 as one kernel each.
void BM_known_flush(benchmark::State& state) {
    const auto statements = static_cast<std::size_t>(state.range(0));
    const auto operations = static_cast<std::size_t>(state.range(1));
    const bool one_shape = state.range(2) != 0;
    Arrays sources(2, 4);
    std::vector<std::unique_ptr<Arrays>> targets;
    for (std::size_t i = 0; i < statements; ++i) targets.push_back(std::make_unique<Arrays>(2, one_shape ? 4 : 4 + i));
    const std::uint64_t kernels_before = xlazy::stats().kernels_run;
    for (auto _ : state) {
        state.PauseTiming();
        for (std::size_t i = 0; i < statements; ++i)
            record(one_shape ? *targets[0] : *targets[i], (*targets[i])[0], operations, 1);
        state.ResumeTiming();
        xlazy::flush();
    }
    const auto rounds = static_cast<double>(state.iterations());
    state.counters["kernels"] = static_cast<double>(xlazy::stats().kernels_run - kernels_before) / rounds;
    state.counters["instructions"] = static_cast<double>(statements * operations);
}
BENCHMARK(BM_known_flush)
    ->Args({1, 1, 1})
    ->Args({10, 1, 1})
    ->Args({100, 1, 1})
    ->Args({1, 100, 1})
    ->Args({10, 1, 0})
    ->Args({100, 1, 0});

/// One statement and a read of its result, as a loop over small arrays does.
void BM_statement_and_read(benchmark::State& state) {
    Arrays arrays(2, static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        record(arrays, arrays[0], 1, 1);
        benchmark::DoNotOptimize(readable(arrays[0], Reason::element, here::current()));
    }
}
BENCHMARK(BM_statement_and_read)->Arg(4)->Arg(1000);

}  // namespace

BENCHMARK_MAIN();
