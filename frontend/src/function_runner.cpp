// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/detail/function_runner.hpp"

#include "base_access.hpp"
#include "env.hpp"
#include "function_memory.hpp"
#include "function_moves.hpp"
#include "function_part.hpp"
#include "statistics.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/detail/random.hpp"

#include <algorithm>
#include <cstring>

namespace xlazy::rt {
namespace {

using bc::Node;
using bc::Role;
using bc::ScalarBinding;

/// Who has to do with a variable besides a single segment.
struct Variables {
    std::vector<bool> outside;  ///< the caller gives its memory
    std::vector<bool> shared;   ///< those, and what outlives a segment
};

void note_conditions(const std::vector<Node>& nodes, std::vector<bool>& shared) {
    for (const Node& node : nodes) {
        if (node.condition != bc::kNoIndex) shared[node.condition] = true;
        note_conditions(node.head, shared);
        note_conditions(node.body, shared);
        note_conditions(node.otherwise, shared);
    }
}

Variables sort_variables(const bc::Function& function) {
    const std::size_t count = function.variables.size();
    Variables sorted{std::vector<bool>(count, false), std::vector<bool>(count, false)};
    for (std::size_t v = 0; v < count; ++v) sorted.outside[v] = function.variables[v].role != Role::Local;
    for (const std::uint32_t output : function.outputs) sorted.outside[output] = true;
    sorted.shared = sorted.outside;
    for (const bc::Segment& segment : function.segments) {
        for (std::size_t b = 0; b < segment.variables.size(); ++b) {
            const bc::BaseInfo& base = segment.batch.bases[b];
            if (base.live || base.initialised) sorted.shared[segment.variables[b]] = true;
        }
    }
    note_conditions(function.body, sorted.shared);
    return sorted;
}

std::size_t bytes_of(const bc::Variable& variable) noexcept { return static_cast<std::size_t>(variable.byte_count()); }

/// One call's memory and plans; the next call takes them over.
class Context {
public:
    Context(const bc::Function& function, const std::vector<Moves>& moves, const Variables& sorted,
            std::mt19937& engine)
        : function_(function), moves_(moves), sorted_(sorted), engine_(engine) {
        const std::size_t count = function.variables.size();
        for (const bc::Variable& variable : function.variables) {
            memory_.bases.push_back(
                base_new(variable.type, static_cast<std::size_t>(bc::element_count(variable.extents))));
        }
        memory_.memory.assign(count, nullptr);
        memory_.spare.assign(count, nullptr);
        memory_.wants_spare.assign(count, false);
        for (std::uint32_t s = 0; s < function.segments.size(); ++s)
            parts_.push_back(std::make_unique<FunctionPart>(function, s, memory_, sorted.shared));
        note_lines();
    }
    ~Context() {
        for (Base* base : memory_.bases) BaseAccess::memory(*base) = nullptr;
        parts_.clear();
        free_own();
        for (std::size_t v = 0; v < memory_.spare.size(); ++v) release(memory_.spare[v], v);
        for (Base* base : memory_.bases) base_release(base);
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    void run(FunctionRunner::Live& call) {
        call_ = &call;
        flush_ = {Reason::call, call.line};
        poisoned_ = stopped_ = false;
        kernels_ = 0;
        iterations_.clear();
        for (std::size_t v = 0; v < memory_.memory.size(); ++v) {
            if (sorted_.outside[v]) memory_.memory[v] = call.memory[v];
        }
        if (!prepared_) prepare();
        run_nodes(function_.body);
        for (std::size_t v = 0; v < memory_.memory.size(); ++v) {
            if (sorted_.outside[v]) call.memory[v] = memory_.memory[v];
        }
        if (step_by_step_) free_own();
        if (poisoned_) hand_over_errors();
        count(counters().kernels_run, kernels_);
        count(counters().flushes[static_cast<std::size_t>(Reason::call)]);
    }

private:
    void prepare() {
        try {
            prepare_parts(false);
        } catch (const std::bad_alloc&) {
            // There is not enough memory for all that could be there at a time.
            step_by_step_ = true;
            free_own();
            prepare_parts(true);
        }
        prepared_ = true;
    }

    void prepare_parts(bool step_by_step) {
        set_arguments();
        for (const std::unique_ptr<FunctionPart>& part : parts_) part->prepare(step_by_step);
        step_by_step_ =
            step_by_step || std::ranges::any_of(parts_, [](const auto& part) { return part->step_by_step(); });
        if (step_by_step_) return;
        for (std::size_t v = 0; v < memory_.memory.size(); ++v) {
            const std::size_t bytes = bytes_of(function_.variables[v]);
            if (sorted_.shared[v] && !sorted_.outside[v] && memory_.memory[v] == nullptr)
                memory_.memory[v] = be::pool_allocate(bytes);
            if (memory_.wants_spare[v] && memory_.spare[v] == nullptr) memory_.spare[v] = be::pool_allocate(bytes);
        }
    }

    /// Where the variables are written, for messages.
    void note_lines() noexcept {
        for (const bc::Segment& segment : function_.segments) {
            for (std::size_t i = 0; i < segment.batch.instructions.size(); ++i) {
                const bc::Operand out = segment.batch.instructions[i].out;
                if (!out.is_view()) continue;
                const std::uint32_t base = segment.batch.views[out.index()].base;
                BaseAccess::origin(*memory_.bases[segment.variables[base]]) = segment.batch.origins[i];
            }
        }
    }

    /// So that a plan is made for numbers that occur.
    void set_arguments() {
        for (std::size_t s = 0; s < parts_.size(); ++s) {
            for (const ScalarBinding& binding : function_.segments[s].scalars) {
                if (binding.kind == ScalarBinding::Kind::Argument) bind_argument(*parts_[s], binding);
            }
        }
    }

    void bind_argument(FunctionPart& part, const ScalarBinding& binding) const {
        const bc::Scalar& argument = call_->arguments[binding.number];
        const bc::DType wanted = part.segment().batch.scalars[binding.scalar].type;
        part.set_scalar(binding.scalar, argument.type == wanted ? argument : bc::convert_scalar(argument, wanted));
    }

    void run_nodes(const std::vector<Node>& nodes) {
        for (const Node& node : nodes) {
            if (stopped_) return;
            switch (node.kind) {
                case Node::Kind::Run:
                    run_segment(*parts_[node.segment]);
                    if (!moves_[node.segment].empty()) exchange(moves_[node.segment]);
                    break;
                case Node::Kind::Repeat: run_repeat(node); break;
                case Node::Kind::While: run_while(node); break;
                case Node::Kind::Branch: run_nodes(holds(node.condition) ? node.body : node.otherwise); break;
            }
        }
    }

    void run_repeat(const Node& node) {
        std::uint64_t times = node.times;
        if (node.argument != bc::kNoIndex) {
            const auto wanted =
                bc::scalar_value<std::int64_t>(bc::convert_scalar(call_->arguments[node.argument], bc::DType::i64));
            times = wanted < 0 ? 0 : static_cast<std::uint64_t>(wanted);
        }
        iterations_.push_back(0);
        for (; iterations_.back() < times && !stopped_; ++iterations_.back()) run_nodes(node.body);
        iterations_.pop_back();
    }

    void run_while(const Node& node) {
        iterations_.push_back(0);
        for (;; ++iterations_.back()) {
            run_nodes(node.head);
            if (stopped_ || !holds(node.condition)) break;
            run_nodes(node.body);
            if (stopped_) break;
        }
        iterations_.pop_back();
    }

    /// Where a condition has no value, nothing that follows has one.
    bool holds(std::uint32_t condition) noexcept {
        if (poisoned_ && BaseAccess::poison(*memory_.bases[condition]) != nullptr) {
            stopped_ = true;
            return false;
        }
        return *static_cast<const bool*>(memory_.memory[condition]);
    }

    void run_segment(FunctionPart& part) {
        for (const ScalarBinding& binding : part.segment().scalars) {
            if (binding.kind == ScalarBinding::Kind::Argument) {
                bind_argument(part, binding);
            } else if (binding.kind == ScalarBinding::Kind::Iteration) {
                const std::uint64_t iteration = iterations_[iterations_.size() - 1 - binding.number];
                const bc::DType wanted = part.segment().batch.scalars[binding.scalar].type;
                part.set_scalar(binding.scalar, bc::convert_scalar(bc::make_scalar(iteration), wanted));
            }
        }
        if (part.segment().draws != 0) draw(part);
        if (part.outdated()) replan(part);
        kernels_ += part.kernels();
        if (part.run(poisoned_)) return;
        for (std::size_t v = 0; v < call_->written_at.size(); ++v) {
            if (call_->written_at[v] != 0) BaseAccess::origin(*memory_.bases[v]) = call_->written_at[v];
        }
        const PoisonRef error = part.judge_outcome(flush_);
        poisoned_ = std::ranges::any_of(memory_.bases, [](Base* base) { return BaseAccess::poison(*base) != nullptr; });
        if (error && !call_->error) call_->error = error;
    }

    void exchange(const Moves& moves) {
        moved_.clear();
        for (const auto& [to, from] : moves)
            moved_.push_back({memory_.memory[from], BaseAccess::poison(*memory_.bases[from])});
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const std::uint32_t to = moves[i].first;
            memory_.memory[to] = moved_[i].first;
            BaseAccess::poison(*memory_.bases[to]) = moved_[i].second;
        }
    }

