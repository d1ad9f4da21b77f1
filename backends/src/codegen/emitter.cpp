// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/emitter.hpp"

#include "finite_check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::be {
namespace {

using bc::MicroOp;
using Kind = bc::MicroOp::Kind;

class Emitter {
public:
    Emitter(const KernelForm& form, const Dialect& dialect) : form_(form), dialect_(dialect) {
        if (form.looks) look_ = values_to_look_at(*form.kernel);
    }

    Body body() {
        body_.scanning = form_.scanning;
        find_before_scans();
        find_signs();
        weigh_divisions();
        for (std::size_t i = 0; i < form_.kernel->ops.size(); ++i) add(i);
        std::ranges::sort(body_.types);
        return std::move(body_);
    }

private:
    static constexpr unsigned kNoSign = ~0u;
    static constexpr std::size_t kOpsOfFunction = 25;
    struct Value {
        std::string name;
        Scope scope = Scope::Element;
    };

    void find_before_scans() {
        const std::vector<MicroOp>& ops = form_.kernel->ops;
        before_scan_.assign(ops.size(), false);
        for (std::size_t i = ops.size(); i-- > 0;) {
            if (is_scan(ops[i])) before_scan_[i] = true;
            if (!before_scan_[i]) continue;
            for (const bc::ValueId value : ops[i].in) {
                if (value != bc::kNoValue) before_scan_[value] = true;
            }
        }
    }

    /// A product with a number takes the sign of what is negated for it: (-x y) c is (x y) (-c) to the bit.
    void find_signs() {
        const std::vector<MicroOp>& ops = form_.kernel->ops;
        std::vector<unsigned> uses(ops.size(), 0);
        for (const MicroOp& op : ops) {
            for (const bc::ValueId value : op.in) {
                if (value != bc::kNoValue) ++uses[value];
            }
        }
        takes_sign_.assign(ops.size(), kNoSign);
        gives_sign_.assign(ops.size(), false);
        const auto is = [&](std::size_t i, bc::Op op) {
            return ops[i].kind == Kind::Compute && ops[i].op == op && bc::is_float(ops[i].type) && uses[i] == 1;
        };
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (ops[i].kind != Kind::Compute || ops[i].op != bc::Op::mul || !bc::is_float(ops[i].type)) continue;
            for (const unsigned side : {0u, 1u}) {
                const bc::ValueId product = ops[i].in[side];
                if (ops[ops[i].in[1 - side]].kind != Kind::LoadScalar || !is(product, bc::Op::mul)) continue;
                const MicroOp& factors = ops[product];
                for (const unsigned k : {0u, 1u}) {
                    if (takes_sign_[i] != kNoSign || !is(factors.in[k], bc::Op::neg)) continue;
                    takes_sign_[i] = 1 - side;
                    gives_sign_[factors.in[k]] = true;
                }
            }
        }
    }

    /// Other ops for each division.
    void weigh_divisions() {
        std::size_t divisions = 0, others = 0;
        for (const MicroOp& op : form_.kernel->ops) {
            if (op.kind != Kind::Compute) continue;
            const bool divides = op.op == bc::Op::div && bc::is_float(op.type);
            divisions += divides;
            if (!divides) others += work_of(op);
        }
        beside_division_ = divisions == 0 ? 0 : others / divisions;
    }

    static std::size_t work_of(const MicroOp& op) noexcept {
        return bc::maths_of(op.op, op.type) == bc::Maths::Exact ? 1 : kOpsOfFunction;
    }

    void add(std::size_t i) {
        const MicroOp& op = form_.kernel->ops[i];
        values_.push_back({fmt::format("t{}", i)});
        see(op.result);
        const std::size_t first = body_.statements.size();
        add(op);
        if (!look_.empty() && look_[i]) add_look(op.result);
        for (std::size_t k = first; k < body_.statements.size(); ++k) body_.statements[k].before_scan = before_scan_[i];
    }

