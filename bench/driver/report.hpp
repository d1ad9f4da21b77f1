// SPDX-License-Identifier: BSD-3-Clause
// Results as tables for a terminal, and as JSON.
#pragma once

#include "driver/measure.hpp"

#include <string>
#include <vector>

namespace xlazy_bench {

/// The published figures.
struct Anchor {
    std::string bench, claim, hardware, source;
    double ratio = 0;
};

/// A case's variants, a row each.
std::string table(const CaseResult& result, const Options& options);
/// xlazy-lazy against the others, a row a case of Kind::bandwidth.
std::string overview(const std::vector<CaseResult>& results, const Options& options);
/// What xlazy costs beside the arithmetic, thing by thing, and from which size on it gains.
std::string overhead_overview(const std::vector<CaseResult>& results, const Options& options);
/// Published figures for the cases.
std::string published(const std::vector<CaseResult>& results, const std::vector<Anchor>& anchors);

/// Cost of one thing, from all cases of its family.
struct Cost {
    CostName what;
    double seconds;
};
/// Empty, if too few cases of the family ran with as many threads.
std::vector<Cost> costs(const std::vector<CaseResult>& results, const std::string& family, int threads);

// How numbers are printed.
std::string time_text(double seconds);
/// Ratio of the best times, and median of the rounds' ratios; "-" without one of the two.
std::string ratio_text(const Measurement* over, const Measurement* under);
/// Cases that count for nothing, as the memory's bandwidth changed, and results that are wrong.
std::string complaints(const std::vector<CaseResult>& results);
bool any_wrong(const std::vector<CaseResult>& results);

/// @throws std::runtime_error if the file cannot be read
std::vector<Anchor> read_anchors(const std::string& file);
/// Everything that was measured, as JSON.
std::string to_json(const std::vector<CaseResult>& results, const std::vector<EarlyRuns>& early,
                    const std::vector<Anchor>& anchors, const Options& options);
/// @throws std::runtime_error with the reason, if the text is not what to_json wrote, or not what bench/others.py wrote
void check_results(const std::string& json);
void check_others(const std::string& json);
/// The same with what bench/others.py wrote. @throws std::runtime_error if one of them is something else
std::string with_others(const std::string& json, const std::string& others);
/// @throws std::runtime_error if the file cannot be read, or written
std::string read_file(const std::string& file);
void write_file(const std::string& file, const std::string& text);

/// The page with the measurements in it; it needs nothing from outside.
/// @param folder with page.html, its style, its script and the charting library
/// @throws std::runtime_error if one of them is missing
std::string page(const std::string& json, const std::string& folder);

/// What became worse than it was: ratios of xlazy to the other variants of the same run, so that machines may differ in
/// speed.
struct Comparison {
    std::string text;  ///< lines for the user
    int compared = 0;
    int worse = 0;
};
/// @param worse ratio that counts
/// @throws std::runtime_error if one of them is not what to_json wrote
Comparison compare(const std::string& json, const std::string& baseline, double worse);

}  // namespace xlazy_bench
