// SPDX-License-Identifier: BSD-3-Clause
#include "trace.hpp"

#include "base_access.hpp"
#include "statistics.hpp"
#include "xlazy/bytecode/counting.hpp"
#include "xlazy/detail/capture_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace xlazy {

namespace {

std::string place(here line) { return line.line == 0 ? "an unknown line" : fmt::format("{}:{}", line.file, line.line); }

}  // namespace

capture_error::capture_error(here line, const std::string& what)
    : std::logic_error(fmt::format("{}: {}", place(line), what)),
      origin_{line.file == nullptr ? "" : line.file, line.line, {}} {}

namespace rt {
namespace {

constinit thread_local Trace* current_trace = nullptr;
constinit std::atomic<std::uint64_t> time_now{1};

// Numbers that stand for those of a draw; nobody else's numbers are likely to be the same.
constexpr std::uint64_t kKeyMark = 0x8b1f6c3ae5d74920, kStreamMark = 0x3d97a15cf0b82e00;
constexpr std::uint64_t kStreamsOfDraw = 256;

here place_of(bc::OriginId id) {
    const bc::Origin origin = bc::origin(id);
    return {origin.file, origin.line};
}

bool same_form(const ViewRef& a, const ViewRef& b) noexcept { return ArrayForm(a).fits(b); }

/// `to <- from`, for whole arrays.
void record_copy(const ViewRef& to, const ViewRef& from, here line) {
    Statement statement(line);
    statement.store(to, statement.load(from));
}

}  // namespace

constinit std::atomic<unsigned> Tracing::recordings_{0};
constinit thread_local std::uint64_t Tracing::scope_ = 0;

std::uint64_t Tracing::advance() noexcept { return time_now.fetch_add(1, std::memory_order_relaxed) + 1; }

bool Tracing::needs(const void* identity, std::uint64_t made_at, std::size_t& scope) {
    const std::vector<Trace::Block>& blocks = Trace::current().blocks_;
    for (; scope < blocks.size(); ++scope) {
        if (made_at < blocks[scope].began && !blocks[scope].known.contains(identity)) return true;
    }
    return false;
}

void Tracing::add(std::size_t scope, std::unique_ptr<KeptArray> kept) {
    Trace::Block& block = Trace::current().blocks_[scope];
    block.known.insert(kept->identity());
    block.kept.push_back(std::move(kept));
}

void Tracing::note_memory(const Base& base) {
    if (active()) Trace::current().note_memory(base);
}

TracedDraw trace_draw(std::mt19937& engine) { return Trace::current().draw(engine); }
void trace_input(const ViewRef& window) { Trace::current().add_input(window); }
bool trace_owns(const ViewRef& window) { return Trace::current().owns(window); }
void trace_output(const ViewRef& window) { Trace::current().add_output(window); }
void trace_repeat(std::uint64_t times, here line) { Trace::current().begin_repeat(times, line); }
void trace_while(here line) { Trace::current().begin_while(line); }
void trace_condition(const ViewRef& condition) { Trace::current().condition(condition); }
void trace_branch(const ViewRef& condition, here line) { Trace::current().begin_branch(condition, line); }
void trace_otherwise() { Trace::current().otherwise(); }
void trace_end() { Trace::current().end(); }

Trace& Trace::current() {
    if (current_trace == nullptr) throw capture_error({}, "no function is being captured");
    return *current_trace;
}

Trace::Trace(here line) : outer_queue_(&my_queue()), line_(line) {
    if (current_trace != nullptr) throw capture_error(line, "a function is captured inside another one");
    flush(Reason::call, line);
    queue_.trace = this;
    queue_.trace_stack = false;
    exchange_queue(&queue_);
    current_trace = this;
    Tracing::recordings_.fetch_add(1, std::memory_order_relaxed);
    begin_block(function_.body, nullptr, line);
}

Trace::~Trace() { leave(); }

void Trace::leave() noexcept {
    if (std::exchange(left_, true)) return;
    for (Block& block : blocks_) {
        for (const auto& kept : block.kept) kept->restore();
    }
    for (const auto& entry : known_) {
        Base& base = *entry.second.base.get();
        if (BaseAccess::writer(base).load(std::memory_order_relaxed) != &queue_) continue;
        BaseAccess::writer(base).store(nullptr, std::memory_order_release);
    }
    std::vector<BaseRef> written;
    for (const BaseUse& use : queue_.uses) {
        if (use.written) written.emplace_back(use.base);
    }
    queue_.release_batch(false);
    const auto publish_old = [](Base& base) {
        if (BaseAccess::memory(base) != nullptr) publish(base);
    };
    for (const auto& entry : known_) publish_old(*entry.second.base.get());
    for (const BaseRef& each : written) publish_old(*each.get());
    queue_.held = nullptr;
    current_trace = nullptr;
    Tracing::recordings_.fetch_sub(1, std::memory_order_relaxed);
    Tracing::scope_ = 0;
    exchange_queue(outer_queue_);
}

void Trace::refuse(Reason reason, bc::OriginId line) {
    const here at = place_of(line);
    std::string what;
    switch (reason) {
        case Reason::fallback: what = "the captured function calls a function that xtensor evaluates at once"; break;
        case Reason::explicit_: what = "the captured function runs what was recorded (flush)"; break;
        case Reason::pinned:
            what = "the captured function uses an array into which a pointer or an iterator is out";
            break;
        case Reason::foreign:
            what = "the captured function reads memory that xlazy does not own, too much of it to copy";
            break;
        default:
            what = fmt::format("the captured function looks at a value ({})", key_of(reason));
            throw capture_error(at, what +
                                        ": nothing has one while it is recorded. Let xlazy::branch, "
                                        "xlazy::repeat_while or xlazy::repeat decide, or return the array");
    }
    throw capture_error(at, what);
}

void Trace::begin_block(std::vector<bc::Node>& nodes, bc::Node* node, here line) {
    blocks_.push_back({Tracing::advance() + 1, line, &nodes, node, {}, {}});
    Tracing::advance();
    Tracing::scope_ = blocks_.back().began;
}

void Trace::end_block() {
    give_back(blocks_.back());
    cut();
    make_constants(*blocks_.back().nodes);
    blocks_.pop_back();
    Tracing::scope_ = blocks_.empty() ? 0 : blocks_.back().began;
}

/// What the block made of arrays from outside of it is copied to their old memory, all at once.
void Trace::give_back(Block& block) {
    std::vector<KeptArray*> changed;
    for (const auto& kept : block.kept) {
        const ViewRef before = kept->before(), now = kept->now();
        if (before.base == now.base && same_form(before, now)) continue;
        changed.push_back(kept.get());
        if (same_form(before, now) && before.base->size() == now.base->size()) continue;
        throw capture_error(block.line, "an array from outside has another shape at the end of what is recorded here");
    }
    std::vector<std::pair<ViewRef, BaseRef>> from;
    for (const KeptArray* kept : changed) {
        const ViewRef now = kept->now();
        from.emplace_back(now, BaseRef(now.base));
    }
    const auto line_of = [&](const Base* base) {
        for (const BaseUse& use : queue_.uses) {
            if (use.base == base && use.written_at != 0) return place_of(use.written_at);
        }
        return block.line;
    };
    // Arrays that changed places: what will be overwritten is put aside first.
    for (std::size_t i = 0; i < changed.size(); ++i) {
        const bool overwritten = std::ranges::any_of(changed, [&](const KeptArray* other) {
            return other != changed[i] && other->before().base == from[i].first.base;
        });
        if (!overwritten) continue;
        Base* const copy = base_new(from[i].first.base->dtype(), from[i].first.base->size());
        BaseRef held(copy);
        base_release(copy);
        ViewRef to = from[i].first;
        to.base = copy;
        record_copy(to, from[i].first, line_of(from[i].first.base));
        from[i] = {to, std::move(held)};
    }
    for (std::size_t i = 0; i < changed.size(); ++i)
        record_copy(changed[i]->before(), from[i].first, line_of(from[i].first.base));
    from.clear();
    for (const auto& kept : block.kept) kept->restore();
}

std::uint32_t Trace::add_variable(const Base& base, bc::Role role) {
    bc::Variable variable;
    variable.type = base.dtype();
    variable.role = role;
    variable.extents = {static_cast<std::int64_t>(base.size())};
    function_.variables.push_back(std::move(variable));
    return static_cast<std::uint32_t>(function_.variables.size() - 1);
}

Trace::Known& Trace::know(Base& base, const ViewRef* window) {
    const auto found = known_.find(&base);
    if (found != known_.end()) return found->second;
    const std::uint32_t variable = add_variable(base, bc::Role::Local);
    Known& known = known_.emplace(&base, Known{BaseRef(&base), variable}).first->second;
    known.has_value = BaseAccess::memory(base) != nullptr;
    if (window != nullptr) describe(variable, *window);
    return known;
}

void Trace::describe(std::uint32_t index, const ViewRef& window) {
    bc::Variable& variable = function_.variables[index];
    variable.extents.assign(window.extents, window.extents + window.rank);
    std::ptrdiff_t row = 1;
    bool rows = true;
    for (std::size_t axis = window.rank; axis-- > 0;) {
        if (window.extents[axis] > 1) rows = rows && window.strides[axis] == row;
        row *= static_cast<std::ptrdiff_t>(window.extents[axis]);
    }
    variable.column_major = !rows;
}

void Trace::add_input(const ViewRef& window) {
    Known& known = know(*window.base, &window);
    function_.variables[known.variable].role = bc::Role::Input;
    function_.inputs.push_back(known.variable);
    known.has_value = true;
    // Whoever looks at it asks this queue.
    BaseAccess::readable(*window.base).store(nullptr, std::memory_order_relaxed);
    BaseAccess::writable(*window.base).store(nullptr, std::memory_order_relaxed);
    BaseAccess::writer(*window.base).store(&queue_, std::memory_order_release);
}

void Trace::add_output(const ViewRef& window) {
    Known& known = know(*window.base, &window);
    describe(known.variable, window);
    function_.outputs.push_back(known.variable);
    outputs_.emplace_back(window);
}

bool Trace::owns(const ViewRef& window) const {
    const Base* const base = window.base;
    if (is_kept(base) || BaseAccess::memory(*window.base) != nullptr) return false;
    bool written =
        std::ranges::any_of(queue_.uses, [&](const BaseUse& use) { return use.base == base && use.written; });
    if (const auto found = known_.find(base); found != known_.end()) {
        const std::uint32_t variable = found->second.variable;
        if (function_.variables[variable].role != bc::Role::Local) return false;
        if (std::ranges::count(function_.outputs, variable) != 0) return false;
        written = written || found->second.written;
    }
    return written;
}

bool Trace::is_kept(const Base* base) const noexcept {
    return std::ranges::any_of(blocks_, [&](const Block& block) {
        return std::ranges::any_of(block.kept, [&](const auto& kept) { return kept->before().base == base; });
    });
}

void Trace::cut() {
    if (queue_.program.instructions.empty()) return queue_.hand_over();
    bc::Segment segment;
    for (std::size_t i = 0; i < queue_.uses.size(); ++i) {
        Base& base = *queue_.uses[i].base;
        const unsigned ours = known_.contains(&base) ? 2 : 1;
        bc::BaseInfo& info = queue_.program.bases[i];
        const bool shared = BaseAccess::references(base).load(std::memory_order_relaxed) > ours;
        Known& known = know(base, nullptr);
        info.initialised = known.has_value;
        info.live = shared || BaseAccess::memory(base) != nullptr || is_kept(&base);
        if (queue_.uses[i].written) {
            known.written = true;
            known.has_value = info.live;
        } else if (!info.live) {
            known.has_value = false;
        }
        segment.variables.push_back(known.variable);
    }
    segment.batch = std::move(queue_.program);
    queue_.program = {};
    queue_.hand_over();
    bind_draws(segment);
    bc::Node node;
    node.kind = bc::Node::Kind::Run;
    node.segment = static_cast<std::uint32_t>(function_.segments.size());
    function_.segments.push_back(std::move(segment));
    blocks_.back().nodes->push_back(std::move(node));
}

void Trace::begin_repeat(std::uint64_t times, here line) {
    cut();
    bc::Node& node = *open_.emplace_back(std::make_unique<bc::Node>());
    node.kind = bc::Node::Kind::Repeat;
    node.times = times;
    begin_block(node.body, &node, line);
}

void Trace::begin_while(here line) {
    cut();
    bc::Node& node = *open_.emplace_back(std::make_unique<bc::Node>());
    node.kind = bc::Node::Kind::While;
    begin_block(node.head, &node, line);
}

std::uint32_t Trace::condition_variable(const ViewRef& window) {
    Known& known = know(*window.base, &window);
    return known.variable;
}

void Trace::condition(const ViewRef& window) {
    bc::Node& node = *blocks_.back().node;
    const here line = blocks_.back().line;
    give_back(blocks_.back());
    cut();
    node.condition = condition_variable(window);
    make_constants(node.head);
    blocks_.pop_back();
    begin_block(node.body, &node, line);
}

void Trace::begin_branch(const ViewRef& condition, here line) {
    cut();
    bc::Node& node = *open_.emplace_back(std::make_unique<bc::Node>());
    node.kind = bc::Node::Kind::Branch;
    node.condition = condition_variable(condition);
    begin_block(node.body, &node, line);
}

void Trace::otherwise() {
    bc::Node& node = *blocks_.back().node;
    const here line = blocks_.back().line;
    end_block();
    begin_block(node.otherwise, &node, line);
}

void Trace::end() {
    end_block();
    std::unique_ptr<bc::Node> node = std::move(open_.back());
    open_.pop_back();
    blocks_.back().nodes->push_back(std::move(*node));
}

TracedDraw Trace::draw(std::mt19937& engine) {
    if (engine_ != nullptr && engine_ != &engine)
        throw capture_error(LineScope::current(), "the captured function draws from two engines");
    engine_ = &engine;
    const std::uint64_t number = draws_++;
    return {kKeyMark + number, kStreamMark + number * kStreamsOfDraw};
}

/// Draws of the segment are numbered in the order in which they were made.
void Trace::bind_draws(bc::Segment& segment) const {
    if (draws_ == 0) return;
    const std::vector<bc::Scalar>& scalars = segment.batch.scalars;
    std::vector<std::uint64_t> mine;
    const auto draw_of = [&](const bc::Scalar& scalar, bool& stream) -> std::uint64_t {
        if (scalar.type != bc::DType::u64) return draws_;
        const std::uint64_t bits = scalar.bits[0];
        stream = bits >= kStreamMark && bits - kStreamMark < draws_ * kStreamsOfDraw;
        if (stream) return (bits - kStreamMark) / kStreamsOfDraw;
        return bits >= kKeyMark && bits - kKeyMark < draws_ ? bits - kKeyMark : draws_;
    };
    bool stream = false;
    for (const bc::Scalar& scalar : scalars) {
        const std::uint64_t draw = draw_of(scalar, stream);
        if (draw != draws_ && !std::ranges::count(mine, draw)) mine.push_back(draw);
    }
    std::ranges::sort(mine);
    segment.draws = static_cast<std::uint32_t>(mine.size());
    for (std::uint32_t slot = 0; slot < scalars.size(); ++slot) {
        const std::uint64_t draw = draw_of(scalars[slot], stream);
        if (draw == draws_) continue;
        bc::ScalarBinding binding;
        binding.kind = stream ? bc::ScalarBinding::Kind::RandomStream : bc::ScalarBinding::Kind::RandomKey;
        binding.scalar = slot;
        binding.number = static_cast<std::uint32_t>(std::ranges::find(mine, draw) - mine.begin());
        binding.offset = stream ? (scalars[slot].bits[0] - kStreamMark) % kStreamsOfDraw : 0;
        segment.scalars.push_back(binding);
    }
}

TracedFunction Trace::finish() {
    if (blocks_.size() != 1) throw capture_error(line_, "the captured function ended in the body of a loop");
    if (queue_.held) std::rethrow_exception(std::exchange(queue_.held, nullptr));
    give_back(blocks_.back());
    cut();
    TracedFunction traced;
    find_outer(traced);
    make_constants(function_.body);
    limit_lives();
    function_.captured_at = origin_of(line_);
    traced.outputs = std::move(outputs_);
    traced.constants = std::move(constants_);
    traced.engine = engine_;
    leave();
    traced.function = std::move(function_);
    return traced;
}

/// The program's arrays: those that are written are states.
void Trace::find_outer(TracedFunction& traced) {
    for (std::unique_ptr<KeptArray>& kept : blocks_.front().kept) {
        const ViewRef window = kept->now();
        const auto found = known_.find(window.base);
        if (found == known_.end()) continue;
        const Known& known = found->second;
        bc::Variable& variable = function_.variables[known.variable];
        variable.role = known.written ? bc::Role::State : bc::Role::Constant;
        describe(known.variable, window);
        traced.outer.push_back({std::move(kept), known.variable, ArrayForm(window), known.written});
    }
    std::erase(blocks_.front().kept, nullptr);
}

/// Arrays that the block itself filled with numbers. What it changes afterwards begins anew in each of its runs.
void Trace::make_constants(std::vector<bc::Node>& nodes) {
    std::vector<Known*> constants;
    for (auto& [base, known] : known_) {
        const auto place = filled_.find(base);
        const bool plain = function_.variables[known.variable].role == bc::Role::Local && !is_kept(base);
        if (plain && place != filled_.end() && place->second == &nodes) constants.push_back(&known);
    }
    std::ranges::sort(constants, {}, &Known::variable);
    for (Known* known : constants) {
        Base* const base = known->base.get();
        std::uint32_t constant = known->variable;
        if (known->written) {
            constant = add_variable(*base, bc::Role::Constant);
            copy_constant(*known, nodes, constant);
        } else {
            function_.variables[constant].role = bc::Role::Constant;
        }
        constants_.emplace_back(constant, BaseRef(base));
        filled_.erase(base);
    }
}

/// A segment in front of the nodes that copies the constant.
void Trace::copy_constant(const Known& known, std::vector<bc::Node>& nodes, std::uint32_t constant) {
    const Base& base = *known.base.get();
    const auto size = static_cast<std::int64_t>(base.size());
    bc::Segment segment;
    bc::Program& batch = segment.batch;
    batch.bases = {{base.dtype(), true, true, size}, {base.dtype(), false, true, size}};
    segment.variables = {constant, known.variable};
    const bc::Dim dims[] = {{size, 1}};
    const std::uint32_t from = batch.add_view(0, 0, dims), to = batch.add_view(1, 0, dims);
    bc::Instruction copy;
    copy.op = bc::Op::copy;
    copy.type = copy.result = base.dtype();
    copy.domain = batch.intern_domain(std::span(&size, 1));
    copy.out = bc::Operand::view(to);
    copy.in[0] = bc::Operand::view(from);
    batch.instructions.push_back(copy);
    batch.origins.push_back(origin_of(line_));
    batch.statement_count = 1;
    bc::Node node;
    node.segment = static_cast<std::uint32_t>(function_.segments.size());
    function_.segments.push_back(std::move(segment));
    nodes.insert(nodes.begin(), std::move(node));
}

/// A variable that nobody else knows need not outlive its segment.
void Trace::limit_lives() {
    std::vector<unsigned> users(function_.variables.size(), 0);
    const auto note = [&](auto& self, const std::vector<bc::Node>& nodes) -> void {
        for (const bc::Node& node : nodes) {
            if (node.condition != bc::kNoIndex) users[node.condition] += 2;
            self(self, node.head);
            self(self, node.body);
            self(self, node.otherwise);
        }
    };
    note(note, function_.body);
    for (const std::uint32_t output : function_.outputs) users[output] += 2;
    for (const bc::Segment& segment : function_.segments) {
        for (const std::uint32_t variable : segment.variables) ++users[variable];
    }
    for (bc::Segment& segment : function_.segments) {
        for (std::size_t b = 0; b < segment.variables.size(); ++b) {
            const std::uint32_t variable = segment.variables[b];
            const bool local = function_.variables[variable].role == bc::Role::Local;
            if (local && users[variable] == 1) segment.batch.bases[b].live = false;
        }
    }
}

}  // namespace rt
}  // namespace xlazy
