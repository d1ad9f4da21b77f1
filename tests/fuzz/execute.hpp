// SPDX-License-Identifier: BSD-3-Clause
// Runs a plan's steps on a back end, with memory that shows what does not belong: fences around every block, garbage in
// fresh ones, and a ledger of what was allocated.
#pragma once

#include "fuzz/oracle.hpp"
#include "xlazy/bytecode/plan.hpp"
#include "xlazy/optimizer/chunks.hpp"

#include <stdexcept>

namespace xlazy::fuzz {

/// A plan did something that no plan may: wrote past a block, used memory it had freed, forgot to free.
class PlanFault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The most memory that is held at a time must be what opt::footprint_of says.
/// @throws PlanFault, and what the back end throws
Outcome execute(const Case& c, const bc::Plan& plan, be::Backend& backend, std::byte garbage);
/// The same with stretches that run chunk by chunk; no more than `room` bytes are held beyond what is held before.
Outcome execute_in_chunks(const Case& c, const bc::Plan& plan, be::Backend& backend, std::byte garbage,
                          std::span<const opt::ChunkedStretch> chunked, std::uint64_t room);

/// What differs from the oracle's outcome, empty if nothing does.
std::string difference(const bc::Program& program, const Outcome& expected, const Outcome& got);

}  // namespace xlazy::fuzz
