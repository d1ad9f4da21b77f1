// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/optimizer/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace xlazy::opt {

namespace {

constexpr std::size_t kMostTold = 24;  ///< kernels, and pairs, that are told one by one

std::string counted(std::uint64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

constexpr std::size_t kMostNames = 6;  ///< kernels of a group that are named

/// Kernels that the text tells together: same lines, shape and traffic.
struct Group {
    std::vector<std::uint32_t> kernels;

    /// "kernel k2", "5 kernels k2, k3, k4, k5, k6".
    std::string name() const {
        const std::size_t named = std::min(kernels.size(), kMostNames);
        return fmt::format("{} k{}{}", kernels.size() == 1 ? "kernel" : fmt::format("{} kernels", kernels.size()),
                           fmt::join(kernels.begin(), kernels.begin() + static_cast<std::ptrdiff_t>(named), ", k"),
                           named == kernels.size() ? "" : ", ...");
    }
};

class Groups {
public:
    explicit Groups(const Explanation& explanation) {
        std::map<std::tuple<Lines, std::vector<std::int64_t>, std::uint64_t, std::uint64_t>, std::uint32_t> known;
        for (std::uint32_t k = 0; k < explanation.kernels.size(); ++k) {
            const KernelNote& kernel = explanation.kernels[k];
            const auto [place, is_new] =
                known.try_emplace({kernel.lines, kernel.extents, kernel.traffic.read, kernel.traffic.written},
                                  static_cast<std::uint32_t>(groups_.size()));
            if (is_new) groups_.emplace_back();
            groups_[place->second].kernels.push_back(k);
            of_.push_back(place->second);
        }
    }
    const std::vector<Group>& all() const noexcept { return groups_; }
    std::uint32_t of(std::uint32_t kernel) const noexcept { return of_[kernel]; }

private:
    std::vector<Group> groups_;
    std::vector<std::uint32_t> of_;  ///< by kernel
};

std::string cost_text(const PlanCost& cost) {
    return fmt::format("{}, {} moved ({} read, {} written), peak {}", counted(cost.kernels, "kernel"),
                       bytes_text(cost.traffic.total()), bytes_text(cost.traffic.read),
                       bytes_text(cost.traffic.written), bytes_text(cost.peak));
}

void tell_kernels(const Explanation& explanation, const Groups& groups, std::string& text) {
    const auto out = std::back_inserter(text);
    std::size_t told = 0;
    for (const Group& group : groups.all()) {
        if (told++ == kMostTold) {
            fmt::format_to(out, "  and {} more kinds of kernels\n", groups.all().size() - kMostTold);
            return;
        }
        const KernelNote& kernel = explanation.kernels[group.kernels.front()];
        const std::string_view version = kernel.copied_back   ? " into other memory and copied back"
                                         : kernel.new_version ? " into a new version of the array"
                                                              : "";
        fmt::format_to(out, "  {} ({}): {}; {} read, {} written{}{}\n", group.name(), fmt::join(kernel.extents, ","),
                       lines_text(kernel.lines), bytes_text(kernel.traffic.read), bytes_text(kernel.traffic.written),
                       version, group.kernels.size() == 1 ? "" : ", each");
    }
}

void tell_regions(const Explanation& explanation, std::string& text) {
    const auto out = std::back_inserter(text);
    const std::size_t told = std::min(explanation.regions.size(), kMostTold);
    for (const RegionNote& region : std::span(explanation.regions).first(told)) {
        fmt::format_to(
            out, "  k{} to k{} run piece by piece: together {} read, {} written{}\n", region.first, region.last,
            bytes_text(region.traffic.read), bytes_text(region.traffic.written),
            region.handed_on == 0 ? "" : fmt::format("; {} handed on in the caches", bytes_text(region.handed_on)));
    }
    if (explanation.regions.size() > told)
        fmt::format_to(out, "  and {} more such stretches of kernels\n", explanation.regions.size() - told);
}

void tell_dispatches(const Explanation& explanation, std::string& text) {
    const auto out = std::back_inserter(text);
    const std::size_t told = std::min(explanation.dispatches.size(), kMostTold);
    for (const bc::Dispatch& dispatch : std::span(explanation.dispatches).first(told)) {
        fmt::format_to(out, "  k{} to k{} are small and independent: they run at once, each on one thread\n",
                       dispatch.first, dispatch.end() - 1);
    }
    if (explanation.dispatches.size() > told)
        fmt::format_to(out, "  and {} more such groups of kernels\n", explanation.dispatches.size() - told);
}

/// Pairs from the same groups, apart for the same reason, are told by the first of them.
void tell_unfused(const Explanation& explanation, const Groups& groups, std::string& text) {
    struct Told {
        const UnfusedPair* pair;
        std::size_t count;
    };
    std::vector<Told> told;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::size_t> known;
    for (const UnfusedPair& pair : explanation.unfused) {
        const auto [place, is_new] =
            known.try_emplace({groups.of(pair.first), groups.of(pair.second), pair.reason}, told.size());
        if (is_new) told.push_back({&pair, 0});
        ++told[place->second].count;
    }
    for (std::size_t i = 0; i < std::min(told.size(), kMostTold); ++i) {
        const auto& [pair, count] = told[i];
        text += fmt::format("  k{} and k{} did not fuse: {}", pair->first, pair->second, pair->reason);
        if (count > 1) text += fmt::format(" (and {} like these two)", counted(count - 1, "more pair"));
        text += '\n';
    }
    if (told.size() > kMostTold) text += fmt::format("  and {} more pairs\n", told.size() - kMostTold);
}

void tell_merged(const Explanation& explanation, std::string& text) {
    const std::size_t told = std::min(explanation.merged.size(), kMostTold);
    for (std::size_t i = 0; i < told; ++i) {
        const MergeNote& note = explanation.merged[i];
        text += fmt::format("  computed once: the {} of {} is what {} computes\n", bc::name_of(note.op),
                            bc::to_string(note.line), bc::to_string(note.into));
    }
    if (explanation.merged.size() > told)
        text += fmt::format("  and {} more are computed once\n", explanation.merged.size() - told);
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
    if (bytes < 1024) return counted(bytes, "byte");
    constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    double amount = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (amount >= 1024 && unit + 1 < std::size(kUnits)) {
        amount /= 1024;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", amount, amount < 100 ? 1 : 0, kUnits[unit]);
}

std::string lines_text(const Lines& lines, std::size_t most) {
    std::string text;
    std::string_view file;
    for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
        const bc::Origin origin = bc::origin(lines[i]);
        if (i != 0) text += ", ";
        if (i == 0 || file != origin.file)
            text += bc::to_string(lines[i]);
        else
            text += std::to_string(origin.line);
        file = origin.file;
    }
    if (lines.size() > most) text += fmt::format(" and {} more", lines.size() - most);
    return text;
}

std::string to_text(const Explanation& explanation) {
    const Groups groups(explanation);
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{}, {}\n", counted(explanation.statements, "statement"),
                   counted(explanation.instructions, "instruction"));
    fmt::format_to(out, "  before: {}\n  after:  {}\n", cost_text(explanation.before), cost_text(explanation.after));
    fmt::format_to(out, "  least:  {} moved ({} read, {} written), peak {}\n", bytes_text(explanation.least.total()),
                   bytes_text(explanation.least.read), bytes_text(explanation.least.written),
                   bytes_text(explanation.least_peak));
    tell_kernels(explanation, groups, text);
    tell_regions(explanation, text);
    tell_dispatches(explanation, text);
    if (explanation.contracted_arrays != 0) {
        fmt::format_to(out, "  in no memory: {} of {} ({})\n", counted(explanation.contracted_arrays, "array"),
                       lines_text(explanation.contracted), bytes_text(explanation.contracted_bytes));
    }
    if (explanation.contracted_temporaries != 0) {
        fmt::format_to(out, "  in no memory: {} inside statements\n",
                       counted(explanation.contracted_temporaries, "temporary value"));
    }
    if (!explanation.not_computed.empty()) {
        fmt::format_to(out, "  not computed, for nobody can read it or something else gives it: {}\n",
                       lines_text(explanation.not_computed));
    }
    tell_merged(explanation, text);
    tell_unfused(explanation, groups, text);
    return text;
}

}  // namespace xlazy::opt
