// SPDX-License-Identifier: BSD-3-Clause
// Runs the steps of a plan on the memory of the batch's bases.
#pragma once

#include "queue.hpp"
#include "xlazy/bytecode/plan.hpp"
#include "xlazy/optimizer/chunks.hpp"

#include <string>
#include <vector>

namespace xlazy::rt {

/// Memory that could not be had.
struct Missing {
    enum class What : std::uint8_t {
        Base,     ///< of the batch
        Scratch,  ///< of the plan
        Version,  ///< a new version of a base
    };
    What what;
    std::uint32_t index;
    std::size_t bytes;
    std::uint32_t kernel = 0;  ///< that would make the version
};

/// A kernel that did not run to its end; its outputs hold anything.
struct BrokenKernel {
    std::uint32_t kernel;
    std::string reason;  ///< empty: no memory
};

struct Outcome {
    be::Traps traps;
    std::vector<Missing> missing;
    std::vector<BrokenKernel> broken;
    bool good() const noexcept { return traps.empty() && missing.empty() && broken.empty(); }
};

/// Where memory is missing, the rest of each kernel runs without the operations that need it, so that everything
/// independent has its value. The bases' memory is updated.
/// @param geometry as be::Bindings has it
/// @param chunked stretches of the plan that run chunk by chunk
Outcome execute(Queue& queue, const bc::Plan& plan, std::uint64_t geometry,
                std::span<const opt::ChunkedStretch> chunked);

}  // namespace xlazy::rt