    void draw(FunctionPart& part) {
        keys_.clear();
        for (std::uint32_t i = 0; i < part.segment().draws; ++i) keys_.push_back(detail::next_random_key(engine_));
        for (const ScalarBinding& binding : part.segment().scalars) {
            if (binding.kind == ScalarBinding::Kind::RandomKey)
                part.set_scalar(binding.scalar, bc::make_scalar(keys_[binding.number].key));
            else if (binding.kind == ScalarBinding::Kind::RandomStream)
                part.set_scalar(binding.scalar, bc::make_scalar(keys_[binding.number].stream + binding.offset));
        }
    }

    void replan(FunctionPart& part) {
        part.prepare(step_by_step_);
        if (step_by_step_) return;
        for (std::size_t v = 0; v < memory_.spare.size(); ++v) {
            if (memory_.wants_spare[v] && memory_.spare[v] == nullptr)
                memory_.spare[v] = be::pool_allocate(bytes_of(function_.variables[v]));
        }
    }

    void hand_over_errors() {
        for (std::size_t v = 0; v < memory_.bases.size(); ++v) {
            PoisonedParts* const parts = std::exchange(BaseAccess::poison(*memory_.bases[v]), nullptr);
            if (sorted_.outside[v] && v < call_->poison.size())
                call_->poison[v] = parts;
            else
                PoisonedParts::drop(parts);
        }
        if (std::exchange(stopped_, false)) {
            for (const std::uint32_t output : function_.outputs) spoil(output);
        }
    }
    void spoil(std::uint32_t variable) {
        if (variable >= call_->poison.size() || !call_->error) return;
        const ElementBox everything = interval_box(0, bc::element_count(function_.variables[variable].extents) - 1);
        auto* const parts = new PoisonedParts{{{everything, call_->error}}, false};
        PoisonedParts::drop(std::exchange(call_->poison[variable], parts));
    }

