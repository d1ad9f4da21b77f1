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
/// xlazy-lazy against the others, a row a case.
std::string overview(const std::vector<CaseResult>& results, const std::vector<Anchor>& anchors,
                     const Options& options);
/// Cases that count for nothing, as the memory's bandwidth changed, and results that are wrong.
std::string complaints(const std::vector<CaseResult>& results);
bool any_wrong(const std::vector<CaseResult>& results);

/// @throws std::runtime_error if the file cannot be read
std::vector<Anchor> read_anchors(const std::string& file);
/// @throws std::runtime_error if the file cannot be written
void write_json(const std::string& file, const std::vector<CaseResult>& results, const std::vector<Anchor>& anchors,
                const Options& options);

}  // namespace xlazy_bench