    void add(const MicroOp& op) {
        switch (op.kind) {
            case Kind::LoadView:
            case Kind::LoadScratch: return add_load(op);
            case Kind::LoadScalar: return make(Statement::Kind::Scalar, Scope::Kernel, op.result, scalars_++);
            case Kind::Compute:
                return op.op == bc::Op::index ? add_index(op) : is_scan(op) ? add_scan(op) : add_compute(op);
            default: return add_store(op);
        }
    }

    void see(bc::DType type) {
        if (std::ranges::find(body_.types, type) == body_.types.end()) body_.types.push_back(type);
    }

    const AccessForm& next_access() { return form_.accesses[body_.accesses++]; }

    /// A statement that makes the latest value.
    void make(Statement::Kind kind, Scope scope, bc::DType type, unsigned number, AccessForm form = {},
              std::string text = {}) {
        Value& value = values_.back();
        value.scope = scope;
        body_.statements.push_back({kind, scope, type, number, form, value.name, std::move(text)});
    }

    void add_load(const MicroOp& op) {
        const unsigned number = body_.accesses;
        const AccessForm form = next_access();
        // What a store before it may have written is read where it stands.
        const Scope scope = form.layout == Layout::Uniform && !stored_ ? Scope::Row : Scope::Element;
        make(Statement::Kind::Load, scope, op.result, number, form);
    }

    void add_index(const MicroOp& op) {
        const unsigned number = body_.accesses;
        const AccessForm form = next_access();
        make(Statement::Kind::Index, form.layout == Layout::Uniform ? Scope::Row : Scope::Element, op.result, number,
             form);
    }

    void add_scan(const MicroOp& op) {
        see(op.type);
        use_of({op.op, op.type, op.result});
        make(Statement::Kind::Scan, Scope::Element, op.result, scans_++, {}, values_[op.in[0]].name);
        body_.statements.back().op = op.op;
    }

    void add_store(const MicroOp& op) {
        const unsigned number = body_.accesses;
        stored_ = true;
        const AccessForm form = next_access();
        if (form.folding != Folding::None) use_of({op.op, op.type, op.result});
        body_.statements.push_back({form.folding != Folding::None ? Statement::Kind::Fold : Statement::Kind::Store,
                                    Scope::Element,
                                    op.type,
                                    number,
                                    form,
                                    {},
                                    values_[op.in[0]].name,
                                    op.op});
    }

    void add_look(bc::DType type) {
        see(bc::real_of(type));
        const Value& value = values_.back();
        body_.statements.push_back({Statement::Kind::Look, value.scope, type, 0, {}, {}, value.name});
    }

    void add_compute(const MicroOp& op) {
        if (op.op == bc::Op::copy || (op.op == bc::Op::cast && op.type == op.result)) {
            values_.back() = values_[op.in[0]];
            return;
        }
        const std::size_t number = values_.size() - 1;
        if (gives_sign_[number]) {
            values_.back() = values_[op.in[0]];
            return;
        }
        see(op.type);
        if (op.op == bc::Op::select) see(bc::DType::boolean);
        const OpUse use{op.op, op.type, op.result};
        Scope scope = Scope::Kernel;
        std::string operands;
        const std::optional<HostCall> call = use_of(use);
        if (call) operands = fmt::format("g->calls[{}]", number_of(*call));
        const bool fails = bc::can_fail(op.op, op.type);
        for (unsigned k = 0; k < 3 && op.in[k] != bc::kNoValue; ++k) {
            const Value& in = values_[op.in[k]];
            scope = std::max(scope, in.scope);
            operands += (operands.empty() ? "" : ", ") + (takes_sign_[number] == k ? negative(op, in.name) : in.name);
        }
        if (scope == Scope::Element) body_.work += work_of(op);
        if (fails) return add_failing(op, operands);
        if (op.op == bc::Op::div && scope != Scope::Kernel && values_[op.in[1]].scope == Scope::Kernel &&
            dialect_.shares_divisors(op.type, beside_division_)) {
            return add_quotient(op, scope);
        }
        make(Statement::Kind::Compute, scope, op.result, 0, {}, fmt::format("{}({})", name_of(use), operands));
    }

