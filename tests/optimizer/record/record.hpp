// SPDX-License-Identifier: BSD-3-Clause
// Programs whose batches the optimizer is tested with.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace xlazy::test {

struct RecordedProgram {
    std::string name;
    std::function<void()> run;  ///< its last batch but for reads is what counts
};

std::vector<RecordedProgram> benchmark_programs();
std::vector<RecordedProgram> small_programs();
std::vector<RecordedProgram> habits();

}  // namespace xlazy::test
