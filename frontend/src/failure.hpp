// SPDX-License-Identifier: BSD-3-Clause
// From what went wrong in a batch to what its arrays are worth: errors spread along the instructions' dependencies,
// whatever kernels they ran in.
#pragma once

#include "executor.hpp"

#include <memory>

namespace xlazy::rt {

struct Verdict {
    std::vector<std::unique_ptr<PoisonedParts>> of_base;  ///< for every base of the batch; null: good
    PoisonRef first;  ///< the first statement that failed in this batch; null: only older errors spread
};

/// How a batch came to run.
struct FlushInfo {
    Reason reason;
    bc::OriginId line;
};

/// @param plan null if there is none: then the whole batch failed, for `problem`
Verdict judge(const Queue& queue, const bc::Plan* plan, const Outcome& outcome, const std::string& problem,
              FlushInfo flush);

}  // namespace xlazy::rt
