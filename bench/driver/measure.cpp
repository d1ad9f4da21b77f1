// SPDX-License-Identifier: BSD-3-Clause
#include "driver/measure.hpp"

#include "driver/stats_file.hpp"
#include "driver/worker_process.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <numeric>
#include <regex>
#include <thread>

namespace xlazy_bench {
namespace {

/// Idle OpenMP threads of a worker spin for a while after its turn.
constexpr auto kSpinning = std::chrono::milliseconds(15);
/// Of one variant in one round.
constexpr int most_runs(Kind kind) { return kind == Kind::bandwidth ? 20 : 200; }
/// Small arrays need less time for as many runs.
double seconds_of(Kind kind, const Options& options) {
    return kind == Kind::bandwidth ? options.seconds : options.seconds / 4;
}

struct Contestant {
    Measurement measurement;
    std::unique_ptr<StatsFile> stats;  ///< of xlazy
    std::unique_ptr<WorkerProcess> worker;
    bool running() const { return worker != nullptr && measurement.error.empty(); }
};

std::string name_of(const Case& spec, const Variant& variant, int threads) {
    return spec.id + '/' + variant.name + "/threads:" + std::to_string(threads);
}

bool takes_part(const Variant& variant, const Case& spec, const Options& options) {
    if (variant.name == "xlazy-captured" && !spec.captured) return false;
    const bool whole = variant.name == "xlazy-lazy" || variant.name == "xlazy-captured";
    if (variant.group == Group::ablation)
        return options.ablation && spec.is_example && spec.kind == Kind::bandwidth && !spec.one_statement;
    if (spec.one_statement && variant.group == Group::xlazy) return whole;
    switch (spec.kind) {
        case Kind::bandwidth: return true;
        case Kind::overhead: return whole || variant.name == "xlazy-eager" || variant.group == Group::idiomatic;
        case Kind::size:
            return variant.group == Group::hand ? variant.name == "hand" || variant.name == "hand-fast-wide"
                                                : variant.name != "xlazy-no-passes";
        case Kind::cost: return whole;
    }
    return false;
}

/// In a quick run nobody waits until kernels are compiled in the background.
Environment environment_of(const Variant& variant, const Options& options, const StatsFile* stats) {
    Environment environment = variant.environment;
    if (stats == nullptr) return environment;
    if (options.quick) environment.emplace_back("XLAZY_JIT", "block");
    environment.emplace_back("XLAZY_STATS", stats->path());
    return environment;
}

std::vector<std::pair<const Variant*, int>> wanted(const Case& spec, const Options& options) {
    std::vector<std::pair<const Variant*, int>> result;
    if (options.quick && spec.quick_sizes.empty()) return result;
    const std::regex filter(options.filter);
    for (const Variant& variant : variants()) {
        if (!takes_part(variant, spec, options)) continue;
        if (!options.only.empty() && std::count(options.only.begin(), options.only.end(), variant.name) == 0) continue;
        for (const int threads : options.threads) {
            if (threads < variant.min_threads || threads > variant.max_threads) continue;
            if (std::regex_search(name_of(spec, variant, threads), filter)) result.emplace_back(&variant, threads);
        }
    }
    return result;
}

/// Runs `work` of the contestant; a failure ends its part.
template <class F>
void attempt(Contestant& contestant, const F& work) {
    if (!contestant.running()) return;
    try {
        work();
    } catch (const std::exception& e) {
        contestant.measurement.error = e.what();
    }
}

/// Google Benchmark calls the contestants in their order, once each time that it is asked to run them.
class SilentReporter : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>&) override {}
};

void take_turn(Contestant& contestant, double seconds, int runs, benchmark::State& state) {
    for (auto _ : state) {
        attempt(contestant, [&] {
            const std::vector<double> times = contestant.worker->turn(seconds, runs);
            contestant.measurement.rounds.push_back(minimum(times));
            state.SetIterationTime(contestant.measurement.rounds.back());
        });
        if (!contestant.measurement.error.empty()) state.SkipWithError(contestant.measurement.error.c_str());
    }
    if (contestant.measurement.threads > 1) std::this_thread::sleep_for(kSpinning);
}

void run_rounds(const Case& spec, std::vector<Contestant>& contestants, const Options& options,
                const std::function<void()>& between, const std::function<void(const std::string&)>& progress) {
    benchmark::ClearRegisteredBenchmarks();
    for (Contestant& contestant : contestants) {
        const std::string name = name_of(spec, *contestant.measurement.variant, contestant.measurement.threads);
        benchmark::RegisterBenchmark(name.c_str(),
                                     [&](benchmark::State& state) {
                                         take_turn(contestant, seconds_of(spec.kind, options), most_runs(spec.kind),
                                                   state);
                                     })
            ->UseManualTime()
            ->Iterations(1);
    }
    for (int round = 1; round <= options.rounds; ++round) {
        progress(spec.id + ": round " + std::to_string(round) + " of " + std::to_string(options.rounds));
        SilentReporter reporter;
        benchmark::RunSpecifiedBenchmarks(&reporter, ".");
        between();
    }
    benchmark::ClearRegisteredBenchmarks();
}

