// SPDX-License-Identifier: BSD-3-Clause
#include "passes/values.hpp"

#include "view_names.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Instruction;
using bc::Op;
using bc::Operand;

namespace {

using Number = std::uint32_t;
constexpr Number kNoNumber = ~0u;

/// Time of one element, in additions. As in the tile interpreter.
std::uint32_t cost_of(const Instruction& instruction) noexcept {
    const std::uint32_t parts = bc::is_complex(instruction.type) ? 3 : 1;
    if (bc::maths_of(instruction.op, instruction.type) == bc::Maths::Vector) return 8 * parts;
    if (instruction.op == Op::copy || bc::info(instruction.op).kind == bc::OpKind::Generate) return 0;
    if (is_scan(instruction)) return 8 * parts;
    if (bc::info(instruction.op).kind == bc::OpKind::Gather) return 4;
    if (instruction.op != Op::div && instruction.op != Op::mod && instruction.op != Op::sqrt) return parts;
    return (bc::is_integer(instruction.type) ? 12 : 3) * parts;
}

/// All that a value depends on.
struct Formula {
    std::uint64_t operation = 0;
    std::uint32_t domain = 0;
    Number in[3] = {kNoNumber, kNoNumber, kNoNumber};
    friend bool operator==(const Formula&, const Formula&) noexcept = default;

    std::uint64_t hash() const noexcept {
        std::uint64_t hash = operation;
        for (const std::uint32_t word : {domain, in[0], in[1], in[2]}) {
            hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 31;
        }
        return hash;
    }
};

/// A value and where it is.
struct Value {
    Formula formula;
    Number number = kNoNumber;
    Operand place;              ///< a temporary, or a view
    std::uint32_t version = 0;  ///< of the view's base when it was written
    std::uint32_t source = 0;   ///< the instruction of the batch
    Operand in[3];              ///< its operands, when it was computed first
};

class Numbering {
public:
    explicit Numbering(Draft& draft)
        : draft_(draft),
          program_(draft.program),
          names_(draft.program),
          worth_(draft.size_class <= bc::SizeClass::L2 ? kWorthCache : kWorthMemory),
          temps_(draft.code.temp_count, kNoNumber),
          replaced_(draft.code.temp_count),
          versions_(draft.program.bases.size(), 0),
          parts_(draft.program.instructions.size(), 0),
          last_use_(draft.code.temp_count, 0),
          writes_(draft.program.bases.size()),
          formulas_(draft.code.instructions.size()),
          shown_(draft.program.views.size()),
          scalars_(draft.program.scalars.size() + draft.code.formed.size()),
          scalar_numbers_(draft.program.scalars.size() + draft.code.formed.size(), kNoNumber) {
        result_.temp_count = draft.code.temp_count;
        result_.formed = draft.code.formed;
        for (std::uint32_t i = 0; i < draft.code.instructions.size(); ++i) {
            const Instruction& instruction = draft.code.instructions[i];
            parts_[draft.code.source[i]] += instruction.op == Op::copy ? 0 : 1;
            for (const Operand in : instruction.in) {
                if (in.is_temp()) last_use_[in.index()] = i;
            }
            if (instruction.out.is_view()) writes_[program_.views[instruction.out.index()].base].push_back(i);
        }
        values_.reserve(draft.code.instructions.size());
    }

    void add(Instruction instruction, std::uint32_t source) {
        if (is_scatter(instruction)) return add_scatter(instruction, source);
        if (is_library_call(instruction)) {
            result_.push(instruction, source);
            return write(instruction, new_number(0));
        }
        Formula formula{word_of(instruction), instruction.domain};
        std::uint32_t cost = cost_of(instruction);
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            Operand& in = instruction.in[i];
            formula.in[i] = number_of(in);
            if (in.is_temp() && replaced_[in.index()]) in = replaced_[in.index()];
            if (!in.is_view()) cost = std::min(cost + costs_[formula.in[i]], kMostCost);  // else it is there
        }
        const auto fresh = static_cast<std::uint32_t>(values_.size());
        const auto equal = [&](std::uint32_t number) { return values_[number].formula == formula; };
        const std::uint32_t found = formulas_.find_or_add(formula.hash(), equal, fresh);
        if (found == fresh) {
            values_.push_back({formula, new_number(is_reduction(instruction) ? 0 : cost), {}, 0, 0, {}});
            std::copy(std::begin(instruction.in), std::end(instruction.in), values_.back().in);
        }
        Value& value = values_[found];
        if (found != fresh) {
            rely_on_equal(value, instruction);
            if (reuse(value, instruction, source)) return;
        }
        result_.push(instruction, source);
        write(instruction, value.number);
        if (found != fresh && available(value)) return;
        value.place = instruction.out;
        value.version = version_of(instruction.out);
        value.source = source;
    }

