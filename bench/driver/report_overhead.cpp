// SPDX-License-Identifier: BSD-3-Clause
#include "driver/report.hpp"

#include <fmt/format.h>

#include <array>

namespace xlazy_bench {
namespace {

const CaseResult* find_case(const std::vector<CaseResult>& results, const std::string& id) {
    for (const CaseResult& result : results)
        if (result.spec->id == id) return &result;
    return nullptr;
}

/// Seconds that xlazy takes more than xtensor, or less.
std::string difference_text(const CaseResult& result, int threads) {
    const Measurement* const lazy = result.find("xlazy-lazy", threads);
    const Measurement* const stock = result.fastest(Group::idiomatic, threads);
    if (lazy == nullptr || stock == nullptr) return "-";
    const double operations = result.spec->operations;
    return fmt::format("{} an operation, {} more than xtensor", time_text(lazy->seconds.median / operations),
                       time_text((lazy->seconds.median - stock->seconds.median) / operations));
}

/// The cases of a family against the sums of their things' budgets.
std::string family_lines(const std::vector<CaseResult>& results, const std::string& family, int threads) {
    const std::vector<CostName>& names = cost_names(family);
    std::string text;
    for (const CaseResult& result : results) {
        const Measurement* const lazy = result.find("xlazy-lazy", threads);
        if (result.spec->id.rfind(family, 0) != 0 || lazy == nullptr) continue;
        double budget = 0;
        for (std::size_t i = 0; i < names.size(); ++i) budget += result.spec->counts[i] * names[i].budget;
        text += fmt::format("  {:<44}{:>12}  (budget {})\n", result.spec->id, time_text(lazy->seconds.median),
                            time_text(budget));
    }
    return text;
}

std::string cost_lines(const std::vector<CaseResult>& results, int threads) {
    std::string text;
    for (const char* const family : {"b10.record.", "b10.flush."}) {
        text += family_lines(results, family, threads);
        for (const Cost& cost : costs(results, family, threads))
            text += fmt::format("  {:<44}{:>12}{}\n", cost.what.name, time_text(cost.seconds),
                                cost.what.budget > 0 ? "  (budget " + time_text(cost.what.budget) + ")" : "");
    }
    for (const char* const id : {"b10.rows.same", "b10.rows.mixed"}) {
        const CaseResult* const rows = find_case(results, id);
        const Measurement* const lazy = rows == nullptr ? nullptr : rows->find("xlazy-lazy", threads);
        if (lazy != nullptr)
            text += fmt::format("  {:<44}{:>12}  (budget 50 ms)\n", rows->spec->title, time_text(lazy->seconds.median));
    }
    for (const char* const id : {"b10.hundred", "b10.read-at-once"})
        if (const CaseResult* const result = find_case(results, id))
            text += fmt::format("  {:<44}{}\n", result->spec->title, difference_text(*result, threads));
    return text;
}

/// Rows of all sizes for ten operations a flush. The crossover is the smallest measured size from which on xlazy was
/// never slower.
std::string crossover(const std::vector<CaseResult>& results, const std::string& name, int threads) {
    std::string text;
    std::string from = "none";
    const std::string start = "b10." + name + '.';
    for (const CaseResult& result : results) {
        if (result.spec->id.rfind(start, 0) != 0) continue;
        const Measurement* const lazy = result.find("xlazy-lazy", threads);
        const Measurement* const stock = result.fastest(Group::idiomatic, threads);
        if (lazy == nullptr || stock == nullptr) continue;
        const double slower = ratio(*lazy, *stock).median;
        text += fmt::format("  {:<24}{:>3}{:>12}{:>14}{:>14}{:>10.2f}\n", name, threads, result.sizes[0],
                            time_text(stock->seconds.median), time_text(lazy->seconds.median), slower);
        if (slower > 1)
            from = "none";
        else if (from == "none")
            from = std::to_string(result.sizes[0]);
    }
    if (!text.empty()) text += fmt::format("  {:<24}{:>3}  never slower from {} elements\n", name, threads, from);
    return text;
}

}  // namespace

std::vector<Cost> costs(const std::vector<CaseResult>& results, const std::string& family, int threads) {
    const std::vector<CostName>& names = cost_names(family);
    std::vector<std::vector<double>> rows;
    std::vector<double> seconds;
    for (const CaseResult& result : results) {
        if (result.spec->id.rfind(family, 0) != 0) continue;
        if (const Measurement* const lazy = result.find("xlazy-lazy", threads)) {
            rows.push_back(result.spec->counts);
            seconds.push_back(lazy->seconds.median);
        }
    }
    if (rows.size() < names.size()) return {};
    const std::vector<double> each = fit(rows, seconds);
    std::vector<Cost> all;
    for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], each[i]});
    return all;
}

std::string overhead_overview(const std::vector<CaseResult>& results, const Options& options) {
    std::string text;
    for (const int threads : options.threads) {
        const std::string lines = cost_lines(results, threads);
        if (!lines.empty()) text += fmt::format("\nCosts of xlazy, {} thread(s)\n{}", threads, lines);
    }
    std::string table;
    for (const char* const name : {"ten-statements", "one-statement"})
        for (const int threads : options.threads) table += crossover(results, name, threads);
    if (!table.empty())
        text += fmt::format("\nTen operations a flush\n  {:<24}{:>3}{:>12}{:>14}{:>14}{:>10}\n{}", "", "t", "elements",
                            "idiomatic", "xlazy-lazy", "ratio", table);
    return text;
}

}  // namespace xlazy_bench
