// SPDX-License-Identifier: BSD-3-Clause
#include "base_access.hpp"
#include "call_site.hpp"
#include "queue.hpp"
#include "shapes.hpp"
#include "statistics.hpp"
#include "timeline.hpp"
#include "trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace xlazy::rt {
namespace {

using bc::Instruction;
using bc::Operand;

constexpr std::uint32_t kScalarShape = Value::kScalarShape;

Extents shape_of(const Queue& queue, Value value) noexcept {
    return value.domain == kScalarShape ? Extents{} : queue.program.domain_extents(value.domain);
}

std::string text_of(const Queue& queue, Value value) {
    if (value.domain == kScalarShape) return fmt::format("{} scalar", bc::name_of(value.dtype));
    return describe(value.dtype, shape_of(queue, value));
}

Shape shape_of(const std::size_t* extents, std::size_t rank) {
    if (rank > bc::kMaxRank) throw std::invalid_argument(fmt::format("{} axes, more than {}", rank, bc::kMaxRank));
    Shape shape;
    shape.rank = rank;
    for (std::size_t i = 0; i < rank; ++i) shape.extents[i] = static_cast<std::int64_t>(extents[i]);
    return shape;
}

std::uint32_t common_domain(Queue& queue, Op op, std::initializer_list<Value> operands) {
    std::uint32_t domain = kScalarShape;
    for (const Value operand : operands) {
        if (operand.domain == domain || operand.domain == kScalarShape) continue;
        if (domain == kScalarShape) {
            domain = operand.domain;
            continue;
        }
        Shape shape;
        if (!broadcast(queue.program.domain_extents(domain), shape_of(queue, operand), shape)) {
            std::string text = fmt::format("{}: operands", bc::name_of(op));
            for (const Value each : operands) {
                text +=
                    fmt::format("{} {}", each.operand == operands.begin()->operand ? "" : " and", text_of(queue, each));
            }
            throw ShapeMismatch(text + " do not broadcast to one shape");
        }
        domain = queue.program.intern_domain(shape.span());
    }
    return domain == kScalarShape ? queue.program.intern_domain({}) : domain;
}

}  // namespace

constinit thread_local here LineScope::current_{};
constinit thread_local int InsideXtensor::depth_ = 0;

Statement::Statement(here line) : queue_(my_queue()), origin_(origin_of(line)) {
    if (queue_.held) throw_held();
    if (queue_.in_statement && queue_.held_by_me()) throw std::logic_error("a statement inside another one");
    queue_.lock();
    try {
        if (queue_.full(origin_) && queue_.trace != nullptr) {
            queue_.trace->cut();
        } else if (queue_.full(origin_)) {
            run_queue(queue_, Reason::limit, origin_);
            throw_pending(queue_);
        }
        queue_.record_started = record_clock(queue_);
        begin_statement_span(queue_);
        queue_.open_statement();
    } catch (...) {
        queue_.unlock();
        throw;
    }
}

Statement::~Statement() {
    if (stored_) return;
    queue_.take_back();
    queue_.unlock();
}

Value Statement::load(const ViewRef& view) {
    if (view.rank > bc::kMaxRank)
        throw std::invalid_argument(fmt::format("{} axes, more than {}", view.rank, bc::kMaxRank));
    Base& base = *view.base;
    const Queue* writer = BaseAccess::writer(base).load(std::memory_order_acquire);
    if (writer != &queue_) {
        if (writer != nullptr) settle_foreign_write(queue_, base, origin_);
        if (BaseAccess::readable(base).load(std::memory_order_acquire) == nullptr) give_zeros(base);
    }
    const std::uint32_t index = queue_.enroll(base);
    queue_.note_read(index);
    if (BaseAccess::write_pins(base).load(std::memory_order_relaxed) != 0) queue_.run_now = true;
    const std::uint32_t window = queue_.add_view(index, view);
    return {Operand::view(window), base.dtype(), queue_.domain_of_view(window)};
}

Value Statement::scalar(const bc::Scalar& value) {
    queue_.program.scalars.push_back(value);
    return {Operand::scalar(static_cast<std::uint32_t>(queue_.program.scalars.size() - 1)), value.type, kScalarShape};
}

Value Statement::append(Op op, DType type, DType result, std::uint32_t domain, std::initializer_list<Value> operands) {
    bc::Program& program = queue_.program;
    program.origins.push_back(origin_);
    Instruction& instruction = program.instructions.emplace_back();
    instruction.op = op;
    instruction.type = type;
    instruction.result = result;
    instruction.statement = program.statement_count;
    instruction.domain = domain;
    unsigned used = 0;
    for (const Value operand : operands) instruction.in[used++] = operand.operand;
    const Operand out = Operand::temp(program.temp_count++);
    instruction.out = out;
    return {out, result, domain};
}

