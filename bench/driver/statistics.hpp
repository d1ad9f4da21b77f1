// SPDX-License-Identifier: BSD-3-Clause
// What is said about repeated measurements of noisy things, and when two results are the same.
#pragma once

#include <cstddef>
#include <vector>

namespace xlazy_bench {

/// @throws std::invalid_argument if there are no values (all functions here)
double minimum(const std::vector<double>& values);
/// Mean of the middle two of an even number.
double median(std::vector<double> values);
/// Median of the absolute deviations from the median.
double median_deviation(const std::vector<double>& values);

struct Summary {
    double min = 0, median = 0, deviation = 0;
};
Summary summarize(const std::vector<double>& values);

/// Of one variant's times over another's, taken inside each round. @throws std::invalid_argument for unequal lengths
std::vector<double> ratios(const std::vector<double>& times, const std::vector<double>& reference);

/// A measurement between two of the memory's bandwidth counts if these differ by at most a fifth of the larger.
bool is_void(double bandwidth_before, double bandwidth_after);

/// Greatest difference in units in the last place of the reference; of `floor`, where a reference is smaller than that:
/// sums of terms that nearly cancel have no more digits. NaN equals NaN; a value that is missing, or NaN or infinite on
/// one side only, is infinitely far. @param single units of float, else of double
double max_ulps(const std::vector<double>& values, const std::vector<double>& reference, bool single, double floor);

/// Least squares: coefficients c with rows * c nearest to `values` relative to their size, none negative.
/// @throws std::invalid_argument if the rows do not determine them
std::vector<double> fit(const std::vector<std::vector<double>>& rows, const std::vector<double>& values);

}  // namespace xlazy_bench