    /// What it writes is a part of what its view shows then.
    void add_scatter(Instruction instruction, std::uint32_t source) {
        for (unsigned i = 0; i < 2; ++i) {
            Operand& in = instruction.in[i];
            if (in.is_temp() && replaced_[in.index()]) in = replaced_[in.index()];
        }
        result_.push(instruction, source);
        write(instruction, new_number());
    }

    Code finish() { return std::move(result_); }

private:
    static constexpr std::uint32_t kMostCost = 1000;
    static constexpr std::uint32_t kNoView = ~0u;

    static std::uint64_t word_of(const Instruction& instruction) noexcept {
        return std::uint64_t{static_cast<std::uint16_t>(instruction.op)} << 32 |
               std::uint64_t{static_cast<std::uint8_t>(instruction.type)} << 24 |
               std::uint64_t{static_cast<std::uint8_t>(instruction.result)} << 16 |
               std::uint64_t{instruction.flags} << 8 | instruction.axis;
    }

    Number new_number(std::uint32_t cost = 0) {
        costs_.push_back(cost);
        return static_cast<Number>(costs_.size() - 1);
    }

    std::uint32_t version_of(Operand operand) const {
        return operand.is_view() ? versions_[program_.views[operand.index()].base] : 0;
    }

    Number number_of(Operand operand) {
        if (operand.is_temp()) return temps_[operand.index()];
        if (operand.is_scalar()) return number_of_scalar(operand.index());
        return number_of_view(operand.index());
    }

    Number number_of_scalar(std::uint32_t index) {
        const FormedScalar scalar = draft_.scalar(index);
        const bc::Scalar& bits = program_.scalars[scalar.slot];
        const std::uint64_t key =
            (bits.bits[0] * 0x9e3779b97f4a7c15u ^ bits.bits[1]) * 0xbf58476d1ce4e5b9u ^
            (std::uint64_t{static_cast<std::uint8_t>(bits.type)} << 8 | static_cast<std::uint8_t>(scalar.form));
        const auto same = [&](std::uint32_t other) {
            const FormedScalar known = draft_.scalar(other);
            return known.form == scalar.form && bc::same_scalar(program_.scalars[known.slot], bits);
        };
        Number& number = scalar_numbers_[scalars_.find_or_add(key, same, index)];
        if (number == kNoNumber) number = new_number();
        return number;
    }

    Number number_of_view(std::uint32_t view) {
        const std::uint32_t version = versions_[program_.views[view].base];
        Shown& shown = shown_[names_.name(view)];
        if (shown.number == kNoNumber || shown.version != version) shown = {new_number(), version, kNoView};
        if (shown.written != kNoView && shown.written != view) draft_.facts.same_read(shown.written, view);
        return shown.number;
    }

    /// The result is written, and has this number.
    void write(const Instruction& instruction, Number number) {
        if (instruction.out.is_temp()) {
            temps_[instruction.out.index()] = number;
            return;
        }
        const std::uint32_t view = instruction.out.index();
        const std::uint32_t version = ++versions_[program_.views[view].base];
        shown_[names_.name(view)] = {number, version, view};
    }

    bool available(const Value& value) const { return value.version == version_of(value.place); }

