// SPDX-License-Identifier: BSD-3-Clause
// Idiomatic xtensor. Built several times: plain, with xsimd, with xsimd and OpenMP, and as drop-in for xlazy.
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
#include "bodies/b04_turbulence.hpp"
#include "bodies/b05_black_scholes.hpp"
#include "bodies/b06_heat.hpp"
#include "bodies/b08_expressions.hpp"
#include "bodies/b09_lstm.hpp"
#include "bodies/b10_overhead.hpp"
#include "bodies/b11_chains.hpp"
#include "bodies/b13_capture.hpp"
#ifdef XLAZY_BENCH_COSTS  // of xlazy alone
#include "bodies/b10_costs.hpp"
#endif
#ifdef XLAZY_BENCH_REDUCTIONS  // xtensor reduces alike with xsimd and without
#include "bodies/b11_reductions.hpp"
#endif

int main() {
    using namespace xlazy_bench;
    Cases cases;
    b01::add(cases);
    b02::add(cases);
    b03::add(cases);
    b04::add(cases);
    b05::add(cases);
    b06::add(cases);
    b08::add(cases);
    b09::add(cases);
#ifdef XLAZY_BENCH_COSTS
    b10::add_costs(cases);
#endif
    b10::add(cases);
    b11::add_chains(cases);
    b13::add(cases);
#ifdef XLAZY_BENCH_REDUCTIONS
    b11::add_reductions(cases);
#endif
    return serve(cases);
}
