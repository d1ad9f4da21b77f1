// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/coverage.hpp"

#include "fuzz/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace xlazy::fuzz {
namespace {

using bc::Program;
using bc::Relation;

constexpr std::size_t kMaxAccessesKept = 24;

constexpr std::string_view kAliasNames[] = {"alone", "own=", "own~", "own/", "raw=", "raw~", "raw/",
                                            "war=",  "war~", "war/", "waw=", "waw~", "waw/"};

bool possible(AliasCell cell) {
    const bool write = cell.alias >= AliasKind::WarIdentical;
    const auto place = cell.alias == AliasKind::Alone ? -1 : (static_cast<int>(cell.alias) - 1) % 3;
    switch (cell.view) {
        case ViewKind::Empty: return place < 0;              // an empty view has nothing in common with anything
        case ViewKind::Repeat: return !write && place != 0;  // what it repeats is written with an extent of 1
        case ViewKind::Whole: return place != 2;
        default: return true;
    }
}

std::string cast_table(const std::map<OpCell, std::uint64_t>& counts) {
    std::string text = "cast to     ";
    for (bc::DType type : enabled_types()) text += fmt::format("{:>8}", bc::name_of(type));
    for (bc::DType from : enabled_types()) {
        text += fmt::format("\n  from {:<5}", bc::name_of(from));
        for (bc::DType to : enabled_types()) {
            const auto found = counts.find({bc::Op::cast, from, to, false});
            text += found == counts.end() ? fmt::format("{:>8}", "") : fmt::format("{:>8}", found->second);
        }
    }
    return text + "\n";
}

}  // namespace

std::string_view name_of(AliasKind kind) { return kAliasNames[static_cast<std::size_t>(kind)]; }

const std::vector<OpCell>& op_cells() {
    static const std::vector<OpCell> cells = [] {
        std::vector<OpCell> found;
        for (std::size_t i = 0; i < bc::kOpCount; ++i) {
            const auto op = static_cast<bc::Op>(i);
            if (bc::info(op).kind == bc::OpKind::Library) continue;  // whole arrays: shapes of their own
            for (bc::DType type : enabled_types()) {
                if (!bc::accepts(op, type)) continue;
                if (bc::info(op).result == bc::ResultType::Any) {
                    for (bc::DType result : enabled_types()) found.push_back({op, type, result, false});
                    continue;
                }
                const bc::DType result = bc::result_of(op, type);
                found.push_back({op, type, result, false});
                if (bc::can_fail(op, type)) found.push_back({op, type, result, true});
            }
        }
        return found;
    }();
    return cells;
}

std::string name_of(const OpCell& cell) {
    std::string name = fmt::format("{}.{}", bc::name_of(cell.op), bc::name_of(cell.type));
    if (bc::info(cell.op).result == bc::ResultType::Any) name += fmt::format(".{}", bc::name_of(cell.result));
    return cell.masked ? name + " mask" : name;
}

const std::vector<AliasCell>& alias_cells() {
    static const std::vector<AliasCell> cells = [] {
        std::vector<AliasCell> found;
        for (int view = 0; view < static_cast<int>(ViewKind::count_); ++view)
            for (int alias = 0; alias < static_cast<int>(AliasKind::count_); ++alias) {
                const AliasCell cell{static_cast<ViewKind>(view), static_cast<AliasKind>(alias)};
                if (possible(cell)) found.push_back(cell);
            }
        return found;
    }();
    return cells;
}

AliasKind alias_of(bool own, bool write, bool other_write, Relation relation) {
    const int step = relation == Relation::Identical ? 0 : relation == Relation::Overlap ? 1 : 2;
    const AliasKind first = own           ? AliasKind::OwnIdentical
                            : !write      ? AliasKind::RawIdentical
                            : other_write ? AliasKind::WawIdentical
                                          : AliasKind::WarIdentical;
    return static_cast<AliasKind>(static_cast<int>(first) + step);
}

Coverage::Coverage() {
    for (const OpCell& cell : op_cells()) ops_[cell] = 0;
    for (const AliasCell& cell : alias_cells()) aliases_[cell] = 0;
}

