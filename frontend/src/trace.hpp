// SPDX-License-Identifier: BSD-3-Clause
// The recording of a function that is captured: the thread's statements go to a queue of its own, which is cut into
// segments where control flow begins or ends.
#pragma once

#include "queue.hpp"
#include "xlazy/bytecode/function.hpp"
#include "xlazy/detail/trace.hpp"

#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace xlazy::rt {

/// Where a draw of random numbers takes its key from while a function is recorded.
struct TracedDraw {
    std::uint64_t key, stream;
};
TracedDraw trace_draw(std::mt19937& engine);

/// A counted reference to a base.
class BaseRef {
public:
    explicit BaseRef(Base* base) noexcept : base_(base) { base_retain(base_); }
    BaseRef(BaseRef&& other) noexcept : base_(std::exchange(other.base_, nullptr)) {}
    BaseRef& operator=(BaseRef&& other) noexcept {
        std::swap(base_, other.base_);
        return *this;
    }
    ~BaseRef() {
        if (base_ != nullptr) base_release(base_);
    }
    Base* get() const noexcept { return base_; }

private:
    Base* base_;
};

/// Shape and order of an array.
struct ArrayForm {
    std::vector<std::size_t> extents;
    std::vector<std::ptrdiff_t> strides;
    explicit ArrayForm(const ViewRef& window)
        : extents(window.extents, window.extents + window.rank),
          strides(window.strides, window.strides + window.rank) {}
    bool fits(const ViewRef& window) const noexcept {
        return window.rank == extents.size() && std::equal(extents.begin(), extents.end(), window.extents) &&
               std::equal(strides.begin(), strides.end(), window.strides);
    }
    friend bool operator==(const ArrayForm&, const ArrayForm&) = default;
};

/// An array of the program's that the function reads or changes.
struct OuterArray {
    std::unique_ptr<KeptArray> array;
    std::uint32_t variable;
    ArrayForm form;
    bool written;
};

/// What was recorded.
struct TracedFunction {
    bc::Function function;
    std::vector<ArrayForm> outputs;
    std::vector<OuterArray> outer;
    /// Variables whose value the function made of numbers when it was recorded.
    std::vector<std::pair<std::uint32_t, BaseRef>> constants;
    std::mt19937* engine = nullptr;
};

/// Records one run of a function. Its destructor puts everything back as it was.
class Trace {
public:
    /// @throws capture_error inside another one
    explicit Trace(here line);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    /// The one that this thread is recording. @throws capture_error if there is none
    static Trace& current();

    /// An array parameter: a new array without a value.
    void add_input(const ViewRef& window);
    /// Has a statement of the function made the array, and is it no parameter, no result, and not the program's?
    bool owns(const ViewRef& window) const;
    /// After the function. A base that is its own, written by it.
    void add_output(const ViewRef& window);
    TracedFunction finish();

    /// Ends the segment.
    void cut();
    void begin_repeat(std::uint64_t times, here line);
    void begin_while(here line);
    void condition(const ViewRef& window);
    void begin_branch(const ViewRef& condition, here line);
    void otherwise();
    void end();

    TracedDraw draw(std::mt19937& engine);
    void note_memory(const Base& base) { filled_[&base] = blocks_.back().nodes; }
    [[noreturn]] static void refuse(Reason reason, bc::OriginId line);

private:
    friend class Tracing;
    /// A stretch of statements with an outside.
    struct Block {
        std::uint64_t began;
        here line;
        std::vector<bc::Node>* nodes;
        bc::Node* node;  ///< null: the function itself
        std::vector<std::unique_ptr<KeptArray>> kept;
        std::unordered_set<const void*> known;
    };
    struct Known {
        BaseRef base;
        std::uint32_t variable;
        bool has_value = false, written = false;
    };

    void begin_block(std::vector<bc::Node>& nodes, bc::Node* node, here line);
    void end_block();
    void give_back(Block& block);
    Known& know(Base& base, const ViewRef* window);
    std::uint32_t add_variable(const Base& base, bc::Role role);
    bool is_kept(const Base* base) const noexcept;
    std::uint32_t condition_variable(const ViewRef& window);
    void bind_draws(bc::Segment& segment) const;
    void describe(std::uint32_t variable, const ViewRef& window);
    void make_constants(std::vector<bc::Node>& nodes);
    void copy_constant(const Known& known, std::vector<bc::Node>& nodes, std::uint32_t constant);
    void find_outer(TracedFunction& traced);
    void limit_lives();
    void leave() noexcept;

    Queue queue_;
    Queue* const outer_queue_;
    here line_;
    bc::Function function_;
    std::vector<Block> blocks_;
    std::unordered_map<const Base*, Known> known_;
    std::unordered_map<const Base*, std::vector<bc::Node>*> filled_;
    std::vector<std::unique_ptr<bc::Node>> open_;  ///< nodes whose bodies are recorded
    std::vector<ArrayForm> outputs_;
    std::vector<std::pair<std::uint32_t, BaseRef>> constants_;
    std::mt19937* engine_ = nullptr;
    std::uint64_t draws_ = 0;
    bool left_ = false;
};

}  // namespace xlazy::rt