    /// Of a number, computed once.
    std::string negative(const MicroOp& op, const std::string& number) {
        const OpUse use{bc::Op::neg, op.type, op.type};
        std::string name = fmt::format("n_{}", number);
        use_of(use);
        if (std::ranges::find(body_.statements, name, &Statement::name) == body_.statements.end()) {
            body_.statements.push_back({Statement::Kind::Compute,
                                        Scope::Kernel,
                                        op.type,
                                        0,
                                        {},
                                        name,
                                        fmt::format("{}({})", name_of(use), number)});
        }
        return name;
    }

    /// By a divisor that is the same for the whole kernel.
    void add_quotient(const MicroOp& op, Scope scope) {
        const std::string& divisor = values_[op.in[1]].name;
        const std::string name = fmt::format("d_{}", divisor);
        if (std::ranges::find(body_.statements, name, &Statement::name) == body_.statements.end())
            body_.statements.push_back({Statement::Kind::Divisor, Scope::Kernel, op.type, 0, {}, name, divisor});
        make(Statement::Kind::Compute, scope, op.result, 0, {},
             fmt::format("quotient_{}({}, {})", bc::name_of(op.type), values_[op.in[0]].name, name));
    }

    /// `operands`: with the mask, if there is one. Checked for every element, since the first that fails is reported.
    void add_failing(const MicroOp& op, const std::string& operands) {
        const bool masked = (op.flags & bc::Instruction::kMasked) != 0;
        if (masked) see(bc::DType::boolean);
        const std::string suffix = fmt::format("{}_{}", masked ? "_masked" : "", bc::name_of(op.type));
        make(Statement::Kind::Compute, Scope::Element, op.result, 0, {},
             fmt::format("{}{}({})", bc::name_of(op.op), suffix, operands));
        body_.statements.push_back(
            {Statement::Kind::Check, Scope::Element, op.type, traps_++, {}, {}, fmt::format("{}", operands)});
        body_.statements.back().name = masked ? "masked" : "";
    }

    std::optional<HostCall> use_of(const OpUse& use) {
        if (std::ranges::find(body_.ops, use) == body_.ops.end()) body_.ops.push_back(use);
        return dialect_.call_of(use);
    }
    std::size_t number_of(const HostCall& call) {
        const auto at = std::ranges::find(body_.calls, call);
        const auto number = static_cast<std::size_t>(at - body_.calls.begin());
        if (at == body_.calls.end()) body_.calls.push_back(call);
        return number;
    }

    static std::string name_of(const OpUse& use) {
        if (use.op == bc::Op::cast) return fmt::format("cast_{}_{}", bc::name_of(use.type), bc::name_of(use.result));
        return fmt::format("{}_{}", bc::name_of(use.op), bc::name_of(use.type));
    }

    const KernelForm& form_;
    const Dialect& dialect_;
    std::vector<Value> values_;
    Body body_;
    std::vector<bool> before_scan_, gives_sign_;
    std::vector<unsigned> takes_sign_;  ///< the operand that is a number, or kNoSign
    std::size_t beside_division_ = 0;
    unsigned scalars_ = 0, traps_ = 0, scans_ = 0;
    bool stored_ = false;
    std::vector<bool> look_;
};

}  // namespace

Body body_of(const KernelForm& form, const Dialect& dialect) { return Emitter(form, dialect).body(); }

std::optional<Source> emit(const KernelForm& form, const Dialect& dialect, std::string_view name) {
    Body body = body_of(form, dialect);
    std::optional<Source> source = dialect.unit(body, name);
    if (source) source->calls = std::move(body.calls);
    return source;
}

}  // namespace xlazy::be
