// SPDX-License-Identifier: BSD-3-Clause
// A flush: the batch is planned and run, and every array of it gets its value or its error.
#include "base_access.hpp"
#include "env.hpp"
#include "error_dump.hpp"
#include "executor.hpp"
#include "explain.hpp"
#include "failure.hpp"
#include "log.hpp"
#include "planner.hpp"
#include "queue.hpp"
#include "statistics.hpp"
#include "timeline.hpp"
#include "trace.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/optimizer/traffic.hpp"
#include "xlazy/optimizer/unit_axes.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>

namespace xlazy {
namespace rt {
namespace {

/// The batch runs without its instructions from `begin` on; at the end it consists of them. Their windows, scalars and
/// shapes stay in the batch's tables meanwhile.
class HeldBack {
public:
    /// @param outer what is held back besides, or null
    HeldBack(Queue& queue, std::size_t begin, const HeldBack* outer) : queue_(queue), outer_(outer) {
        const auto first = static_cast<std::ptrdiff_t>(begin);
        instructions_.assign(queue.program.instructions.begin() + first, queue.program.instructions.end());
        origins_.assign(queue.program.origins.begin() + first, queue.program.origins.end());
        queue.program.instructions.resize(begin);
        queue.program.origins.resize(begin);
    }
    ~HeldBack() {
        queue_.program.instructions.swap(instructions_);
        queue_.program.origins.swap(origins_);
    }
    HeldBack(const HeldBack&) = delete;
    HeldBack& operator=(const HeldBack&) = delete;