    void release(void*& memory, std::size_t variable) noexcept {
        if (memory != nullptr) be::pool_free(std::exchange(memory, nullptr), bytes_of(function_.variables[variable]));
    }
    void free_own() noexcept {
        for (std::size_t v = 0; v < memory_.memory.size(); ++v) {
            if (!sorted_.outside[v]) {
                release(memory_.memory[v], v);
                BaseAccess::memory(*memory_.bases[v]) = nullptr;
            }
        }
    }

    const bc::Function& function_;
    const std::vector<Moves>& moves_;  ///< by segment
    const Variables& sorted_;
    std::mt19937& engine_;
    FunctionMemory memory_;
    std::vector<std::unique_ptr<FunctionPart>> parts_;
    std::vector<std::uint64_t> iterations_;
    std::vector<detail::RandomKey> keys_;
    std::vector<std::pair<void*, PoisonedParts*>> moved_;
    FunctionRunner::Live* call_ = nullptr;
    FlushInfo flush_{};
    std::uint64_t kernels_ = 0;
    bool prepared_ = false, step_by_step_ = false;
    bool poisoned_ = false;  ///< a variable has no value
    bool stopped_ = false;   ///< a condition has none
};

}  // namespace

struct FunctionRunner::Impl {
    Impl(std::shared_ptr<const bc::Function> what, std::mt19937* which)
        : function(std::move(what)),
          engine(which != nullptr ? *which : own_engine),
          shortened(*function),
          moves(take_all_moves(shortened)),
          sorted(sort_variables(shortened)) {
        if (which == nullptr && settings().seed)
            own_engine.seed(static_cast<std::mt19937::result_type>(*settings().seed));
        for (std::uint32_t v = 0; v < function->variables.size(); ++v) {
            if (function->variables[v].role == Role::State) states.push_back(v);
        }
        for (std::size_t i = 0; i < function->outputs.size(); ++i) {
            // An output that is no memory of its own is copied when all is done.
            const std::uint32_t output = function->outputs[i];
            const auto first = function->outputs.begin();
            if (function->variables[output].role != Role::Local ||
                std::find(first, first + static_cast<std::ptrdiff_t>(i), output) !=
                    first + static_cast<std::ptrdiff_t>(i))
                copied_outputs.push_back(i);
        }
    }
    ~Impl() {
        delete cached.load();
        for (Context* context : free) delete context;
        for (std::size_t i = 0; i < state_memory.size(); ++i)
            be::pool_free(state_memory[i], bytes_of(function->variables[states[i]]));
    }

