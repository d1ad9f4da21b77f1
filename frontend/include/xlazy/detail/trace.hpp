// SPDX-License-Identifier: BSD-3-Clause
// A function is being captured: this thread's statements are recorded and do not run, and every array that was there
// before gets back what it was when the recording is done. No xtensor here.
#pragma once

#include "xlazy/detail/recorder.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace xlazy::rt {

/// An array that was there before the function began, or before a body of a loop in it, as it was then.
class KeptArray {
public:
    virtual ~KeptArray() = default;
    /// What tells arrays apart.
    virtual const void* identity() const noexcept = 0;
    /// The whole array: as it was kept, and as it is.
    virtual ViewRef before() const noexcept = 0;
    virtual ViewRef now() const noexcept = 0;
    virtual void restore() noexcept = 0;
};

/// Whether this thread records a function, for the arrays: each knows when it was made.
class Tracing {
public:
    static bool active() noexcept { return recordings_.load(std::memory_order_relaxed) != 0 && scope_ != 0; }
    /// For an array that is made now; 0 where no function is recorded.
    static std::uint64_t time() noexcept { return active() ? advance() : 0; }
    /// Is an array from outside of the function, or of the body of a loop, that is recorded?
    static bool is_outer(std::uint64_t made_at) noexcept {
        return recordings_.load(std::memory_order_relaxed) != 0 && made_at < scope_;
    }
    /// The array is about to be read or changed. `keep()` gives a std::unique_ptr<KeptArray>.
    template <class F>
    static void touch(const void* identity, std::uint64_t made_at, F&& keep) {
        for (std::size_t scope = 0; needs(identity, made_at, scope); ++scope) add(scope, keep());
    }
    /// The base got memory from the host.
    static void note_memory(const Base& base);

private:
    friend class Trace;
    static std::uint64_t advance() noexcept;
    /// Does the scope with this number, or one after it, miss the array? `scope` becomes its number.
    static bool needs(const void* identity, std::uint64_t made_at, std::size_t& scope);
    static void add(std::size_t scope, std::unique_ptr<KeptArray> kept);
    static std::atomic<unsigned> recordings_;            ///< of all threads: this is looked at with every array
    static constinit thread_local std::uint64_t scope_;  ///< when the innermost one began; 0: none
};

/// Does this thread record a function?
inline bool is_recording_function() noexcept { return Tracing::active(); }

/// A parameter: a new array without a value.
void trace_input(const ViewRef& window);
/// Can the array be a result? Else a copy of it can.
bool trace_owns(const ViewRef& window);
/// A result: an array that a statement of the function has made, and no other result.
void trace_output(const ViewRef& window);

// Control flow of the function that is recorded. Between the calls the bodies run, once each.

/// @param times how often the body will run
void trace_repeat(std::uint64_t times, here line);
/// The statements of the condition follow, then trace_condition, then the body's.
void trace_while(here line);
/// A condition; the window has one element, of type bool.
void trace_condition(const ViewRef& condition);
/// The body for the case that the condition holds; then trace_otherwise, then the other one.
void trace_branch(const ViewRef& condition, here line);
void trace_otherwise();
void trace_end();

}  // namespace xlazy::rt
