// SPDX-License-Identifier: BSD-3-Clause
// The benchmarks' own sources, in sizes that leave the caches.
#include "record.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace xa = xt;

#include "bodies/b01_polynomial.hpp"
#include "bodies/b02_equation_of_state.hpp"
#include "bodies/b03_isoneutral.hpp"
#include "bodies/b05_black_scholes.hpp"
#include "bodies/b06_heat.hpp"
#include "bodies/b09_lstm.hpp"
#include "bodies/b11_chains.hpp"
#include "bodies/b11_reductions.hpp"

namespace xlazy::test {

std::vector<RecordedProgram> benchmark_programs() {
    using namespace xlazy_bench;
    Cases cases;
    b01::add(cases);
    b02::add(cases);
    b03::add(cases);
    b05::add(cases);
    b06::add(cases);
    b09::add(cases);
    b11::add_chains(cases);
    b11::add_reductions(cases);
    const std::vector<std::pair<std::string, Sizes>> wanted = {{"b01", {5'000'000}},
                                                               {"b02", {128, 128, 64}},
                                                               {"b03", {128, 128, 32}},
                                                               {"b05.f64", {1'000'000}},
                                                               {"b05.mean", {1'000'000}},
                                                               {"b06", {2000, 2000}},
                                                               {"b09", {512, 2048}},
                                                               {"b11.dot", {5'000'000}},
                                                               {"b11.softmax", {1024, 4096}},
                                                               {"b11.mean.axis0", {2000, 2000}},
                                                               {"b11.mean.axis1", {2000, 2000}},
                                                               {"b11.var.all", {2000, 2000}},
                                                               {"b11.var.axis0", {2000, 2000}},
                                                               {"b11.var.axis1", {2000, 2000}}};
    std::vector<RecordedProgram> programs;
    for (const auto& [name, sizes] : wanted) {
        programs.push_back({name, [make = cases.at(name), sizes] {
                                static Job job;  // the arrays of the run before go when those of the next are made
                                job = make(sizes);
                                job.run();
                            }});
    }
    return programs;
}

}  // namespace xlazy::test
