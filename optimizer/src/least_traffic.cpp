// SPDX-License-Identifier: BSD-3-Clause
#include "draft.hpp"
#include "element_set.hpp"
#include "sweeps.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Instruction;
using bc::Operand;

namespace {

/// Which views show which bases.
struct Shown {
    static constexpr std::uint32_t kNone = ~0u, kSeveral = ~0u - 1;
    std::vector<std::uint32_t> view;        ///< by base: the one that all are the same as, or kNone, or kSeveral
    std::vector<std::uint64_t> view_bytes;  ///< of that view

    explicit Shown(const bc::Program& program) : view(program.bases.size(), kNone), view_bytes(view.size(), 0) {
        for (std::uint32_t v = 0; v < program.views.size(); ++v) {
            std::uint32_t& known = view[program.views[v].base];
            if (known == kNone)
                known = v;
            else if (known != kSeveral && bc::relation(program, known, v) != bc::Relation::Identical)
                known = kSeveral;
        }
        for (std::size_t b = 0; b < view.size(); ++b) {
            if (view[b] >= kSeveral) continue;
            view_bytes[b] =
                static_cast<std::uint64_t>(elements_shown(program, {view[b]})) * bc::size_of(program.bases[b].type);
        }
    }
};

/// A set of elements of every base. Where all views of a base are the same, one bit stands for what they show.
class Elements {
public:
    Elements(const bc::Program& program, const Shown& shown) : program_(program), shown_(shown) {
        for (std::size_t b = 0; b < program.bases.size(); ++b) {
            sets_.emplace_back(0, shown.view[b] == Shown::kSeveral ? program.bases[b].size : 1);
        }
    }
    void add(std::uint32_t view) {
        change(view, [](auto& set, const auto&... of) { set.add(of...); });
    }
    void remove(std::uint32_t view) {
        change(view, [](auto& set, const auto&... of) { set.remove(of...); });
    }
    void add_all(std::uint32_t base) {
        sets_[base].add(Run{0, shown_.view[base] == Shown::kSeveral ? program_.bases[base].size : 1});
    }
    std::uint64_t bytes_in(std::uint32_t view) const {
        const std::uint32_t base = program_.views[view].base;
        if (shown_.view[base] != Shown::kSeveral) return bytes(base);
        return static_cast<std::uint64_t>(sets_[base].count_in(program_, view)) *
               bc::size_of(program_.bases[base].type);
    }
    std::uint64_t bytes(std::uint32_t base) const {
        const auto count = static_cast<std::uint64_t>(sets_[base].count());
        return count * (shown_.view[base] == Shown::kSeveral ? bc::size_of(program_.bases[base].type)
                                                             : shown_.view_bytes[base]);
    }

private:
    template <class Change>
    void change(std::uint32_t view, Change apply) {
        const std::uint32_t base = program_.views[view].base;
        if (shown_.view[base] == Shown::kSeveral)
            apply(sets_[base], program_, view);
        else
            apply(sets_[base], Run{0, 1});
    }

    const bc::Program& program_;
    const Shown& shown_;
    std::vector<ElementSet> sets_;
};

class Least {
    static constexpr std::uint32_t kNone = ~0u;

public:
    explicit Least(const bc::Program& program) : program_(program), sweeps_(program), shown_(program) {}

    Traffic run() {
        find_alive();
        count_written();
        for (std::uint32_t sweep = 0; sweep < sweeps_.count(); ++sweep) count_read(sweep);
        return result_;
    }

private:
    template <class Action>
    void for_inputs(const Instruction& instruction, Action action) const {
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            if (!instruction.in[i].is_scalar()) action(instruction.in[i]);
        }
    }

    /// What somebody can read, or can fail; from the last instruction to the first.
    void find_alive() {
        alive_.assign(program_.instructions.size(), false);
        Elements wanted(program_, shown_);
        for (std::uint32_t b = 0; b < program_.bases.size(); ++b) {
            if (program_.bases[b].live) wanted.add_all(b);
        }
        std::vector<bool> temps(program_.temp_count, false);
        for (std::size_t i = program_.instructions.size(); i-- > 0;) {
            const Instruction& instruction = program_.instructions[i];
            const Operand out = instruction.out;
            alive_[i] =
                can_fail(instruction) || (out.is_temp() ? temps[out.index()] : wanted.bytes_in(out.index()) != 0);
            if (out.is_view()) wanted.remove(out.index());
            if (!alive_[i]) continue;
            for_inputs(instruction, [&](Operand in) {
                if (in.is_temp())
                    temps[in.index()] = true;
                else
                    wanted.add(in.index());
            });
        }
    }

