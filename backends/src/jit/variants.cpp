// SPDX-License-Identifier: BSD-3-Clause
#include "jit/variants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace xlazy::be::jit {
namespace {

using bc::MicroOp;
using Kind = bc::MicroOp::Kind;

/// Loads, stores and reductions of bases and of scratch have the same code.
char code_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::LoadView:
        case Kind::LoadScratch: return 'l';
        case Kind::StoreView:
        case Kind::StoreScratch: return 's';
        case Kind::ReduceView:
        case Kind::ReduceScratch: return 'r';
        case Kind::LoadScalar: return 'c';
        case Kind::GatherView: return 'g';
        case Kind::ScatterView: return 'p';
        case Kind::Compute: return 'o';
    }
    return '?';
}

/// Every operand by its stride.
std::vector<AccessForm> any_form(const bc::Kernel& kernel) {
    std::vector<AccessForm> accesses;
    for (const MicroOp& op : kernel.ops) {
        if (!has_access(op)) continue;
        const bool reduces = op.kind == Kind::ReduceView || op.kind == Kind::ReduceScratch;
        accesses.push_back({reduces ? Layout::Dense : Layout::Strided});
    }
    return accesses;
}

/// "add, sqrt of heat.cpp:3, heat.cpp:4"
std::string subject_of(const bc::Kernel& kernel, const bc::Program& program) {
    constexpr std::size_t most = 8;
    std::vector<std::string> ops, lines;
    const auto include = [](std::vector<std::string>& list, std::string text) {
        if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
    };
    for (const MicroOp& op : kernel.ops) {
        const char code = code_of(op.kind);
        if (code == 'o' || code == 'r') include(ops, std::string(bc::name_of(op.op)));
        if (code != 'l' && code != 'c' && op.instruction < program.origins.size())
            include(lines, bc::to_string(program.origins[op.instruction]));
    }
    if (ops.empty()) ops.emplace_back("copy");
    std::string text = fmt::format("{} of {}", fmt::join(ops, ", "),
                                   fmt::join(std::span(lines).first(std::min(lines.size(), most)), ", "));
    if (lines.size() > most) text += fmt::format(" and {} other lines", lines.size() - most);
    return text;
}

}  // namespace

static_assert(bc::kOpCount < 256);

std::string signature_of(const bc::Kernel& kernel) {
    std::string key;
    key.reserve(kernel.ops.size() * 12);
    for (const MicroOp& op : kernel.ops) {
        key += code_of(op.kind);
        key += static_cast<char>(op.op);
        key += static_cast<char>(op.type);
        key += static_cast<char>(op.result);
        key += static_cast<char>(op.flags & bc::Instruction::kMasked);
        for (const bc::ValueId in : op.in) {
            key += static_cast<char>(in & 0xff);
            key += static_cast<char>(in >> 8);
        }
    }
    return key;
}

Variant::Variant(const bc::Kernel& kernel, std::vector<AccessForm> accesses, Folding scanning, bool looks, Isa isa,
                 std::string subject)
    : kernel_(kernel), form_{&kernel_, std::move(accesses), scanning, looks}, isa_(isa), subject_(std::move(subject)) {}

Variant& Variants::find(const bc::Kernel& kernel, std::span<const AccessForm> accesses, Folding scanning, bool looks,
                        Isa isa, const bc::Program* program) {
    const std::lock_guard guard(mutex_);
    Family& family = families_[signature_of(kernel) + static_cast<char>(scanning) + static_cast<char>(isa) +
                               (looks ? 'n' : '-')];
    const auto same = [&](std::span<const AccessForm> form) {
        return std::ranges::find_if(family,
                                    [&](const auto& each) { return std::ranges::equal(each->form().accesses, form); });
    };
    if (const auto at = same(accesses); at != family.end()) return **at;
    std::vector<AccessForm> form(accesses.begin(), accesses.end());
    if (family.size() + 1 >= kMaxVariants) {
        form = any_form(kernel);
        if (const auto at = same(form); at != family.end()) return **at;
    }
    return *family.emplace_back(std::make_unique<Variant>(kernel, std::move(form), scanning, looks, isa,
                                                          program == nullptr ? "" : subject_of(kernel, *program)));
}

}  // namespace xlazy::be::jit
