// SPDX-License-Identifier: BSD-3-Clause
// The process's plans and the back end of a queue.
#pragma once

#include "queue.hpp"
#include "xlazy/optimizer/plan_cache.hpp"

namespace xlazy::rt {

/// Makes the plan cache, so that its own handlers are registered.
void prepare_planner();

/// The plan of a batch, from the cache if it is known. @throws std::logic_error: an internal error
opt::Planned plan_of(const bc::Program& program);

/// The queue's back end, made anew after set_num_threads.
be::Backend& backend_of(Queue& queue);

/// From now on, whatever set_num_threads says.
void run_on_one_thread() noexcept;

}  // namespace xlazy::rt
