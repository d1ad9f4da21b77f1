// SPDX-License-Identifier: BSD-3-Clause
// The cases as a person would write them for speed: one parallel loop, no temporary arrays. Built several times, as the
// compiler's flags decide on vector width and maths; `.stream` cases store past the caches.
#pragma once

#include "worker/worker.hpp"

namespace xlazy_bench::hand {

void add_elementwise(Cases& cases);
void add_reductions(Cases& cases);
void add_axis_reductions(Cases& cases);
/// `triad` and `read`: the memory's bandwidth.
void add_probes(Cases& cases);

}  // namespace xlazy_bench::hand
