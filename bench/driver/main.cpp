// SPDX-License-Identifier: BSD-3-Clause
// xlazy-bench: see usage().
#include "driver/report.hpp"
#include "driver/worker_process.hpp"

#include <fmt/format.h>

#include <signal.h>
#include <unistd.h>

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

/// One line that is rewritten, where there is a terminal.
void progress(const std::string& text) {
    if (isatty(STDERR_FILENO) == 0) return;
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
}

int run(const Options& options) {
    const std::vector<Anchor> anchors = read_anchors(anchors_file(options));
    std::vector<const Case*> wanted;
    for (const Case& spec : cases())
        if (!names_of(spec, options).empty()) wanted.push_back(&spec);
    if (wanted.empty()) throw std::invalid_argument("no case matches the filter");
    const auto probes = std::make_shared<Probes>(options);
    std::vector<CaseResult> results;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::string done = fmt::format("[{}/{}] ", i + 1, wanted.size());
        const auto once = [&] {
            return measure(
                *wanted[i], options, worker_folder(),
                [&](int threads, double seconds) { return (*probes)(threads, seconds); },
                [&](const std::string& text) { progress(done + text); });
        };
        CaseResult result = once();
        for (int retry = 0; retry < options.retries && is_void(result); ++retry) result = once();
        results.push_back(std::move(result));
        progress("");
        std::fputs(table(results.back(), options).c_str(), stdout);
        std::fflush(stdout);
    }
    std::fputs(overview(results, options).c_str(), stdout);
    std::fputs(overhead_overview(results, options).c_str(), stdout);
    std::fputs(published(results, anchors).c_str(), stdout);
    std::fputs(complaints(results).c_str(), stdout);
    if (!options.json.empty()) write_json(options.json, results, anchors, options);
    return any_wrong(results) ? 1 : 0;
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
        return run(options);
    } catch (const std::invalid_argument& e) {
        std::fprintf(stderr, "xlazy-bench: %s\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "xlazy-bench: %s\n", e.what());
        return 1;
    }
}
