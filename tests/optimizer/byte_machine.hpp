// SPDX-License-Identifier: BSD-3-Clause
// Runs plans on bytes that a test wrote.
#pragma once

#include "xlazy/backends/backend.hpp"
#include "xlazy/bytecode/plan.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace xlazy::test {

using Bytes = std::vector<std::byte>;

struct ByteRun {
    std::vector<Bytes> bases;  ///< after the run; empty without memory
    be::Traps traps;           ///< also those of merged instructions, ascending
};

/// @param inputs contents before the run, of the bases that have a value
/// @param geometry as be::Bindings has it
ByteRun run_bytes(const bc::Plan& plan, const bc::Program& program, const std::map<std::uint32_t, Bytes>& inputs,
                  be::Backend& backend, std::uint64_t geometry = 0);

}  // namespace xlazy::test
