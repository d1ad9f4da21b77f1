// SPDX-License-Identifier: BSD-3-Clause
// A stretch of a batch as a batch of its own, so that it can be planned, and its plan found again, wherever it occurs.
#pragma once

#include "xlazy/bytecode/plan.hpp"

namespace xlazy::opt {

/// Takes stretches out of one batch. What they use is numbered by first sight, so equal stretches are equal batches.
/// A base is live in a stretch if anything after it uses it, and has a value if anything before it wrote one.
class Excerpt {
public:
    explicit Excerpt(const bc::Program& whole);

    /// The instructions [begin, end), whole statements, become program().
    void take(std::uint32_t begin, std::uint32_t end);
    const bc::Program& program() const noexcept { return part_; }
    /// Appends a plan of program() to one of the whole batch.
    void append(bc::Plan& whole, const bc::Plan& part) const;

private:
    static constexpr std::uint32_t kNone = ~0u;

    /// Between indices of the whole batch and those of the stretch.
    struct Numbering {
        std::vector<std::uint32_t> in_part;  ///< kNone if the stretch does not use it
        std::vector<std::uint32_t> in_whole;

        explicit Numbering(std::size_t count) : in_part(count, kNone) {}
        void clear() noexcept;
        /// @return whether the index is new
        bool add(std::uint32_t index);
    };

    std::uint32_t domain(std::uint32_t index);
    std::uint32_t base(std::uint32_t index);
    std::uint32_t view(std::uint32_t index);
    std::uint32_t scalar(std::uint32_t index);
    std::uint32_t temp(std::uint32_t index);
    bc::Operand operand(bc::Operand from);
    bc::MicroOp renumbered(bc::MicroOp op, std::uint32_t first_scratch) const noexcept;

    const bc::Program& whole_;
    bc::Program part_;
    Numbering domains_, bases_, views_, scalars_, temps_;
    std::vector<std::uint32_t> first_write_, last_use_;  ///< by base: instructions
    std::uint32_t begin_ = 0, end_ = 0;
};

}  // namespace xlazy::opt