    /// Marks the bases that its instructions read or write.
    void mark_used(std::vector<bc::BaseInfo>& bases) const noexcept {
        const auto mark = [&](bc::Operand operand) {
            if (operand.is_view()) bases[queue_.program.views[operand.index()].base].live = true;
        };
        for (const bc::Instruction& instruction : instructions_) {
            for (unsigned i = 0; i < bc::operand_count(instruction); ++i) mark(instruction.in[i]);
            mark(instruction.out);
        }
        if (outer_ != nullptr) outer_->mark_used(bases);
    }

private:
    Queue& queue_;
    const HeldBack* outer_;
    std::vector<bc::Instruction> instructions_;
    std::vector<bc::OriginId> origins_;
};

/// While the batch runs without the statement that is still being recorded.
class OpenStatement {
public:
    explicit OpenStatement(Queue& queue) : queue_(queue) {
        if (queue.in_statement) held_ = std::make_unique<HeldBack>(queue, queue.opened_at().instructions, nullptr);
    }
    ~OpenStatement() {
        if (!queue_.in_statement) return;
        held_.reset();
        queue_.rebase_statement();
    }
    OpenStatement(const OpenStatement&) = delete;
    OpenStatement& operator=(const OpenStatement&) = delete;

private:
    Queue& queue_;
    std::unique_ptr<HeldBack> held_;
};

/// Whoever holds a pointer to the memory finds its value there.
void give_to_host(Base& base) noexcept {
    try {
        be::bring_to_host(BaseAccess::memory(base));
    } catch (const be::DeviceError& error) {
        log_error(error);
    }
}

/// While the batch is planned and run without axes that only keep its statements apart. Messages speak of it as it was
/// recorded.
class WithoutUnitAxes {
public:
    explicit WithoutUnitAxes(Queue& queue) : queue_(queue), other_(opt::without_unit_axes(queue.program)) {
        if (!other_) return;
        std::swap(*other_, queue_.program);
        queue_.recorded = &*other_;
    }
    ~WithoutUnitAxes() {
        if (!other_) return;
        queue_.recorded = nullptr;
        std::swap(*other_, queue_.program);
    }
    WithoutUnitAxes(const WithoutUnitAxes&) = delete;
    WithoutUnitAxes& operator=(const WithoutUnitAxes&) = delete;

private:
    Queue& queue_;
    std::optional<bc::Program> other_;
};

std::string counted(std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

class Batch {
public:
    /// @param later statements of the batch that run afterwards, or null
    Batch(Queue& queue, FlushInfo flush, const HeldBack* later) : queue_(queue), flush_(flush), later_(later) {}

    /// Runs the batch, in chunks if it would need more memory than there may be.
    /// @return false, and nothing has happened, if it can only be run in pieces
    bool run() {
        const std::uint64_t start = nanoseconds_now();
        describe_bases();
        const WithoutUnitAxes rewritten(queue_);
        std::string problem;
        std::uint64_t geometry = 0;
        try {
            backend_of(queue_);  // it may be one that cannot be had
            opt::Planned known = plan_of(queue_.program, poisoned_);
            plan_ = std::move(known.plan);
            known_ = known.made == 0;
            geometry = known.geometry;
        } catch (const std::bad_alloc&) {
            problem = "out of memory while the batch was planned";
        } catch (const std::exception& error) {
            problem = error.what();
        }
        const std::uint64_t planned = nanoseconds_now();
        const std::uint64_t room = be::pool_room();
        std::vector<opt::ChunkedStretch> chunked;
        if (plan_ != nullptr && room != std::numeric_limits<std::uint64_t>::max() && bytes_needed() > room) {
            std::optional<std::vector<opt::ChunkedStretch>> fitting = opt::fit_in_chunks(queue_.program, *plan_, room);
            if (!fitting && can_be_split()) return false;
            if (fitting) chunked = std::move(*fitting);
        }
        const ErrorDump dump(queue_);
        Outcome outcome;
        if (plan_ != nullptr) outcome = execute(queue_, *plan_, geometry, chunked);
        const std::uint64_t done = nanoseconds_now();
        settle(outcome, problem, dump);
        account({start, planned, done});
        return true;
    }

private:
    bool can_be_split() const noexcept {
        return queue_.program.instructions.front().statement != queue_.program.instructions.back().statement;
    }

    /// Most memory that a run of the plan holds at a time beyond what is held before it.
    std::uint64_t bytes_needed() const {
        const be::Bindings bindings{&queue_.program, plan_.get(), {}, {}};
        const opt::Footprint footprint = opt::footprint_of(queue_.program, *plan_, [&](const bc::Region& region) {
            return !poisoned_ && backend_of(queue_).takes_region(region, bindings);
        });
        return footprint.peak - footprint.before;
    }

    void describe_bases() noexcept {
        rt::describe_bases(queue_);
        poisoned_ = has_poison(queue_);
        if (later_ != nullptr) later_->mark_used(queue_.program.bases);
    }

    /// The lines that wrote the bases, when the batch's last word on them is still to come.
    void note_lines() const noexcept {
        const bc::Program& program = queue_.program;
        for (std::size_t i = 0; i < program.instructions.size(); ++i) {
            const bc::Operand out = program.instructions[i].out;
            if (!out.is_view()) continue;
            BaseAccess::origin(*queue_.uses[program.views[out.index()].base].base) = program.origins[i];
        }
    }

    void settle(const Outcome& outcome, const std::string& problem, const ErrorDump& dump) {
        Verdict verdict;
        const bool all_good = plan_ != nullptr && outcome.good() && !poisoned_;
        if (!all_good) {
            verdict = judge(queue_, plan_.get(), outcome, problem, flush_);
            if (verdict.first) dump.write(queue_, verdict.first.error());
            if (!queue_.pending_error) queue_.pending_error = verdict.first;
        }
        for (std::size_t i = 0; i < queue_.uses.size(); ++i) {
            const BaseUse& use = queue_.uses[i];
            if (!use.written) continue;
            Base& base = *use.base;
            if (!all_good) PoisonedParts::drop(std::exchange(BaseAccess::poison(base), verdict.of_base[i].release()));
            if (later_ != nullptr) continue;  // its last write may be still to come
            BaseAccess::origin(base) = use.written_at;
            if (base_pinned(&base)) give_to_host(base);
            publish(base);
        }
        if (later_ != nullptr) note_lines();
    }

    void account(BatchTimes times) const noexcept {
        Counters& all = counters();
        count(all.flushes[static_cast<std::size_t>(flush_.reason)]);
        count(all.plan_nanoseconds, times.planned - times.begin);
        count(all.run_nanoseconds, times.end - times.planned);
        if (plan_ == nullptr) return;
        std::uint64_t contracted = 0;
        for (const std::uint32_t base : plan_->contracted) contracted += byte_size(*queue_.uses[base].base);
        if (contracted != 0) count(all.bytes_contracted, contracted);
        try {
            trace(times.end - times.begin);
            write_batch_spans(queue_, *plan_, flush_, times, known_);
        } catch (const std::exception&) {
            // The batch has its values; a trace is no reason to fail.
        }
    }

    void trace(std::uint64_t nanoseconds) const {
        explain_flush(queue_, *plan_, flush_);
        if (settings().trace_batch) log(fmt::format("batch\n{}", bc::print(queue_.program)));
        if (settings().trace_plan) log(fmt::format("plan\n{}", bc::print(*plan_)));
        if (!settings().trace_flush) return;
        log(fmt::format("flush {} at {}: {}, {}, {}, {:.1f} us", key_of(flush_.reason), bc::to_string(flush_.line),
                        counted(queue_.program.statement_count, "statement"),
                        counted(queue_.program.instructions.size(), "instruction"),
                        counted(plan_->kernels.size(), "kernel"), static_cast<double>(nanoseconds) * 1e-3));
    }

    Queue& queue_;
    FlushInfo flush_;
    const HeldBack* later_;
    std::shared_ptr<const bc::Plan> plan_;
    bool poisoned_ = false;
    bool known_ = false;  ///< the plan is that of an earlier batch
};

/// Number of the first instruction of the statement in the middle; the batch has more than one.
std::size_t middle_of(const bc::Program& program) noexcept {
    const std::vector<bc::Instruction>& all = program.instructions;
    std::size_t at = all.size() / 2;
    while (at > 0 && all[at - 1].statement == all[at].statement) --at;
    if (at > 0) return at;
    while (all[at].statement == all.front().statement) ++at;
    return at;
}

/// Runs the batch whole, or, where the memory does not suffice for all of it at a time, in pieces.
void run_batch(Queue& queue, FlushInfo flush, const HeldBack* later) {
    if (queue.program.instructions.empty() || Batch(queue, flush, later).run()) return;
    {
        const HeldBack rest(queue, middle_of(queue.program), later);
        run_batch(queue, flush, &rest);
    }
    run_batch(queue, flush, later);
}

/// The error of last resort, made before it is needed: not even a message could be allocated.
PoisonedParts& out_of_memory() {
    static auto* const all = [] {
        error_report report;
        report.kind = error_kind::no_memory;
        report.operation = "allocate";
        report.cause = "out of memory while a batch ran; the arrays that it writes have no value";
        const ElementBox everything = interval_box(0, std::numeric_limits<std::int64_t>::max() - 1);
        return new PoisonedParts{{{everything, PoisonRef(deferred_error(std::move(report)))}}, true};
    }();
    return *all;
}

/// The batch broke off somewhere: nothing that it writes can be trusted.
void give_up(Queue& queue) noexcept {
    for (const BaseUse& use : queue.uses) {
        if (!use.written) continue;
        BaseAccess::readable(*use.base).store(nullptr, std::memory_order_relaxed);
        PoisonedParts::drop(std::exchange(BaseAccess::poison(*use.base), &out_of_memory()));
    }
    if (!queue.pending_error) queue.pending_error = out_of_memory().parts.front().error;
}

/// Runs another queue's batch. Its errors wait for its own thread.
void run_foreign(Queue& queue, bc::OriginId line) {
    const QueueLock lock(queue);
    run_queue(queue, Reason::other_thread, line);
}

/// This thread's lock is free meanwhile, an open statement is kept: so nobody waits for a lock while holding another.
template <class Action>
void with_queue_free(Queue& mine, Action action) {
    const bool held = mine.held_by_me();
    if (held) mine.unlock();
    try {
        action();
    } catch (...) {
        if (held) mine.lock();
        throw;
    }
    if (held) mine.lock();
}

}  // namespace

void prepare_errors() { out_of_memory(); }

void describe_bases(Queue& queue) noexcept {
    for (std::size_t i = 0; i < queue.uses.size(); ++i) {
        Base& base = *queue.uses[i].base;
        bc::BaseInfo& info = queue.program.bases[i];
        info.initialised = BaseAccess::memory(base) != nullptr;
        info.live = BaseAccess::references(base).load(std::memory_order_acquire) > 1 || base_pinned(&base) ||
                    queue.in_statement;
    }
}

bool has_poison(const Queue& queue) noexcept {
    return std::ranges::any_of(queue.uses, [](const BaseUse& use) { return BaseAccess::poison(*use.base) != nullptr; });
}

void run_queue(Queue& queue, Reason reason, bc::OriginId line) {
    if (queue.trace != nullptr) Trace::refuse(reason, line);
    if (queue.running) return;
    struct Running {
        Queue& queue;
        explicit Running(Queue& of) : queue(of) { queue.running = true; }
        ~Running() { queue.running = false; }
    };
    const Running running(queue);
    const OpenStatement open(queue);
    try {
        run_batch(queue, {reason, line}, nullptr);
    } catch (const std::exception&) {
        give_up(queue);
    }
    queue.release_batch(queue.in_statement);
}

void settle_foreign_write(Queue& mine, Base& base, bc::OriginId line) {
    Queue* const writer = BaseAccess::writer(base).load(std::memory_order_acquire);
    if (writer == nullptr || writer == &mine) return;
    with_queue_free(mine, [&] { run_foreign(*writer, line); });
}

void settle_foreign(Queue& mine, Base& base, bool i_read, bc::OriginId line) {
    settle_foreign_write(mine, base, line);
    const unsigned own = i_read ? 1 : 0;
    if (BaseAccess::readers(base).load(std::memory_order_acquire) <= own) return;
    with_queue_free(mine, [&] {
        for (Queue* queue : all_queues()) {
            if (queue == &mine) continue;
            const QueueLock lock(*queue);
            if (queue->reads(base)) run_queue(*queue, Reason::other_thread, line);
        }
    });
}

void throw_pending(Queue& queue) {
    if (!queue.pending_error) return;
    const PoisonRef error = std::exchange(queue.pending_error, {});
    throw deferred_error(error.error());
}

void flush(Reason reason, here line) {
    throw_held();
    Queue& queue = my_queue();
    const QueueLock lock(queue);
    run_queue(queue, reason, origin_of(line));
    throw_pending(queue);
}

}  // namespace rt

void flush(here line) { rt::flush(rt::Reason::explicit_, line); }

mode current_mode() noexcept { return rt::my_queue().current_mode; }

mode_scope::mode_scope(mode wanted, here line) : outer_(current_mode()) {
    flush(line);
    rt::my_queue().current_mode = wanted;
}

mode_scope::~mode_scope() {
    rt::Queue& queue = rt::my_queue();
    queue.current_mode = outer_;
    try {
        const rt::QueueLock lock(queue);
        rt::run_queue(queue, rt::Reason::explicit_, 0);
    } catch (const std::exception& error) {
        rt::log_error(error);
    }
}

}  // namespace xlazy
