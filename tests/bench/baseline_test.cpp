// SPDX-License-Identifier: BSD-3-Clause
// --baseline: what counts as a regression, and what does not. The bar of --quick.
#include "driver/progress.hpp"
#include "driver/report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace xlazy_bench;

/// Results of one case: xlazy takes `ratio` times as long as the hand-written loop.
std::string results(double ratio, const std::string& size = "100", bool is_void = false, double deviation = 0.01) {
    return fmt::format(
        R"({{"cases": [{{"id": "b01", "sizes": [{}], "bandwidth": [{{"threads": 1, "void": {}}}], "measurements": [
            {{"variant": "hand", "group": "hand", "threads": 1, "over_hand": {{"median": 1, "mad": 0}}}},
            {{"variant": "xlazy-lazy", "group": "xlazy", "threads": 1, "over_hand": {{"median": {}, "mad": {}}},
              "over_idiomatic": {{"median": 0.1, "mad": 0}}}},
            {{"variant": "xlazy-eager", "group": "xlazy", "threads": 1, "error": "gone"}}]}}]}})",
        size, is_void, ratio, deviation);
}

TEST(Baseline, ARatioThatGrewIsARegression) {
    const Comparison comparison = compare(results(2), results(1), 1.15);
    EXPECT_EQ(comparison.compared, 1);
    EXPECT_EQ(comparison.worse, 1);
    EXPECT_NE(comparison.text.find("b01 [100]/xlazy-lazy/threads:1"), std::string::npos) << comparison.text;
    EXPECT_NE(comparison.text.find("2.00 times as slow: hand 1 before, 2 now"), std::string::npos) << comparison.text;
}

TEST(Baseline, WhatIsNearBetterOrNoiseIsNone) {
    EXPECT_EQ(compare(results(1.1), results(1), 1.15).worse, 0);
    EXPECT_EQ(compare(results(1), results(2), 1.15).worse, 0);
    EXPECT_EQ(compare(results(1.3), results(1), 1.5).worse, 0);
    EXPECT_EQ(compare(results(1.3, "100", false, 0.2), results(1), 1.15).worse, 0);
}

TEST(Baseline, OtherSizesAndVoidCasesAreNotCompared) {
    EXPECT_EQ(compare(results(2, "100"), results(1, "1000"), 1.15).compared, 0);
    EXPECT_EQ(compare(results(2, "100", true), results(1), 1.15).compared, 0);
    EXPECT_THROW(compare(results(2), "no JSON", 1.15), std::runtime_error);
}

TEST(Page, OthersAreAdded) {
    const std::string all = with_others(results(1), R"({"others": [{"library": "numpy"}]})");
    EXPECT_NE(all.find("numpy"), std::string::npos);
    EXPECT_NE(all.find("b01"), std::string::npos);
    EXPECT_THROW(with_others(results(1), "{}"), std::runtime_error);
}

TEST(Progress, ABarWithWhatIsLeft) {
    EXPECT_EQ(progress_line(0, 4, 0, "b01", 80), "[------------------------] 0/4 b01");
    EXPECT_EQ(progress_line(1, 4, 10, "b01", 80), "[######------------------] 1/4 b01, about 30 s left");
    EXPECT_EQ(progress_line(1, 100, 10, "b01", 80).substr(26), " 1/100 b01, about 16 min left");
    EXPECT_EQ(progress_line(4, 4, 40, "done", 80), "[########################] 4/4 done");
    EXPECT_EQ(progress_line(1, 4, 10, "b01", 20).size(), 20u);
}

}  // namespace
