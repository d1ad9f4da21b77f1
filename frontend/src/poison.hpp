// SPDX-License-Identifier: BSD-3-Clause
// The record of an error that waits in arrays for their readers. Immutable, shared, counted.
#pragma once

#include "element_box.hpp"
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
    PoisonRef(const PoisonRef& other) noexcept : poison_(other.poison_) { retain(poison_); }
    PoisonRef(PoisonRef&& other) noexcept : poison_(std::exchange(other.poison_, nullptr)) {}
    PoisonRef& operator=(PoisonRef other) noexcept {
        std::swap(poison_, other.poison_);
        return *this;
    }
    ~PoisonRef() { release(poison_); }

    explicit operator bool() const noexcept { return poison_ != nullptr; }
    const deferred_error& error() const noexcept { return poison_->error; }
    friend bool operator==(const PoisonRef& a, const PoisonRef& b) noexcept = default;

private:
    static void retain(Poison* poison) noexcept {
        if (poison != nullptr) poison->references.fetch_add(1, std::memory_order_relaxed);
    }
    static void release(Poison* poison) noexcept {
        if (poison != nullptr && poison->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete poison;
    }

    Poison* poison_ = nullptr;
};

/// Elements of an array that have no value, and why.
struct PoisonedPart {
    ElementBox box;
    PoisonRef error;
};

/// What a base holds of errors: its parts without a value.
struct PoisonedParts {
    std::vector<PoisonedPart> parts;  ///< not empty
    bool shared_for_ever = false;

    static void drop(PoisonedParts* parts) noexcept {
        if (parts != nullptr && !parts->shared_for_ever) delete parts;
    }

    const PoisonedPart* at(std::int64_t element) const noexcept {
        for (const PoisonedPart& part : parts) {
            if (contains(part.box, element)) return &part;
        }
        return nullptr;
    }
};

}  // namespace xlazy::rt
