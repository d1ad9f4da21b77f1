// SPDX-License-Identifier: BSD-3-Clause
#include "planner.hpp"

#include "graphviz.hpp"
#include "log.hpp"
#include "statistics.hpp"
#include "xlazy/backends/cuda.hpp"
#include "xlazy/bytecode/text.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

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
    options.verify = settings().verify;
#ifndef NDEBUG
    options.verify = true;
#endif
    return options;
}

opt::PlanOptions& options() {
    static auto* const options = new opt::PlanOptions(plan_options());
    return *options;
}

constexpr int kMostDumps = 4;  ///< a process; who has more of them has the same one again and again
constinit std::atomic<int> dumps{0};

/// Writes the batch to a file, for xlazy-run-bytecode. @return where it is
std::string dump(const bc::Program& program) {
    const int number = dumps.fetch_add(1, std::memory_order_relaxed);
    if (number >= kMostDumps) return "not written any more";
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    const std::string file = (folder / fmt::format("xlazy-batch-{}-{}.txt", ::getpid(), number)).string();
    const std::string problem = write_file(file, bc::print(program));
    return problem.empty() ? "in " + file : problem;
}

/// The plan without optional passes, where the one with them could not be made: the program goes on.
opt::Planned unoptimised(const bc::Program& program, const char* problem) {
    log(fmt::format("internal error in the optimizer: {}. The batch runs unoptimised; its text is {}", problem,
                    dump(program)));
    return {std::make_shared<const bc::Plan>(opt::make_plan(program, {opt::PassSet{0}, false, {}})), 1, 0};
}

constinit std::atomic<int> threads_wanted{0};
constinit std::atomic<bool> one_thread{false};
constinit std::atomic<unsigned> threads_generation{1};
constinit std::atomic<bool> backend_chosen{false};
constinit std::atomic<BackendChoice> chosen_backend{BackendChoice::automatic};

/// More threads than that help nobody, and where the system does not grant them the OpenMP runtime ends the program.
constexpr int kMostThreads = 256;
constinit std::atomic<bool> told_of_threads{false};

int threads_to_use() {
    if (one_thread.load(std::memory_order_relaxed)) return 1;
    int wanted = threads_wanted.load(std::memory_order_relaxed);
    if (wanted <= 0) wanted = settings().threads;
    if (wanted <= 0) wanted = omp_get_max_threads();
    if (wanted > kMostThreads && !told_of_threads.exchange(true, std::memory_order_relaxed))
        log(fmt::format("warning: {} threads are too many; {} are used", wanted, kMostThreads));
    return std::min(wanted, kMostThreads);
}

std::atomic<bool> told_of_device{false};

/// @throws std::runtime_error: the back end that was asked for cannot be had
std::unique_ptr<be::Backend> make_backend(BackendChoice choice) {
    if (choice == BackendChoice::interp) return be::make_interpreter();
    be::OpenMpOptions host;
    host.threads = threads_to_use();
    const bool wanted = choice == BackendChoice::cuda;
    if (!wanted && choice != BackendChoice::automatic) return be::make_openmp(host);
    be::CudaOptions options;
    options.device = settings().device;
    options.host = host;
    options.jit = jit_options(settings());
    if (wanted) options.least_elements = 1;
    std::string reason;
    if (std::unique_ptr<be::Backend> cuda = be::make_cuda(options, reason)) return cuda;
    if (wanted) throw std::runtime_error(fmt::format("XLAZY_BACKEND=cuda: {}", reason));
    // Most machines have no driver, and nothing to be told.
    if (be::has_cuda_driver() && !told_of_device.exchange(true, std::memory_order_relaxed))
        log(fmt::format("the GPU is not used: {}", reason));
    return be::make_openmp(host);
}

}  // namespace

void prepare_planner() { plan_cache(); }

opt::Planned plan_of(const bc::Program& program, bool poisoned) {
    opt::Planned planned;
    try {
        if (poisoned && options().verify) {
            opt::PlanOptions unverified = options();
            unverified.verify = false;
            planned = plan_cache().get(program, unverified);
        } else {
            planned = plan_cache().get(program, options());
        }
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        planned = unoptimised(program, error.what());
    }
    if (planned.made == 0)
        count(counters().plans_hit);
    else
        count(counters().plans_missed, planned.made);
    return planned;
}

void set_plan_dump(std::function<void(std::string_view, const std::string&)> dump) { options().dump = std::move(dump); }

void set_passes(opt::PassSet passes) { options().passes = passes; }

void set_backend(BackendChoice choice) {
    chosen_backend.store(choice, std::memory_order_relaxed);
    backend_chosen.store(true, std::memory_order_relaxed);
    threads_generation.fetch_add(1, std::memory_order_release);
}

be::Backend& backend_of(Queue& queue) {
    const unsigned generation = threads_generation.load(std::memory_order_acquire);
    if (queue.backend == nullptr || queue.backend_generation != generation) {
        const BackendChoice choice = backend_chosen.load(std::memory_order_relaxed)
                                         ? chosen_backend.load(std::memory_order_relaxed)
                                         : settings().backend;
        queue.backend = make_backend(choice);
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
