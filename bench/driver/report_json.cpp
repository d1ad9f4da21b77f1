// SPDX-License-Identifier: BSD-3-Clause
#include "driver/report.hpp"

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace xlazy_bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

Json to_json(const Summary& summary) {
    return {{"min", summary.min}, {"median", summary.median}, {"mad", summary.deviation}};
}

/// Ratios of the measurement over the fastest of the group, or null.
Json ratio_json(const CaseResult& result, const Measurement& m, Group group) {
    const Measurement* const reference = result.fastest(group, m.threads);
    if (reference == nullptr) return nullptr;
    Json json = to_json(ratio(m, *reference));
    json["reference"] = reference->variant->name;
    json["reference_threads"] = reference->threads;
    return json;
}

Json to_json(const CaseResult& result, const Measurement& m) {
    Json json = {{"variant", m.variant->name}, {"group", name_of(m.variant->group)}, {"threads", m.threads}};
    if (!m.error.empty()) {
        json["error"] = m.error;
        return json;
    }
    json["seconds"] = to_json(m.seconds);
    json["seconds"]["rounds"] = m.rounds;
    json["over_hand"] = ratio_json(result, m, Group::hand);
    json["over_op_by_op"] = ratio_json(result, m, Group::op_by_op);
    json["over_idiomatic"] = ratio_json(result, m, Group::idiomatic);
    if (result.probes.count(m.threads) != 0) {
        json["bytes_per_second"] = result.spec->fused_bytes * result.elements / m.seconds.min;
        json["of_limit"] = of_limit(result, m);
    }
    json["peak_bytes_beside_inputs"] = m.memory;
    if (m.kernels) json["kernels"] = *m.kernels;
    // JSON has no infinity: a difference without bound is null, and said to be there.
    json["compared"] = m.difference.has_value();
    json["max_ulp"] = m.difference && std::isfinite(*m.difference) ? Json(*m.difference) : Json(nullptr);
    json["wrong"] = m.wrong;
    return json;
}

constexpr const char* kind_names[] = {"bandwidth", "overhead", "size", "cost"};

Json to_json(const CaseResult& result) {
    const Case& spec = *result.spec;
    Json json = {{"id", spec.id},
                 {"title", spec.title},
                 {"dtype", spec.dtype},
                 {"sizes", result.sizes},
                 {"kind", kind_names[static_cast<int>(spec.kind)]},
                 {"operations", spec.operations},
                 {"example", spec.is_example},
                 {"max_ulp_allowed", spec.max_ulps},
                 {"ulp_floor", spec.floor}};
    if (spec.kind == Kind::bandwidth) {
        json["bytes_fused"] = spec.fused_bytes * result.elements;
        json["bytes_op_by_op"] = spec.op_by_op_bytes * result.elements;
        json["limit"] = spec.reads_only ? "read" : "triad";
        json["predicted_speed_up"] = spec.op_by_op_bytes / spec.fused_bytes;
    }
    for (const auto& [threads, probe] : result.probes) {
        json["bandwidth"].push_back({{"threads", threads},
                                     {"triad_before", probe.before.triad},
                                     {"triad_after", probe.after.triad},
                                     {"read_before", probe.before.read},
                                     {"read_after", probe.after.read},
                                     {"void", probe.is_void()}});
    }
    json["measurements"] = Json::array();
    for (const Measurement& m : result.measurements) json["measurements"].push_back(to_json(result, m));
    return json;
}

/// Runs as [number, seconds]: all of the first ten, then the medians of ever longer stretches.
Json thinned(const std::vector<double>& seconds) {
    constexpr std::size_t kAll = 10;
    constexpr double kGrowth = 1.12;
    Json json = Json::array();
    for (std::size_t i = 0; i < seconds.size();) {
        const std::size_t length =
            i < kAll ? 1 : std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(i) * (kGrowth - 1)));
        const std::size_t end = std::min(i + length, seconds.size());
        const std::vector<double> part(seconds.begin() + static_cast<std::ptrdiff_t>(i),
                                       seconds.begin() + static_cast<std::ptrdiff_t>(end));
        json.push_back({(i + 1 + end) / 2, median(part)});
        i = end;
    }
    return json;
}

