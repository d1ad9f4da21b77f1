// SPDX-License-Identifier: BSD-3-Clause
#include "statistics.hpp"

#include "xlazy/backends/jit.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy {
namespace rt {
namespace {

constexpr std::string_view kKeys[] = {
#define XLAZY_REASON(id, key, doing, advice) key,
#include "xlazy/detail/reasons.def"
#undef XLAZY_REASON
};
constexpr std::string_view kAdvice[] = {
#define XLAZY_REASON(id, key, doing, advice) advice,
#include "xlazy/detail/reasons.def"
#undef XLAZY_REASON
};
constexpr std::string_view kDoing[] = {
#define XLAZY_REASON(id, key, doing, advice) doing,
#include "xlazy/detail/reasons.def"
#undef XLAZY_REASON
};

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            result += c;
    }
    return result + '"';
}

template <class Map>
std::string object(const Map& map) {
    std::string text;
    for (const auto& [key, value] : map) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", quoted(key), value);
    return '{' + text + '}';
}

double seconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

}  // namespace

Counters& counters() noexcept {
    static Counters* const counters = new Counters;
    return *counters;
}

std::string_view key_of(Reason reason) noexcept { return kKeys[static_cast<std::size_t>(reason)]; }
std::string_view doing(Reason reason) noexcept { return kDoing[static_cast<std::size_t>(reason)]; }
std::string_view advice(Reason reason) noexcept { return kAdvice[static_cast<std::size_t>(reason)]; }

void fall_back(const char* function, here line) {
    Counters& all = counters();
    {
        const std::lock_guard lock(all.fallback_mutex);
        ++all.fallbacks[function];
    }
    flush(Reason::fallback, line);
}

}  // namespace rt

statistics stats() {
    rt::Counters& all = rt::counters();
    statistics result;
    std::uint64_t record = 0;
    for (rt::Queue* queue : rt::all_queues()) {
        const rt::QueueLock lock(*queue);
        result.instructions_recorded += queue->instructions_recorded;
        result.statements_recorded += queue->statements_recorded;
        record += queue->record_nanoseconds;
    }
    for (std::size_t i = 0; i < std::size(all.flushes); ++i) {
        const std::uint64_t times = all.flushes[i].load(std::memory_order_relaxed);
        if (times != 0) result.flushes[std::string(rt::key_of(static_cast<rt::Reason>(i)))] = times;
    }
    result.plans_hit = all.plans_hit;
    result.plans_missed = all.plans_missed;
    result.kernels_run = all.kernels_run;
    const be::JitCounts jit = be::jit_counts();
    result.kernels_compiled = jit.compiled;
    result.kernels_loaded = jit.loaded;
    result.seconds = {{"record", rt::seconds(record)},
                      {"plan", rt::seconds(all.plan_nanoseconds)},
                      {"compile", jit.seconds_compiling},
                      {"run", rt::seconds(all.run_nanoseconds)}};
    {
        const std::lock_guard lock(all.fallback_mutex);
        result.fallbacks = all.fallbacks;
    }
    const be::PoolStats pool = be::pool_stats();
    result.bytes_allocated = pool.bytes_allocated;
    result.bytes_allocated_peak = pool.bytes_in_use_peak;
    result.bytes_contracted = all.bytes_contracted;
    result.deferred_errors = all.deferred_errors;
    return result;
}

std::string statistics::json() const {
    return fmt::format(
        "{{\"instructions_recorded\": {}, \"statements_recorded\": {}, \"flushes\": {}, \"plans_hit\": {}, "
        "\"plans_missed\": {}, \"kernels_run\": {}, \"kernels_compiled\": {}, \"kernels_loaded\": {}, \"seconds\": {}, "
        "\"fallbacks\": {}, \"bytes_allocated\": {}, \"bytes_allocated_peak\": {}, \"bytes_contracted\": {}, "
        "\"deferred_errors\": {}}}",
        instructions_recorded, statements_recorded, rt::object(flushes), plans_hit, plans_missed, kernels_run,
        kernels_compiled, kernels_loaded, rt::object(seconds), rt::object(fallbacks), bytes_allocated,
        bytes_allocated_peak, bytes_contracted, deferred_errors);
}

}  // namespace xlazy