Value Statement::cast(Value value, DType result) {
    if (value.dtype == result) return value;
    if (value.operand.is_scalar()) {
        // A conversion that ran over the rank-0 shape could not be fused with what uses it.
        const Value converted = scalar(bc::convert_scalar(queue_.program.scalars[value.operand.index()], result));
        return {converted.operand, result, value.domain};
    }
    return append(Op::cast, value.dtype, result, common_domain(queue_, Op::cast, {value}), {value});
}

Value Statement::apply(Op op, DType result, Value a) {
    return append(op, a.dtype, result, common_domain(queue_, op, {a}), {a});
}

Value Statement::apply(Op op, DType result, Value a, Value b) {
    return append(op, a.dtype, result, common_domain(queue_, op, {a, b}), {a, b});
}

Value Statement::apply(Op op, DType result, Value a, Value b, Value c) {
    const DType type = op == Op::select ? b.dtype : a.dtype;
    return append(op, type, result, common_domain(queue_, op, {a, b, c}), {a, b, c});
}

Value Statement::apply_masked(Op op, DType result, Value a, Value b, Value mask) {
    const Value value = append(op, a.dtype, result, common_domain(queue_, op, {a, b, mask}), {a, b, mask});
    queue_.program.instructions.back().flags |= Instruction::kMasked;
    return value;
}

Value Statement::broadcast(Value value, std::size_t rank, const std::size_t* extents) {
    const Shape wanted = shape_of(extents, rank);
    if (rank_of(value) > rank || !fits(shape_of(queue_, value), wanted.span())) {
        throw ShapeMismatch(fmt::format("broadcast: {} does not broadcast to {}", text_of(queue_, value),
                                        describe(value.dtype, wanted.span())));
    }
    const std::uint32_t domain = queue_.program.intern_domain(wanted.span());
    if (domain == value.domain) return value;
    return append(Op::copy, value.dtype, value.dtype, domain, {value});
}

Value Statement::reduce_axis(Op op, Value value, std::size_t axis, bool keep_dims) {
    const Extents shape = shape_of(queue_, value);
    if (shape[axis] == 0 && (op == Op::amin || op == Op::amax)) {
        throw std::invalid_argument(
            fmt::format("{}: axis {} of {} has no elements", bc::name_of(op), axis, text_of(queue_, value)));
    }
    Shape reduced;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i != axis)
            reduced.extents[reduced.rank++] = shape[i];
        else if (keep_dims)
            reduced.extents[reduced.rank++] = 1;
    }
    Value result = append(op, value.dtype, value.dtype, value.domain, {value});
    Instruction& instruction = queue_.program.instructions.back();
    instruction.axis = static_cast<std::uint8_t>(axis);
    if (keep_dims) instruction.flags |= Instruction::kKeepAxis;
    result.domain = queue_.program.intern_domain(reduced.span());
    return result;
}

Value Statement::reduce(Op op, Value value, std::uint32_t axes, bool keep_dims) {
    while (axes != 0) {
        const auto axis = static_cast<std::size_t>(std::bit_width(axes) - 1);
        if (axis >= rank_of(value)) {
            throw std::invalid_argument(
                fmt::format("{}: there is no axis {} in {}", bc::name_of(op), axis, text_of(queue_, value)));
        }
        value = reduce_axis(op, value, axis, keep_dims);
        axes &= ~(1u << axis);
    }
    return value;
}

Value Statement::scan(Op op, Value value, std::size_t axis) {
    if (axis >= rank_of(value)) {
        throw std::invalid_argument(
            fmt::format("{}: there is no axis {} in {}", bc::name_of(op), axis, text_of(queue_, value)));
    }
    const Value result = append(op, value.dtype, value.dtype, value.domain, {value});
    queue_.program.instructions.back().axis = static_cast<std::uint8_t>(axis);
    return result;
}

Value Statement::in_range(Value indices, std::int64_t extent, std::size_t axis) {
    if (indices.dtype != DType::i64 || axis >= bc::kMaxRank)
        throw std::invalid_argument(fmt::format("in_range: axis {}, indices {}", axis, text_of(queue_, indices)));
    const std::uint32_t domain = common_domain(queue_, Op::in_range, {indices});
    const Value result = append(Op::in_range, DType::i64, DType::i64, domain, {indices, scalar(extent)});
    queue_.program.instructions.back().axis = static_cast<std::uint8_t>(axis);
    return result;
}

Value Statement::gather(const ViewRef& view, Value numbers) {
    const Value whole = load(view);
    return append(Op::gather, whole.dtype, whole.dtype, common_domain(queue_, Op::gather, {numbers}), {whole, numbers});
}

Value Statement::call(Op op, DType result, std::size_t rank, const std::size_t* extents,
                      std::initializer_list<Value> operands, std::size_t axis) {
    Value value = append(op, operands.begin()->dtype, result, queue_.program.intern_domain({}), operands);
    queue_.program.instructions.back().axis = static_cast<std::uint8_t>(axis);
    value.domain = queue_.program.intern_domain(shape_of(extents, rank).span());
    return value;
}

