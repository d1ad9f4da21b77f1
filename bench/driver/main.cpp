// SPDX-License-Identifier: BSD-3-Clause
// xlazy-bench: see usage().
#include "driver/files.hpp"
#include "driver/progress.hpp"
#include "driver/report.hpp"
#include "driver/worker_process.hpp"

#include <fmt/format.h>

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>

namespace {

using namespace xlazy_bench;

std::string own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

/// Where the workers and the anchors are, seen from this program.
std::string worker_folder() { return own_folder() + "/" + XLAZY_BENCH_WORKERS; }
std::string anchors_file(const Options& options) {
    return options.anchors.empty() ? own_folder() + "/" + XLAZY_BENCH_ANCHORS : options.anchors;
}

void list(const Options& options) {
    std::printf("cases\n");
    for (const Case& spec : cases()) {
        if (!names_of(spec, options).empty())
            std::printf("  %-24s %s, %s\n", spec.id.c_str(), spec.title.c_str(), spec.dtype.c_str());
    }
    std::printf("variants\n");
    for (const Variant& variant : variants()) std::printf("  %-24s %s\n", variant.name.c_str(), variant.about.c_str());
}

/// Bandwidth by workers that live as long as the program.
class Probes {
public:
    explicit Probes(const Options& options) : elements_(options.quick ? 1000000 : 20000000) {}
    Bandwidth operator()(int threads, double seconds) {
        Pair& pair = pairs_[threads];
        if (pair.triad == nullptr) {
            pair.triad = start("triad", threads, elements_);
            pair.read = start("read", threads, elements_);
        }
        const auto bytes = static_cast<double>(elements_ * sizeof(double));
        return {3 * bytes / minimum(pair.triad->turn(seconds, 20)), bytes / minimum(pair.read->turn(seconds, 20))};
    }

private:
    struct Pair {
        std::unique_ptr<WorkerProcess> triad, read;
    };
    static std::unique_ptr<WorkerProcess> start(const char* job, int threads, std::size_t elements) {
        auto worker = std::make_unique<WorkerProcess>(
            WorkerOptions{worker_folder() + '/' + find_variant("hand-fast-wide")->worker, threads, {}});
        worker->open(job, {elements});
        return worker;
    }
    std::size_t elements_;
    std::map<int, Pair> pairs_;
};

bool is_void(const CaseResult& result) {
    return std::any_of(result.probes.begin(), result.probes.end(), [](const auto& p) { return p.second.is_void(); });
}

/// Results as JSON go to the files that the options name, and are compared. @return exit status
int finish(std::string json, const Options& options, const Files& files) {
    if (!options.others.empty()) json = with_others(json, files.others);
    if (!options.json.empty()) write_file(options.json, json);
    if (!options.report.empty()) {
        write_file(options.report, page(json, own_folder() + "/" + XLAZY_BENCH_PAGE));
        std::printf("\nThe page is in %s\n", options.report.c_str());
    }
    if (options.baseline.empty()) return 0;
    const Comparison comparison = compare(json, files.baseline, options.worse);
    std::fputs(comparison.text.c_str(), stdout);
    return comparison.worse == 0 ? 0 : 1;
}

/// A case; again if the memory's bandwidth changed meanwhile.
CaseResult run_case(const Case& spec, const Options& options, Probes& probes, const Progress& bar) {
    const auto once = [&] {
        return measure(
            spec, options, worker_folder(), [&](int threads, double seconds) { return probes(threads, seconds); },
            [&](const std::string& text) { bar.say(text); });
    };
    CaseResult result = once();
    for (int retry = 0; retry < options.retries && is_void(result); ++retry) result = once();
    return result;
}

/// Examples of which the first runs are measured; in quick runs not all.
std::vector<const Case*> early_cases(const std::vector<const Case*>& wanted, const Options& options) {
    constexpr std::size_t kQuick = 3;
    std::vector<const Case*> all;
    for (const Case* const spec : wanted)
        if (options.early && spec->is_example && !(options.quick && all.size() == kQuick)) all.push_back(spec);
    return all;
}

int run(const Options& options, const Files& files) {
    const std::vector<Anchor> anchors = read_anchors(anchors_file(options));
    std::vector<const Case*> wanted;
    for (const Case& spec : cases())
        if (!names_of(spec, options).empty()) wanted.push_back(&spec);
    if (wanted.empty()) throw std::invalid_argument("no case matches the filter");
    const std::vector<const Case*> begun = early_cases(wanted, options);
    Probes probes(options);
    Progress bar(wanted.size() + begun.size());
    std::vector<CaseResult> results;
    for (const Case* const spec : wanted) {
        results.push_back(run_case(*spec, options, probes, bar));
        bar.step();
        bar.clear();
        std::fputs(table(results.back(), options).c_str(), stdout);
        std::fflush(stdout);
    }
    std::vector<EarlyRuns> early;
    for (const Case* const spec : begun) {
        bar.say(spec->id + ": first runs");
        for (EarlyRuns& runs : measure_early(*spec, options, worker_folder(), options.threads.back()))
            early.push_back(std::move(runs));
        bar.step();
    }
    bar.clear();
    std::fputs(overview(results, options).c_str(), stdout);
    std::fputs(overhead_overview(results, options).c_str(), stdout);
    std::fputs(published(results, anchors).c_str(), stdout);
    std::fputs(complaints(results).c_str(), stdout);
    const int status = finish(to_json(results, early, anchors, options), options, files);
    return any_wrong(results) ? 1 : status;
}

}  // namespace

int main(int argc, char** argv) {
    signal(SIGPIPE, SIG_IGN);  // a worker that died is reported by what it does not answer
    try {
        const Options options = parse_options({argv + 1, argv + argc});
        if (options.help) {
            std::fputs(usage(), stdout);
            return 0;
        }
        if (options.list) {
            list(options);
            return 0;
        }
        const Files files = look_at_files(options);
        return options.from.empty() ? run(options, files) : finish(files.from, options, files);
    } catch (const std::invalid_argument& e) {
        std::fprintf(stderr, "xlazy-bench: %s\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "xlazy-bench: %s\n", e.what());
        return 1;
    }
}
