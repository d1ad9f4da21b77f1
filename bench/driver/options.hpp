// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace xlazy_bench {

struct Options {
    bool list = false;
    bool quick = false;
    bool help = false;
    std::string filter;             ///< regular expression, of CASE/VARIANT/threads:N
    std::vector<int> threads;       ///< default: 1, and all cores up to 2
    std::vector<std::string> only;  ///< variants; empty: all
    int rounds = 0;                 ///< 0: as many as the run needs
    int retries = 1;                ///< of a case that is void
    double seconds = 0.1;           ///< a variant and round
    bool ablation = false;          ///< what each pass does for the examples
    bool early = false;             ///< the examples' first runs
    std::string json;               ///< file for the results
    std::string report;             ///< file for the page
    std::string from;               ///< file with results of an earlier run; nothing is measured
    std::string others;             ///< file that bench/others.py wrote; its results go into the page
    std::string baseline;           ///< file with results to compare with
    double worse = 1.15;            ///< ratio over the baseline that counts as a regression
    std::string anchors;            ///< file with published figures; empty: the installed one
};

/// @throws std::invalid_argument with a sentence for the user
Options parse_options(const std::vector<std::string>& arguments);
/// What --help prints.
const char* usage();

}  // namespace xlazy_bench
