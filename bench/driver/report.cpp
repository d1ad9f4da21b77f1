// SPDX-License-Identifier: BSD-3-Clause
#include "driver/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xlazy_bench {
namespace {

std::string memory_text(double bytes) { return fmt::format("{:.0f}", bytes / 1e6); }

std::string ulp_text(const Measurement& m) {
    if (!m.difference) return "-";
    return std::isfinite(*m.difference) ? fmt::format("{:.3g}{}", *m.difference, m.wrong ? " WRONG" : "") : "differs";
}

std::string sizes_text(const std::vector<std::size_t>& sizes) {
    std::string text;
    for (const std::size_t size : sizes) text += fmt::format("{}{}", text.empty() ? "" : " x ", size);
    return text;
}

std::string row(const CaseResult& result, const Measurement& m) {
    if (!m.error.empty()) return fmt::format("  {:<22}{:>3}  failed: {}\n", m.variant->name, m.threads, m.error);
    const double bandwidth = result.spec->fused_bytes * result.elements / m.seconds.min;
    return fmt::format("  {:<22}{:>3}{:>12}{:>12}{:>11}{:>14}{:>14}{:>8.1f}{:>8.0f}%{:>7}  {}\n", m.variant->name,
                       m.threads, time_text(m.seconds.min), time_text(m.seconds.median), time_text(m.seconds.deviation),
                       ratio_text(&m, result.fastest(Group::hand, m.threads)),
                       ratio_text(result.find("op-by-op", m.threads), &m), bandwidth / 1e9, 100 * of_limit(result, m),
                       memory_text(m.memory), ulp_text(m));
}

std::string bandwidth_table(const CaseResult& result, const Options& options) {
    const Case& spec = *result.spec;
    std::string text =
        fmt::format("  {:<22}{:>3}{:>12}{:>12}{:>11}{:>14}{:>14}{:>8}{:>9}{:>7}  {}\n", "variant", "t", "min", "median",
                    "MAD", "x hand", "speed-up", "GB/s", spec.reads_only ? "of read" : "of triad", "MB", "ULP");
    for (const Measurement& m : result.measurements) text += row(result, m);
    text += fmt::format("  traffic: {:.1f} MB in one loop, {:.1f} MB operation by operation, {:.1f} times as much\n",
                        spec.fused_bytes * result.elements / 1e6, spec.op_by_op_bytes * result.elements / 1e6,
                        spec.op_by_op_bytes / spec.fused_bytes);
    for (const int threads : options.threads) {
        const Probe& probe = result.probes.at(threads);
        text += fmt::format("  {} thread(s): triad {:.1f} before, {:.1f} after, read {:.1f}, {:.1f} GB/s{}\n", threads,
                            probe.before.triad / 1e9, probe.after.triad / 1e9, probe.before.read / 1e9,
                            probe.after.read / 1e9, probe.is_void() ? "; VOID: they differ by more than a fifth" : "");
    }
    return text;
}

/// Times are of a run; `statements` takes several.
std::string overhead_table(const CaseResult& result) {
    std::string text = fmt::format("  {:<22}{:>3}{:>12}{:>12}{:>11}{:>16}  {}\n", "variant", "t", "min", "median",
                                   "MAD", "x idiomatic", "ULP");
    for (const Measurement& m : result.measurements) {
        if (!m.error.empty()) {
            text += row(result, m);
            continue;
        }
        text += fmt::format("  {:<22}{:>3}{:>12}{:>12}{:>11}{:>16}  {}\n", m.variant->name, m.threads,
                            time_text(m.seconds.min), time_text(m.seconds.median), time_text(m.seconds.deviation),
                            ratio_text(&m, result.fastest(Group::idiomatic, m.threads)), ulp_text(m));
    }
    return text;
}

}  // namespace

