// SPDX-License-Identifier: BSD-3-Clause
#include "env.hpp"

#include "free_memory.hpp"
#include "log.hpp"
#include "timeline.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace xlazy::rt {
namespace {

constexpr std::string_view kChrome = "chrome:";  ///< of XLAZY_TRACE

constexpr const EnvVariable& variable(Env id) { return kEnvironment[static_cast<std::size_t>(id)]; }

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        if (end != 0 && !text.empty()) parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string listed(std::string_view values) {
    std::string text;
    for (const std::string_view value : split(values, '|'))
        text += fmt::format("{}{}", text.empty() ? "" : ", ", value);
    return text;
}

bool legal_word(const EnvVariable& variable, std::string_view word) {
    return std::ranges::any_of(split(variable.values, '|'), [&](std::string_view legal) {
        const std::size_t colon = legal.find(':');  // "chrome:FILE" stands for any file
        return colon == std::string_view::npos
                   ? legal == word
                   : word.size() > colon + 1 && word.starts_with(legal.substr(0, colon + 1));
    });
}

std::optional<int> to_count(std::string_view text, int least = 1) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least) return std::nullopt;
    return value;
}

constexpr std::string_view kLegalSizes = "bytes, a number with K, M, G or T, or a percentage";

/// Most bytes that arrays may hold. What they hold already was free when the program began.
std::uint64_t memory_limit(Size size) {
    if (!size.percent) return static_cast<std::uint64_t>(size.amount);
    const std::uint64_t free = free_memory("");
    if (free == 0) return 0;  // nothing is known of this machine: no limit
    return static_cast<std::uint64_t>(static_cast<double>(free + be::pool_stats().bytes_in_use) * size.amount / 100);
}

std::string pass_names() {
    std::string text = "all, none, or a list of these with + and -:";
    for (const opt::PassInfo& pass : opt::pass_table()) {
        if (!pass.mandatory) text += fmt::format(" {}", pass.name);
    }
    return text;
}

/// Is the word, with or without a sign, a pass that a list cannot switch?
bool always_runs(std::string_view word) {
    word.remove_prefix(word.starts_with('-') || word.starts_with('+') ? 1 : 0);
    return std::ranges::any_of(opt::pass_table(),
                               [&](const opt::PassInfo& pass) { return pass.mandatory && pass.name == word; });
}

/// The value of each variable, the default where it is illegal.
class Reader {
public:
    Reader(const std::function<const char*(const char*)>& lookup, Settings& settings) : settings_(settings) {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const char* const value = lookup(kEnvironment[i].name.data());
            values_[i] = value != nullptr && *value != '\0' ? value : kEnvironment[i].standard;
            check(kEnvironment[i], values_[i]);
        }
    }
    std::string_view operator[](Env id) const { return values_[static_cast<std::size_t>(id)]; }

    void warn(const EnvVariable& variable, std::string_view value, std::string_view legal) {
        settings_.warnings.push_back(fmt::format("{}: unknown value \"{}\"; legal: {}. {} is used", variable.name,
                                                 value, legal,
                                                 variable.standard.empty() ? "The default" : variable.standard));
    }

private:
    void check(const EnvVariable& variable, std::string_view& value) {
        if (value.empty() || value == variable.standard) return;
        if (variable.kind == EnvKind::Choice && !legal_word(variable, value)) {
            warn(variable, value, listed(variable.values));
            value = variable.standard;
        } else if (variable.kind == EnvKind::Count && !to_count(value)) {
            warn(variable, value, "a whole number from 1");
            value = variable.standard;
        } else if (variable.kind == EnvKind::Index && !to_count(value, 0)) {
            warn(variable, value, "a whole number from 0");
            value = variable.standard;
        } else if (variable.kind == EnvKind::Size && !parse_size(value)) {
            warn(variable, value, kLegalSizes);
            value = variable.standard;
        } else if (variable.kind == EnvKind::Bytes && !jc::parse_bytes(value)) {
            warn(variable, value, "bytes, or a number with K, M, G or T");
            value = variable.standard;
        } else if (variable.kind == EnvKind::Explain && !parse_explain(value)) {
            warn(variable, value, listed(variable.values));
            value = variable.standard;
        } else if (variable.kind == EnvKind::Words) {
            const std::vector<std::string_view> words = split(value, ',');
            if (std::ranges::all_of(words, [&](std::string_view word) { return legal_word(variable, word); })) return;
            warn(variable, value, listed(variable.values));
            value = variable.standard;
        }
    }

    std::array<std::string_view, static_cast<std::size_t>(Env::count_)> values_;
    Settings& settings_;
};

std::optional<be::Isa> to_isa(std::string_view name) {
    for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
        if (be::name_of(isa) == name) return isa;
    }
    return std::nullopt;
}

