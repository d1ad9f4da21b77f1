// SPDX-License-Identifier: BSD-3-Clause
#include "message.hpp"

#include "base_access.hpp"
#include "call_site.hpp"
#include "live_arrays.hpp"
#include "report.hpp"
#include "statistics.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

namespace xlazy::rt {
namespace {

origin_info info_of(bc::OriginId id) {
    const bc::Origin origin = bc::origin(id);
    return {origin.line == 0 ? "" : origin.file, origin.line, origin.function == nullptr ? "" : origin.function};
}

std::vector<origin_info> infos_of(const std::vector<bc::OriginId>& lines) {
    std::vector<origin_info> all;
    for (const bc::OriginId line : lines) all.push_back(info_of(line));
    return all;
}

template <class T>
std::string value_text(const bc::Scalar& scalar) {
    const T value = bc::scalar_value<T>(scalar);
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(value) ? "nan" : fmt::format("{}", value);
    else if constexpr (std::is_arithmetic_v<T>)
        return fmt::format("{}", value);
    else
        return fmt::format("({},{})", value_text<typename T::value_type>(bc::make_scalar(value.real())),
                           value_text<typename T::value_type>(bc::make_scalar(value.imag())));
}

std::string value_text(const bc::Scalar& scalar) {
    switch (scalar.type) {
#define XLAZY_DTYPE(id, name, type, kind, enabled) \
    case bc::DType::id: return value_text<type>(scalar);
#include "xlazy/bytecode/dtype.def"
#undef XLAZY_DTYPE
        case bc::DType::none: break;
    }
    return "?";
}

Shape position(Extents extents, std::int64_t index) {
    Shape result;
    result.rank = extents.size();
    for (std::size_t i = extents.size(); i-- > 0;) {
        result.extents[i] = index % extents[i];
        index /= extents[i];
    }
    return result;
}

/// The operands of an instruction as messages show them.
class Operands {
public:
    Operands(const Queue& queue, std::uint32_t instruction) : queue_(queue), instruction_(instruction) {}

    operand_info describe(unsigned operand) const {
        const bc::Instruction& user = program().instructions[instruction_];
        const bc::Operand in = user.in[operand];
        operand_info result;
        result.dtype = bc::name_of(bc::operand_type(user, operand));
        const bc::OriginId made = made_at(operand);
        if (made != 0) result.written_at = info_of(made);
        Shape shape;
        if (in.is_scalar()) {
            result.is_scalar = true;
        } else if (in.is_view()) {
            shape = extents_of(in.index());
        } else if (const auto maker = maker_of(in, instruction_)) {
            shape = result_shape(program(), program().instructions[*maker]);
        }
        result.shape.assign(shape.extents, shape.extents + shape.rank);
        return result;
    }

private:
    const bc::Program& program() const noexcept { return queue_.as_recorded(); }

    /// Where the operand got its value; conversions are looked through. 0 for what the statement itself computed.
    bc::OriginId made_at(unsigned operand) const {
        bc::Operand in = program().instructions[instruction_].in[operand];
        std::uint32_t reader = instruction_;
        while (in.is_temp()) {
            const auto maker = maker_of(in, reader);
            if (!maker) return 0;
            const bc::Instruction& made = program().instructions[*maker];
            if (made.op != bc::Op::cast && made.op != bc::Op::copy) return 0;
            in = made.in[0];
            reader = *maker;
        }
        return in.is_view() ? last_write(in.index(), reader) : 0;
    }

    Shape extents_of(std::uint32_t view) const {
        Shape shape;
        for (const bc::Dim& dim : program().dims_of(program().views[view])) shape.extents[shape.rank++] = dim.extent;
        return shape;
    }

    std::optional<std::uint32_t> maker_of(bc::Operand temp, std::uint32_t reader) const {
        for (std::uint32_t i = reader; i-- > 0;) {
            if (program().instructions[i].out == temp) return i;
        }
        return std::nullopt;
    }

    bc::OriginId last_write(std::uint32_t view, std::uint32_t reader) const {
        for (std::uint32_t i = reader; i-- > 0;) {
            const bc::Operand out = program().instructions[i].out;
            if (out.is_view() && bc::relation(program(), out.index(), view) != bc::Relation::Disjoint) {
                return program().origins[i];
            }
        }
        return BaseAccess::origin(*queue_.uses[program().views[view].base].base);
    }

