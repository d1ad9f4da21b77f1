// SPDX-License-Identifier: BSD-3-Clause
// The process's plans and the back end of a queue.
#pragma once

#include "env.hpp"
#include "queue.hpp"
#include "xlazy/optimizer/plan_cache.hpp"

namespace xlazy::rt {

/// Makes the plan cache, so that its own handlers are registered.
void prepare_planner();

/// The plan of a batch, from the cache if it is known. If a pass fails, or makes what the verifier rejects, that is
/// logged with the batch's text in a file, and the plan is one without optional passes.
/// @param poisoned an operand has no value because its statement failed: the verifier, which would miss it, is not
/// asked
/// @throws std::logic_error: not even that could be made
opt::Planned plan_of(const bc::Program& program, bool poisoned);

/// Sees what the passes make, see PlanOptions; what it throws is a pass that fails. For tests.
void set_plan_dump(std::function<void(std::string_view pass, const std::string& text)> dump);

/// Other optional passes than XLAZY_PASSES says, another back end than XLAZY_BACKEND says. Not while another thread
/// records. For tests.
void set_passes(opt::PassSet passes);
void set_backend(BackendChoice choice);

/// The queue's back end, made anew after set_num_threads.
be::Backend& backend_of(Queue& queue);

/// From now on, whatever set_num_threads says.
void run_on_one_thread() noexcept;

}  // namespace xlazy::rt