    Context& take() {
        if (Context* const context = cached.exchange(nullptr, std::memory_order_acquire)) return *context;
        {
            const std::lock_guard guard(mutex);
            if (!free.empty()) {
                Context* const context = free.back();
                free.pop_back();
                return *context;
            }
        }
        return *new Context(shortened, moves, sorted, engine);
    }
    void give_back(Context& context) noexcept {
        Context* expected = nullptr;
        if (cached.compare_exchange_strong(expected, &context, std::memory_order_release)) return;
        try {
            const std::lock_guard guard(mutex);
            free.push_back(&context);
        } catch (const std::bad_alloc&) {
            delete &context;
        }
    }

    static std::vector<Moves> take_all_moves(bc::Function& function) {
        std::vector<Moves> all;
        for (bc::Segment& segment : function.segments) all.push_back(take_moves(segment, function.variables));
        return all;
    }

    void make_states() {
        for (const std::uint32_t state : states) {
            const bc::Variable& variable = function->variables[state];
            void* const memory = be::pool_allocate(bytes_of(variable));
            std::memcpy(memory, variable.value.data(), std::min(variable.value.size(), bytes_of(variable)));
            state_memory.push_back(memory);
        }
    }

    const std::shared_ptr<const bc::Function> function;
    std::mt19937 own_engine;
    std::mt19937& engine;
    bc::Function shortened;  ///< what is run: copies at the ends of segments are moves
    const std::vector<Moves> moves;
    const Variables sorted;
    std::vector<std::uint32_t> states;
    std::vector<std::size_t> copied_outputs;
    std::vector<void*> state_memory;
    std::mutex state_mutex;
    std::atomic<Context*> cached{nullptr};
    std::mutex mutex;
    std::vector<Context*> free;
};

FunctionRunner::FunctionRunner(std::shared_ptr<const bc::Function> function, std::mt19937* engine)
    : impl_(std::make_unique<Impl>(std::move(function), engine)) {}
FunctionRunner::~FunctionRunner() = default;

const bc::Function& FunctionRunner::function() const noexcept { return *impl_->function; }

void FunctionRunner::run_live(Live& call) {
    (void)my_queue();
    struct Taken {
        Impl& impl;
        Context& context;
        ~Taken() { impl.give_back(context); }
    };
    const Taken taken{*impl_, impl_->take()};
    taken.context.run(call);
}

void FunctionRunner::run(std::span<const void* const> inputs, std::span<const bc::Scalar> arguments,
                         std::span<void* const> outputs, here line) {
    const bc::Function& function = *impl_->function;
    std::unique_lock turn(impl_->state_mutex, std::defer_lock);
    if (!impl_->states.empty()) {
        turn.lock();
        if (impl_->state_memory.empty()) impl_->make_states();
    }
    std::vector<void*> memory(function.variables.size(), nullptr);
    for (std::size_t i = 0; i < inputs.size(); ++i) memory[function.inputs[i]] = const_cast<void*>(inputs[i]);
    for (std::size_t v = 0; v < memory.size(); ++v) {
        if (function.variables[v].role == Role::Constant)
            memory[v] = const_cast<std::byte*>(function.variables[v].value.data());
    }
    for (std::size_t i = 0; i < impl_->states.size(); ++i) memory[impl_->states[i]] = impl_->state_memory[i];
    // The caller's memory is no block of the pool, so that outputs are made in others and copied.
    std::vector<std::pair<std::size_t, std::uint32_t>> made;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::uint32_t output = function.outputs[i];
        if (std::ranges::count(impl_->copied_outputs, i) != 0) continue;
        memory[output] = be::pool_allocate(bytes_of(function.variables[output]));
        made.push_back({i, output});
    }
    std::vector<bc::OriginId> written_at(memory.size(), 0);
    std::vector<PoisonedParts*> poison(memory.size(), nullptr);
    Live call{memory, written_at, arguments, origin_of(line), poison, {}};
    const auto finish = [&]() noexcept {
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::uint32_t output = function.outputs[i];
            std::memcpy(outputs[i], memory[output], bytes_of(function.variables[output]));
        }
        for (const auto& [i, output] : made) be::pool_free(memory[output], bytes_of(function.variables[output]));
        for (std::size_t i = 0; i < impl_->states.size(); ++i) impl_->state_memory[i] = memory[impl_->states[i]];
        for (PoisonedParts* parts : poison) PoisonedParts::drop(parts);
    };
    try {
        run_live(call);
    } catch (...) {
        finish();
        throw;
    }
    finish();
    if (call.error) throw deferred_error(call.error.error());
}

}  // namespace xlazy::rt
