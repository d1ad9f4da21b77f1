// SPDX-License-Identifier: BSD-3-Clause
// Runs batches and plans on tokens instead of numbers: an element's token is a hash of the whole expression that made
// it, so two runs agree only if every element was computed from the same elements by the same operations. No op needs a
// meaning. What is gathered is made of all that it might be; what is scattered to, of all that may go there.
//
// A batch runs as the manual says: one instruction at a time, right side first. A plan runs as cruelly as the plan
// format allows: the indices of a kernel in random order, one index after the other through the whole body; results of
// reductions as early as possible; fresh memory is garbage; touching memory that is not there is an error.
#pragma once

#include "xlazy/bytecode/plan.hpp"
#include "xlazy/optimizer/optimizer.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace xlazy::test {

using Token = std::uint64_t;
inline constexpr Token kUnspecified = 0;  ///< depends on memory that nobody wrote

/// What an element of an op that can fail was computed from: instruction, position in its domain -> operands.
using FallibleElements = std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<Token>>;

struct TokenRun {
    std::vector<std::vector<Token>> bases;  ///< by base; empty where it has no memory
    FallibleElements fallible;
    std::map<std::uint32_t, std::uint32_t> merged;  ///< of a plan
    std::string fault;                              ///< empty, or what was illegal
    bool reads_unspecified = false;                 ///< of a batch: an element that nobody wrote
};

TokenRun run_batch(const bc::Program& program);
TokenRun run_plan(const bc::Plan& plan, const bc::Program& program, unsigned seed);

/// The empty string if the plan gave every live base its value and computed every fallible element once; else what
/// differs.
std::string difference(const TokenRun& batch, const TokenRun& plan, const bc::Program& program);

/// Options for plans that run on tokens: these passes without `algebra`, which computes the same bits by other
/// operations. Tokens tell those apart; algebra_test.cpp looks at the bits.
opt::PlanOptions token_options(std::string_view passes = "all");
opt::PlanOptions token_options(opt::PassSet passes);

/// None, each optional pass alone, each pair, all but one, all.
std::vector<opt::PassSet> pass_sets();

/// All of it: plan legal, run with a few seeds, same tokens. @return the empty string, or what is wrong
std::string check_plan(const bc::Plan& plan, const bc::Program& program, const TokenRun& batch);
std::string check_plan(const bc::Plan& plan, const bc::Program& program);

}  // namespace xlazy::test
