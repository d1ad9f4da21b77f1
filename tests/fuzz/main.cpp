// SPDX-License-Identifier: BSD-3-Clause
// xlazy-fuzz: random programs, each in every way that must not matter.
#include "fuzz/coverage.hpp"
#include "fuzz/level_errors.hpp"
#include "fuzz/level_bytecode.hpp"
#include "fuzz/level_frontend.hpp"
#include "fuzz/level_runtime.hpp"
#include "fuzz/shrink.hpp"
#include "xlazy/backends/jit.hpp"
#include "xlazy/runtime.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

namespace xlazy::fuzz {
namespace {

constexpr const char* kUsage = R"(usage: xlazy-fuzz [options]

  --programs N     run N random programs (default 1000), over all levels
  --seed S         another series of programs (default 1)
  --level NAME     only this level: bytecode, runtime, frontend or errors
  --number K       only program K of the level, after printing it
  --replay FILE    check the program in FILE
  --coverage       print what the programs reached
  --least N        fail if a cell of the coverage has fewer than N hits
  --save DIR       write every failing program to DIR
  --shrink SECONDS time to make a failing program small (default 20)
  --failures N     stop after N failures (default 1)
  --compiled K     compile up to K kernels of every 100 programs and run those programs again

Exit status: 0 all agree, 1 something differs, 2 usage.
)";

struct Options {
    std::uint64_t programs = 1000, seed = 1, least = 0, failures = 1;
    std::string level, replay, save;
    std::optional<std::uint64_t> number;
    std::size_t compiled = 0;
    bool coverage = false;
    double shrink_seconds = 20;
};

/// What a crash is reported with: only this may be touched in a signal handler.
char now_running[160];

void report_crash(int signal) {
    constexpr char kText[] = "xlazy-fuzz: crashed in ";
    [[maybe_unused]] auto written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
    written = ::write(STDERR_FILENO, now_running, std::strlen(now_running));
    written = ::write(STDERR_FILENO, "\n", 1);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void note_running(const std::string& text) { std::snprintf(now_running, sizeof now_running, "%s", text.c_str()); }

using LevelCheck = std::string (*)(const Case&, std::uint64_t);
const std::map<std::string, LevelCheck>& batch_levels() {
    static const std::map<std::string, LevelCheck> levels{
        {"bytecode", check_case}, {"runtime", check_runtime}, {"errors", check_errors}};
    return levels;
}

/// The levels share the programs: five, three and two of ten.
std::string level_of(std::uint64_t program) {
    const std::uint64_t place = program % 10;
    return place < 5 ? "bytecode" : place < 8 ? "runtime" : "frontend";
}

class Session {
public:
    explicit Session(Options options) : options_(std::move(options)) {
        if (options_.compiled == 0) return;
        // Every kernel counts, and none is compiled by itself.
        be::JitOptions jit;
        jit.mode = be::JitMode::background;
        jit.least_elements = 0;
        jit.runs = jit.elements = std::numeric_limits<std::int64_t>::max();
        jit.compiler_limit = std::chrono::minutes(10);
        jit.trace = [](const std::string& line) {
            if (line.find("stays interpreted") != line.npos) fmt::print("{}\n", line);
        };
        flush();  // the first use of the library applies the environment
        be::set_jit(std::move(jit));
    }

    int run() {
        if (!options_.replay.empty()) return replay();
        if (options_.number) {
            program(options_.level, *options_.number, true);
            return failures_ == 0 ? 0 : 1;
        }
        std::map<std::string, std::uint64_t> counts;
        std::uint64_t done = 0;
        std::vector<std::pair<std::string, std::uint64_t>> again;
        for (; done < options_.programs && failures_ < options_.failures; ++done) {
            const std::string level = options_.level.empty() ? level_of(done) : options_.level;
            again.emplace_back(level, counts[level]);
            program(level, counts[level]++, false);
            if (options_.compiled == 0 || (again.size() < kTogether && done + 1 < options_.programs)) continue;
            kernels_ += be::compile_seen_kernels(options_.compiled);
            for (const auto& [name, number] : again) program(name, number, false);
            again.clear();
        }
        if (options_.compiled != 0)
            fmt::print("{} kernels compiled, {} runs of compiled kernels\n", kernels_, be::jit_counts().runs);
        std::string summary;
        for (const auto& [level, count] : counts) summary += fmt::format(", {} {}", count, level);
        fmt::print("{} programs{}, seed {}: {} failures\n", done, summary, options_.seed, failures_);
        return report_coverage() && failures_ == 0 ? 0 : 1;
    }

private:
    void program(const std::string& level, std::uint64_t number, bool show) {
        const std::string name = fmt::format("--level {} --seed {} --number {}", level, options_.seed, number);
        note_running(name);
        if (level == "frontend") {
            const std::string wrong = check_frontend(options_.seed, number, show);
            if (!wrong.empty()) report(name, wrong, "");
            return;
        }
        const LevelCheck check = batch_levels().at(level);
        Saved saved{random_case(mix(options_.seed, level == "bytecode" ? 1 : 2), number), level,
                    mix(options_.seed, number)};
        if (show) fmt::print("{}", print(saved, name));
        std::fflush(stdout);
        coverage_.add(saved.c.program);
        const std::string wrong = check(saved.c, saved.choice);
        if (wrong.empty()) return;
        const Check again = [&](const Case& c) { return check(c, saved.choice); };
        saved.c = shrink(saved.c, again, options_.shrink_seconds);
        report(name, wrong, print(saved, name + "\n" + again(saved.c)));
    }

    void report(const std::string& name, const std::string& wrong, const std::string& text) {
        ++failures_;
        fmt::print("FAILURE xlazy-fuzz {}\n  {}\n{}", name, wrong, text);
        std::fflush(stdout);
        if (options_.save.empty() || text.empty()) return;
        std::ofstream(fmt::format("{}/{}-{}.xlz", options_.save, options_.seed, failures_)) << text;
    }

    bool report_coverage() const {
        if (options_.coverage) fmt::print("{}", coverage_.table());
        if (options_.least == 0) return true;
        fmt::print("least hits of a cell: {}\n", coverage_.least());
        const std::string missing = coverage_.missing(options_.least);
        if (!missing.empty()) fmt::print("fewer than {} hits:\n{}", options_.least, missing);
        return missing.empty();
    }

    int replay() {
        std::ifstream file(options_.replay);
        if (!file) {
            fmt::print(stderr, "xlazy-fuzz: cannot read {}\n", options_.replay);
            return 2;
        }
        std::stringstream text;
        text << file.rdbuf();
        const Saved saved = read(text.str());
        const auto level = batch_levels().find(saved.level);
        if (level == batch_levels().end()) {
            fmt::print(stderr, "xlazy-fuzz: {} is of no level that replays\n", options_.replay);
            return 2;
        }
        note_running(options_.replay);
        const std::string wrong = level->second(saved.c, saved.choice);
        if (!wrong.empty()) fmt::print("FAILURE {}\n  {}\n", options_.replay, wrong);
        return wrong.empty() ? 0 : 1;
    }

    static constexpr std::size_t kTogether = 100;
    Options options_;
    std::size_t kernels_ = 0;
    Coverage coverage_;
    std::uint64_t failures_ = 0;
};

bool parse(int count, char** words, Options& options) {
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--coverage") {
            options.coverage = true;
            continue;
        }
        if (i + 1 == count) return false;
        const std::string value = words[++i];
        const auto number = [&] { return std::strtoull(value.c_str(), nullptr, 10); };
        if (word == "--programs")
            options.programs = number();
        else if (word == "--seed")
            options.seed = number();
        else if (word == "--level")
            options.level = value;
        else if (word == "--number")
            options.number = number();
        else if (word == "--replay")
            options.replay = value;
        else if (word == "--least")
            options.least = number();
        else if (word == "--save")
            options.save = value;
        else if (word == "--shrink")
            options.shrink_seconds = std::strtod(value.c_str(), nullptr);
        else if (word == "--compiled")
            options.compiled = number();
        else if (word == "--failures")
            options.failures = number();
        else
            return false;
    }
    const bool known = options.level.empty() || options.level == "frontend" || batch_levels().contains(options.level);
    return known && (!options.number || !options.level.empty());
}

}  // namespace
}  // namespace xlazy::fuzz

int main(int count, char** words) {
    using namespace xlazy::fuzz;
    Options options;
    if (!parse(count, words, options)) {
        std::fputs(kUsage, stderr);
        return 2;
    }
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, report_crash);
    return Session(std::move(options)).run();
}
