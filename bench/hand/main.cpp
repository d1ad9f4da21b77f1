// SPDX-License-Identifier: BSD-3-Clause
#include "hand/hand.hpp"

int main() {
    xlazy_bench::Cases cases;
    xlazy_bench::hand::add_elementwise(cases);
    xlazy_bench::hand::add_reductions(cases);
    xlazy_bench::hand::add_axis_reductions(cases);
    xlazy_bench::hand::add_probes(cases);
    return serve(cases);
}