    /// Views and scalars that have one number are the same in this batch; now the plan depends on it.
    void rely_on_equal(const Value& value, const Instruction& instruction) {
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            const Operand one = value.in[i], other = instruction.in[i];
            // Views of different arrays: the same was written to both.
            if (one.is_view() && other.is_view() &&
                program_.views[one.index()].base == program_.views[other.index()].base) {
                draft_.facts.same_read(one.index(), other.index());
            }
            if (one.is_scalar() && other.is_scalar()) {
                draft_.facts.same_scalar(draft_.scalar(one.index()).slot, draft_.scalar(other.index()).slot);
            }
        }
    }

    /// Takes the earlier value instead of the instruction. @return false, and nothing has happened, if that is not
    /// possible or not worth it
    bool reuse(const Value& value, const Instruction& instruction, std::uint32_t source) {
        const bool whole = parts_[source] == 1 && parts_[value.source] == 1;
        const bool worth_it = is_reduction(instruction) || costs_[value.number] >= worth_;
        if (instruction.op == Op::copy || !worth_it || !available(value)) return false;
        if (!whole && bc::can_fail(instruction.op, instruction.type)) return false;
        const bool to_temp = instruction.out.is_temp();
        if (value.place.is_view() && !to_temp &&
            draft_.facts.hazard(instruction.out.index(), value.place.index()) == Relation::Overlap) {
            return false;
        }
        const Operand place = to_temp ? stand_in(value, instruction) : Operand{};
        if (!place && is_reduction(instruction)) return false;  // a copy of its shape may have no domain
        if (whole) draft_.merge(source, value.source);
        if (place) {
            replaced_[instruction.out.index()] = place;
            temps_[instruction.out.index()] = value.number;
            return true;
        }
        Instruction copy;
        copy.op = Op::copy;
        copy.type = copy.result = instruction.result;
        copy.statement = instruction.statement;
        copy.domain = instruction.domain;
        copy.out = instruction.out;
        copy.in[0] = value.place;
        result_.push(copy, source);
        write(copy, value.number);
        return true;
    }

    /// What all readers of a temporary can read instead, or none.
    Operand stand_in(const Value& value, const Instruction& instruction) const {
        if (value.place.is_temp()) return value.place;
        const bc::View& view = program_.views[value.place.index()];
        const bool keeps_rank = !is_reduction(instruction) || (instruction.flags & Instruction::kKeepAxis) != 0;
        const std::uint32_t rank = program_.domains[instruction.domain].rank - (keeps_rank ? 0 : 1);
        const std::vector<std::uint32_t>& writes = writes_[view.base];
        const std::size_t next = versions_[view.base];
        const bool stays = next == writes.size() || writes[next] > last_use_[instruction.out.index()];
        return view.rank <= rank && stays ? value.place : Operand{};
    }

    /// What a view shows.
    struct Shown {
        Number number = kNoNumber;
        std::uint32_t version = 0;
        std::uint32_t written = kNoView;  ///< the view through which that was written, if it was
    };

    Draft& draft_;
    const bc::Program& program_;
    ViewNames names_;
    const std::uint32_t worth_;
    Code result_;
    std::vector<Number> temps_;
    std::vector<Operand> replaced_;                   ///< by temporary: the one that has its value
    std::vector<std::uint32_t> versions_;             ///< by base: writes so far
    std::vector<std::uint32_t> parts_;                ///< by instruction of the batch: computations in the code
    std::vector<std::uint32_t> last_use_;             ///< by temporary: the last reader's position
    std::vector<std::vector<std::uint32_t>> writes_;  ///< by base: their positions
    std::vector<std::uint32_t> costs_;                ///< by number: to compute it from what lies in memory
    std::vector<Value> values_;
    HashIndex formulas_;        ///< of values_
    std::vector<Shown> shown_;  ///< by name of the view
    HashIndex scalars_;         ///< one of those with equal bits
    std::vector<Number> scalar_numbers_;
};

}  // namespace

void number_values(Draft& draft) {
    Numbering numbering(draft);
    for (std::size_t i = 0; i < draft.code.instructions.size(); ++i) {
        numbering.add(draft.code.instructions[i], draft.code.source[i]);
    }
    draft.code = numbering.finish();
}

}  // namespace xlazy::opt
