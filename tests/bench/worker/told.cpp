// SPDX-License-Identifier: BSD-3-Clause
// A worker whose behaviour is in its environment: XLAZY_TEST_VALUE is its result (default 1), XLAZY_TEST_DIES the
// command at which it ends.
#include "worker/worker.hpp"

#include <cstdlib>
#include <string>

namespace {

void die_if_told(const char* where) {
    const char* const dies = std::getenv("XLAZY_TEST_DIES");
    if (dies != nullptr && std::string(dies) == where) std::_Exit(3);
}

}  // namespace

int main() {
    xlazy_bench::Cases cases;
    cases["told"] = [](const xlazy_bench::Sizes&) {
        die_if_told("open");
        xlazy_bench::Job job;
        job.run = [] { die_if_told("turn"); };
        job.result = [] {
            const char* const value = std::getenv("XLAZY_TEST_VALUE");
            return xlazy_bench::Values{false, {1.0, value != nullptr ? std::stod(value) : 1.0}};
        };
        return job;
    };
    return xlazy_bench::serve(cases);
}
