// SPDX-License-Identifier: BSD-3-Clause
// The runtime's way to the private parts of a Base, and the rules they keep.
//
//   writer_    set by store() under the queue's lock; cleared when the batch is settled
//   readers_   one for every queue whose batch reads the base
//   readable_  memory that may be read: null from store() until the batch is settled, while the value of an element is
//              an error, and always with XLAZY_CHECK=bounds
//   writable_  memory that may be written: null from the first queued read or write on. Only a host write sets it
//   again:
//              no other thread may use the array then, so nobody can register a read in between
//   memory_, poison_, origin_   changed only by whoever settles the pending write, or by a host write
#pragma once

#include "poison.hpp"
#include "xlazy/backends/cuda.hpp"
#include "xlazy/backends/device_memory.hpp"
#include "xlazy/detail/base.hpp"

#include <mutex>

namespace xlazy::rt {

class BaseAccess {
public:
    static void construct(void* place, DType dtype, std::size_t size) noexcept { new (place) Base(dtype, size); }
    static void destroy(Base* base) noexcept { base->~Base(); }
    static auto& readable(Base& base) noexcept { return base.readable_; }
    static auto& writable(Base& base) noexcept { return base.writable_; }
    static auto& references(Base& base) noexcept { return base.references_; }
    static auto& memory(Base& base) noexcept { return base.memory_; }
    static auto& writer(Base& base) noexcept { return base.writer_; }
    static auto& readers(Base& base) noexcept { return base.readers_; }
    static auto& read_pins(Base& base) noexcept { return base.read_pins_; }
    static auto& write_pins(Base& base) noexcept { return base.write_pins_; }
    static auto& batch_slot(Base& base) noexcept { return base.batch_slot_; }
    static auto& poison(Base& base) noexcept { return base.poison_; }
    static auto& origin(Base& base) noexcept { return base.origin_; }
};

inline std::size_t byte_size(const Base& base) noexcept { return base.size() * bc::size_of(base.dtype()); }

/// The base's memory becomes readable for everybody, if all of it is.
inline void publish(Base& base) noexcept {
    const bool here = !be::newest_on_device(BaseAccess::memory(base));
    if (here && BaseAccess::poison(base) == nullptr && !checks_bounds())
        BaseAccess::readable(base).store(BaseAccess::memory(base), std::memory_order_release);
}

/// Held while a base gets memory that several threads may want.
std::mutex& memory_mutex() noexcept;

/// Memory for a base that has none and no pending write: zeros. Safe against other threads that do the same.
/// @throws std::bad_alloc
void give_zeros(Base& base);

}  // namespace xlazy::rt
