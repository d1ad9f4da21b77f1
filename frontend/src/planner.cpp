// SPDX-License-Identifier: BSD-3-Clause
#include "planner.hpp"

#include "env.hpp"
#include "statistics.hpp"

namespace xlazy {
namespace rt {
namespace {

/// Never destroyed: static arrays may outlive main.
opt::PlanCache& plan_cache() {
    static opt::PlanCache* const cache = new opt::PlanCache;
    return *cache;
}

opt::PlanOptions plan_options() {
    opt::PlanOptions options;
    options.passes = settings().passes;
#ifndef NDEBUG
    options.verify = true;
#endif
    return options;
}

constinit std::atomic<int> threads_wanted{0};
constinit std::atomic<bool> one_thread{false};
constinit std::atomic<unsigned> threads_generation{1};

int threads_to_use() {
    if (one_thread.load(std::memory_order_relaxed)) return 1;
    const int wanted = threads_wanted.load(std::memory_order_relaxed);
    return wanted > 0 ? wanted : settings().threads;
}

}  // namespace

void prepare_planner() { plan_cache(); }

opt::Planned plan_of(const bc::Program& program) {
    static const opt::PlanOptions* const options = new opt::PlanOptions(plan_options());
    opt::Planned planned = plan_cache().get(program, *options);
    if (planned.made == 0)
        count(counters().plans_hit);
    else
        count(counters().plans_missed, planned.made);
    return planned;
}

be::Backend& backend_of(Queue& queue) {
    const unsigned generation = threads_generation.load(std::memory_order_acquire);
    if (queue.backend == nullptr || queue.backend_generation != generation) {
        queue.backend =
            settings().backend == BackendChoice::interp ? be::make_interpreter() : be::make_openmp(threads_to_use());
        queue.backend_generation = generation;
    }
    return *queue.backend;
}

void run_on_one_thread() noexcept {
    one_thread.store(true, std::memory_order_relaxed);
    threads_generation.fetch_add(1, std::memory_order_release);
}

}  // namespace rt

void set_num_threads(int threads) {
    rt::threads_wanted.store(threads, std::memory_order_relaxed);
    rt::threads_generation.fetch_add(1, std::memory_order_release);
}

}  // namespace xlazy
