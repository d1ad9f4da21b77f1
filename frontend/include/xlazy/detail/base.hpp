// SPDX-License-Identifier: BSD-3-Clause
// The storage of one array, shared by the container that owns it and the queue's statements that read or write it.
#pragma once

#include "xlazy/bytecode/dtype.hpp"
#include "xlazy/detail/here.hpp"
#include "xlazy/detail/published.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xlazy::rt {

using bc::DType;

/// Why a flush was forced; the keys of the statistics' `flushes`.
enum class Reason : unsigned char {
#define XLAZY_REASON(id, key, doing, advice) id,
#include "xlazy/detail/reasons.def"
#undef XLAZY_REASON
    count_
};

class Queue;
struct PoisonedParts;

/// The storage of one array. Created without memory; the memory comes at the first write.
/// The two pointers are the fast path of element access: null whenever something must happen first.
class Base {
public:
    DType dtype() const noexcept { return dtype_; }
    std::size_t size() const noexcept { return size_; }

    /// Readable memory, or null: a write is pending, the value is an error, or there is no memory yet.
    const void* readable() const noexcept { return readable_.load(std::memory_order_acquire); }
    /// Writable memory, or null: as readable(), or a queued statement still reads the old value.
    void* writable() const noexcept { return writable_.load(std::memory_order_acquire); }
    /// The same for loops over elements, see published.hpp.
    const void* readable_element() const noexcept { return published(readable_); }
    void* writable_element() const noexcept { return published(writable_); }

    Base(const Base&) = delete;
    Base& operator=(const Base&) = delete;

private:
    friend class BaseAccess;  ///< the runtime's sources
    Base(DType dtype, std::size_t size) noexcept : dtype_(dtype), size_(size) {}
    ~Base() = default;

    std::atomic<const void*> readable_{nullptr};
    std::atomic<void*> writable_{nullptr};
    std::atomic<unsigned> references_{1};
    DType dtype_;
    std::size_t size_;
    // The rest is the runtime's, see frontend/src/base_access.hpp.
    void* memory_ = nullptr;
    std::atomic<Queue*> writer_{nullptr};  ///< the queue that holds a pending write
    std::atomic<unsigned> readers_{0};     ///< number of queues that hold a pending read
    std::atomic<int> read_pins_{0};
    std::atomic<int> write_pins_{0};
    std::atomic<std::uint64_t> batch_slot_{0};  ///< index in a queue's batch, and which batch that is
    PoisonedParts* poison_ = nullptr;           ///< the errors that failed statements left
    std::uint32_t origin_ = 0;                  ///< where it was last written
};

/// A new base with one reference and no memory. Never fails but for want of memory. @throws std::bad_alloc
Base* base_new(DType dtype, std::size_t size);
void base_retain(Base* base) noexcept;
void base_release(Base* base) noexcept;

/// Memory of a base that the host is about to fill as a whole: no flush, no look at the old value. Pending statements
/// that use the old value must not exist (the base is new). @throws std::bad_alloc
void* base_fill(Base* base);

/// Slow paths of element access, iterators, data(). They flush what is needed and give the memory (a base that was
/// never written gets memory; its value is unspecified). @throws xlazy::deferred_error; std::bad_alloc
const void* base_read(Base* base, Reason reason, here line);
void* base_write(Base* base, Reason reason, here line);

/// The same for a look at single elements; null if each of them must be asked for by its position, by one of the two
/// below: some have no value because their statement failed, or XLAZY_CHECK=bounds is set.
const void* base_read_any(Base* base, here line);
void* base_write_any(Base* base, here line);
/// The base's memory, for a look at the element at position `at`. @throws std::out_of_range besides
const void* base_read_element(Base* base, std::size_t at, here line);
void* base_write_element(Base* base, std::size_t at, here line);
/// Does XLAZY_CHECK=bounds ask for a check of every index?
bool checks_bounds() noexcept;

/// For entry points that xtensor declares noexcept: an error is held for this thread, and the next xlazy call throws
/// it. What they give then can be read (written) for the base's size.
const void* base_read_held(Base* base, Reason reason, here line) noexcept;
void* base_write_held(Base* base, Reason reason, here line) noexcept;
/// Holds the exception being handled, unless one is held already.
void hold_current_error() noexcept;
/// Throws the held error of this thread, if there is one. @throws xlazy::deferred_error
void throw_held();

/// While a raw pointer or an iterator is out, statements that write the array (writable pin: that read or write it) run
/// at once.
void base_pin(Base* base, bool writable) noexcept;
void base_unpin(Base* base, bool writable) noexcept;
bool base_pinned(const Base* base) noexcept;

/// Inline fast paths.
inline const void* readable(Base* base, Reason reason, here line) {
    const void* pointer = base->readable();
    return __builtin_expect(pointer != nullptr, 1) ? pointer : base_read(base, reason, line);
}
inline void* writable(Base* base, Reason reason, here line) {
    void* pointer = base->writable();
    return __builtin_expect(pointer != nullptr, 1) ? pointer : base_write(base, reason, line);
}

}  // namespace xlazy::rt
