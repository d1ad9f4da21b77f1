// SPDX-License-Identifier: BSD-3-Clause
// What became of a batch, in the user's lines: for XLAZY_EXPLAIN, xlazy::explain and xlazy-run-bytecode.
#pragma once

#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/optimizer/traffic.hpp"

namespace xlazy::opt {

/// Lines of the user's, in the order of the batch, each once.
using Lines = std::vector<bc::OriginId>;

/// What a plan costs.
struct PlanCost {
    std::size_t kernels = 0;
    Traffic traffic;
    std::uint64_t peak = 0;  ///< bytes that arrays and temporaries hold at most
};

/// A kernel of the plan.
struct KernelNote {
    Lines lines;  ///< of the statements, or parts of statements, that it computes
    std::vector<std::int64_t> extents;
    Traffic traffic;
    bool new_version = false;  ///< writes an array anew, beside its old value
    bool copied_back = false;  ///< and then to its old place
};

/// Kernels that run piece by piece: first to last.
struct RegionNote {
    std::uint32_t first, last;
    Traffic traffic;              ///< of all of them together
    std::uint64_t handed_on = 0;  ///< bytes of what comes and goes inside, and gets memory for some rows
};

/// Two kernels that share an array or a temporary, with none between them that uses it too; not of one region.
struct UnfusedPair {
    std::uint32_t first, second;
    std::string reason;
};

/// Statements whose value another one makes.
struct MergeNote {
    bc::OriginId line, into;
    bc::Op op;
    friend auto operator<=>(const MergeNote&, const MergeNote&) noexcept = default;
};

/// What became of a batch: numbers, kernels, and why they are several.
struct Explanation {
    std::size_t statements = 0, instructions = 0;
    PlanCost before;  ///< without optional passes
    PlanCost after;   ///< of the plan
    Traffic least;    ///< see least_traffic
    std::uint64_t least_peak = 0;
    std::vector<KernelNote> kernels;
    std::vector<RegionNote> regions;
    std::vector<bc::Dispatch> dispatches;
    Lines contracted;  ///< that made arrays which get no memory
    std::uint64_t contracted_arrays = 0, contracted_temporaries = 0;
    std::uint64_t contracted_bytes = 0;  ///< of those arrays
    Lines not_computed;                  ///< of statements that no kernel computes
    std::vector<MergeNote> merged;       ///< each once
    std::vector<UnfusedPair> unfused;
};

/// @param plan of the batch
/// @param passes that made it
/// @param stay bases whose memory must stay where it is: a new version of one is copied back
Explanation explain(const bc::Program& program, const bc::Plan& plan, PassSet passes,
                    const std::vector<std::uint32_t>& stay = {});

/// Several lines, each with a line end: first the numbers of statements and instructions. Kernels that differ in
/// nothing that it tells are told once.
std::string to_text(const Explanation& explanation);

/// A picture of the batch before and after, in the language of Graphviz: statements by line and the arrays that go from
/// one to the other; kernels with the lines in them, and what goes through memory between them.
/// @param title below the picture
/// @param stay as for explain
std::string to_dot(const bc::Program& program, const bc::Plan& plan, const std::string& title,
                   const std::vector<std::uint32_t>& stay = {});

/// "12", "3.4 KiB", "5.6 MiB".
std::string bytes_text(std::uint64_t bytes);
/// "heat.cpp:12, 14, draw.cpp:3": the file where it changes. At most so many lines, then "and N more".
std::string lines_text(const Lines& lines, std::size_t most = 12);

}  // namespace xlazy::opt
