// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/jit-cache/directory.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace xlazy::jc {

Place default_place(const std::function<const char*(const char* name)>& lookup) {
    const auto value = [&](const char* variable) {
        const char* text = lookup(variable);
        return std::string(text != nullptr ? text : "");
    };
    if (const std::string chosen = value("XLAZY_CACHE_DIR"); !chosen.empty()) {
        std::error_code error;
        const std::filesystem::path path = std::filesystem::absolute(chosen, error);
        return {error ? chosen : path.string(), "XLAZY_CACHE_DIR"};
    }
    // A relative path is to be ignored, says the XDG Base Directory Specification.
    if (const std::string cache = value("XDG_CACHE_HOME"); cache.starts_with('/')) {
        return {cache + "/xlazy", "XDG_CACHE_HOME"};
    }
    if (const std::string home = value("HOME"); home.starts_with('/')) return {home + "/.cache/xlazy", "HOME"};
    return {{}, "neither XLAZY_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set"};
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    constexpr std::string_view kUnits = "KMGT";
    constexpr double kMost = 1e18;
    double amount = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, amount, std::chars_format::fixed);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    if (error != std::errc() || unit.size() > 1) return std::nullopt;
    if (!unit.empty()) {
        const std::size_t power = kUnits.find(unit[0]);
        if (power == std::string_view::npos) return std::nullopt;
        amount *= static_cast<double>(std::uint64_t{1} << (10 * (power + 1)));
    }
    if (!(amount >= 0 && amount <= kMost) || (amount > 0 && amount < 1)) return std::nullopt;
    return static_cast<std::uint64_t>(amount);
}

std::string format_bytes(std::uint64_t bytes) {
    constexpr std::array kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (amount >= 1024 && unit + 1 < kUnits.size()) amount /= 1024, ++unit;
    return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

}  // namespace xlazy::jc
