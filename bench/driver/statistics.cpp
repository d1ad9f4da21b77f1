// SPDX-License-Identifier: BSD-3-Clause
#include "driver/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace xlazy_bench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require_values(const std::vector<double>& values) {
    if (values.empty()) throw std::invalid_argument("statistics of no values");
}

/// Distance from |value| to the next larger number of the type.
double unit_of(double value, bool single) {
    if (single) {
        const auto f = static_cast<float>(std::abs(value));
        return static_cast<double>(std::nextafter(f, std::numeric_limits<float>::infinity()) - f);
    }
    const double d = std::abs(value);
    return std::nextafter(d, kInfinity) - d;
}

double ulps(double value, double reference, bool single, double floor) {
    if (std::isnan(value) && std::isnan(reference)) return 0;
    if (value == reference) return 0;
    if (!std::isfinite(value) || !std::isfinite(reference)) return kInfinity;
    return std::abs(value - reference) / unit_of(std::max(std::abs(reference), floor), single);
}

/// Solves the normal equations for the columns in `active` by elimination with pivots.
std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
        if (std::abs(a[pivot][k]) < 1e-12) throw std::invalid_argument("fit: coefficients are not determined");
        std::swap(a[k], a[pivot]);
        std::swap(b[k], b[pivot]);
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = a[i][k] / a[k][k];
            for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return b;
}

std::vector<double> fit_columns(const std::vector<std::vector<double>>& rows, const std::vector<double>& values,
                                const std::vector<std::size_t>& active) {
    std::vector<std::vector<double>> a(active.size(), std::vector<double>(active.size()));
    std::vector<double> b(active.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < active.size(); ++i) {
            const double x = rows[r][active[i]] / values[r];
            b[i] += x;
            for (std::size_t j = 0; j < active.size(); ++j) a[i][j] += x * rows[r][active[j]] / values[r];
        }
    }
    // Columns of like size, so that the pivots tell what is not determined.
    std::vector<double> size(active.size());
    for (std::size_t i = 0; i < size.size(); ++i) {
        size[i] = std::sqrt(a[i][i]);
        if (size[i] == 0) throw std::invalid_argument("fit: coefficients are not determined");
    }
    for (std::size_t i = 0; i < size.size(); ++i) {
        b[i] /= size[i];
        for (std::size_t j = 0; j < size.size(); ++j) a[i][j] /= size[i] * size[j];
    }
    std::vector<double> solution = solve(a, b);
    for (std::size_t i = 0; i < size.size(); ++i) solution[i] /= size[i];
    return solution;
}

}  // namespace

double minimum(const std::vector<double>& values) {
    require_values(values);
    return *std::min_element(values.begin(), values.end());
}

double median(std::vector<double> values) {
    require_values(values);
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double median_deviation(const std::vector<double>& values) {
    const double centre = median(values);
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::abs(value - centre));
    return median(deviations);
}

Summary summarize(const std::vector<double>& values) {
    return {minimum(values), median(values), median_deviation(values)};
}

std::vector<double> ratios(const std::vector<double>& times, const std::vector<double>& reference) {
    if (times.size() != reference.size()) throw std::invalid_argument("ratios of unequal numbers of rounds");
    std::vector<double> result;
    for (std::size_t i = 0; i < times.size(); ++i) result.push_back(times[i] / reference[i]);
    return result;
}

bool is_void(double bandwidth_before, double bandwidth_after) {
    const double larger = std::max(bandwidth_before, bandwidth_after);
    return !(std::abs(bandwidth_before - bandwidth_after) <= 0.2 * larger);
}

double max_ulps(const std::vector<double>& values, const std::vector<double>& reference, bool single, double floor) {
    if (values.size() != reference.size()) return kInfinity;
    double greatest = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        greatest = std::max(greatest, ulps(values[i], reference[i], single, floor));
    return greatest;
}

std::vector<double> fit(const std::vector<std::vector<double>>& rows, const std::vector<double>& values) {
    if (rows.empty() || rows.size() != values.size()) throw std::invalid_argument("fit: rows and values differ");
    std::vector<double> result(rows.front().size(), 0.0);
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < result.size(); ++i) active.push_back(i);
    // The most negative coefficient is left out until none is.
    while (!active.empty()) {
        const std::vector<double> solution = fit_columns(rows, values, active);
        const auto least = std::min_element(solution.begin(), solution.end());
        if (*least < 0) {
            active.erase(active.begin() + (least - solution.begin()));
            continue;
        }
        for (std::size_t i = 0; i < active.size(); ++i) result[active[i]] = solution[i];
        break;
    }
    return result;
}

}  // namespace xlazy_bench
