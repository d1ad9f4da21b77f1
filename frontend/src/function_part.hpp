// SPDX-License-Identifier: BSD-3-Clause
// A segment of a captured function, planned, and its plan's steps with all memory in place: what is left of a flush
// when everything that could be known before is known.
#pragma once

#include "executor.hpp"
#include "failure.hpp"
#include "xlazy/bytecode/function.hpp"

#include <optional>

namespace xlazy::rt {

/// Memory that comes and goes within a segment. The segments of a function share it, since they run one at a time.
class FunctionBlocks {
public:
    FunctionBlocks() = default;
    ~FunctionBlocks();
    FunctionBlocks(const FunctionBlocks&) = delete;
    FunctionBlocks& operator=(const FunctionBlocks&) = delete;

    /// A block that is free, or a new one. @return its number
    std::uint32_t take(std::uint64_t bytes);
    void give_back(std::uint32_t block);
    /// A segment begins: nothing is in use.
    void start();
    /// Gives the blocks memory, where they have none. @throws std::bad_alloc
    void allocate();
    void* operator[](std::uint32_t block) const noexcept { return blocks_[block].memory; }

private:
    struct Block {
        std::uint64_t bytes;
        void* memory;
        bool free;
    };
    std::vector<Block> blocks_;
};

/// What all segments of a call work on, by variable.
struct FunctionMemory {
    std::vector<Base*> bases;   ///< one a variable; they carry errors, and memory where a segment runs step by step
    std::vector<void*> memory;  ///< of variables that more than one segment knows, or the caller
    std::vector<void*> spare;   ///< of those of them that get new versions: the next version's
    std::vector<bool> wants_spare;
    FunctionBlocks blocks;
};

class FunctionPart {
public:
    /// @throws std::bad_alloc
    FunctionPart(const bc::Function& function, std::uint32_t segment, FunctionMemory& memory,
                 const std::vector<bool>& shared);
    ~FunctionPart();
    FunctionPart(const FunctionPart&) = delete;
    FunctionPart& operator=(const FunctionPart&) = delete;

    const bc::Segment& segment() const noexcept { return segment_; }
    /// Sets a scalar slot; its type stays.
    void set_scalar(std::uint32_t slot, const bc::Scalar& value) noexcept;
    /// Makes the plan, and finds a place for everything. @param step_by_step memory is short
    /// @throws std::logic_error, std::bad_alloc
    void prepare(bool step_by_step);
    bool step_by_step() const noexcept { return step_by_step_; }
    /// The plan relies on facts about scalars that do not hold any more.
    bool outdated() const noexcept { return !plan_->scalar_guards.empty() && !scalars_fit(); }
    /// Runs the segment. @return false: a statement failed, or works on an array without a value; see judge_outcome
    bool run(bool poisoned);
    /// Spreads what failed to the bases. @return the first error of this segment, or null
    PoisonRef judge_outcome(FlushInfo flush);
    std::uint64_t kernels() const noexcept { return plan_->kernels.size(); }

private:
    struct Range {
        std::size_t begin, bytes;
    };
    /// A new version of a base.
    struct Renewal {
        std::uint32_t base;
        std::uint32_t block;        ///< kShared: the variable's spare memory
        bool moves;                 ///< the new memory becomes the base's; else what was written is copied back
        std::vector<Range> copied;  ///< gaps that the new version has of the old one; or what is copied back
    };
    struct Action {
        enum class Kind : std::uint8_t { Kernel, Together, Region, Place } kind;
        std::uint32_t index;      ///< of the kernel, the dispatch, the region or the base
        std::uint32_t block = 0;  ///< Place: where the base's memory is now
        std::uint32_t first_renewal = 0, renewals = 0;
    };
    static constexpr std::uint32_t kShared = ~0u;
    class Layout;

    bool scalars_fit() const noexcept;
    void lay_out();
    void run_actions();
    void run_kernel(const Action& action, be::Bindings& bindings);
    void run_region(const Action& action, const be::Bindings& bindings);
    void renew(const Renewal& renewal, std::size_t place);
    void settle(const Renewal& renewal, std::size_t place);
    void fail(std::uint32_t first, std::uint32_t count, const char* reason);
    void run_steps();

    const bc::Function& function_;
    const bc::Segment& segment_;
    FunctionMemory& memory_;
    const std::vector<bool>& shared_;  ///< by variable
    Queue queue_;
    std::optional<bc::Program> recorded_;
    std::shared_ptr<const bc::Plan> plan_;
    std::uint64_t geometry_ = 0;
    bool step_by_step_ = false;
    std::vector<Action> actions_;
    std::vector<Renewal> renewals_;
    std::vector<std::uint32_t> outer_bases_;  ///< whose memory the call decides
    std::vector<void*> version_memory_;
    Outcome outcome_;
};

}  // namespace xlazy::rt
