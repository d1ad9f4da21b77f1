// SPDX-License-Identifier: BSD-3-Clause
#include "driver/options.hpp"

#include "driver/catalog.hpp"
#include "driver/worker_process.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <regex>
#include <stdexcept>

namespace xlazy_bench {
namespace {

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ',')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

int positive(const std::string& name, const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1)
        throw std::invalid_argument(name + " takes whole numbers from 1, not \"" + text + '"');
    return value;
}

void take_threads(Options& options, const std::string& text) {
    for (const std::string& part : split(text)) {
        const int count = positive("--threads", part);
        if (count > core_count())
            throw std::invalid_argument("--threads " + part + ": there are " + std::to_string(core_count()) + " cores");
        options.threads.push_back(count);
    }
    std::sort(options.threads.begin(), options.threads.end());
    options.threads.erase(std::unique(options.threads.begin(), options.threads.end()), options.threads.end());
}

void take_variants(Options& options, const std::string& text) {
    for (const std::string& name : split(text)) {
        if (find_variant(name) == nullptr) throw std::invalid_argument("--variants: there is no \"" + name + '"');
        options.only.push_back(name);
    }
}

void take_filter(Options& options, const std::string& text) {
    try {
        std::regex expression(text);
    } catch (const std::regex_error&) {
        throw std::invalid_argument("--filter: not a regular expression: " + text);
    }
    options.filter = text;
}

void take_worse(Options& options, const std::string& text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.worse);
    if (error != std::errc() || end != text.data() + text.size() || !(options.worse > 1))
        throw std::invalid_argument("--worse takes a ratio above 1, not \"" + text + '"');
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
    Options options;
    const std::map<std::string, std::function<void()>> flags = {
        {"--list", [&] { options.list = true; }},   {"--quick", [&] { options.quick = true; }},
        {"--help", [&] { options.help = true; }},   {"--ablation", [&] { options.ablation = true; }},
        {"--early", [&] { options.early = true; }},
    };
    const std::map<std::string, std::function<void(const std::string&)>> settings = {
        {"--filter", [&](const std::string& text) { take_filter(options, text); }},
        {"--threads", [&](const std::string& text) { take_threads(options, text); }},
        {"--variants", [&](const std::string& text) { take_variants(options, text); }},
        {"--rounds", [&](const std::string& text) { options.rounds = positive("--rounds", text); }},
        {"--json", [&](const std::string& text) { options.json = text; }},
        {"--report", [&](const std::string& text) { options.report = text; }},
        {"--from", [&](const std::string& text) { options.from = text; }},
        {"--others", [&](const std::string& text) { options.others = text; }},
        {"--baseline", [&](const std::string& text) { options.baseline = text; }},
        {"--worse", [&](const std::string& text) { take_worse(options, text); }},
        {"--anchors", [&](const std::string& text) { options.anchors = text; }},
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string name = arguments[i];
        if (const auto flag = flags.find(name); flag != flags.end()) {
            flag->second();
            continue;
        }
        std::string value;
        const std::size_t equals = name.find('=');
        const bool joined = equals != std::string::npos;
        if (joined) {
            value = name.substr(equals + 1);
            name.resize(equals);
        }
        const auto setting = settings.find(name);
        if (setting == settings.end()) throw std::invalid_argument("unknown option " + name);
        if (!joined) {
            if (++i == arguments.size()) throw std::invalid_argument(name + " needs a value");
            value = arguments[i];
        }
        setting->second(value);
    }
    if (!options.report.empty()) options.ablation = options.early = true;
    if (options.threads.empty()) {
        options.threads = {1};
        if (core_count() > 1) options.threads.push_back(2);
    }
    if (options.rounds == 0) options.rounds = options.quick ? 3 : 7;
    if (options.quick) {
        options.seconds = 0.01;
        options.retries = 0;
    }
    return options;
}

const char* usage() {
    return "usage: xlazy-bench [options]\n"
           "Runs the same programs with stock xtensor, xlazy and hand-written loops in turn, and compares them.\n"
           "\n"
           "  --list            print the cases and variants\n"
           "  --filter REGEX    only what matches: CASE/VARIANT/threads:N\n"
           "  --variants A,B    only these variants\n"
           "  --threads 1,2     numbers of threads\n"
           "  --rounds N        turns of every variant (default 7; with --quick 3)\n"
           "  --quick           small arrays, less than two minutes: shows that everything runs, and roughly how fast\n"
           "  --ablation        also run the examples without each optimizer pass\n"
           "  --early           also show the examples' first runs: empty cache of kernels, full one, no compiler\n"
           "  --json FILE       write all measurements\n"
           "  --report FILE     write a page for a browser; with --ablation and --early\n"
           "  --from FILE       take the measurements from a file that --json wrote, for --report and --baseline\n"
           "  --others FILE     measurements of other libraries for the page, which bench/others.py wrote\n"
           "  --baseline FILE   compare with the measurements in a file that --json wrote\n"
           "  --worse RATIO     what counts as worse than the baseline (default 1.15)\n"
           "  --anchors FILE    published figures to print beside (default: the installed anchors.json)\n"
           "\n"
           "Exit status: 1 if xlazy computes something else than the hand-written loop, is worse than the baseline, "
           "or\n"
           "a program fails; 2 for wrong options, and for files that cannot be used: nothing is measured then.\n";
}

}  // namespace xlazy_bench
