// SPDX-License-Identifier: BSD-3-Clause
// The record of an error that waits in arrays for their readers. Immutable, shared, counted.
#pragma once

#include "xlazy/runtime.hpp"

#include <atomic>
#include <utility>

namespace xlazy::rt {

struct Poison {
    explicit Poison(deferred_error what) : error(std::move(what)) {}
    const deferred_error error;
    std::atomic<unsigned> references{1};
};

/// A counted pointer to a Poison.
class PoisonRef {
public:
    PoisonRef() noexcept = default;
    explicit PoisonRef(deferred_error what) : poison_(new Poison(std::move(what))) {}
    explicit PoisonRef(Poison* shared) noexcept : poison_(shared) { retain(poison_); }
    PoisonRef(const PoisonRef& other) noexcept : PoisonRef(other.poison_) {}
    PoisonRef(PoisonRef&& other) noexcept : poison_(std::exchange(other.poison_, nullptr)) {}
    PoisonRef& operator=(PoisonRef other) noexcept {
        std::swap(poison_, other.poison_);
        return *this;
    }
    ~PoisonRef() { release(poison_); }

    explicit operator bool() const noexcept { return poison_ != nullptr; }
    const deferred_error& error() const noexcept { return poison_->error; }
    Poison* get() const noexcept { return poison_; }
    Poison* detach() noexcept { return std::exchange(poison_, nullptr); }

    static void retain(Poison* poison) noexcept {
        if (poison != nullptr) poison->references.fetch_add(1, std::memory_order_relaxed);
    }
    static void release(Poison* poison) noexcept {
        if (poison != nullptr && poison->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete poison;
    }

private:
    Poison* poison_ = nullptr;
};

}  // namespace xlazy::rt