const Settings* first_use() {
    auto* const settings = new Settings(read_settings([](const char* name) { return std::getenv(name); }));
    open_log(settings->log);
    if (!settings->timeline.empty()) open_timeline(settings->timeline);
    if (settings->isa && !be::set_isa(*settings->isa)) {
        settings->warnings.push_back(fmt::format("{}: this machine has no {}; {} is used", variable(Env::isa).name,
                                                 be::name_of(*settings->isa), be::name_of(be::current_isa())));
    }
    be::pool_set_limit(memory_limit(settings->memory_limit));
    be::set_jit(jit_options(*settings));
    for (const std::string& warning : settings->warnings) log(fmt::format("warning: {}", warning));
    return settings;
}

}  // namespace

std::optional<Size> parse_size(std::string_view text) {
    Size size;
    size.percent = text.ends_with('%');
    if (!size.percent) {
        const std::optional<std::uint64_t> bytes = jc::parse_bytes(text);
        if (!bytes || *bytes == 0) return std::nullopt;
        size.amount = static_cast<double>(*bytes);
        return size;
    }
    const char* const end = text.data() + text.size() - 1;
    const auto [rest, error] = std::from_chars(text.data(), end, size.amount, std::chars_format::fixed);
    if (error != std::errc() || rest != end || !(size.amount > 0)) return std::nullopt;
    return size;
}

std::optional<ExplainWish> parse_explain(std::string_view text) {
    using Form = ExplainWish::Form;
    if (text == "1") return ExplainWish{Form::text};
    const std::string_view file = text.substr(std::min<std::size_t>(text.size(), 4));
    if (file.empty()) return std::nullopt;
    if (text.starts_with("dot:")) return ExplainWish{Form::dot, std::string(file)};
    if (text.starts_with("svg:")) return ExplainWish{Form::svg, std::string(file)};
    return std::nullopt;
}

Settings read_settings(const std::function<const char*(const char*)>& lookup) {
    Settings settings;
    Reader read(lookup, settings);
    settings.start_mode = read[Env::mode] == "eager" ? mode::eager : mode::lazy;
    if (read[Env::backend] == "openmp") settings.backend = BackendChoice::openmp;
    if (read[Env::backend] == "interp") settings.backend = BackendChoice::interp;
    if (read[Env::backend] == "cuda") settings.backend = BackendChoice::cuda;
    settings.device = to_count(read[Env::device], 0).value_or(0);
    settings.isa = to_isa(read[Env::isa]);
    settings.jit = read[Env::jit] == "off"     ? be::JitMode::off
                   : read[Env::jit] == "block" ? be::JitMode::block
                                               : be::JitMode::background;
    settings.threads = to_count(read[Env::num_threads]).value_or(0);
    settings.memory_limit = parse_size(read[Env::memory_limit]).value_or(Size{});
    settings.compiler = read[Env::compiler];
    settings.cache_place = jc::default_place(lookup);
    settings.cache_size = jc::parse_bytes(read[Env::cache_size]).value_or(0);
    std::vector<std::string> unknown;
    settings.passes = opt::parse_passes(read[Env::passes], unknown);
    if (const auto fixed = std::ranges::find_if(unknown, always_runs); fixed != unknown.end()) {
        settings.warnings.push_back(
            fmt::format("{}: \"{}\": that pass always runs and cannot be switched; the word is ignored",
                        variable(Env::passes).name, *fixed));
        std::erase_if(unknown, always_runs);
    }
    if (!unknown.empty()) {
        read.warn(variable(Env::passes), read[Env::passes], pass_names());
        settings.passes = opt::parse_passes(variable(Env::passes).standard, unknown);
    }
    settings.verify = read[Env::verify] == "1";
    for (const std::string_view word : split(read[Env::trace], ',')) {
        settings.trace_flush = settings.trace_flush || word == "flush";
        settings.trace_plan = settings.trace_plan || word == "plan";
        settings.trace_batch = settings.trace_batch || word == "batch";
        settings.trace_jit = settings.trace_jit || word == "jit";
        settings.trace_stack = settings.trace_stack || word == "stack";
        if (word.starts_with(kChrome)) settings.timeline = word.substr(kChrome.size());
    }
    for (const std::string_view word : split(read[Env::check], ',')) {
        settings.check_nan = settings.check_nan || word == "nan";
        settings.check_bounds = settings.check_bounds || word == "bounds";
    }
    settings.explain = parse_explain(read[Env::explain]).value_or(ExplainWish{});
    settings.seed = to_count(read[Env::seed], 0);
    settings.dump_on_error = read[Env::dump_on_error];
    settings.stats = read[Env::stats];
    settings.log = read[Env::log];
    return settings;
}

be::JitOptions jit_options(const Settings& settings) {
    be::JitOptions jit;
    jit.mode = settings.jit;
    jit.compiler = settings.compiler;
    jit.cache_place = settings.cache_place;
    jit.cache_bytes = settings.cache_size;
    jit.warn = [](const std::string& why) { log(fmt::format("warning: {}", why)); };
    if (settings.trace_jit) jit.trace = [](const std::string& line) { log(fmt::format("jit: {}", line)); };
    return jit;
}

const Settings& settings() {
    // Never destroyed: static arrays may outlive main.
    static const Settings* const read = first_use();
    return *read;
}

}  // namespace xlazy::rt
