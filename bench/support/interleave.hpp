// SPDX-License-Identifier: BSD-3-Clause
// Compares variants of one job the only way that holds on a shared machine: in turn, A B C A B C, each ratio taken inside
// its own round, and the median of the rounds reported.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace xlazy_bench {

struct Variant {
    std::string name;
    std::function<void()> run;
};

struct Row {
    std::string name;
    double seconds;  ///< median of the rounds
    double ratio;    ///< median over the rounds of this variant's time over the first one's
};

inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

inline double seconds_of(const std::function<void()>& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// One warm-up of each, then `rounds` rounds. @return a row a variant, in their order
inline std::vector<Row> interleave(const std::vector<Variant>& variants, int rounds) {
    for (const Variant& variant : variants) variant.run();
    std::vector<std::vector<double>> seconds(variants.size()), ratios(variants.size());
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < variants.size(); ++i) {
            seconds[i].push_back(seconds_of(variants[i].run));
            ratios[i].push_back(seconds[i].back() / seconds[0].back());
        }
    }
    std::vector<Row> rows;
    for (std::size_t i = 0; i < variants.size(); ++i)
        rows.push_back({variants[i].name, median(seconds[i]), median(ratios[i])});
    return rows;
}

inline void print(const std::string& title, const std::vector<Row>& rows) {
    std::printf("%s\n", title.c_str());
    for (const Row& row : rows)
        std::printf("    %-28s %12.3f us   %6.2fx\n", row.name.c_str(), row.seconds * 1e6, row.ratio);
}

}  // namespace xlazy_bench
