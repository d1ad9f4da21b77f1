// SPDX-License-Identifier: BSD-3-Clause
#include "passes/algebra.hpp"

#include "passes/algebra_rules.hpp"

#include <algorithm>
#include <unordered_map>

namespace xlazy::opt {

using bc::DType;
using bc::Instruction;
using bc::Op;
using bc::Operand;

namespace {

constexpr std::uint32_t kNever = ~0u;
/// Rewrites of one instruction, one after the other. Longer chains end in the instructions that follow.
constexpr int kMaxRewrites = 4;

const std::vector<const Rule*>& rules_for(Op op) {
    using Table = std::array<std::vector<const Rule*>, bc::kOpCount>;
    // Never destroyed: static arrays of the user's may outlive main.
    static const Table* const table = [] {
        Table rules;
        for (const Rule& rule : algebra_rules()) {
            rules[static_cast<std::size_t>(rule.left.nodes[rule.left.root()].op)].push_back(&rule);
        }
        return new Table(std::move(rules));
    }();
    return (*table)[static_cast<std::size_t>(op)];
}

bool is_commutative(Op op) noexcept {
    switch (op) {
        case Op::add:
        case Op::mul:
        case Op::bit_and:
        case Op::bit_or:
        case Op::bit_xor:
        case Op::logical_and:
        case Op::logical_or: return true;
        default: return false;
    }
}

/// Never a signalling NaN as a result: IEEE arithmetic, which quiets its operands.
bool quiets(Op op) noexcept {
    switch (op) {
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::div:
        case Op::sqrt:
        case Op::fma: return true;
        default: return false;
    }
}

/// What a rule's names stand for.
struct Bound {
    Operand variables[kTermVariables];
    DType types[kTermVariables] = {};
    Operand slot;
    DType middle = DType::none;  ///< result of the inner of two casts
};

class Rewriting {
public:
    explicit Rewriting(Draft& draft)
        : draft_(draft),
          program_(draft.program),
          made_at_(draft.code.temp_count, kNever),
          written_at_(draft.program.bases.size(), kNever) {
        result_.temp_count = draft.code.temp_count;
        result_.instructions.reserve(draft.code.instructions.size());
        result_.source.reserve(draft.code.instructions.size());
    }

    void add(Instruction instruction, std::uint32_t source) {
        source_ = source;
        look_through_copies(instruction);
        for (int i = 0; i < kMaxRewrites && rewrite(instruction); ++i) {
        }
        push(instruction);
    }

    Code finish() { return std::move(result_); }

private:
    void push(const Instruction& instruction) {
        const auto at = static_cast<std::uint32_t>(result_.instructions.size());
        result_.push(instruction, source_);
        if (instruction.out.is_temp())
            made_at_[instruction.out.index()] = at;
        else
            written_at_[program_.views[instruction.out.index()].base] = at;
    }

    const Instruction* maker_of(Operand operand) const {
        if (!operand.is_temp() || made_at_[operand.index()] == kNever) return nullptr;
        return &result_.instructions[made_at_[operand.index()]];
    }

    /// A temporary that is a copy of another one, or of a scalar, is that.
    void look_through_copies(Instruction& instruction) const {
        if (bc::info(instruction.op).kind != bc::OpKind::Map) return;
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            const Instruction* maker = maker_of(instruction.in[i]);
            if (maker != nullptr && maker->op == Op::copy && !maker->in[0].is_view()) instruction.in[i] = maker->in[0];
        }
    }

    /// Is what an instruction made `at` reads from there still the same?
    bool unchanged_since(Operand operand, std::uint32_t at) const {
        if (!operand.is_view()) return true;
        const std::uint32_t written = written_at_[program_.views[operand.index()].base];
        return written == kNever || written < at;
    }

    bool rewrite(Instruction& instruction) {
        if (instruction.flags != 0) return false;
        for (const Rule* rule : rules_for(instruction.op)) {
            Bound bound;
            if (!match_operands(*rule, rule->left.root(), instruction, kNever, bound)) continue;
            if (!holds(*rule, bound, instruction)) continue;
            instruction = replacement(*rule, bound, instruction);
            return true;
        }
        return false;
    }

    /// @param at position of the instruction, kNever for the one that is rewritten
    bool match_operands(const Rule& rule, std::uint8_t node, const Instruction& instruction, std::uint32_t at,
                        Bound& bound) {
        const unsigned arity = bc::info(instruction.op).arity;
        const auto in_order = [&](bool swapped) {
            for (unsigned i = 0; i < arity; ++i) {
                const unsigned k = swapped ? arity - 1 - i : i;
                if (!unchanged_since(instruction.in[k], at)) return false;
                const DType type = bc::operand_type(instruction, k);
                if (!match(rule, rule.left.nodes[node].in[i], instruction.in[k], type, bound)) return false;
            }
            return true;
        };
        const Bound before = bound;
        if (in_order(false)) return true;
        bound = before;
        return is_commutative(instruction.op) && in_order(true);
    }

