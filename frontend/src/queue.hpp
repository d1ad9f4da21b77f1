// SPDX-License-Identifier: BSD-3-Clause
// A thread's queue: the batch it is recording, and what belongs to the thread besides.
#pragma once

#include "poison.hpp"
#include "xlazy/backends/backend.hpp"
#include "xlazy/detail/recorder.hpp"
#include "xlazy/runtime.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace xlazy::rt {

/// A statement that begins with this many instructions queued runs them first. A chain of statements costs the same
/// from 1024 to 4096 and more beyond, where the tables leave the cache; a fused one stays within a kernel's 16-bit
/// numbers.
inline constexpr std::size_t kMaxInstructions = 4096;
/// How many more there may be until the statement comes from the line where the batch began: a loop that fills batch
/// after batch then cuts them all at the same place, and they have one plan.
inline constexpr std::size_t kMaxInstructionsBeyond = 1024;
/// Most bytes that arrays live on for the queue's sake alone.
inline constexpr std::size_t kMaxDeadBytes = std::size_t{64} << 20;

/// What the batch knows of one of its bases; the batch holds a reference.
struct BaseUse {
    Base* base;
    bc::OriginId written_at;  ///< last statement of the batch that writes it
    std::uint32_t last_view;  ///< newest view of it
    bool read;                ///< counted in the base's readers
    bool written;             ///< the queue is the base's writer
};

/// Base -> index in the batch, for the bases whose own note (batch_slot) another thread has overwritten, and for new
/// ones. Open addressing; entries of earlier batches count as free, so that nothing is cleared.
class BaseIndex {
public:
    static constexpr std::uint32_t kAbsent = ~0u;
    std::uint32_t find(const Base* base, const std::vector<BaseUse>& uses) const noexcept;
    void insert(const Base* base, std::uint32_t index, const std::vector<BaseUse>& uses);
    /// Takes back the newest insertion.
    void erase_last(const Base* base, std::uint32_t index) noexcept;
    void next_batch() noexcept;

private:
    struct Entry {
        std::uint32_t batch;
        std::uint32_t index;
    };
    std::size_t slot_of(const Base* base) const noexcept;
    std::vector<Entry> entries_;
    std::size_t count_ = 0;
    std::uint32_t batch_ = 1;
};

/// Sizes of the batch's tables.
struct Mark {
    std::size_t instructions, views, dims, domains, extents, scalars, uses;
    std::uint32_t temps;
};

/// Memory that is read in place of an array's whose error is held; see base_read_held.
struct Placeholder {
    void* memory;
    std::size_t bytes;
};

class Trace;

class Queue {
public:
    Queue();

    // The lock may be taken again by its holder. An open statement holds it.
    void lock();
    bool try_lock();
    void unlock() noexcept;
    bool held_by_me() const noexcept;

    /// Index of the base in the batch; a new one is retained.
    std::uint32_t enroll(Base& base);
    bool reads(const Base& base) const noexcept;
    void note_read(std::uint32_t index);
    void note_write(std::uint32_t index, bc::OriginId origin);
    std::uint32_t add_view(std::uint32_t base, const ViewRef& view);

    void open_statement();
    void close_statement() noexcept;
    void take_back() noexcept;
    /// A limit is reached: run the batch before the next statement.
    /// @param next the statement's line
    bool full(bc::OriginId next) noexcept;
    /// Ends the batch, whose tables somebody else has now. What it writes stays the queue's to write.
    void hand_over() noexcept;
    /// Ends the batch: every base is given back. @param keep_reads an open statement goes on with the tables
    void release_batch(bool keep_reads) noexcept;

    std::uint32_t domain_of_view(std::uint32_t view) const noexcept { return view_domains_[view]; }
    const Mark& opened_at() const noexcept { return mark_; }
    /// The open statement's instructions now begin at 0.
    void rebase_statement() noexcept { mark_.instructions = 0; }

    // The batch.
    bc::Program program;
    const bc::Program* recorded = nullptr;  ///< while `program` is what it is rewritten to; else null
    const bc::Program& as_recorded() const noexcept { return recorded != nullptr ? *recorded : program; }
    std::vector<BaseUse> uses;
    bool in_statement = false;
    bool run_now = false;  ///< a pin demands that the open statement runs at once
    bool running = false;

    // Kept from batch to batch: tables of the executor.
    std::vector<void*> base_memory, scratch_memory;
    std::unique_ptr<be::Backend> backend;
    unsigned backend_generation = 0;

    bool trace_stack = false;                ///< XLAZY_TRACE=stack
    std::vector<std::uint32_t> call_chains;  ///< then: of every statement of the batch

    PoisonRef pending_error;  ///< waits for the thread's next flush point
    std::uint64_t instructions_recorded = 0, statements_recorded = 0, record_nanoseconds = 0;

    Trace* trace = nullptr;  ///< records a function: nothing runs

    // Of the owning thread alone.
    mode current_mode = mode::lazy;
    std::exception_ptr held;
    std::vector<Placeholder> placeholders;
    bc::OriginId last_origin = 0;
    std::uint64_t record_started = 0;
    std::uint64_t span_began = 0;  ///< of the open statement, on the timeline

private:
    void unenroll_last() noexcept;
    std::size_t dead_bytes() const noexcept;

    std::mutex mutex_;
    std::atomic<const void*> holder_{nullptr};
    std::vector<std::uint32_t> view_domains_;
    BaseIndex index_;
    Mark mark_{};
    std::uint64_t epoch_;
    std::size_t bytes_held_ = 0;
    std::size_t next_dead_check_ = kMaxDeadBytes;
};

/// Holds a queue's lock.
class QueueLock {
public:
    explicit QueueLock(Queue& queue) : queue_(queue), mine_(!queue.held_by_me()) {
        if (mine_) queue_.lock();
    }
    ~QueueLock() {
        if (mine_) queue_.unlock();
    }
    QueueLock(const QueueLock&) = delete;
    QueueLock& operator=(const QueueLock&) = delete;

private:
    Queue& queue_;
    bool mine_;
};

/// This thread's queue, made at first use.
Queue& my_queue();

/// Makes another queue this thread's, for a while. @return the one before
Queue* exchange_queue(Queue* queue) noexcept;

/// Every queue there ever was; they are reused, never freed.
std::vector<Queue*> all_queues();

/// Notes in the batch which bases have a value before it, and which somebody can read after it. The lock is held.
void describe_bases(Queue& queue) noexcept;
/// An array of the batch has no value, since the statement that writes it failed.
bool has_poison(const Queue& queue) noexcept;

/// Runs the batch of a queue whose lock is held. Errors wait in pending_error and in the arrays.
void run_queue(Queue& queue, Reason reason, bc::OriginId line);

/// Until no other queue than `mine` holds a pending write of the base.
void settle_foreign_write(Queue& mine, Base& base, bc::OriginId line);
/// Until no other queue than `mine` holds a pending write or read of the base. @param i_read `mine` counts as a reader
void settle_foreign(Queue& mine, Base& base, bool i_read, bc::OriginId line);

/// Makes what run_queue needs when there is no memory left.
void prepare_errors();

/// @throws deferred_error if one waits for this thread
void throw_pending(Queue& queue);

/// Id of a line; every instruction has one, so an unknown line has an id, too.
inline bc::OriginId origin_of(here line) {
    return line.line == 0 ? bc::intern_origin("unknown place", 0) : bc::intern_origin(line.file, line.line);
}

}  // namespace xlazy::rt