Value Statement::index(std::size_t axis, std::size_t rank, const std::size_t* extents) {
    const Shape shape = shape_of(extents, rank);
    if (axis >= rank) throw std::invalid_argument(fmt::format("index: there is no axis {}", axis));
    const Value value = append(Op::index, DType::i64, DType::i64, queue_.program.intern_domain(shape.span()), {});
    queue_.program.instructions.back().axis = static_cast<std::uint8_t>(axis);
    return value;
}

std::size_t Statement::rank_of(Value value) const noexcept { return shape_of(queue_, value).size(); }

std::int64_t Statement::extent_of(Value value, std::size_t axis) const noexcept {
    return shape_of(queue_, value)[axis];
}

namespace {

struct Unlock {
    Queue& queue;
    ~Unlock() { queue.unlock(); }
};

/// The last instruction made the value, and its result has exactly the view's elements: it can write the view itself.
bool writes_directly(const Queue& queue, Value value, Extents view) noexcept {
    if (!value.operand.is_temp() || queue.program.instructions.size() == queue.opened_at().instructions) return false;
    const Instruction& last = queue.program.instructions.back();
    if (last.out != value.operand) return false;
    const Extents shape = shape_of(queue, value);
    return bc::info(last.op).kind == bc::OpKind::Reduce ? std::ranges::equal(shape, view) : same_elements(shape, view);
}

/// The domain of a copy to the view: the view's shape, with the value's rank if that is larger.
std::uint32_t copy_domain(Queue& queue, Extents value, std::uint32_t view_domain) {
    const Extents view = queue.program.domain_extents(view_domain);
    if (value.size() <= view.size()) return view_domain;
    Shape shape;
    shape.rank = value.size();
    std::ranges::fill_n(shape.extents, static_cast<std::ptrdiff_t>(value.size() - view.size()), 1);
    std::ranges::copy(view, shape.extents + (value.size() - view.size()));
    return queue.program.intern_domain(shape.span());
}

}  // namespace

void Statement::store(const ViewRef& view, Value value) {
    if (view.rank > bc::kMaxRank)
        throw std::invalid_argument(fmt::format("{} axes, more than {}", view.rank, bc::kMaxRank));
    Base& base = *view.base;
    const std::uint32_t index = queue_.enroll(base);
    settle_foreign(queue_, base, queue_.uses[index].read, origin_);
    const std::uint32_t window = queue_.add_view(index, view);
    const std::uint32_t domain = queue_.domain_of_view(window);
    if (!fits(shape_of(queue_, value), queue_.program.domain_extents(domain))) {
        throw ShapeMismatch(fmt::format("assignment: a value {} does not fit into {}", text_of(queue_, value),
                                        describe(base.dtype(), queue_.program.domain_extents(domain))));
    }
    value = cast(value, base.dtype());
    if (!writes_directly(queue_, value, queue_.program.domain_extents(domain))) {
        append(Op::copy, value.dtype, value.dtype, copy_domain(queue_, shape_of(queue_, value), domain), {value});
    }
    queue_.program.instructions.back().out = Operand::view(window);
    finish(index, base);
}

void Statement::scatter(const ViewRef& view, Value value, Value numbers) {
    Base& base = *view.base;
    const Value old = load(view);
    const std::uint32_t index = queue_.enroll(base);
    settle_foreign(queue_, base, queue_.uses[index].read, origin_);
    const std::uint32_t domain = common_domain(queue_, Op::scatter, {numbers});
    if (!fits(shape_of(queue_, value), queue_.program.domain_extents(domain))) {
        throw ShapeMismatch(fmt::format("assignment: a value {} does not fit into {}", text_of(queue_, value),
                                        describe(base.dtype(), queue_.program.domain_extents(domain))));
    }
    value = cast(value, base.dtype());
    append(Op::scatter, value.dtype, value.dtype, domain, {value, numbers, old});
    queue_.program.instructions.back().out = old.operand;
    finish(index, base);
}

/// The result of the last instruction goes to a view in place of a temporary, which was the newest.
void Statement::finish(std::uint32_t index, Base& base) {
    --queue_.program.temp_count;
    queue_.note_write(index, origin_);
    const bool pinned = queue_.run_now || base_pinned(&base);
    queue_.instructions_recorded += queue_.program.instructions.size() - queue_.opened_at().instructions;
    ++queue_.statements_recorded;
    if (queue_.trace_stack) queue_.call_chains.push_back(call_chain());
    ++queue_.program.statement_count;
    queue_.last_origin = origin_;
    queue_.close_statement();
    stored_ = true;
    const Unlock at_end{queue_};
    finish_record_clock(queue_);
    end_statement_span(queue_, origin_);
    if (pinned || queue_.current_mode == mode::eager) {
        run_queue(queue_, pinned ? Reason::pinned : Reason::eager, origin_);
        throw_pending(queue_);
    }
}

here last_statement_line() noexcept {
    const bc::Origin place = bc::origin(my_queue().last_origin);
    return {place.file, place.line};
}

}  // namespace xlazy::rt
