// SPDX-License-Identifier: BSD-3-Clause
// The pass table, and the one loop that runs it.
#include "draft.hpp"
#include "passes/algebra.hpp"
#include "passes/contract.hpp"
#include "passes/copies.hpp"
#include "passes/cse.hpp"
#include "passes/dce.hpp"
#include "passes/donate.hpp"
#include "passes/fuse.hpp"
#include "passes/lower.hpp"
#include "passes/memory.hpp"
#include "passes/recompute.hpp"
#include "passes/regions.hpp"
#include "passes/separate.hpp"
#include "passes/together.hpp"
#include "passes/values.hpp"
#include "passes/version.hpp"
#include "pass_hook.hpp"
#include "pass_set.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace xlazy::opt {

namespace {

using Pass = void (*)(Draft&);

/// What a pass hands on, and so what is checked and printed after it.
enum class Stage : std::uint8_t { Code, Grouping, Kernels, Plan };

struct Row {
    std::string_view name;
    Pass run;
    Pass otherwise;  ///< runs where the pass is switched off; may be null
    Stage stage;
    bool mandatory;
    std::string_view doc;
};

// The order is fixed: each pass takes what the one before it made.
constexpr Row kPasses[] = {
    {"separate", separate, nullptr, Stage::Code, true,
     "right side first: an overlapping result goes through a temporary"},
    {"algebra", rewrite_algebra, nullptr, Stage::Code, false, "cheaper operations with the same bits"},
    {"copies", propagate_copies, nullptr, Stage::Code, false, "who reads a copy reads what was copied"},
    {"values", number_values, nullptr, Stage::Code, false,
     "what the batch has computed it does not compute again, where that takes longer than to keep it"},
    {"dce", remove_dead_code, nullptr, Stage::Code, false, "what nobody can read is not computed"},
    {"version", choose_versions, nullptr, Stage::Code, false,
     "an update that reads its array's old value writes a new version of the array"},
    {"fuse", fuse, group_singly, Stage::Grouping, false, "instructions of one domain share a kernel"},
    {"lower", lower, nullptr, Stage::Kernels, true, "kernels become micro-ops on registers"},
    {"cse", eliminate_common_values, nullptr, Stage::Kernels, false,
     "what a kernel has computed it does not compute again"},
    {"recompute", recompute, nullptr, Stage::Kernels, false,
     "what is cheap to compute again does not go through memory"},
    {"contract", contract, nullptr, Stage::Kernels, false, "values that one kernel needs get no memory"},
    {"regions", find_regions, nullptr, Stage::Kernels, false, "kernels that share rows run piece by piece"},
    {"together", run_together, nullptr, Stage::Kernels, false,
     "small kernels that do not depend on each other run at once"},
    {"memory", plan_memory, nullptr, Stage::Plan, true, "when memory is allocated and freed"},
    {"donate", donate, nullptr, Stage::Plan, false, "a result takes the memory of an operand that dies"},
};

/// The draft's code as a batch of its own, in the order in which it will run: for the verifier and the printer.
bc::Program program_of(const Draft& draft, Stage stage) {
    std::vector<std::uint32_t> order(draft.code.instructions.size());
    std::iota(order.begin(), order.end(), 0u);
    if (stage == Stage::Grouping) {
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return draft.grouping.kernel[i]; });
    }
    bc::Program program = draft.program;
    program.instructions.clear();
    program.origins.clear();
    program.temp_count = draft.code.temp_count;
    for (const FormedScalar& scalar : draft.code.formed) {
        program.scalars.push_back(bc::form_of(program.scalars[scalar.slot], scalar.form));
    }
    for (const std::uint32_t i : order) {
        program.instructions.push_back(draft.code.instructions[i]);
        program.origins.push_back(draft.program.origins[draft.code.source[i]]);
    }
    return program;
}

std::string text_of(const Draft& draft, Stage stage) {
    if (stage >= Stage::Kernels) return bc::print(draft.plan);
    std::string text = bc::print(program_of(draft, stage));
    if (stage == Stage::Grouping) {
        text += "; kernels:";
        for (const std::uint32_t kernel : draft.grouping.kernel) text += fmt::format(" {}", kernel);
        text += '\n';
        for (const auto& [kernel, version] : draft.grouping.versions) {
            text += fmt::format("; kernel {} makes a new version of b{}\n", kernel, version.base);
        }
    }
    return text;
}

std::string fault_of(const Draft& draft, Stage stage) {
    if (stage < Stage::Kernels) return bc::verify(program_of(draft, stage));
    Draft finished = draft;
    if (stage == Stage::Kernels) plan_memory(finished);  // kernels alone are no plan
    finished.finish();
    return bc::verify(finished.plan, finished.program);
}

void check(const Draft& draft, const Row& row) {
    const std::string fault = fault_of(draft, row.stage);
    if (!fault.empty()) throw std::logic_error(fmt::format("pass {}: {}", row.name, fault));
}

}  // namespace

void (*pass_hook)(std::string_view pass, Draft& draft) = nullptr;

PassSet normalised(PassSet passes) noexcept {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < std::size(kPasses); ++i) {
        if (kPasses[i].mandatory || passes.has(i)) bits |= 1u << i;
    }
    return PassSet{bits};
}

std::vector<PassInfo> pass_table() {
    std::vector<PassInfo> table;
    for (const Row& row : kPasses) table.push_back({row.name, row.doc, row.mandatory});
    return table;
}

PassSet parse_passes(std::string_view text, std::vector<std::string>& unknown) {
    PassSet passes{0};
    bool known = false;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view word = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (word.starts_with(' ')) word.remove_prefix(1);
        while (word.ends_with(' ')) word.remove_suffix(1);
        if (word.empty()) continue;
        const bool sign = word.front() == '-' || word.front() == '+';
        const std::string_view name = word.substr(sign ? 1 : 0);
        const auto row = std::ranges::find(kPasses, name, &Row::name);
        if (row != std::end(kPasses) && !row->mandatory) {
            if (!known && sign) passes = PassSet{};  // a list that begins with a sign changes the default
            const std::uint32_t bit = 1u << (row - std::begin(kPasses));
            passes.bits = word.front() == '-' ? passes.bits & ~bit : passes.bits | bit;
        } else if (word == "all" || word == "none") {
            passes.bits = word == "all" ? ~0u : 0u;
        } else {
            unknown.emplace_back(word);
            continue;
        }
        known = true;
    }
    return known ? passes : PassSet{};
}

bc::Plan make_plan(const bc::Program& program, const PlanOptions& options) {
    Draft draft(program, options.size_class.value_or(class_of(program)));
    draft.anyhow = options.anyhow;
    draft.code.instructions = program.instructions;
    draft.code.temp_count = program.temp_count;
    draft.code.source.resize(program.instructions.size());
    for (std::uint32_t i = 0; i < draft.code.source.size(); ++i) draft.code.source[i] = i;

    unsigned number = 0;
    for (const Row& row : kPasses) {
        const bool selected = row.mandatory || options.passes.has(number);
        ++number;
        const Pass pass = selected ? row.run : row.otherwise;
        if (pass == nullptr) continue;
        pass(draft);
        if (pass_hook != nullptr) pass_hook(row.name, draft);
        if (options.verify) check(draft, row);
        if (options.dump) options.dump(row.name, text_of(draft, row.stage));
    }
    draft.finish();
    return std::move(draft.plan);
}

}  // namespace xlazy::opt
