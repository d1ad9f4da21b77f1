// SPDX-License-Identifier: BSD-3-Clause
#include "base_access.hpp"
#include "env.hpp"
#include "live_arrays.hpp"
#include "message.hpp"
#include "new_base_memory.hpp"
#include "queue.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/bytecode/counting.hpp"
#include "xlazy/detail/trace.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <new>
#include <stdexcept>

namespace xlazy::rt {
namespace {

/// Bases come and go with every statement: each thread keeps some places of dead ones.
class BasePlaces {
public:
    static void* take() {
        if (first_ == nullptr) return ::operator new(sizeof(Base));
        --count_;
        return std::exchange(first_, first_->next);
    }
    static void give_back(void* place) noexcept {
        if (count_ >= kMost) return ::operator delete(place);
        if (count_ == 0) arm();
        ++count_;
        first_ = new (place) Free{first_};
    }

private:
    struct Free {
        Free* next;
    };
    struct ThreadEnd {
        bool armed = false;
        ~ThreadEnd() {
            count_ = kMost;  // destructors that run later free at once
            while (first_ != nullptr) ::operator delete(std::exchange(first_, first_->next));
        }
    };
    static void arm() noexcept {
        static thread_local ThreadEnd end;
        end.armed = true;
    }

    static constexpr unsigned kMost = 2 * kMaxInstructions;
    static constinit thread_local Free* first_;
    static constinit thread_local unsigned count_;
};
constinit thread_local BasePlaces::Free* BasePlaces::first_ = nullptr;
constinit thread_local unsigned BasePlaces::count_ = 0;

/// Memory of the pool. Where there is too little, this thread's batch runs first: it may hold arrays that nobody else
/// has any more. @throws std::bad_alloc
void* allocate(std::size_t bytes, bc::OriginId line) {
    try {
        return be::pool_allocate(bytes);
    } catch (const std::bad_alloc&) {
        Queue& mine = my_queue();
        const QueueLock lock(mine);
        if (mine.running || mine.trace != nullptr || mine.program.instructions.empty()) throw;
        run_queue(mine, Reason::memory, line);
    }
    return be::pool_allocate(bytes);
}

void give_memory(Base& base, bool zeros, bc::OriginId line) {
    void* const memory = allocate(byte_size(base), line);
    if (zeros) std::memset(memory, 0, byte_size(base));
    BaseAccess::memory(base) = memory;
    Tracing::note_memory(base);
    note_memory(base, line);
    publish(base);
}

/// Runs what must be done before the host may look at the base. Errors of this thread's queue are thrown.
void settle(Base& base, bool for_writing, Reason reason, bc::OriginId line) {
    Queue& mine = my_queue();
    throw_held();
    const bool mine_writes = BaseAccess::writer(base).load(std::memory_order_acquire) == &mine;
    const bool reads_pending = BaseAccess::readers(base).load(std::memory_order_acquire) != 0;
    if (mine_writes || (for_writing && reads_pending)) {
        const QueueLock lock(mine);
        if (mine_writes || mine.reads(base)) run_queue(mine, mine_writes ? reason : Reason::host_write, line);
        throw_pending(mine);
    }
    if (for_writing)
        settle_foreign(mine, base, false, line);
    else
        settle_foreign_write(mine, base, line);
}

/// @throws deferred_error if an element has no value
void check_value(Base& base) {
    const PoisonedParts* const poison = BaseAccess::poison(base);
    if (poison != nullptr) throw deferred_error(poison->parts.front().error.error());
}
/// @throws deferred_error if that element has none
void check_value(Base& base, std::size_t at) {
    const PoisonedParts* const poison = BaseAccess::poison(base);
    const PoisonedPart* const part = poison == nullptr ? nullptr : poison->at(static_cast<std::int64_t>(at));
    if (part != nullptr) throw deferred_error(part->error.error());
}

/// Does something to the base's value that a device may have lost. @throws deferred_error
template <class Action>
void with_value(Base& base, Reason reason, bc::OriginId line, Action action) {
    try {
        action(BaseAccess::memory(base));
    } catch (const be::DeviceError& error) {
        throw make_lost_error(BaseAccess::origin(base), error.what(), {reason, line});
    }
}

/// Memory of a settled base. @throws std::bad_alloc, deferred_error
const void* memory_to_read(Base& base, Reason reason, bc::OriginId line) {
    if (BaseAccess::readable(base).load(std::memory_order_acquire) == nullptr) {
        give_zeros(base);
        if (be::newest_on_device(BaseAccess::memory(base))) {
            with_value(base, reason, line, be::bring_to_host);
            publish(base);
        }
    }
    return BaseAccess::memory(base);
}
void* memory_to_write(Base& base, Reason reason, bc::OriginId line) {
    if (BaseAccess::memory(base) == nullptr) give_memory(base, false, line);
    with_value(base, reason, line, be::host_writes);
    BaseAccess::origin(base) = line;
    if (BaseAccess::poison(base) == nullptr && !checks_bounds())
        BaseAccess::writable(base).store(BaseAccess::memory(base), std::memory_order_release);
    return BaseAccess::memory(base);
}

/// Must every element be asked for by itself?
bool asks_for_elements(Base& base) noexcept {
    const PoisonedParts* const poison = BaseAccess::poison(base);
    return poison != nullptr || checks_bounds();
}

void check_position(const Base& base, std::size_t at) {
    if (!checks_bounds() || at < base.size()) return;
    throw std::out_of_range(fmt::format("index leads to element {} of memory that has {}", at, base.size()));
}

/// Something that can be read and written in place of an array that has no memory.
void* placeholder(Queue& queue, std::size_t bytes) noexcept {
    void* const memory = ::mmap(nullptr, bytes == 0 ? 1 : bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    queue.placeholders.push_back({memory, bytes == 0 ? 1 : bytes});
    return memory;
}

template <class Access>
void* or_hold(Base* base, Access access) noexcept {
    Queue& queue = my_queue();
    try {
        // While an error is held, what was given out in its place stays mapped.
        if (!queue.held) return access();
    } catch (...) {
        queue.held = std::current_exception();
    }
    void* const memory = BaseAccess::memory(*base);
    return memory != nullptr ? memory : placeholder(queue, byte_size(*base));
}

}  // namespace

Base* base_new(DType dtype, std::size_t size) {
    void* const place = BasePlaces::take();
    BaseAccess::construct(place, dtype, size);
    return static_cast<Base*>(place);
}

void base_retain(Base* base) noexcept { bc::count_up(BaseAccess::references(*base)); }

void base_release(Base* base) noexcept {
    if (bc::count_down(BaseAccess::references(*base)) != 1) return;
    if (void* const memory = BaseAccess::memory(*base)) {
        note_no_memory(*base);
        be::pool_free(memory, byte_size(*base));
    }
    PoisonedParts::drop(BaseAccess::poison(*base));
    BaseAccess::destroy(base);
    BasePlaces::give_back(base);
}

std::mutex& memory_mutex() noexcept {
    static std::mutex* const mutex = new std::mutex;
    return *mutex;
}

void give_zeros(Base& base) {
    const std::lock_guard lock(memory_mutex());
    if (BaseAccess::memory(base) == nullptr) give_memory(base, true, origin_of(LineScope::current()));
}

void* memory_to_replace(Base& base, bc::OriginId line) {
    const bool pending = BaseAccess::writer(base).load(std::memory_order_acquire) != nullptr ||
                         BaseAccess::readers(base).load(std::memory_order_acquire) != 0;
    if (pending) settle(base, true, Reason::call, line);
    if (BaseAccess::memory(base) == nullptr) give_memory(base, false, line);
    be::forget_on_device(BaseAccess::memory(base));
    return BaseAccess::memory(base);
}

void* base_fill(Base* base) {
    const bc::OriginId line = origin_of(LineScope::current());
    if (BaseAccess::memory(*base) == nullptr) give_memory(*base, false, line);
    be::forget_on_device(BaseAccess::memory(*base));
    PoisonedParts::drop(std::exchange(BaseAccess::poison(*base), nullptr));
    BaseAccess::origin(*base) = line;
    publish(*base);
    void* const memory = BaseAccess::memory(*base);
    if (!checks_bounds()) BaseAccess::writable(*base).store(memory, std::memory_order_release);
    return memory;
}

const void* base_read(Base* base, Reason reason, here line) {
    const bc::OriginId origin = origin_of(line);
    settle(*base, false, reason, origin);
    check_value(*base);
    return memory_to_read(*base, reason, origin);
}

void* base_write(Base* base, Reason reason, here line) {
    const bc::OriginId origin = origin_of(line);
    settle(*base, true, reason, origin);
    check_value(*base);
    return memory_to_write(*base, reason, origin);
}

const void* base_read_any(Base* base, here line) {
    const bc::OriginId origin = origin_of(line);
    settle(*base, false, Reason::element, origin);
    return asks_for_elements(*base) ? nullptr : memory_to_read(*base, Reason::element, origin);
}

void* base_write_any(Base* base, here line) {
    const bc::OriginId origin = origin_of(line);
    settle(*base, true, Reason::element, origin);
    return asks_for_elements(*base) ? nullptr : memory_to_write(*base, Reason::element, origin);
}

const void* base_read_element(Base* base, std::size_t at, here line) {
    check_position(*base, at);
    const bc::OriginId origin = origin_of(line);
    settle(*base, false, Reason::element, origin);
    check_value(*base, at);
    return memory_to_read(*base, Reason::element, origin);
}

void* base_write_element(Base* base, std::size_t at, here line) {
    check_position(*base, at);
    const bc::OriginId origin = origin_of(line);
    settle(*base, true, Reason::element, origin);
    check_value(*base, at);
    return memory_to_write(*base, Reason::element, origin);
}

const void* base_read_held(Base* base, Reason reason, here line) noexcept {
    return or_hold(base, [&] { return const_cast<void*>(base_read(base, reason, line)); });
}

void* base_write_held(Base* base, Reason reason, here line) noexcept {
    return or_hold(base, [&] { return base_write(base, reason, line); });
}

void hold_current_error() noexcept {
    Queue& queue = my_queue();
    if (!queue.held) queue.held = std::current_exception();
}

void throw_held() {
    Queue& queue = my_queue();
    if (!queue.held) return;
    for (const Placeholder& each : queue.placeholders) ::munmap(each.memory, each.bytes);
    queue.placeholders.clear();
    std::rethrow_exception(std::exchange(queue.held, nullptr));
}

void base_pin(Base* base, bool writable) noexcept {
    auto& pins = writable ? BaseAccess::write_pins(*base) : BaseAccess::read_pins(*base);
    pins.fetch_add(1, std::memory_order_relaxed);
}

void base_unpin(Base* base, bool writable) noexcept {
    auto& pins = writable ? BaseAccess::write_pins(*base) : BaseAccess::read_pins(*base);
    pins.fetch_sub(1, std::memory_order_relaxed);
}

bool checks_bounds() noexcept { return settings().check_bounds; }

bool base_pinned(const Base* base) noexcept {
    Base& pinned = const_cast<Base&>(*base);
    return BaseAccess::read_pins(pinned).load(std::memory_order_relaxed) != 0 ||
           BaseAccess::write_pins(pinned).load(std::memory_order_relaxed) != 0;
}

}  // namespace xlazy::rt
