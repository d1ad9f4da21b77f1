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
/// @throws std::runtime_error if the file cannot be written
void write_json(const std::string& file, const std::vector<CaseResult>& results, const std::vector<Anchor>& anchors,
                const Options& options);

}  // namespace xlazy_bench