std::string time_text(double seconds) {
    if (seconds < 1e-6) return fmt::format("{:.1f} ns", seconds * 1e9);
    if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
    return fmt::format("{:.3f} ms", seconds * 1e3);
}

/// Ratio of the best times, and median of the rounds' ratios.
std::string ratio_text(const Measurement* over, const Measurement* under) {
    if (over == nullptr || under == nullptr) return "-";
    return fmt::format("{:.2f} {:.2f}", over->seconds.min / under->seconds.min, ratio(*over, *under).median);
}

std::string table(const CaseResult& result, const Options& options) {
    const Case& spec = *result.spec;
    const std::string title = fmt::format("\n{}: {}, {}, {} elements, {} operations\n", spec.id, spec.title, spec.dtype,
                                          sizes_text(result.sizes), spec.operations);
    return title + (spec.kind == Kind::bandwidth ? bandwidth_table(result, options) : overhead_table(result));
}

std::string overview(const std::vector<CaseResult>& results, const Options& options) {
    std::string text;
    for (const CaseResult& result : results) {
        if (result.spec->kind != Kind::bandwidth) continue;
        for (const int threads : options.threads) {
            const Measurement* const lazy = result.find("xlazy-lazy", threads);
            if (lazy == nullptr) continue;
            const Probe& probe = result.probes.at(threads);
            text += fmt::format("  {:<24}{:>3}{:>16}{:>9.0f}%{:>16}{:>11.1f}{:>16}{}\n", result.spec->id, threads,
                                ratio_text(lazy, result.fastest(Group::hand, threads)), 100 * of_limit(result, *lazy),
                                ratio_text(result.find("op-by-op", threads), lazy),
                                result.spec->op_by_op_bytes / result.spec->fused_bytes,
                                ratio_text(result.fastest(Group::idiomatic, threads), lazy),
                                probe.is_void() ? "  void" : "");
        }
    }
    if (text.empty()) return text;
    return fmt::format(
               "\nxlazy-lazy; ratios of the best times, and medians of the rounds' ratios\n"
               "  {:<24}{:>3}{:>16}{:>10}{:>16}{:>11}{:>16}\n",
               "case", "t", "x hand", "of limit", "op-by-op/", "predicted", "idiomatic/") +
           text;
}

std::string published(const std::vector<CaseResult>& results, const std::vector<Anchor>& anchors) {
    std::string text;
    for (const Anchor& anchor : anchors) {
        const auto covers = [&](const CaseResult& result) { return result.spec->id.rfind(anchor.bench, 0) == 0; };
        if (std::any_of(results.begin(), results.end(), covers))
            text += fmt::format("  {:<8}{:>8.2f}x  {} ({}; {})\n", anchor.bench, anchor.ratio, anchor.claim,
                                anchor.hardware, anchor.source);
    }
    return text.empty() ? text : "\nPublished elsewhere, on other machines:\n" + text;
}

std::string complaints(const std::vector<CaseResult>& results) {
    std::string text;
    for (const CaseResult& result : results) {
        for (const Measurement& m : result.measurements) {
            const std::string name = fmt::format("{}/{}/threads:{}", result.spec->id, m.variant->name, m.threads);
            if (m.wrong)
                text += fmt::format("wrong: {} differs from the right result by {:.3g} ULP, more than {:g}\n", name,
                                    *m.difference, result.spec->max_ulps);
            if (!m.error.empty()) text += fmt::format("failed: {}: {}\n", name, m.error);
        }
        for (const auto& [threads, probe] : result.probes)
            if (probe.is_void())
                text += fmt::format("void: {} with {} thread(s): the memory's bandwidth changed during the run\n",
                                    result.spec->id, threads);
    }
    return text;
}

bool any_wrong(const std::vector<CaseResult>& results) {
    for (const CaseResult& result : results)
        for (const Measurement& m : result.measurements)
            if (m.wrong || !m.error.empty()) return true;
    return false;
}

}  // namespace xlazy_bench