    bool match(const Rule& rule, std::uint8_t number, Operand operand, DType type, Bound& bound) {
        const TermNode& node = rule.left.nodes[number];
        if (node.kind == TermNode::Kind::Slot) {
            if (!operand.is_scalar() || operand.index() >= program_.scalars.size()) return false;
            bound.slot = operand;
            return true;
        }
        if (node.kind == TermNode::Kind::Variable) {
            Operand& known = bound.variables[node.variable];
            if (known) return same(known, operand);
            known = operand;
            bound.types[node.variable] = type;
            return true;
        }
        const Instruction* maker = maker_of(operand);
        if (maker == nullptr || maker->op != node.op || maker->flags != 0) return false;
        bound.middle = maker->result;
        return match_operands(rule, number, *maker, made_at_[operand.index()], bound);
    }

    bool same(Operand one, Operand other) {
        if (one == other) return true;
        if (one.is_view() && other.is_view()) return draft_.facts.same_read(one.index(), other.index());
        const std::size_t slots = program_.scalars.size();
        return one.is_scalar() && other.is_scalar() && one.index() < slots && other.index() < slots &&
               draft_.facts.same_scalar(one.index(), other.index());
    }

    bool is_quiet(Operand operand, DType type) const {
        if (!bc::is_float(type)) return true;
        const Instruction* maker = maker_of(operand);
        return maker != nullptr && quiets(maker->op);
    }

    bool holds(const Rule& rule, const Bound& bound, const Instruction& instruction) {
        const DType type = bound.types[0];
        if (!in_types(type, rule.types)) return false;
        switch (rule.condition) {
            case RuleCondition::None: break;
            case RuleCondition::Quiet:
                if (!is_quiet(bound.variables[0], type)) return false;
                break;
            case RuleCondition::SameType:
                if (type != instruction.result) return false;
                break;
            case RuleCondition::Lossless:
                if (!lossless(type, bound.middle, instruction.result)) return false;
                if (type == instruction.result && !is_quiet(bound.variables[0], type)) return false;
                break;
        }
        if (rule.fact && !draft_.facts.scalar_is(bound.slot.index(), *rule.fact)) return false;
        return stays_separate(bound, instruction);
    }

    /// What a temporary kept apart, the result and its operands, must not overlap without it.
    bool stays_separate(const Bound& bound, const Instruction& instruction) {
        if (!instruction.out.is_view()) return true;
        return std::ranges::none_of(bound.variables, [&](Operand operand) {
            return operand.is_view() &&
                   draft_.facts.hazard(instruction.out.index(), operand.index()) == Relation::Overlap;
        });
    }

    /// Adds what the right side needs. @return its root, in place of `instruction`
    Instruction replacement(const Rule& rule, const Bound& bound, const Instruction& instruction) {
        const TermNode& root = rule.right.nodes[rule.right.root()];
        Instruction result = instruction;
        std::fill(std::begin(result.in), std::end(result.in), Operand{});
        if (root.kind == TermNode::Kind::Apply) {
            apply(rule, root, bound, result);
            return result;
        }
        result.op = Op::copy;
        result.type = result.result;
        result.in[0] = bound.variables[root.variable];
        return result;
    }

    void apply(const Rule& rule, const TermNode& node, const Bound& bound, Instruction& instruction) {
        instruction.op = node.op;
        for (unsigned i = 0; i < bc::info(node.op).arity; ++i) {
            DType type = DType::none;
            instruction.in[i] = operand(rule, node.in[i], bound, instruction, type);
            if (node.op != Op::select || i > 0) instruction.type = type;
        }
        if (node.op != Op::cast) instruction.result = bc::result_of(node.op, instruction.type);
    }

    /// @param like domain and statement @param type of the operand
    Operand operand(const Rule& rule, std::uint8_t number, const Bound& bound, const Instruction& like, DType& type) {
        const TermNode& node = rule.right.nodes[number];
        switch (node.kind) {
            case TermNode::Kind::Variable: type = bound.types[node.variable]; return bound.variables[node.variable];
            case TermNode::Kind::Slot:
                type = program_.scalars[bound.slot.index()].type;
                return formed({bound.slot.index(), node.form});
            case TermNode::Kind::Apply: break;
        }
        Instruction inner = like;
        std::fill(std::begin(inner.in), std::end(inner.in), Operand{});
        apply(rule, node, bound, inner);
        inner.out = Operand::temp(result_.temp_count++);
        made_at_.push_back(kNever);
        type = inner.result;
        push(inner);
        return inner.out;
    }

    Operand formed(FormedScalar scalar) {
        if (scalar.form == bc::ScalarForm::Value) return Operand::scalar(scalar.slot);
        const std::uint64_t key = std::uint64_t{scalar.slot} << 8 | static_cast<std::uint8_t>(scalar.form);
        const auto next = static_cast<std::uint32_t>(program_.scalars.size() + result_.formed.size());
        const auto [place, is_new] = formed_.try_emplace(key, next);
        if (is_new) result_.formed.push_back(scalar);
        return Operand::scalar(place->second);
    }

    Draft& draft_;
    const bc::Program& program_;
    Code result_;
    std::uint32_t source_ = 0;
    std::vector<std::uint32_t> made_at_;     ///< by temporary: position in the result
    std::vector<std::uint32_t> written_at_;  ///< by base: the last write's
    std::unordered_map<std::uint64_t, std::uint32_t> formed_;
};

}  // namespace

void rewrite_algebra(Draft& draft) {
    Rewriting rewriting(draft);
    for (std::size_t i = 0; i < draft.code.instructions.size(); ++i) {
        rewriting.add(draft.code.instructions[i], draft.code.source[i]);
    }
    draft.code = rewriting.finish();
}

}  // namespace xlazy::opt