/// As the kernel names it; empty if it does not.
std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
    }
    return {};
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[16];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

Json context(const Options& options) {
    const benchmark::CPUInfo& cpu = benchmark::CPUInfo::Get();
    Json json = {{"cores", cpu.num_cpus},
                 {"hertz", cpu.cycles_per_second},
                 {"load", cpu.load_avg},
                 {"rounds", options.rounds},
                 {"threads", options.threads},
                 {"quick", options.quick},
                 {"compiler", __VERSION__},
                 {"cpu", cpu_name()},
                 {"date", today()}};
    json["caches"] = Json::array();
    for (const auto& cache : cpu.caches)
        json["caches"].push_back(
            {{"type", cache.type}, {"level", cache.level}, {"bytes", cache.size}, {"shared_by", cache.num_sharing}});
    return json;
}

}  // namespace

std::vector<Anchor> read_anchors(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error("cannot read " + file);
    std::vector<Anchor> anchors;
    try {
        const Json json = Json::parse(stream);
        for (const Json& row : json.at("anchors"))
            anchors.push_back(
                {row.at("bench"), row.at("claim"), row.at("hardware"), row.at("source"), row.at("ratio")});
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(file + " is not a list of published figures");
    }
    return anchors;
}

std::string to_json(const std::vector<CaseResult>& results, const std::vector<EarlyRuns>& early,
                    const std::vector<Anchor>& anchors, const Options& options) {
    Json json = {{"xlazy_bench", kVersion}, {"context", context(options)}};
    json["cases"] = Json::array();
    for (const CaseResult& result : results) json["cases"].push_back(to_json(result));
    json["costs"] = Json::array();
    for (const int threads : options.threads)
        for (const char* const family : {"b10.record.", "b10.flush."})
            for (const Cost& cost : costs(results, family, threads))
                json["costs"].push_back({{"what", cost.what.name},
                                         {"threads", threads},
                                         {"seconds", cost.seconds},
                                         {"budget", cost.what.budget}});
    json["early"] = Json::array();
    for (const EarlyRuns& runs : early) {
        json["early"].push_back({{"case", runs.spec->id},
                                 {"title", runs.spec->title},
                                 {"how", runs.how},
                                 {"seconds", thinned(runs.seconds)},
                                 {"compiled", runs.compiled},
                                 {"loaded", runs.loaded}});
        if (!runs.error.empty()) json["early"].back()["error"] = runs.error;
    }
    json["passes"] = Json::array();
    for (const Variant& variant : variants())
        if (variant.group == Group::ablation) json["passes"].push_back(variant.name);
    json["anchors"] = Json::array();
    for (const Anchor& a : anchors)
        json["anchors"].push_back({{"bench", a.bench},
                                   {"claim", a.claim},
                                   {"ratio", a.ratio},
                                   {"hardware", a.hardware},
                                   {"source", a.source}});
    return json.dump(1) + '\n';
}

void check_others(const std::string& json) {
    const Json all = Json::parse(json, nullptr, false);
    if (all.is_discarded()) throw std::runtime_error("it is no JSON");
    const auto rows = all.is_object() ? all.find("others") : all.end();
    if (rows == all.end() || !rows->is_array()) throw std::runtime_error("it has no list \"others\"");
    for (const Json& row : *rows)
        if (!row.is_object() || !row.contains("library"))
            throw std::runtime_error("something in its list \"others\" names no library");
}

std::string with_others(const std::string& json, const std::string& others) {
    check_others(others);
    Json all = Json::parse(json, nullptr, false);
    if (!all.is_object()) throw std::runtime_error("results that are no JSON");
    all["others"] = Json::parse(others).at("others");
    return all.dump(1) + '\n';
}

std::string read_file(const std::string& file) {
    std::ifstream stream(file);
    std::string text(std::istreambuf_iterator<char>(stream), {});
    if (!stream) throw std::runtime_error("cannot read " + file);
    return text;
}

void write_file(const std::string& file, const std::string& text) {
    std::ofstream stream(file);
    stream << text;
    if (!stream.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace xlazy_bench
