// SPDX-License-Identifier: BSD-3-Clause
// The programs as a worker of xlazy-bench.
#include "program.hpp"
#include "worker/worker.hpp"

int main() {
    using namespace xlazy_bench;
    Cases cases;
    for (const auto& [name, program] : programs::all()) {
        cases[name] = [run = program](const Sizes& sizes) {
            Job job;
            job.run = [=] { keep(run(sizes.at(0), sizes.at(1))); };
            job.result = [=] { return Values{false, run(sizes.at(0), sizes.at(1))}; };
            return job;
        };
    }
    return serve(cases);
}
