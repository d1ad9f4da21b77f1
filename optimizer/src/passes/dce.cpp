// SPDX-License-Identifier: BSD-3-Clause
#include "passes/dce.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Instruction;
using bc::Operand;

namespace {

/// A window that is written again before anybody reads what is in it.
struct Overwritten {
    std::uint32_t view;
    std::vector<std::uint32_t> passed;  ///< views that are read in between, with nothing of it
};

/// Walks up the code.
class Wishes {
public:
    explicit Wishes(Draft& draft)
        : draft_(draft),
          program_(draft.program),
          temps_(draft.code.temp_count, false),
          bases_(draft.program.bases.size()),
          overwritten_(draft.program.bases.size()),
          writes_above_(draft.program.bases.size(), 0) {
        for (std::size_t b = 0; b < bases_.size(); ++b) bases_[b] = program_.bases[b].live;
        for (const Instruction& instruction : draft.code.instructions) {
            if (instruction.out.is_view()) ++writes_above_[base_of(instruction.out)];
        }
    }

    bool wants(const Instruction& instruction) {
        if (instruction.out.is_view()) --writes_above_[base_of(instruction.out)];
        if (bc::can_fail(instruction.op, instruction.type)) return true;
        if (!instruction.out.is_view()) return temps_[instruction.out.index()];
        return bases_[base_of(instruction.out)] && !is_overwritten(instruction.out.index());
    }

    void keep(const Instruction& instruction) {
        if (instruction.out.is_view()) ends_wish(instruction);
        for (unsigned k = 0; k < bc::operand_count(instruction); ++k) {
            const Operand operand = instruction.in[k];
            if (operand.is_temp()) temps_[operand.index()] = true;
            if (operand.is_view()) read(operand.index());
        }
    }

private:
    std::uint32_t base_of(Operand view) const { return program_.views[view.index()].base; }

    bool is_overwritten(std::uint32_t view) {
        for (const Overwritten& window : overwritten_[program_.views[view].base]) {
            if (!draft_.facts.looks_same(window.view, view)) continue;
            draft_.facts.same_read(window.view, view);
            for (const std::uint32_t passed : window.passed) draft_.facts.hazard(window.view, passed);
            return true;
        }
        return false;
    }

    /// Where there is no write further up, nobody need know what this one covers.
    void ends_wish(const Instruction& instruction) {
        const std::uint32_t base = base_of(instruction.out);
        if (!bases_[base] || writes_above_[base] == 0) return;
        if (!reads_base(instruction, base) && draft_.facts.covers_base(instruction.out.index())) {
            bases_[base] = false;
            overwritten_[base].clear();
            return;
        }
        std::vector<Overwritten>& windows = overwritten_[base];
        if (windows.size() == kMaxOverwritten) windows.erase(windows.begin());
        windows.push_back({instruction.out.index(), {}});
    }

    bool reads_base(const Instruction& instruction, std::uint32_t base) const {
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            if (instruction.in[i].is_view() && base_of(instruction.in[i]) == base) return true;
        }
        return false;
    }

    void read(std::uint32_t view) {
        const std::uint32_t base = program_.views[view].base;
        bases_[base] = true;
        std::erase_if(overwritten_[base], [&](Overwritten& window) {
            if (bc::relation(program_, window.view, view) != Relation::Disjoint) return true;
            window.passed.push_back(view);
            return window.passed.size() > kMaxReadsBetween;
        });
    }

    Draft& draft_;
    const bc::Program& program_;
    std::vector<bool> temps_;
    std::vector<bool> bases_;
    std::vector<std::vector<Overwritten>> overwritten_;  ///< by base
    std::vector<std::uint32_t> writes_above_;            ///< by base
};

}  // namespace

void remove_dead_code(Draft& draft) {
    Code& code = draft.code;
    const std::size_t count = code.instructions.size();
    Wishes wishes(draft);
    std::vector<bool> keep(count, false);
    for (std::size_t i = count; i-- > 0;) {
        if (!wishes.wants(code.instructions[i])) continue;
        keep[i] = true;
        wishes.keep(code.instructions[i]);
    }

    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!keep[i]) continue;
        code.instructions[kept] = code.instructions[i];
        code.source[kept++] = code.source[i];
    }
    code.instructions.resize(kept);
    code.source.resize(kept);
}

}  // namespace xlazy::opt
