// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/level_bytecode.hpp"

#include "fuzz/execute.hpp"
#include "fuzz/variant.hpp"
#include "xlazy/bytecode/structure.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/optimizer/traffic.hpp"
#include "xlazy/optimizer/unit_axes.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

namespace xlazy::fuzz {
namespace {

constexpr int kMaxThreads = 8;
constexpr std::int64_t kMostChunks = 24;        ///< more would take the time of many programs
constexpr std::int64_t kLargeProgram = 200000;  ///< elements of all bases from which a program runs fewer ways

/// One way to run a batch.
struct Way {
    opt::PassSet passes;
    int threads;                  ///< 0: the reference interpreter
    bool always_threads = false;  ///< use the threads for the smallest kernels, too
};

std::string name_of(const Way& way) {
    return fmt::format("passes {:#x}, {}", way.passes.bits & ((1u << opt::pass_table().size()) - 1),
                       way.threads == 0
                           ? std::string("interp")
                           : fmt::format("openmp with {} threads{}", way.threads, way.always_threads ? " always" : ""));
}

/// Regions of small batches have more pieces than one only if the pieces are small.
be::OpenMpOptions options_of(const Way& way) {
    be::OpenMpOptions options;
    options.threads = way.threads;
    if (way.always_threads) options.serial_nanoseconds = 0;
    options.piece_bytes = std::int64_t{1} << (2 * way.threads + (way.always_threads ? 0 : 3));
    return options;
}

be::Backend& backend_of(const Way& way) {
    static std::map<std::pair<int, bool>, std::unique_ptr<be::Backend>> backends;
    auto& backend = backends[{way.threads, way.always_threads}];
    if (!backend) backend = way.threads == 0 ? be::make_interpreter() : be::make_openmp(options_of(way));
    return *backend;
}

const std::vector<be::Isa>& machine_isas() {
    static const std::vector<be::Isa> isas = [] {
        std::vector<be::Isa> found;
        const be::Isa before = be::current_isa();
        for (be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512})
            if (be::set_isa(isa)) found.push_back(isa);
        be::set_isa(before);
        return found;
    }();
    return isas;
}

opt::PassSet random_passes(Random& random) {
    const auto passes = static_cast<std::int64_t>(opt::pass_table().size());
    switch (random.below(4)) {
        case 0: return {~(1u << random.below(passes))};
        case 1: return {1u << random.below(passes)};
        default: return {static_cast<std::uint32_t>(random.word())};
    }
}

std::vector<Way> ways_for(Random& random, bool large) {
    const auto threaded = [&](opt::PassSet passes) {
        return Way{passes, static_cast<int>(random.between(1, kMaxThreads)), random.percent(60)};
    };
    std::vector<Way> ways{threaded(opt::PassSet{}), threaded(random_passes(random))};
    if (large) return ways;
    ways.push_back({opt::PassSet{}, 0});
    ways.push_back(threaded(opt::PassSet{0}));
    ways.push_back(threaded(random_passes(random)));
    ways.push_back({random_passes(random), 0});
    return ways;
}

std::byte garbage_of(Random& random) { return static_cast<std::byte>(random.word()); }

bc::Plan plan_of(const bc::Program& program, opt::PassSet passes) {
    opt::PlanOptions options;
    options.passes = passes;
    options.verify = true;
    // Small batches are planned differently from large ones; most batches here are small.
    if ((passes.bits + program.instructions.size()) % 2 == 1) options.size_class = bc::SizeClass::Memory;
    options.anyhow = true;
    bc::Plan plan = opt::make_plan(program, options);
    if (!bc::guards_hold(plan, program)) throw PlanFault("the plan's guards do not hold for its own batch");
    return plan;
}

/// The static properties: text form, relations.
std::string check_tables(const bc::Program& program) {
    const std::string text = bc::print(program);
    if (bc::print(bc::parse(text)) != text) return "the text form does not print as it was parsed";
    const auto views = static_cast<std::uint32_t>(std::min<std::size_t>(program.views.size(), 20));
    for (std::uint32_t a = 0; a < views; ++a)
        for (std::uint32_t b = 0; b < views; ++b) {
            const Window x = window_of(program, program.views[a]), y = window_of(program, program.views[b]);
            if (x.base != y.base || count_of(x) > 5000 || count_of(y) > 5000) continue;
            const bc::Relation said = bc::relation(program, a, b), is = true_relation(x, y);
            const bool lie = (said == bc::Relation::Disjoint && is != bc::Relation::Disjoint) ||
                             (said == bc::Relation::Identical && is != bc::Relation::Identical && count_of(x) != 0 &&
                              count_of(y) != 0);
            if (lie) return fmt::format("relation of v{} and v{} is wrong", a, b);
        }
    return "";
}

/// A batch of the same structure and another geometry may take the plan if its guards hold: then it must serve.
std::string check_variant(const Case& c, const bc::Plan& plan, const Way& way, Random& random) {
    const Case other = variant_of(c, random);
    if (!bc::verify(other.program).empty()) return "";
    bc::StructureKey mine, theirs;
    bc::structure_key(c.program, mine);
    bc::structure_key(other.program, theirs);
    if (!(mine == theirs) || !bc::guards_hold(plan, other.program)) return "";
    const Outcome expected = run_oracle(other);
    if (expected.read_undefined) return "";
    const std::string wrong =
        difference(other.program, expected, execute(other, plan, backend_of(way), garbage_of(random)));
    return wrong.empty() ? "" : fmt::format("as plan for another geometry: {}\n{}", wrong, bc::print(other.program));
}

/// With less memory than the plan needs, down to what its results take: the same in chunks, if there are any.
std::string check_chunks(const Case& c, const Outcome& expected, const bc::Plan& plan, const Way& way, Random& random) {
    const opt::Footprint footprint = opt::footprint_of(c.program, plan);
    const auto needed = static_cast<std::int64_t>(footprint.peak - footprint.before);
    if (needed == 0) return "";
    const auto room = static_cast<std::uint64_t>(random.below(needed));
    const auto chunked = opt::fit_in_chunks(c.program, plan, room);
    if (!chunked) return "";
    std::int64_t chunks = 0;
    for (const opt::ChunkedStretch& each : *chunked) chunks = std::max(chunks, each.chunks);
    if (chunks > kMostChunks) return "";
    const Outcome got = execute_in_chunks(c, plan, backend_of(way), garbage_of(random), *chunked, room);
    const std::string wrong = difference(c.program, expected, got);
    return wrong.empty() ? "" : fmt::format("in chunks: {}", wrong);
}

std::string check_way(const Case& c, const Outcome& expected, const Way& way, Random& random) {
    try {
        const bc::Plan plan = plan_of(c.program, way.passes);
        const Outcome got = execute(c, plan, backend_of(way), garbage_of(random));
        std::string wrong = difference(c.program, expected, got);
        for (int i = 0; wrong.empty() && i < 3; ++i) wrong = check_chunks(c, expected, plan, way, random);
        for (int i = 0; wrong.empty() && i < 2; ++i) wrong = check_variant(c, plan, way, random);
        return wrong.empty() ? "" : fmt::format("{}: {}", name_of(way), wrong);
    } catch (const std::exception& error) {
        return fmt::format("{}: {}", name_of(way), error.what());
    }
}

/// As the library runs it: where axes of extent 1 keep domains apart, without them.
std::string check_without_unit_axes(const Case& c, const Outcome& expected, const Way& way, Random& random) {
    const std::optional<bc::Program> rewritten = opt::without_unit_axes(c.program);
    if (!rewritten) return "";
    std::string wrong = bc::verify(*rewritten);
    if (wrong.empty()) wrong = check_way({*rewritten, c.data_seed}, expected, way, random);
    return wrong.empty() ? "" : fmt::format("without axes of extent 1: {}\n{}", wrong, bc::print(*rewritten));
}

std::string check_ways(const Case& c, std::uint64_t choice) {
    Random random(choice);
    const std::vector<be::Isa>& isas = machine_isas();
    be::set_isa(random.percent(50) ? isas.back() : random.pick(isas));
    const Outcome expected = run_oracle(c);
    if (expected.read_undefined) return "";  // not a program that a user may write
    std::string wrong = check_way(c, expected, {opt::PassSet{0}, 0}, random);
    std::int64_t elements = 0;
    for (const bc::BaseInfo& base : c.program.bases) elements += base.size;
    const std::vector<Way> ways = ways_for(random, elements > kLargeProgram);
    for (std::size_t i = 0; i < ways.size() && wrong.empty(); ++i) wrong = check_way(c, expected, ways[i], random);
    if (wrong.empty()) wrong = check_without_unit_axes(c, expected, ways[0], random);
    if (!wrong.empty()) return fmt::format("{} {}", be::name_of(be::current_isa()), wrong);
    be::set_isa(random.pick(isas));
    wrong = check_way(c, expected, ways[0], random);
    return wrong.empty() ? "" : fmt::format("{} {}", be::name_of(be::current_isa()), wrong);
}

}  // namespace

std::string check_case(const Case& c, std::uint64_t choice) {
    std::string wrong = bc::verify(c.program);
    if (!wrong.empty()) return "illegal batch: " + wrong;
    wrong = check_tables(c.program);
    if (!wrong.empty()) return wrong;
    const be::Isa before = be::current_isa();
    wrong = check_ways(c, choice);
    be::set_isa(before);
    return wrong;
}

}  // namespace xlazy::fuzz
