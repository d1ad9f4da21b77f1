// SPDX-License-Identifier: BSD-3-Clause
#include "explain.hpp"

#include "env.hpp"
#include "graphviz.hpp"
#include "log.hpp"
#include "planner.hpp"
#include "statistics.hpp"
#include "xlazy/bytecode/structure.hpp"
#include "xlazy/optimizer/explain.hpp"
#include "xlazy/optimizer/unit_axes.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <unordered_map>

namespace xlazy {
namespace rt {
namespace {

/// A queue's flush before this one, and what it wrote.
struct Before {
    FlushInfo flush{Reason::explicit_, 0};
    std::unordered_map<const Base*, bc::OriginId> written;
};

/// What the process has explained so far. Never destroyed: static arrays may outlive main.
struct Told {
    struct Batch {
        std::uint64_t flush = 0;  ///< number of the first one
        std::uint64_t times = 0;
    };
    std::mutex mutex;
    std::uint64_t flushes = 0;
    std::map<std::vector<std::uint64_t>, Batch> batches;
    std::unordered_map<bc::OriginId, std::uint64_t> forced;  ///< flushes by line
    std::unordered_map<const Queue*, Before> before;
    unsigned pictures = 0;
    std::set<std::string> said;  ///< warnings

    static Told& instance() {
        static Told* const told = new Told;
        return *told;
    }
    void say_once(const std::string& text) {
        if (said.insert(text).second) log(text);
    }
};

std::string forced_by(FlushInfo flush) {
    if (bc::origin(flush.line).line == 0) return fmt::format("the program {}", doing(flush.reason));
    return fmt::format("{} {}", bc::to_string(flush.line), doing(flush.reason));
}

/// Equal for batches that the text or picture would show alike.
std::vector<std::uint64_t> identity_of(const bc::Program& program) {
    bc::StructureKey structure;
    bc::GeometryKey geometry;
    bc::structure_key(program, structure);
    bc::geometry_key(program, geometry);
    std::vector<std::uint64_t> identity{structure.hash, geometry.hash};
    identity.insert(identity.end(), program.origins.begin(), program.origins.end());
    return identity;
}

/// What this batch reads of what the flush before wrote: had there been no flush, they could be in one kernel.
std::string kept_apart(const Queue& queue, const Before& before) {
    const bc::Program& program = queue.program;
    std::set<std::pair<bc::OriginId, bc::OriginId>> pairs;
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        const bc::Instruction& instruction = program.instructions[i];
        for (unsigned k = 0; k < bc::operand_count(instruction); ++k) {
            if (!instruction.in[k].is_view()) continue;
            const std::uint32_t base = program.views[instruction.in[k].index()].base;
            const auto found = before.written.find(queue.uses[base].base);
            if (program.bases[base].initialised && found != before.written.end())
                pairs.emplace(found->second, program.origins[i]);
        }
    }
    constexpr std::size_t kMost = 8;
    std::string text;
    std::size_t told = 0;
    for (const auto& [writer, reader] : pairs) {
        if (told++ == kMost) return text + fmt::format("  and {} more pairs\n", pairs.size() - kMost);
        text += fmt::format("  {} could not fuse with {}, whose result it reads: {} in between\n",
                            bc::to_string(reader), bc::to_string(writer), forced_by(before.flush));
    }
    return text;
}

void remember(const Queue& queue, FlushInfo flush, Before& before) {
    before.flush = flush;
    before.written.clear();
    for (const BaseUse& use : queue.uses) {
        if (use.written) before.written.emplace(use.base, use.written_at);
    }
}

bool power_of_ten(std::uint64_t number) {
    while (number % 10 == 0) number /= 10;
    return number == 1;
}

/// Arrays that a pointer is out to.
std::vector<std::uint32_t> pinned_bases(const Queue& queue) {
    std::vector<std::uint32_t> pinned;
    for (std::uint32_t b = 0; b < queue.uses.size(); ++b) {
        if (base_pinned(queue.uses[b].base)) pinned.push_back(b);
    }
    return pinned;
}

std::string header(std::uint64_t number, FlushInfo flush) {
    return fmt::format("explain: flush {}, since {}", number, forced_by(flush));
}

void tell(const Queue& queue, const bc::Plan& plan, FlushInfo flush, std::uint64_t number, const Told::Batch& batch,
          const Before& before) {
    if (batch.times > 1) {
        if (batch.times == 2 || power_of_ten(batch.times)) {
            log(fmt::format("{}: as flush {} ({} times so far)", header(number, flush), batch.flush, batch.times));
        }
        return;
    }
    const opt::Explanation explanation = opt::explain(queue.program, plan, settings().passes, pinned_bases(queue));
    std::string text =
        fmt::format("{}: {}{}", header(number, flush), opt::to_text(explanation), kept_apart(queue, before));
    text.pop_back();  // the log ends the line
    log(text);
}

/// "batch.svg" for the first one, then "batch-2.svg", ...
std::string picture_name(const std::string& file, unsigned number) {
    if (number == 1) return file;
    const std::size_t slash = file.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    const std::size_t dot = file.rfind('.');
    const std::size_t end = dot == std::string::npos || dot <= name ? file.size() : dot;
    return fmt::format("{}-{}{}", file.substr(0, end), number, file.substr(end));
}

void draw(const Queue& queue, const bc::Plan& plan, FlushInfo flush, std::uint64_t number, Told& told) {
    if (told.pictures == kMostPictures) {
        told.say_once(fmt::format("explain: {} batches are drawn; no more pictures are made", kMostPictures));
        return;
    }
    const ExplainWish& wish = settings().explain;
    const std::string file = picture_name(wish.file, ++told.pictures);
    const std::string text = opt::to_dot(
        queue.program, plan, fmt::format("flush {}, since {}", number, forced_by(flush)), pinned_bases(queue));
    const std::string problem = wish.form == ExplainWish::Form::dot ? write_file(file, text) : draw_svg(file, text);
    if (!problem.empty()) told.say_once(fmt::format("warning: XLAZY_EXPLAIN: {}", problem));
}

void count_forced(FlushInfo flush, Told& told) {
    if (bc::origin(flush.line).line == 0 || advice(flush.reason).empty()) return;
    if (++told.forced[flush.line] != kManyFlushes + 1) return;
    log(fmt::format(
        "hint: {}, and so forced more than {} flushes. What is recorded between two of them is all that can "
        "fuse: {}",
        forced_by(flush), kManyFlushes, advice(flush.reason)));
}

}  // namespace

void explain_flush(const Queue& queue, const bc::Plan& plan, FlushInfo flush) {
    const ExplainWish& wish = settings().explain;
    if (wish.form == ExplainWish::Form::none) return;
    Told& told = Told::instance();
    const std::lock_guard lock(told.mutex);
    const std::uint64_t number = ++told.flushes;
    Told::Batch& batch = told.batches[identity_of(queue.program)];
    if (++batch.times == 1) batch.flush = number;
    if (wish.form == ExplainWish::Form::text)
        tell(queue, plan, flush, number, batch, told.before[&queue]);
    else if (batch.times == 1)
        draw(queue, plan, flush, number, told);
    count_forced(flush, told);
    remember(queue, flush, told.before[&queue]);
}

}  // namespace rt

std::string explain() {
    rt::Queue& queue = rt::my_queue();
    const rt::QueueLock lock(queue);
    if (queue.program.instructions.empty()) return {};
    rt::describe_bases(queue);
    const std::optional<bc::Program> rewritten = opt::without_unit_axes(queue.program);
    const bc::Program& program = rewritten ? *rewritten : queue.program;
    const opt::Planned planned = rt::plan_of(program, rt::has_poison(queue));
    return opt::to_text(opt::explain(program, *planned.plan, rt::settings().passes, rt::pinned_bases(queue)));
}

}  // namespace xlazy
