// SPDX-License-Identifier: BSD-3-Clause
// Beginnings and ends: of threads, of the process, of a child after fork().
#include "base_access.hpp"
#include "call_site.hpp"
#include "env.hpp"
#include "log.hpp"
#include "planner.hpp"
#include "queue.hpp"
#include "statistics.hpp"
#include "timeline.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <fmt/format.h>
#include <fmt/os.h>
#include <omp.h>
#include <pthread.h>

#include <cstdlib>

namespace xlazy::rt {
namespace {

/// Never destroyed: static arrays may outlive main.
struct Registry {
    std::mutex mutex;
    std::vector<Queue*> all;
    std::vector<Queue*> idle;  ///< of threads that have ended
};
Registry& registry() noexcept {
    static Registry* const registry = new Registry;
    return *registry;
}

constinit thread_local Queue* current = nullptr;
constinit thread_local bool thread_ended = false;
constinit bool forked_child = false;  ///< the program's statistics are those of its first process

/// Runs what is left and reports an error that nobody has seen. Never throws.
void run_last(Queue& queue, Reason reason) noexcept {
    try {
        const QueueLock lock(queue);
        run_queue(queue, reason, 0);
        if (queue.pending_error) {
            log_error(queue.pending_error.error());
            queue.pending_error = {};
        }
    } catch (const std::exception& error) {
        log_error(error);
    }
    if (queue.held) {
        try {
            std::rethrow_exception(std::exchange(queue.held, nullptr));
        } catch (const std::exception& error) {
            log_error(error);
        }
    }
}

/// Its destructor is the thread's end.
struct ThreadEnd {
    ~ThreadEnd() {
        thread_ended = true;
        Queue* const queue = std::exchange(current, nullptr);
        run_last(*queue, Reason::exit);
        queue->last_origin = 0;
        const std::lock_guard lock(registry().mutex);
        registry().idle.push_back(queue);
    }
};

void write_statistics(const std::string& where) {
    const std::string json = stats().json();
    if (where == "1") return log(json);
    try {
        fmt::output_file(where).print("{}\n", json);
    } catch (const std::exception& error) {
        log(fmt::format("warning: statistics: {}", error.what()));
    }
}

/// The main thread's queue is done by then; this is for exit() in another thread, and for arrays that destructors of
/// static objects wrote. Threads that still run keep what they are recording.
void at_exit() {
    for (Queue* queue : all_queues()) {
        if (queue->held_by_me() || !queue->try_lock()) continue;
        run_last(*queue, Reason::exit);
        queue->unlock();
    }
    if (!settings().stats.empty() && !forked_child) write_statistics(settings().stats);
    close_timeline();
}

/// Queues whose locks this thread took for the fork.
std::vector<Queue*>& locked_for_fork() {
    static auto* const locked = new std::vector<Queue*>;
    return *locked;
}

/// All pending work is done before the process is copied, and no lock is held by a thread that the child will not have.
void before_fork() {
    for (Queue* queue : all_queues()) {
        if (queue->held_by_me()) continue;
        queue->lock();
        locked_for_fork().push_back(queue);
        try {
            run_queue(*queue, Reason::fork, 0);
        } catch (const std::exception& error) {
            log_error(error);
        }
    }
    registry().mutex.lock();
    counters().fallback_mutex.lock();
    memory_mutex().lock();
    call_site_mutex().lock();
}

void after_fork() {
    call_site_mutex().unlock();
    memory_mutex().unlock();
    counters().fallback_mutex.unlock();
    registry().mutex.unlock();
    for (Queue* queue : std::exchange(locked_for_fork(), {})) queue->unlock();
}

/// A child cannot use the parent's threads, and the OpenMP runtime would wait for them.
void after_fork_in_child() {
    after_fork();
    forked_child = true;
    leave_timeline();
    run_on_one_thread();
}

/// Everything that registers handlers of its own comes first: fork handlers run in the reverse order.
void first_use() {
    settings();
    counters();
    registry();
    (void)bc::intern_origin("", 0);
    (void)be::pool_stats();
    (void)omp_get_max_threads();
    prepare_planner();
    prepare_errors();
    std::atexit(at_exit);
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

Queue& make_queue() {
    static std::once_flag once;
    std::call_once(once, first_use);
    Registry& known = registry();
    Queue* queue = nullptr;
    {
        const std::lock_guard lock(known.mutex);
        if (!known.idle.empty()) {
            queue = known.idle.back();
            known.idle.pop_back();
        } else {
            known.all.push_back(queue = new Queue);
        }
    }
    // Nothing may stay queued by destructors that run after the thread's end.
    queue->current_mode = thread_ended ? mode::eager : settings().start_mode;
    queue->trace_stack = settings().trace_stack;
    current = queue;
    if (!thread_ended) {
        static thread_local ThreadEnd end;
        (void)end;
    }
    return *queue;
}

}  // namespace

Queue& my_queue() {
    Queue* const queue = current;
    return __builtin_expect(queue != nullptr, 1) ? *queue : make_queue();
}

Queue* exchange_queue(Queue* queue) noexcept { return std::exchange(current, queue); }

std::vector<Queue*> all_queues() {
    const std::lock_guard lock(registry().mutex);
    return registry().all;
}

}  // namespace xlazy::rt
