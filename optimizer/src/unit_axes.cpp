// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/optimizer/unit_axes.hpp"

#include "draft.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace xlazy::opt {

using bc::Instruction;
using bc::Operand;
using bc::OpKind;

namespace {

/// A set of axes, bit by bit.
using Axes = std::uint32_t;

Axes unit_axes_of(std::span<const std::int64_t> extents) noexcept {
    Axes axes = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) axes |= extents[i] == 1 ? Axes{1} << i : 0;
    return axes;
}

bool has(Axes axes, unsigned axis) noexcept { return (axes >> axis & 1) != 0; }

class Squeeze {
public:
    explicit Squeeze(const bc::Program& batch) : batch_(batch), temps_(batch.temp_count) {}

    std::optional<bc::Program> run() {
        if (!choose()) return std::nullopt;
        // Each round gives up a domain at least; batches with many such domains are not worth the time.
        for (int rounds = 0; !agree(); ++rounds) {
            if (rounds == kMostRounds) return std::nullopt;
        }
        if (std::ranges::none_of(dropped_, [](Axes axes) { return axes != 0; })) return std::nullopt;
        return rewritten();
    }

private:
    static constexpr int kMostRounds = 8;

    struct Temp {
        unsigned rank = 0;
        Axes dropped = 0;
        std::uint32_t domain = 0;  ///< of its maker
    };

    /// The axes to drop of each domain, if there are two that would be the same. @return false: there are not
    bool choose() {
        std::vector<Axes> unit(batch_.domains.size());
        bool any = false;
        for (std::uint32_t d = 0; d < unit.size(); ++d) any |= (unit[d] = unit_axes_of(batch_.domain_extents(d))) != 0;
        if (!any) return false;
        std::map<std::vector<std::int64_t>, std::vector<std::uint32_t>> equal;
        for (std::uint32_t d = 0; d < unit.size(); ++d) {
            std::vector<std::int64_t> extents;
            for (const std::int64_t extent : batch_.domain_extents(d)) {
                if (extent != 1) extents.push_back(extent);
            }
            equal[std::move(extents)].push_back(d);
        }
        dropped_.assign(unit.size(), 0);
        any = false;
        for (const auto& [extents, domains] : equal) {
            if (domains.size() < 2) continue;
            any = true;
            for (const std::uint32_t d : domains) dropped_[d] = unit[d];
        }
        return any;
    }

    /// Goes through the batch, and gives up domains whose axes are needed. @return false: there were such
    bool agree() {
        bool fine = true;
        for (const Instruction& instruction : batch_.instructions) {
            const OpKind kind = bc::info(instruction.op).kind;
            const bool along = kind == OpKind::Reduce || kind == OpKind::Scan || kind == OpKind::Generate;
            if (along && has(dropped_[instruction.domain], instruction.axis)) fine = give_up(instruction.domain);
            for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
                const Operand in = instruction.in[i];
                if (!in.is_temp() || lies_as_before(temps_[in.index()], instruction.domain)) continue;
                fine = give_up(instruction.domain);
                give_up(temps_[in.index()].domain);
            }
            if (instruction.out.is_temp()) temps_[instruction.out.index()] = result_of(instruction);
        }
        return fine;
    }

    bool give_up(std::uint32_t domain) {
        dropped_[domain] = 0;
        return false;
    }

    unsigned rank_of(std::uint32_t domain) const noexcept { return batch_.domains[domain].rank; }

    Temp result_of(const Instruction& instruction) const noexcept {
        Temp temp{rank_of(instruction.domain), dropped_[instruction.domain], instruction.domain};
        const bool keeps = (instruction.flags & Instruction::kKeepAxis) != 0;
        if (bc::info(instruction.op).kind != OpKind::Reduce || keeps) return temp;
        const Axes below = (Axes{1} << instruction.axis) - 1;
        temp.dropped = (temp.dropped & below) | (temp.dropped >> 1 & ~below);
        --temp.rank;
        return temp;
    }

    /// Counted from the right, do the axes that are left of the temporary lie along those that are left of the domain?
    bool lies_as_before(const Temp& temp, std::uint32_t domain) const noexcept {
        const unsigned rank = rank_of(domain);
        unsigned of_temp = 0, of_domain = 0;
        for (unsigned i = 0; i < rank; ++i) {
            const bool there = i < temp.rank && !has(temp.dropped, temp.rank - 1 - i);
            const bool kept = !has(dropped_[domain], rank - 1 - i);
            if (there && (!kept || of_temp != of_domain)) return false;
            of_temp += there ? 1 : 0;
            of_domain += kept ? 1 : 0;
        }
        return true;
    }

    bc::Program rewritten() {
        bc::Program program = batch_;
        std::vector<std::uint32_t> domains(batch_.domains.size());
        for (std::uint32_t d = 0; d < domains.size(); ++d) {
            std::vector<std::int64_t> extents;
            for (unsigned axis = 0; axis < rank_of(d); ++axis) {
                if (!has(dropped_[d], axis)) extents.push_back(batch_.domain_extents(d)[axis]);
            }
            domains[d] = program.intern_domain(extents);
        }
        for (Instruction& instruction : program.instructions) {
            const Axes dropped = dropped_[instruction.domain];
            const unsigned rank = rank_of(instruction.domain);
            for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
                // Whose elements are named by their numbers, it has a shape of its own.
                if (is_gathered(instruction, i) || is_kept(instruction, i)) continue;
                instruction.in[i] = without(program, instruction.in[i], dropped, rank);
            }
            const Temp result = result_of(instruction);
            if (!is_scatter(instruction))
                instruction.out = without(program, instruction.out, result.dropped, result.rank);
            const Axes below = (Axes{1} << instruction.axis) - 1;
            if (instruction.axis < rank)
                instruction.axis = static_cast<std::uint8_t>(instruction.axis - std::popcount(dropped & below));
            instruction.domain = domains[instruction.domain];
        }
        return program;
    }

    /// The operand, a view of it without these axes of a shape of that rank.
    Operand without(bc::Program& program, Operand operand, Axes dropped, unsigned rank) {
        if (!operand.is_view() || dropped == 0) return operand;
        const bc::View view = batch_.views[operand.index()];
        std::vector<bc::Dim> dims;
        for (unsigned i = 0; i < view.rank; ++i) {
            const bool leading = view.rank - i > rank;  // only extents of 1 may lie before the shape's axes
            if (leading || has(dropped, i + rank - view.rank)) continue;
            dims.push_back(batch_.dims_of(view)[i]);
        }
        if (dims.size() == view.rank) return operand;
        const auto [known, is_new] = views_.try_emplace({operand.index(), rank, dropped}, 0);
        if (is_new) known->second = program.add_view(view.base, view.offset, dims);
        return Operand::view(known->second);
    }

    const bc::Program& batch_;
    std::vector<Axes> dropped_;  ///< by domain
    std::vector<Temp> temps_;
    std::map<std::tuple<std::uint32_t, unsigned, Axes>, std::uint32_t> views_;  ///< those that were added
};

}  // namespace

std::optional<bc::Program> without_unit_axes(const bc::Program& batch) {
    const bool any = std::ranges::any_of(batch.domains, [&](const bc::Domain& domain) {
        return std::ranges::find(batch.extents_of(domain), 1) != batch.extents_of(domain).end();
    });
    return any ? Squeeze(batch).run() : std::nullopt;
}

}  // namespace xlazy::opt
