// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>

namespace xlazy {
namespace {

std::vector<origin_info> contributing(const error_report& report) {
    std::vector<origin_info> all{report.origin};
    all.insert(all.end(), report.merged_with.begin(), report.merged_with.end());
    all.insert(all.end(), report.fused_with.begin(), report.fused_with.end());
    return all;
}

}  // namespace

deferred_error::deferred_error(error_report report)
    : std::runtime_error(rt::text_of(report, false)),
      data_(std::make_shared<const data>(data{report, contributing(report)})) {}

std::string deferred_error::coloured() const { return rt::text_of(report(), true); }

namespace rt {
namespace {

/// Escape sequences (ECMA-48), or nothing.
struct Style {
    bool on;
    std::string operator()(std::string_view code, std::string_view text) const {
        return on ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
    }
    std::string strong(std::string_view text) const { return (*this)("1", text); }
    std::string bad(std::string_view text) const { return (*this)("1;31", text); }
    std::string quiet(std::string_view text) const { return (*this)("2", text); }
    std::string advice(std::string_view text) const { return (*this)("36", text); }
};

std::string list(const std::vector<origin_info>& places) {
    std::string text;
    for (std::size_t i = 0; i < std::min(places.size(), kMaxPlaces); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", place(places[i]));
    }
    if (places.size() > kMaxPlaces) text += fmt::format(" and {} more", places.size() - kMaxPlaces);
    return text;
}

std::string which(std::size_t number, std::size_t count) {
    if (count == 1) return "operand";
    if (count == 2) return number == 0 ? "left operand" : "right operand";
    return fmt::format("operand {}", number + 1);
}

struct ::stat stat_of(const char* file) noexcept {
    struct ::stat found {};
    if (::stat(file, &found) != 0) found.st_mode = 0;
    return found;
}

}  // namespace

std::string place(const origin_info& origin) {
    if (origin.line != 0) return fmt::format("{}:{}", origin.file, origin.line);
    return origin.function.empty() ? "unknown place" : fmt::format("in {}", origin.function);
}

std::string text_of(const operand_info& operand) {
    if (operand.is_scalar) return operand.dtype + " scalar";
    return fmt::format("{}({})", operand.dtype, fmt::join(operand.shape, ","));
}

std::string text_of(const error_report& report, bool colour) {
    if (report.cause.empty()) return {};
    const Style style{colour};
    std::string text = style.bad(report.cause);
    if (!report.flush_text.empty()) text = fmt::format("{}: {}", style.strong(place(report.origin)), text);
    if (!report.source_line.empty())
        text += style.quiet(fmt::format("\n{:>7} | ", report.origin.line)) + report.source_line;
    for (std::size_t i = 0; i < report.operands.size(); ++i) {
        const operand_info& operand = report.operands[i];
        if (operand.written_at.line == 0) continue;
        text += fmt::format("\n  {}, {}, was made at {}", which(i, report.operands.size()), text_of(operand),
                            place(operand.written_at));
    }
    for (const std::string& note : report.notes) text += "\n  " + note;
    if (!report.merged_with.empty()) text += "\n  computed once for " + list(report.merged_with) + " as well";
    if (!report.fused_with.empty()) text += "\n  ran in one kernel with " + list(report.fused_with);
    for (const std::string& caller : report.callers) text += "\n  called from " + caller;
    if (!report.also_failed.empty()) text += "\n  statements that failed besides: " + list(report.also_failed);
    if (!report.flush_text.empty()) {
        const bool of_program = report.flush_reason == "exit" || report.flush_reason == "fork";
        text += fmt::format("\n  found when {} {}", of_program ? "the program" : place(report.flush_origin),
                            report.flush_text);
    }
    if (!report.hint.empty()) text += "\n  " + style.advice(report.hint);
    return text;
}

std::string source_line(const origin_info& origin) {
    constexpr std::size_t kLongest = 160;
    constexpr ::off_t kLargest = ::off_t{1} << 24;
    if (origin.line == 0) return {};
    const struct ::stat source = stat_of(origin.file.c_str());
    if (!S_ISREG(source.st_mode) || source.st_size > kLargest) return {};
    if (source.st_mtime > stat_of("/proc/self/exe").st_mtime) return {};
    std::ifstream in(origin.file);
    std::string line;
    for (unsigned number = 0; number < origin.line; ++number) {
        if (!std::getline(in, line)) return {};
    }
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    line = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    if (line.size() > kLongest) line = line.substr(0, kLongest) + " ...";
    return line;
}

}  // namespace rt
}  // namespace xlazy
