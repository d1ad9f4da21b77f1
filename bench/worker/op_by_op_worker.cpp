// SPDX-License-Identifier: BSD-3-Clause
#include "worker/op_by_op.hpp"

namespace xa = op_by_op;

#include "bodies/b01_polynomial.hpp"
#include "bodies/b02_equation_of_state.hpp"
#include "bodies/b05_black_scholes.hpp"
#include "bodies/b06_heat.hpp"
#include "bodies/b09_lstm.hpp"
#include "bodies/b11_chains.hpp"

int main() {
    using namespace xlazy_bench;
    Cases cases;
    b01::add(cases);
    b02::add(cases);
    b05::add(cases);
    b06::add(cases);
    b09::add(cases);
    b11::add_chains(cases);
    return serve(cases);
}
