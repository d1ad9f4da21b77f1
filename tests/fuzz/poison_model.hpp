// SPDX-License-Identifier: BSD-3-Clause
// What a program knows about its errors: which statements failed and have not been reported, which arrays must throw
// when they are read, and which may.
#pragma once

#include "fuzz/oracle.hpp"

#include <map>
#include <set>
#include <string>

namespace xlazy::fuzz {

class PoisonModel {
public:
    explicit PoisonModel(const bc::Program& program);

    /// A statement has run in the oracle; `traps` are its own.
    void statement(std::size_t first, std::size_t last, std::span<const be::Trap> traps, std::uint32_t line);
    /// An error was thrown. @param base the array that was being read, or kNoBase
    /// @return the empty string if it is one that was due
    std::string thrown(std::uint32_t base, std::uint32_t line, const std::string& operation);

    static constexpr std::uint32_t kNoBase = ~0u;
    bool must_throw_when_read(std::uint32_t base) const;
    /// That element has no value.
    bool has_no_value(std::uint32_t base, std::int64_t at) const {
        return !must_[base].empty() && must_[base][static_cast<std::size_t>(at)] != 0;
    }
    bool may_throw_when_read(std::uint32_t base) const { return !may_[base].empty(); }
    /// A failed statement is certain, and nothing has reported it.
    bool report_due() const;
    /// ...and it came before the last write of this array, whose value so is still pending.
    bool report_due_when_read(std::uint32_t base) const;

private:
    /// One instruction that failed.
    struct Failure {
        std::uint32_t line;
        std::string operation;
        bool certain;  ///< no operand could be an error already
    };
    /// What a value depends on: lines of failed statements that it may, and whether it must.
    struct Taint {
        std::set<std::uint32_t> lines;
        bool certain = false;
    };
    Taint taint_of(bc::Operand operand) const;
    std::string operation_of(std::size_t instruction, std::size_t last) const;
    void spoil(const Taint& taint, const Window& window);
    void write(const Taint& taint, const Window& window);

    const bc::Program& program_;
    std::vector<std::vector<char>> must_;       ///< by element: a value that depends on a failed statement
    std::vector<std::set<std::uint32_t>> may_;  ///< by array: lines of the failed statements that touched it
    std::vector<std::uint32_t> last_write_;     ///< by array: line
    std::map<std::uint32_t, Taint> temps_;
    std::vector<Failure> unreported_;
};

}  // namespace xlazy::fuzz
