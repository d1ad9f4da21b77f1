// SPDX-License-Identifier: BSD-3-Clause
// What is measured: the cases, and the variants of each.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace xlazy_bench {

enum class Group {
    op_by_op,   ///< xtensor, every operation evaluated into an array of its own
    idiomatic,  ///< xtensor as it is
    xlazy,
    ablation,  ///< xlazy without one pass
    eigen,
    hand  ///< loops written by hand
};
const char* name_of(Group group);

using Environment = std::vector<std::pair<std::string, std::string>>;

/// A way to run all cases: a worker program and its environment.
struct Variant {
    std::string name;
    Group group;
    std::string worker;  ///< program, without its folder
    std::string suffix;  ///< of the worker's case name
    int min_threads;
    int max_threads;
    Environment environment;
    std::string about;
};
const std::vector<Variant>& variants();
const Variant* find_variant(const std::string& name);

enum class Kind {
    bandwidth,  ///< large arrays: compared with what the memory can do
    overhead,   ///< what is beside the arithmetic: compared with xtensor
    size,       ///< a program of the bandwidth cases at one of several sizes
    cost        ///< of xlazy alone; costs of one thing come from several of these
};

/// One row of results: the same work in every variant.
struct Case {
    std::string id;
    std::string job;        ///< the workers' name for it
    std::string workers{};  ///< end of the names of the programs that have it, beside those of most cases
    std::string title;
    std::string dtype;
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> quick_sizes;  ///< empty: not in quick runs
    int operations = 0;                    ///< array operations of the source
    double fused_bytes = 0;                ///< an element: what a loop without temporary arrays reads and writes
    double op_by_op_bytes = 0;             ///< an element: what one loop an operation reads and writes
    bool reads_only = false;               ///< its bandwidth is compared with that of reading
    bool one_statement = false;            ///< eager, and without passes, xlazy does the same
    double floor = 0;                      ///< magnitude whose last place is the unit for smaller results
    double max_ulps = 0;                   ///< xlazy may differ by this much from the right result
    bool is_example = false;               ///< its early runs are shown, and what each pass does for it
    bool captured = false;                 ///< a variant captures the work once
    Kind kind = Kind::bandwidth;
    /// Kind::cost: how many of each thing are in what was measured, in the order of the family's cost_names().
    std::vector<double> counts;

    std::size_t elements(bool quick) const;
};
const std::vector<Case>& cases();
/// Appends the bodies of loops that can be captured.
void add_capture_cases(std::vector<Case>& all);
/// Appends the cases of Kind::overhead and Kind::cost.
void add_overhead_cases(std::vector<Case>& all);

/// A cost that is taken from several cases.
struct CostName {
    const char* name;
    double budget;  ///< seconds; 0: none of its own
};
/// Of the families "b10.record." and "b10.flush."; cases belong by the start of their id.
const std::vector<CostName>& cost_names(const std::string& family);

}  // namespace xlazy_bench