    /// What live arrays get: what somebody can see at the end, and what a later sweep finds there.
    void count_written() {
        Elements last(program_, shown_);  // elements whose last write lies before
        for (std::uint32_t b = 0; b < program_.bases.size(); ++b) {
            if (program_.bases[b].live) last.add_all(b);
        }
        for (std::size_t i = program_.instructions.size(); i-- > 0;) {
            const Operand out = program_.instructions[i].out;
            if (!alive_[i] || !is_live(out)) continue;
            result_.written += sweeps_.keeps(i) ? view_bytes(out.index()) : last.bytes_in(out.index());
            last.remove(out.index());
        }
    }

    static bool can_fail(const Instruction& instruction) noexcept {
        return bc::can_fail(instruction.op, instruction.type);
    }
    bool is_live(Operand out) const noexcept {
        return out.is_view() && program_.bases[program_.views[out.index()].base].live;
    }
    std::uint64_t view_bytes(std::uint32_t view) const {
        std::uint64_t bytes = bc::size_of(program_.bases[program_.views[view].base].type);
        for (const bc::Dim& dim : program_.dims_of(program_.views[view]))
            bytes *= static_cast<std::uint64_t>(dim.extent);
        return bytes;
    }

    std::uint64_t result_bytes(const Instruction& instruction) const {
        std::uint64_t elements = 1;
        const auto extents = program_.domain_extents(instruction.domain);
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            if (!is_reduction(instruction) || axis != instruction.axis)
                elements *= static_cast<std::uint64_t>(extents[axis]);
        }
        return elements * bc::size_of(instruction.result);
    }

    /// What the sweep reads of the memory from before it: everything that it needs and cannot compute.
    void count_read(std::uint32_t sweep) {
        Elements needed(program_, shown_);
        std::vector<bool> temps(program_.temp_count, false);
        std::vector<std::uint32_t> removed(program_.bases.size(), kNone);  // by base: what is surely not needed
        for (std::size_t i = program_.instructions.size(); i-- > 0;) {
            const Instruction& instruction = program_.instructions[i];
            const Operand out = instruction.out;
            bool asked = false;
            if (out.is_temp()) {
                asked = temps[out.index()];
            } else {
                std::uint32_t& gone = removed[program_.views[out.index()].base];
                const bool known =
                    gone != kNone && bc::relation(program_, gone, out.index()) == bc::Relation::Identical;
                asked = !known && needed.bytes_in(out.index()) != 0;
                gone = out.index();
            }
            const bool in_memory = asked && sweeps_.keeps(i) && sweep > sweeps_.of(i);
            if (in_memory) {
                const std::uint64_t bytes = out.is_temp() ? result_bytes(instruction) : needed.bytes_in(out.index());
                result_.read += bytes;
                if (!is_live(out)) stored(i, bytes);
            }
            if (asked && out.is_view()) needed.remove(out.index());
            // What must be there after the sweep is computed in its own; anything else wherever it is asked for.
            const bool due = sweeps_.of(i) == sweep && (sweeps_.keeps(i) || is_live(out) || can_fail(instruction));
            if (!alive_[i] || !(due || (asked && !in_memory))) continue;
            for_inputs(instruction, [&](Operand in) {
                if (in.is_temp()) {
                    temps[in.index()] = true;
                } else {
                    needed.add(in.index());
                    removed[program_.views[in.index()].base] = kNone;
                }
            });
        }
        for (std::uint32_t b = 0; b < program_.bases.size(); ++b) {
            if (program_.bases[b].initialised) result_.read += needed.bytes(b);
        }
    }

    /// A result that outlives its sweep, and is not an array that lives on, is written once.
    void stored(std::size_t instruction, std::uint64_t bytes) {
        if (stored_.empty()) stored_.assign(program_.instructions.size(), false);
        if (!stored_[instruction]) result_.written += bytes;
        stored_[instruction] = true;
    }

    const bc::Program& program_;
    Sweeps sweeps_;
    Shown shown_;
    std::vector<bool> alive_, stored_;
    Traffic result_;
};

}  // namespace

Traffic least_traffic(const bc::Program& program) { return Least(program).run(); }

}  // namespace xlazy::opt