    const Queue& queue_;
    std::uint32_t instruction_;
};

/// The instruction whose micro-ops give this one's value.
std::uint32_t computed_by(const bc::Plan& plan, std::uint32_t instruction) {
    const auto merge = std::ranges::lower_bound(plan.merged, instruction, {}, &bc::Merge::instruction);
    return merge != plan.merged.end() && merge->instruction == instruction ? merge->into : instruction;
}

/// Other lines than the instruction's own whose values the same micro-ops, or the same kernel, computed.
struct Contributors {
    std::vector<bc::OriginId> merged, fused;
};

Contributors contributors(const bc::Program& program, const bc::Plan* plan, std::uint32_t instruction) {
    Contributors lines;
    if (plan == nullptr) return lines;
    const std::uint32_t computed = computed_by(*plan, instruction);
    const auto add = [&](std::vector<bc::OriginId>& to, std::uint32_t other) {
        const bc::OriginId line = program.origins[other];
        const bool known = line == program.origins[instruction] || std::ranges::count(lines.merged, line) != 0 ||
                           std::ranges::count(lines.fused, line) != 0;
        if (!known) to.push_back(line);
    };
    add(lines.merged, computed);
    for (const bc::Merge& merge : plan->merged) {
        if (merge.into == computed) add(lines.merged, merge.instruction);
    }
    for (const bc::Kernel& kernel : plan->kernels) {
        const auto runs = [&](std::uint32_t wanted) {
            return std::ranges::any_of(kernel.ops, [&](const bc::MicroOp& op) { return op.instruction == wanted; });
        };
        if (!runs(computed)) continue;
        for (const bc::MicroOp& op : kernel.ops) add(lines.fused, op.instruction);
        for (const bc::Merge& merge : plan->merged) {
            if (runs(merge.into)) add(lines.fused, merge.instruction);
        }
    }
    return lines;
}

/// Who holds the memory: what XLAZY_MEMORY_LIMIT allows, what is in use, and the largest arrays.
std::vector<std::string> memory_notes() {
    const be::PoolStats pool = be::pool_stats();
    std::string held = fmt::format("arrays and temporaries hold {} bytes", pool.bytes_in_use);
    if (pool.limit != 0) held += fmt::format(" of {} that XLAZY_MEMORY_LIMIT allows", pool.limit);
    std::vector<std::string> notes{std::move(held)};
    const std::vector<LiveArray> arrays = live_arrays();
    for (std::size_t i = 0; i < std::min(arrays.size(), kMaxPlaces); ++i) {
        const LiveArray& array = arrays[i];
        notes.push_back(fmt::format("{} bytes: {} elements of {}, made at {}", array.bytes, array.elements,
                                    bc::name_of(array.type), place(info_of(array.line))));
    }
    if (arrays.size() > kMaxPlaces) notes.push_back(fmt::format("and {} smaller arrays", arrays.size() - kMaxPlaces));
    return notes;
}

/// A library routine that could not do what was asked.
void describe_failed_call(bc::Fault fault, error_report& report) {
    std::string_view what = "is singular";
    report.kind = error_kind::singular_matrix;
    if (fault == bc::Fault::NotPositive) {
        what = "is not positive definite";
        report.kind = error_kind::not_positive;
    } else if (fault == bc::Fault::NotConverged) {
        what = "has no result: the routine did not converge, or not all elements are finite";
        report.kind = error_kind::no_convergence;
    }
    report.cause =
        fmt::format("{} of a matrix that {}: operand {}", report.operation, what, text_of(report.operands[0]));
}

void describe_trap(const bc::Program& program, const Cause& cause, error_report& report) {
    const bc::Instruction& instruction = program.instructions[cause.instruction];
    if (bc::info(instruction.op).kind == bc::OpKind::Library)
        return describe_failed_call(bc::info(instruction.op).fault, report);
    const Shape at = position(program.domain_extents(instruction.domain), cause.trap.index);
    report.element.assign(at.extents, at.extents + at.rank);
    if (bc::info(instruction.op).fault == bc::Fault::OutOfRange) {
        report.kind = error_kind::out_of_range;
        report.cause = fmt::format(
            "index {} is out of bounds for axis {} with size {} in {}: operand {}, at element ({})",
            value_text(cause.trap.operands[0]), instruction.axis, value_text(cause.trap.operands[1]), report.operation,
            report.operands.empty() ? "" : text_of(report.operands[0]), fmt::join(report.element, ","));
        return;
    }
    for (std::size_t i = 0; i < 2; ++i) report.operands[i].value = value_text(cause.trap.operands[i]);
    report.kind = error_kind::division_by_zero;
    report.cause =
        fmt::format("integer division by zero in {}: operands {} and {}, at element ({}): {} {} {}", report.operation,
                    text_of(report.operands[0]), text_of(report.operands[1]), fmt::join(report.element, ","),
                    report.operands[0].value, instruction.op == bc::Op::mod ? "%" : "/", report.operands[1].value);
}

/// What the operation computed, in its own notation.
std::string formula(const be::Trap& trap) {
    const auto infix = [&]() -> std::string_view {
        switch (trap.op) {
            case bc::Op::add: return "+";
            case bc::Op::sub: return "-";
            case bc::Op::mul: return "*";
            case bc::Op::div: return "/";
            default: return {};
        }
    }();
    const std::string a = value_text(trap.operands[0]), b = value_text(trap.operands[1]);
    if (!infix.empty()) return fmt::format("{} {} {}", a, infix, b);
    if (bc::info(trap.op).arity == 1) return fmt::format("{}({})", bc::name_of(trap.op), a);
    return fmt::format("{}({}, {}{})", bc::name_of(trap.op), a, b, bc::info(trap.op).arity == 3 ? ", ..." : "");
}

void describe_not_finite(const bc::Program& program, const Cause& cause, error_report& report) {
    const bc::Instruction& instruction = program.instructions[cause.instruction];
    const bool reduction = bc::info(instruction.op).kind == bc::OpKind::Reduce;
    const Shape at = position(result_shape(program, instruction).span(), cause.trap.index);
    report.kind = error_kind::not_finite;
    report.element.assign(at.extents, at.extents + at.rank);
    for (std::size_t i = 0; i < std::min<std::size_t>(report.operands.size(), 2); ++i) {
        if (!reduction && cause.trap.op == instruction.op)
            report.operands[i].value = value_text(cause.trap.operands[i]);
    }
    const std::string value = value_text(cause.trap.value);
    report.cause = fmt::format("{} made of finite numbers in {}: operand",
                               value.find("nan") != value.npos ? "NaN" : "infinity", report.operation);
    for (std::size_t i = 0; i < report.operands.size(); ++i) {
        const std::string_view before = i == 0                            ? (report.operands.size() > 1 ? "s " : " ")
                                        : i + 1 == report.operands.size() ? " and "
                                                                          : ", ";
        report.cause += fmt::format("{}{}", before, text_of(report.operands[i]));
    }
    report.cause += fmt::format(", at element ({}): {}", fmt::join(report.element, ","),
                                reduction ? value : fmt::format("{} = {}", formula(cause.trap), value));
}

void describe_cause(const bc::Program& program, const Cause& cause, error_report& report) {
    switch (cause.kind) {
        case Cause::Kind::Trap: return describe_trap(program, cause, report);
        case Cause::Kind::NotFinite: return describe_not_finite(program, cause, report);
        case Cause::Kind::NoMemory:
            report.kind = error_kind::no_memory;
            report.cause = fmt::format(
                "out of memory in allocate: {} {} for the result of {}", describe(cause.type, cause.shape.span()),
                cause.bytes == 0 ? "needs work space" : fmt::format("needs {} bytes", cause.bytes), report.operation);
            report.operation = "allocate";
            report.notes = memory_notes();
            return;
        case Cause::Kind::Internal:
            report.kind = error_kind::internal;
            report.cause = fmt::format("internal error in {}: {}", report.operation, cause.text);
            return;
    }
}

/// The same line; a file may be spelled with more folders in one of the two.
bool same_place(const origin_info& a, const origin_info& b) {
    const auto name = [](const std::string& file) { return std::string_view(file).substr(file.rfind('/') + 1); };
    return a.line == b.line && name(a.file) == name(b.file);
}

/// Who called the function with the failing line, which is one of the chain itself.
std::vector<std::string> callers_beyond(const origin_info& origin, std::uint32_t chain) {
    std::vector<origin_info> callers = callers_of(chain);
    if (!callers.empty() && same_place(callers.front(), origin)) callers.erase(callers.begin());
    std::vector<std::string> texts;
    for (const origin_info& caller : callers) {
        const std::string function = caller.function.empty() ? "a function" : caller.function;
        texts.push_back(caller.line == 0 ? function : fmt::format("{} ({})", function, place(caller)));
    }
    return texts;
}

std::string hint_for(const error_report& report, Reason reason) {
    if (report.kind == error_kind::no_memory)
        return "let go of arrays that are needed no more, or raise XLAZY_MEMORY_LIMIT";
    if (reason != Reason::eager) return "XLAZY_MODE=eager stops at the failing line itself";
    if (report.callers.empty()) return "XLAZY_TRACE=stack tells who called";
    return {};
}

/// The flush with the line of its call, if it could not take it.
FlushInfo with_call_site(FlushInfo flush) {
    constexpr Reason kNoCall[] = {Reason::exit, Reason::fork};
    if (!std::ranges::count(kNoCall, flush.reason) && is_unclear(flush.line)) flush.line = call_site(flush.line);
    return flush;
}

}  // namespace

namespace {

/// Of an op that looks at indices: what finds elements by them, if it is of the same statement; else the op itself.
std::uint32_t user_of_indices(const bc::Program& program, std::uint32_t instruction) {
    if (bc::info(program.instructions[instruction].op).fault != bc::Fault::OutOfRange) return instruction;
    const std::uint32_t statement = program.instructions[instruction].statement;
    for (std::uint32_t i = instruction + 1; i < program.instructions.size(); ++i) {
        const bc::Instruction& later = program.instructions[i];
        if (later.statement != statement) break;
        const bc::OpKind kind = bc::info(later.op).kind;
        if (kind == bc::OpKind::Gather || kind == bc::OpKind::Scatter) return i;
    }
    return instruction;
}

/// The user's operands: numbers of elements are ours.
std::vector<unsigned> shown_operands(const bc::Instruction& instruction) {
    const bc::OpInfo& op = bc::info(instruction.op);
    if (op.fault == bc::Fault::OutOfRange || op.kind == bc::OpKind::Gather) return {0};
    if (op.kind == bc::OpKind::Scatter) return {2, 0};
    std::vector<unsigned> all(op.arity);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

}  // namespace

Shape result_shape(const bc::Program& program, const bc::Instruction& instruction) {
    const Extents domain = program.domain_extents(instruction.domain);
    const bool reduces = bc::info(instruction.op).kind == bc::OpKind::Reduce;
    Shape shape;
    if (bc::info(instruction.op).kind == bc::OpKind::Scatter || bc::info(instruction.op).kind == bc::OpKind::Library) {
        for (const bc::Dim& dim : program.dims_of(program.views[instruction.out.index()]))
            shape.extents[shape.rank++] = dim.extent;
        return shape;
    }
    for (std::size_t i = 0; i < domain.size(); ++i) {
        if (!reduces || i != instruction.axis)
            shape.extents[shape.rank++] = domain[i];
        else if ((instruction.flags & bc::Instruction::kKeepAxis) != 0)
            shape.extents[shape.rank++] = 1;
    }
    return shape;
}

deferred_error make_error(const Queue& queue, const bc::Plan* plan, const Cause& cause,
                          const std::vector<bc::OriginId>& also, FlushInfo flush) {
    const bc::Program& program = queue.as_recorded();
    bc::OriginId line = program.origins[cause.instruction];
    // A statement that could not take its line, and that nothing with a line follows, belongs to the call that flushes.
    const std::span newest = std::span(program.origins).subspan(cause.instruction);
    const bool of_this_call = std::ranges::all_of(newest, is_unclear) && flush.reason != Reason::other_thread;
    const bool unclear_flush = is_unclear(flush.line);
    flush = with_call_site(flush);
    if (of_this_call && unclear_flush) line = flush.line;
    const bc::Instruction& instruction = program.instructions[cause.instruction];
    const std::uint32_t user = user_of_indices(program, cause.instruction);
    error_report report;
    report.operation = bc::name_of(program.instructions[user].op);
    report.origin = info_of(line);
    report.source_line = source_line(report.origin);
    const Operands operands(queue, user);
    for (const unsigned i : shown_operands(program.instructions[user])) report.operands.push_back(operands.describe(i));
    describe_cause(program, cause, report);
    const Contributors others = contributors(program, plan, cause.instruction);
    report.merged_with = infos_of(others.merged);
    report.fused_with = infos_of(others.fused);
    report.also_failed = infos_of(also);
    if (instruction.statement < queue.call_chains.size())
        report.callers = callers_beyond(report.origin, queue.call_chains[instruction.statement]);
    report.flush_reason = key_of(flush.reason);
    report.flush_text = doing(flush.reason);
    report.flush_origin = info_of(flush.line);
    report.hint = hint_for(report, flush.reason);
    return deferred_error(std::move(report));
}

deferred_error make_lost_error(bc::OriginId written_at, const std::string& reason, FlushInfo read) {
    read = with_call_site(read);
    error_report report;
    report.kind = error_kind::internal;
    report.operation = "read";
    report.origin = info_of(written_at);
    report.source_line = source_line(report.origin);
    report.cause = fmt::format("the value that this line gave is lost: {}", reason);
    report.flush_reason = key_of(read.reason);
    report.flush_text = doing(read.reason);
    report.flush_origin = info_of(read.line);
    return deferred_error(std::move(report));
}

}  // namespace xlazy::rt
