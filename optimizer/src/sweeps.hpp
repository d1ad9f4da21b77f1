// SPDX-License-Identifier: BSD-3-Clause
// How often a batch has to go through its data, whatever the plan.
//
// A sweep goes once through the indices, in any order and in tiles. What one instruction makes, the next can use in the
// same sweep, but for two things, which must be there as a whole before they are used:
//     the result of a reduction, unless its operand's part for one result fits a tile (kTileBytes)
//     what is read at other indices than those it was made for, if it was itself made from neighbours, and stays
// The second one is a time step: a sweep over several at once is not asked for. What does not stay is there for some
// rows at a time: b = a[1:] - a[:-1]; c = b[1:] - b[:-1] takes one sweep if b dies.
#pragma once

#include "xlazy/bytecode/structure.hpp"

#include <vector>

namespace xlazy::opt {

class Sweeps {
public:
    explicit Sweeps(const bc::Program& program);
    std::uint32_t count() const noexcept { return count_; }
    /// Of an instruction.
    std::uint32_t of(std::size_t instruction) const noexcept { return sweep_[instruction]; }
    /// Is the instruction's result kept in memory for a later sweep?
    bool keeps(std::size_t instruction) const noexcept { return keeps_[instruction]; }

private:
    /// When a value is there, and how it was made.
    struct Place {
        std::uint32_t sweep = 0;
        std::uint64_t span = 0;   ///< bytes of the sweep's data that one element stands for
        bool neighbours = false;  ///< made from several indices of an array
    };
    struct Temp {
        Place place;
        std::int64_t elements = 1;
    };
    struct Write {
        std::uint32_t view, instruction;
        Place place;
    };

    void add(std::uint32_t number);
    Temp read(std::uint32_t view);
    void note_load(std::uint32_t view, Place& place);
    Place reduced(const bc::Instruction& instruction, std::uint32_t number, Place in);
    void note_write(std::uint32_t view, std::uint32_t instruction, const Place& place);
    std::int64_t domain_elements(const bc::Instruction& instruction) const noexcept;
    std::int64_t elements_of(const bc::Instruction& instruction) const noexcept;

    const bc::Program& program_;
    std::vector<Temp> temps_;
    std::vector<std::vector<Write>> writes_;  ///< by base
    std::vector<std::uint32_t> loaded_;       ///< views, in the current statement
    std::uint32_t statement_ = ~0u;
    std::vector<std::uint32_t> sweep_;
    std::vector<bool> keeps_;
    std::uint32_t count_ = 1;
};

}  // namespace xlazy::opt
