// SPDX-License-Identifier: BSD-3-Clause
#include "passes/copies.hpp"

#include "view_names.hpp"

namespace xlazy::opt {

using bc::Instruction;
using bc::Operand;

namespace {

/// What an operand is a copy of.
struct Copy {
    Operand from;             ///< none: it is no copy
    std::uint32_t view = 0;   ///< that was written, if one was
    std::uint32_t clock = 0;  ///< when
};

class Propagation {
public:
    explicit Propagation(Draft& draft)
        : draft_(draft),
          program_(draft.program),
          names_(draft.program),
          temps_(draft.code.temp_count),
          views_(draft.program.views.size()),
          written_(draft.program.bases.size(), 0) {}

    void pass(Instruction& instruction) {
        ++clock_;
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            Operand& in = instruction.in[i];
            if (is_gathered(instruction, i) || is_kept(instruction, i)) continue;  // its shape matters
            while (const Copy* copy = copy_of(in)) {
                if (!may_replace(in, *copy, instruction)) break;
                in = copy->from;
            }
        }
        note(instruction);
    }

private:
    std::uint32_t base_of(Operand view) const { return program_.views[view.index()].base; }

    const Copy* copy_of(Operand operand) {
        if (operand.is_temp()) return temps_[operand.index()].from ? &temps_[operand.index()] : nullptr;
        if (!operand.is_view()) return nullptr;
        const std::uint32_t written = written_[base_of(operand)];
        if (written == 0) return nullptr;
        const Copy& copy = views_[names_.name(operand.index())];
        // What was written after the copy, if only in part, ends it.
        return copy.from && copy.clock == written ? &copy : nullptr;
    }

    bool may_replace(Operand operand, const Copy& copy, const Instruction& reader) {
        if (is_library_call(reader)) return false;  // it needs memory, of its own shape
        const bool leaves_memory = !operand.is_view() || !program_.bases[base_of(operand)].live;
        if (copy.from.is_scalar()) {
            const bool map = bc::info(reader.op).kind == bc::OpKind::Map;
            if (!map || bc::can_fail(reader.op, reader.type)) return false;
        } else if (copy.from.is_temp()) {
            if (!leaves_memory) return false;
        } else {
            const std::uint32_t base = base_of(copy.from);
            if (written_[base] >= copy.clock) return false;
            if (!leaves_memory && !program_.bases[base].live) return false;
            // An axis of extent 1 in front may have been left out on the way.
            if (program_.views[copy.from.index()].rank > program_.domains[reader.domain].rank) return false;
            if (!stays_separate(reader, copy.from)) return false;
        }
        return !operand.is_view() || draft_.facts.same_read(copy.view, operand.index());
    }

    bool stays_separate(const Instruction& reader, Operand from) {
        if (!reader.out.is_view()) return true;
        const Relation relation = draft_.facts.hazard(reader.out.index(), from.index());
        return relation == Relation::Disjoint ||
               (relation == Relation::Identical && !is_reduction(reader) && !is_scatter(reader));
    }

    void note(const Instruction& instruction) {
        const bool copies = instruction.op == bc::Op::copy;
        if (instruction.out.is_temp()) {
            if (copies) temps_[instruction.out.index()] = {instruction.in[0], 0, clock_};
            return;
        }
        const std::uint32_t view = instruction.out.index();
        written_[base_of(instruction.out)] = clock_;
        if (copies) views_[names_.name(view)] = {instruction.in[0], view, clock_};
    }

    Draft& draft_;
    const bc::Program& program_;
    ViewNames names_;
    std::vector<Copy> temps_;
    std::vector<Copy> views_;             ///< by name
    std::vector<std::uint32_t> written_;  ///< by base: when last; 0: not yet
    std::uint32_t clock_ = 0;
};

}  // namespace

void propagate_copies(Draft& draft) {
    Propagation propagation(draft);
    for (Instruction& instruction : draft.code.instructions) propagation.pass(instruction);
}

}  // namespace xlazy::opt