void Coverage::add_access(const Program& program, const Access& access, const std::vector<Access>& others) {
    const std::int64_t base_size = program.bases[access.window.base].size;
    const bool empty = count_of(access.window) == 0;
    std::set<AliasKind> kinds;
    for (const Access& other : others) {
        const bool own = other.statement == access.statement;
        if (own ? access.write || !other.write : !access.write && !other.write) continue;
        if (empty || count_of(other.window) == 0) continue;
        kinds.insert(alias_of(own, access.write, other.write, true_relation(access.window, other.window)));
    }
    if (others.empty() || empty) kinds.insert(AliasKind::Alone);
    for (AliasKind kind : kinds) {
        const auto found = aliases_.find({kind_of(access.window, base_size), kind});
        if (found != aliases_.end()) ++found->second;
    }
}

void Coverage::add(const Program& program) {
    std::vector<std::vector<Access>> accesses(program.bases.size());
    std::vector<Access> statement;
    for (const bc::Instruction& instruction : program.instructions) {
        const bool masked = (instruction.flags & bc::Instruction::kMasked) != 0;
        ++ops_[{instruction.op, instruction.type, instruction.result, masked}];
        const auto access = [&](bc::Operand operand, bool write) {
            if (!operand.is_view()) return;
            statement.push_back({window_of(program, program.views[operand.index()]), instruction.statement, write});
        };
        for (unsigned k = 0; k < bc::operand_count(instruction); ++k) access(instruction.in[k], false);
        access(instruction.out, true);
        if (!instruction.out.is_view()) continue;
        // The write of a statement comes last: only now are its reads matched with it.
        for (const Access& one : statement) {
            std::vector<Access> others = accesses[one.window.base];
            if (!one.write && one.window.base == statement.back().window.base) others.push_back(statement.back());
            add_access(program, one, others);
        }
        for (Access& one : statement) {
            auto& kept = accesses[one.window.base];
            if (kept.size() == kMaxAccessesKept) kept.erase(kept.begin());
            kept.push_back(std::move(one));
        }
        statement.clear();
    }
}

std::uint64_t Coverage::least() const {
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& [cell, count] : ops_) least = std::min(least, count);
    for (const auto& [cell, count] : aliases_) least = std::min(least, count);
    return least;
}

std::string Coverage::table() const {
    std::string text = fmt::format("{:<14}", "op");
    for (bc::DType type : enabled_types()) text += fmt::format("{:>8}", bc::name_of(type));
    std::string line;
    for (std::size_t i = 0; i < bc::kOpCount; ++i) {
        const auto op = static_cast<bc::Op>(i);
        if (bc::info(op).result == bc::ResultType::Any) continue;
        for (bool masked : {false, true}) {
            bool any = false;
            line = fmt::format("\n{:<14}", std::string(bc::name_of(op)) + (masked ? " mask" : ""));
            for (bc::DType type : enabled_types()) {
                const auto found = std::find_if(ops_.begin(), ops_.end(), [&](const auto& entry) {
                    return entry.first.op == op && entry.first.type == type && entry.first.masked == masked;
                });
                any = any || found != ops_.end();
                line += found == ops_.end() ? fmt::format("{:>8}", "") : fmt::format("{:>8}", found->second);
            }
            if (any) text += line;
        }
    }
    text += fmt::format("\n{}{:<12}", cast_table(ops_), "view");
    for (std::string_view name : kAliasNames) text += fmt::format("{:>8}", name);
    for (int view = 0; view < static_cast<int>(ViewKind::count_); ++view) {
        text += fmt::format("\n{:<12}", name_of(static_cast<ViewKind>(view)));
        for (int alias = 0; alias < static_cast<int>(AliasKind::count_); ++alias) {
            const auto found = aliases_.find({static_cast<ViewKind>(view), static_cast<AliasKind>(alias)});
            text += found == aliases_.end() ? fmt::format("{:>8}", "") : fmt::format("{:>8}", found->second);
        }
    }
    return text +
           "\n(own: the output of the same statement; raw, war, waw: an earlier one; = identical, ~ overlap, / "
           "disjoint)\n";
}

std::string Coverage::missing(std::uint64_t wanted) const {
    std::string text;
    for (const auto& [cell, count] : ops_)
        if (count < wanted) text += fmt::format("{}: {} hits\n", name_of(cell), count);
    for (const auto& [cell, count] : aliases_)
        if (count < wanted)
            text += fmt::format("{} view, {}: {} hits\n", name_of(cell.view), name_of(cell.alias), count);
    return text;
}

}  // namespace xlazy::fuzz
