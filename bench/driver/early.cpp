// SPDX-License-Identifier: BSD-3-Clause
// The first runs of a fresh process: what waits for a compiler, and when compiled kernels take over.
#include "driver/measure.hpp"
#include "driver/stats_file.hpp"
#include "driver/worker_process.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace xlazy_bench {
namespace {

class TemporaryFolder {
public:
    TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "xlazy-bench-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make a folder " + path_);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

constexpr int kMostRuns = 20000;
constexpr double kSecondsQuick = 0.7, kSeconds = 4;  ///< a process

EarlyRuns run_once(const Case& spec, const Options& options, const std::string& program, int threads,
                   const std::string& how, Environment environment) {
    EarlyRuns early;
    early.spec = &spec;
    early.how = how;
    try {
        const StatsFile stats;
        environment.emplace_back("XLAZY_STATS", stats.path());
        {
            WorkerProcess worker({program, threads, environment});
            if (!worker.open(spec.job, options.quick ? spec.quick_sizes : spec.sizes))
                throw std::runtime_error("the worker lacks the case");
            early.seconds = worker.opening();
            const std::vector<double> rest = worker.go_on(options.quick ? kSecondsQuick : kSeconds, kMostRuns);
            early.seconds.insert(early.seconds.end(), rest.begin(), rest.end());
        }
        early.compiled = stats.read("kernels_compiled").value_or(0);
        early.loaded = stats.read("kernels_loaded").value_or(0);
    } catch (const std::exception& e) {
        early.error = e.what();
    }
    return early;
}

}  // namespace

std::vector<EarlyRuns> measure_early(const Case& spec, const Options& options, const std::string& worker_folder,
                                     int threads) {
    const std::string program = worker_folder + '/' + find_variant("xlazy-lazy")->worker;
    const TemporaryFolder cache, other;
    const std::vector<std::pair<std::string, Environment>> ways = {
        {"eager", {{"XLAZY_MODE", "eager"}, {"XLAZY_JIT", "off"}}},
        {"interpreted", {{"XLAZY_JIT", "off"}}},
        {"empty cache", {{"XLAZY_JIT", "background"}, {"XLAZY_CACHE_DIR", cache.path()}}},
        {"full cache", {{"XLAZY_JIT", "background"}, {"XLAZY_CACHE_DIR", cache.path()}}},
        {"waits for the compiler", {{"XLAZY_JIT", "block"}, {"XLAZY_CACHE_DIR", other.path()}}}};
    std::vector<EarlyRuns> all;
    for (const auto& [how, environment] : ways)
        all.push_back(run_once(spec, options, program, threads, how, environment));
    return all;
}

}  // namespace xlazy_bench
