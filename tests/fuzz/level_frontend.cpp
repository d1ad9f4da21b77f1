// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/level_frontend.hpp"

#include "fuzz/frontend/trace.hpp"
#include "fuzz/random.hpp"
#include "fuzz/values.hpp"
#include "xlazy/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::fuzz {
namespace {

struct FrontendCase {
    Setup setup;
    std::vector<Call> calls;
    int threads;
};

FrontendCase random_program(std::uint64_t seed, std::uint64_t number) {
    Random random(mix(seed, mix(number, 3)));
    FrontendCase c;
    const bool large = number % 12 == 5;
    const auto extent = [&] {
        return static_cast<std::size_t>(large ? random.between(100, 300) : random.between(1, 9));
    };
    c.setup.data_seed = random.word();
    c.setup.rows = extent();
    c.setup.columns = extent();
    c.threads = static_cast<int>(1 + number % 8);
    const auto statements = static_cast<std::int64_t>(lazy::statement_names().size());
    const std::int64_t count = random.between(4, 30);
    // Statements in turn, so that some hundred programs run each of them.
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t next =
            random.percent(50) ? static_cast<std::int64_t>(number * 17 + static_cast<std::uint64_t>(i)) % statements
                               : random.below(statements);
        c.calls.push_back({static_cast<std::size_t>(next), random.word()});
    }
    return c;
}

Trace run_lazily(const FrontendCase& c, mode wanted) {
    const mode_scope scope(wanted);
    return lazy::run(c.setup, c.calls);
}

bool same_bytes(const Observation& a, const Observation& b) {
    if (a.bytes == b.bytes) return true;
    if (a.bytes.size() != b.bytes.size()) return false;
    if (a.element != Observation::Element::F32 && a.element != Observation::Element::F64) return false;
    const bc::DType type = a.element == Observation::Element::F32 ? bc::DType::f32 : bc::DType::f64;
    // The shape comes first, as text; what follows are elements, compared from the back.
    const std::size_t size = bc::size_of(type);
    std::size_t left = a.bytes.size();
    while (left >= size && std::memcmp(a.bytes.data(), b.bytes.data(), left) != 0) {
        left -= size;
        const auto* x = reinterpret_cast<const std::byte*>(a.bytes.data()) + left;
        const auto* y = reinterpret_cast<const std::byte*>(b.bytes.data()) + left;
        if (!same_element(type, x, y)) return false;
    }
    return std::memcmp(a.bytes.data(), b.bytes.data(), left) == 0;
}

std::string describe(const FrontendCase& c, const Observation& observation) {
    const std::size_t call = observation.call;
    return call < c.calls.size() ? fmt::format("{} after statement {} ({})", observation.what, call,
                                               lazy::statement_names()[c.calls[call].statement])
                                 : fmt::format("{} at the end", observation.what);
}

std::string compare(const FrontendCase& c, const Trace& expected, const Trace& got, bool only_exact,
                    const char* names) {
    for (std::size_t i = 0; i < std::max(expected.size(), got.size()); ++i) {
        if (i >= expected.size() || i >= got.size())
            return fmt::format("{}: one shows more, at {}", names, describe(c, i < got.size() ? got[i] : expected[i]));
        const Observation &a = expected[i], &b = got[i];
        if (a.what != b.what || a.call != b.call)
            return fmt::format("{}: {} against {}", names, describe(c, a), describe(c, b));
        if (only_exact && !a.exact) continue;
        if (!same_bytes(a, b))
            return a.element == Observation::Element::Text
                       ? fmt::format("{}: {}: \"{}\" against \"{}\"", names, describe(c, a), a.bytes, b.bytes)
                       : fmt::format("{}: {}", names, describe(c, a));
    }
    return "";
}

std::string check(const FrontendCase& c) {
    set_num_threads(c.threads);
    const Trace lazily = run_lazily(c, mode::lazy);
    const Trace eagerly = run_lazily(c, mode::eager);
    set_num_threads(0);
    const std::string wrong = compare(c, eagerly, lazily, false, "eager against lazy");
    return wrong.empty() ? compare(c, stock::run(c.setup, c.calls), lazily, true, "stock against lazy") : wrong;
}

std::string text_of(const FrontendCase& c) {
    std::string text = fmt::format("{} x {}, {} threads\n", c.setup.rows, c.setup.columns, c.threads);
    for (const Call& call : c.calls)
        text += fmt::format("    {:<36} seed {}\n", lazy::statement_names()[call.statement], call.seed);
    return text;
}

}  // namespace

std::string check_frontend(std::uint64_t seed, std::uint64_t number, bool show) {
    FrontendCase c = random_program(seed, number);
    if (show) fmt::print("{}", text_of(c));
    std::string wrong = check(c);
    if (wrong.empty()) return "";
    // The smallest program is one of whose statements none can go.
    for (std::size_t i = c.calls.size(); i-- > 0;) {
        FrontendCase smaller = c;
        smaller.calls.erase(smaller.calls.begin() + static_cast<std::ptrdiff_t>(i));
        const std::string still = check(smaller);
        if (still.empty()) continue;
        c = std::move(smaller);
        wrong = still;
    }
    return fmt::format("{}\n  {}", wrong, text_of(c));
}

}  // namespace xlazy::fuzz
