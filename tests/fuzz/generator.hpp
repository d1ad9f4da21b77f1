// SPDX-License-Identifier: BSD-3-Clause
// Random legal batches. Every statement aims at one cell of each coverage table in turn, so a run of some hundred
// programs reaches all of them.
#pragma once

#include "fuzz/values.hpp"
#include "xlazy/bytecode/program.hpp"

namespace xlazy::fuzz {

/// A batch with its data: what initial_bytes needs besides the batch.
struct Case {
    bc::Program program;
    std::uint64_t data_seed = 0;
};

/// Program `number` of the run `seed`: the same for the same two numbers.
Case random_case(std::uint64_t seed, std::uint64_t number);

}  // namespace xlazy::fuzz