std::vector<Contestant> open_workers(const Case& spec, const std::vector<std::size_t>& sizes, const Options& options,
                                     const std::string& folder,
                                     const std::function<void(const std::string&)>& progress) {
    std::vector<Contestant> contestants;
    for (const auto& [variant, threads] : wanted(spec, options)) {
        const std::string program = folder + '/' + variant->worker + spec.workers;
        if (!std::filesystem::exists(program)) continue;  // built without a library that it needs
        progress(spec.id + ": " + variant->name + " gets ready");
        Contestant contestant;
        contestant.measurement.variant = variant;
        contestant.measurement.threads = threads;
        try {
            if (variant->group == Group::xlazy || variant->group == Group::ablation)
                contestant.stats = std::make_unique<StatsFile>();
            contestant.worker = std::make_unique<WorkerProcess>(
                WorkerOptions{program, threads, environment_of(*variant, options, contestant.stats.get())});
            if (!contestant.worker->open(spec.job + variant->suffix, sizes)) continue;
        } catch (const std::exception& e) {
            contestant.measurement.error = e.what();
        }
        contestants.push_back(std::move(contestant));
    }
    return contestants;
}

/// Whose result is right: the strict hand-written loop, the first of its group, else plain xtensor.
Contestant* reference_of(std::vector<Contestant>& contestants) {
    for (const Group group : {Group::hand, Group::idiomatic}) {
        for (Contestant& contestant : contestants)
            if (contestant.measurement.variant->group == group && contestant.running()) return &contestant;
    }
    return nullptr;
}

void compare_results(const Case& spec, std::vector<Contestant>& contestants,
                     const std::function<void(const std::string&)>& progress) {
    Contestant* const right = reference_of(contestants);
    if (right == nullptr) return;
    progress(spec.id + ": results are compared");
    std::optional<WorkerProcess::Result> reference;
    attempt(*right, [&] { reference = right->worker->result(); });
    if (!reference) return;
    for (Contestant& contestant : contestants) {
        attempt(contestant, [&] {
            const WorkerProcess::Result result = contestant.worker->result();
            Measurement& m = contestant.measurement;
            m.difference = max_ulps(result.values, reference->values, reference->single, spec.floor);
            const bool ours = m.variant->group == Group::xlazy || m.variant->group == Group::ablation;
            m.wrong = ours && !(*m.difference <= spec.max_ulps);
        });
    }
}

/// Ends the workers, as that is when xlazy tells how many kernels there were.
void count_kernels(std::vector<Contestant>& contestants) {
    for (Contestant& contestant : contestants) {
        if (contestant.stats == nullptr) continue;
        attempt(contestant, [&] {
            const double runs = contestant.worker->runs();
            contestant.worker.reset();
            const std::optional<double> kernels = contestant.stats->read("kernels_run");
            if (kernels) contestant.measurement.kernels = std::round(*kernels / runs);
        });
    }
}

}  // namespace

const Measurement* CaseResult::find(const std::string& variant, int threads) const {
    for (const Measurement& m : measurements)
        if (m.variant->name == variant && m.threads == threads && m.error.empty()) return &m;
    return nullptr;
}

const Measurement* CaseResult::fastest(Group group, int threads) const {
    const Measurement* best = nullptr;
    for (const Measurement& m : measurements) {
        const bool counts = group == Group::hand ? m.threads == threads : m.threads <= threads;
        if (m.variant->group != group || !counts || m.rounds.empty() || !m.error.empty()) continue;
        if (best == nullptr || m.seconds.median < best->seconds.median) best = &m;
    }
    return best;
}

Summary ratio(const Measurement& measurement, const Measurement& reference) {
    return summarize(ratios(measurement.rounds, reference.rounds));
}

double of_limit(const CaseResult& result, const Measurement& measurement) {
    const std::vector<Bandwidth>& limits = result.probes.at(measurement.threads).rounds;
    const double bytes = result.spec->fused_bytes * result.elements;
    std::vector<double> parts;
    for (std::size_t i = 0; i < measurement.rounds.size(); ++i) {
        const double limit = result.spec->reads_only ? limits.at(i).read : limits.at(i).triad;
        parts.push_back(bytes / measurement.rounds[i] / limit);
    }
    return median(parts);
}

std::vector<std::string> names_of(const Case& spec, const Options& options) {
    std::vector<std::string> names;
    for (const auto& [variant, threads] : wanted(spec, options)) names.push_back(name_of(spec, *variant, threads));
    return names;
}

CaseResult measure(const Case& spec, const Options& options, const std::string& worker_folder, const Prober& probe,
                   const std::function<void(const std::string&)>& progress) {
    CaseResult result;
    result.spec = &spec;
    result.sizes = options.quick ? spec.quick_sizes : spec.sizes;
    result.elements = static_cast<double>(spec.elements(options.quick));
    std::vector<Contestant> contestants = open_workers(spec, result.sizes, options, worker_folder, progress);
    const std::vector<int> probed = spec.kind == Kind::bandwidth ? options.threads : std::vector<int>();
    progress(spec.id + ": bandwidth before");
    for (const int threads : probed) result.probes[threads].before = probe(threads, options.seconds);
    const auto probe_all = [&] {
        for (const int threads : probed) result.probes[threads].rounds.push_back(probe(threads, options.seconds / 5));
    };
    run_rounds(spec, contestants, options, probe_all, progress);
    progress(spec.id + ": bandwidth after");
    for (const int threads : probed) result.probes[threads].after = probe(threads, options.seconds);
    for (Contestant& contestant : contestants)
        attempt(contestant, [&] { contestant.measurement.memory = contestant.worker->memory(); });
    compare_results(spec, contestants, progress);
    if (spec.kind == Kind::bandwidth) count_kernels(contestants);
    for (Contestant& contestant : contestants) {
        Measurement& m = contestant.measurement;
        if (m.error.empty()) m.seconds = summarize(m.rounds);
        result.measurements.push_back(std::move(m));
    }
    return result;
}

}  // namespace xlazy_bench
