// SPDX-License-Identifier: BSD-3-Clause
#include "message.hpp"

#include "base_access.hpp"
#include "call_site.hpp"
#include "live_arrays.hpp"
#include "statistics.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>

namespace xlazy {

deferred_error::deferred_error(const std::string& text, std::string operation, std::vector<origin_info> origins,
                               origin_info flush_origin)
    : std::runtime_error(text),
      operation_(std::move(operation)),
      origins_(std::move(origins)),
      flush_origin_(std::move(flush_origin)) {}

namespace rt {
namespace {

constexpr std::size_t kMaxLines = 8;  ///< lines of one kind that a message lists

std::string place(bc::OriginId id) {
    const bc::Origin origin = bc::origin(id);
    if (origin.line != 0) return fmt::format("{}:{}", origin.file, origin.line);
    return origin.function == nullptr ? "unknown place" : fmt::format("in {}", origin.function);
}

origin_info info_of(bc::OriginId id) {
    const bc::Origin origin = bc::origin(id);
    return {origin.line == 0 ? "" : origin.file, origin.line, origin.function == nullptr ? "" : origin.function};
}

std::string list(const std::vector<bc::OriginId>& lines) {
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", place(lines[i]));
    }
    if (lines.size() > kMaxLines) text += fmt::format(" and {} more", lines.size() - kMaxLines);
    return text;
}

template <class T>
std::string value_text(const bc::Scalar& scalar) {
    if constexpr (std::is_integral_v<T>)
        return fmt::format("{}", bc::scalar_value<T>(scalar));
    else
        return "?";
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

    std::string describe(unsigned operand) const {
        const bc::Instruction& user = program().instructions[instruction_];
        const bc::Operand in = user.in[operand];
        const bc::DType type = bc::operand_type(user, operand);
        if (in.is_scalar()) return fmt::format("{} scalar", bc::name_of(type));
        if (in.is_view()) return rt::describe(type, extents_of(in.index()).span());
        const auto maker = maker_of(in, instruction_);
        return maker ? rt::describe(type, result_shape(program(), program().instructions[*maker]).span())
                     : std::string(bc::name_of(type));
    }

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

private:
    const bc::Program& program() const noexcept { return queue_.program; }

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

/// Lines of the statements that ran in one kernel with the instruction, but for its own.
std::vector<bc::OriginId> kernel_lines(const bc::Program& program, const bc::Plan* plan, std::uint32_t instruction) {
    std::vector<bc::OriginId> lines;
    if (plan == nullptr) return lines;
    for (const bc::Kernel& kernel : plan->kernels) {
        const auto runs = [&](std::uint32_t wanted) {
            return std::ranges::any_of(kernel.ops, [&](const bc::MicroOp& op) { return op.instruction == wanted; });
        };
        if (!runs(computed_by(*plan, instruction))) continue;
        const auto add = [&](std::uint32_t other) {
            const bc::OriginId line = program.origins[other];
            if (line != program.origins[instruction] && !std::ranges::count(lines, line)) lines.push_back(line);
        };
        for (const bc::MicroOp& op : kernel.ops) add(op.instruction);
        for (const bc::Merge& merge : plan->merged) {
            if (runs(merge.into)) add(merge.instruction);
        }
    }
    return lines;
}

std::string trap_headline(const Queue& queue, const Cause& cause, const Operands& operands) {
    const bc::Program& program = queue.program;
    const bc::Instruction& instruction = program.instructions[cause.instruction];
    const Shape at = position(program.domain_extents(instruction.domain), cause.trap.index);
    return fmt::format("integer division by zero in {}: operands {} and {}, at element ({}): {} {} {}",
                       bc::name_of(instruction.op), operands.describe(0), operands.describe(1),
                       fmt::join(at.span(), ","), value_text(cause.trap.operands[0]),
                       instruction.op == bc::Op::mod ? "%" : "/", value_text(cause.trap.operands[1]));
}

/// Who holds the memory: what XLAZY_MEMORY_LIMIT allows, what is in use, and the largest arrays.
std::string memory_lines() {
    const be::PoolStats pool = be::pool_stats();
    std::string text = fmt::format("\n  arrays and temporaries hold {} bytes", pool.bytes_in_use);
    if (pool.limit != 0) text += fmt::format(" of {} that XLAZY_MEMORY_LIMIT allows", pool.limit);
    const std::vector<LiveArray> arrays = live_arrays();
    for (std::size_t i = 0; i < std::min(arrays.size(), kMaxLines); ++i) {
        const LiveArray& array = arrays[i];
        text += fmt::format("\n  {} bytes: {} elements of {}, made at {}", array.bytes, array.elements,
                            bc::name_of(array.type), place(array.line));
    }
    if (arrays.size() > kMaxLines) text += fmt::format("\n  and {} smaller arrays", arrays.size() - kMaxLines);
    return text;
}

std::string headline(const Queue& queue, const Cause& cause, const Operands& operands) {
    const bc::Instruction& instruction = queue.program.instructions[cause.instruction];
    switch (cause.kind) {
        case Cause::Kind::Trap: return trap_headline(queue, cause, operands);
        case Cause::Kind::NoMemory:
            return fmt::format("out of memory in allocate: {} {} for the result of {}",
                               describe(cause.type, cause.shape.span()),
                               cause.bytes == 0 ? "needs work space" : fmt::format("needs {} bytes", cause.bytes),
                               bc::name_of(instruction.op));
        case Cause::Kind::Internal:
            return fmt::format("internal error in {}: {}", bc::name_of(instruction.op), cause.text);
    }
    return {};
}

/// The flush with the line of its call, if it could not take it.
FlushInfo with_call_site(FlushInfo flush) {
    constexpr Reason kNoCall[] = {Reason::exit, Reason::fork};
    if (!std::ranges::count(kNoCall, flush.reason) && is_unclear(flush.line)) flush.line = call_site(flush.line);
    return flush;
}

}  // namespace

Shape result_shape(const bc::Program& program, const bc::Instruction& instruction) {
    const Extents domain = program.domain_extents(instruction.domain);
    const bool reduces = bc::info(instruction.op).kind == bc::OpKind::Reduce;
    Shape shape;
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
    const bc::Program& program = queue.program;
    bc::OriginId line = program.origins[cause.instruction];
    // A statement that could not take its line, and that nothing with a line follows, belongs to the call that flushes.
    const std::span newest = std::span(program.origins).subspan(cause.instruction);
    const bool of_this_call = std::ranges::all_of(newest, is_unclear) && flush.reason != Reason::other_thread;
    const bool unclear_flush = is_unclear(flush.line);
    flush = with_call_site(flush);
    if (of_this_call && unclear_flush) line = flush.line;
    const Operands operands(queue, cause.instruction);
    std::string text = fmt::format("{}: {}", place(line), headline(queue, cause, operands));
    std::vector<origin_info> origins{info_of(line)};

    const unsigned count = bc::info(program.instructions[cause.instruction].op).arity;
    constexpr std::string_view kSides[] = {"left operand", "right operand"};
    for (unsigned i = 0; i < count; ++i) {
        const bc::OriginId made = operands.made_at(i);
        if (made == 0 || bc::origin(made).line == 0) continue;
        const std::string which = count == 1   ? "operand"
                                  : count == 2 ? std::string(kSides[i])
                                               : fmt::format("operand {}", i + 1);
        text += fmt::format("\n  {}, {}, was made at {}", which, operands.describe(i), place(made));
    }
    const bool memory = cause.kind == Cause::Kind::NoMemory;
    if (memory) text += memory_lines();
    const std::vector<bc::OriginId> fused = kernel_lines(program, plan, cause.instruction);
    if (!fused.empty()) text += fmt::format("\n  ran in one kernel with {}", list(fused));
    for (const bc::OriginId each : fused) origins.push_back(info_of(each));
    if (!also.empty()) text += fmt::format("\n  statements that failed besides: {}", list(also));
    text += fmt::format("\n  found when {} {}", place(flush.line), doing(flush.reason));
    if (flush.reason != Reason::eager) text += "\n  XLAZY_MODE=eager stops at the failing line itself";
    return deferred_error(text,
                          std::string(memory ? "allocate" : bc::name_of(program.instructions[cause.instruction].op)),
                          std::move(origins), info_of(flush.line));
}

}  // namespace rt
}  // namespace xlazy
