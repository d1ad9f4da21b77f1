// SPDX-License-Identifier: BSD-3-Clause
#include "driver/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <map>
#include <stdexcept>

namespace xlazy_bench {
namespace {

using Json = nlohmann::json;

/// A measurement relative to the others of its run.
struct Relative {
    std::string to;
    double median, deviation;
};

bool is_void(const Json& one, int threads) {
    const auto bandwidth = one.find("bandwidth");
    if (bandwidth == one.end()) return false;
    for (const Json& each : *bandwidth)
        if (each.at("threads") == threads && each.at("void") == true) return true;
    return false;
}

/// By CASE SIZES/VARIANT/threads:N. What is void, failed or stands alone is left out.
std::map<std::string, Relative> relatives(const Json& json) {
    std::map<std::string, Relative> all;
    for (const Json& one : json.at("cases")) {
        for (const Json& m : one.at("measurements")) {
            if (m.at("group") != "xlazy" || m.contains("error")) continue;
            const int threads = m.at("threads");
            if (is_void(one, threads)) continue;
            for (const char* const to : {"over_hand", "over_idiomatic", "over_op_by_op"}) {
                if (!m.contains(to) || m[to].is_null()) continue;
                const std::string name =
                    fmt::format("{} {}/{}/threads:{}", one.at("id").get<std::string>(), one.at("sizes").dump(),
                                m.at("variant").get<std::string>(), threads);
                all.insert({name, {to, m[to].at("median"), m[to].at("mad")}});
                break;
            }
        }
    }
    return all;
}

/// As relatives(). @throws std::runtime_error with the reason
std::map<std::string, Relative> read_relatives(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw std::runtime_error("it is no JSON");
    if (!json.is_object() || !json.contains("cases") || !json["cases"].is_array())
        throw std::runtime_error("it has no list \"cases\"");
    try {
        return relatives(json);
    } catch (const Json::exception&) {
        throw std::runtime_error("something is missing in its list \"cases\"");
    }
}

}  // namespace

void check_results(const std::string& json) { read_relatives(json); }

Comparison compare(const std::string& json, const std::string& baseline, double worse) {
    const std::map<std::string, Relative> now = read_relatives(json), then = read_relatives(baseline);
    Comparison result;
    for (const auto& [name, after] : now) {
        const auto found = then.find(name);
        if (found == then.end() || found->second.to != after.to) continue;
        const Relative& before = found->second;
        ++result.compared;
        const double ratio = after.median / before.median;
        // What the rounds of one run differ by is no regression.
        const bool noise = after.median - before.median <= 3 * (after.deviation + before.deviation);
        if (ratio <= worse || noise) continue;
        ++result.worse;
        result.text += fmt::format("  {:<60}{:>8.2f} times as slow: {} {:.3g} before, {:.3g} now\n", name, ratio,
                                   after.to.substr(5), before.median, after.median);
    }
    result.text = fmt::format("\nAgainst the baseline: {} compared, {} worse by more than {:g}\n{}", result.compared,
                              result.worse, worse, result.text);
    return result;
}

}  // namespace xlazy_bench
