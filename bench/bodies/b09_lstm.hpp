// SPDX-License-Identifier: BSD-3-Clause
// The elementwise part of a long short-term memory cell (S. Hochreiter, J. Schmidhuber, 1997; with the forget gate of
// F. Gers et al., 2000): from the gates' sums, which a matrix product would give, to the new state and output.
#pragma once

#include "bodies/body.hpp"

namespace xlazy_bench::b09 {

using Matrix = xa::xtensor<float, 2>;

inline Matrix sigmoid(const Matrix& x) { return 1.0f / (1.0f + xa::exp(-x)); }

struct Cell {
    Matrix state, output;  ///< (batch, units)
};

/// @param in, forget, candidate, out sums at the gates, (batch, units)
inline void step(Cell& cell, const Matrix& in, const Matrix& forget, const Matrix& candidate, const Matrix& out) {
    const Matrix i = sigmoid(in);
    const Matrix f = sigmoid(forget);
    const Matrix c = xa::tanh(candidate);
    const Matrix o = sigmoid(out);
    const Matrix kept = f * cell.state;
    const Matrix added = i * c;
    cell.state = kept + added;
    const Matrix squashed = xa::tanh(cell.state);
    cell.output = o * squashed;
}

/// Sizes: batch, units.
inline Job make(const Sizes& sizes) {
    const std::array shape = {sizes.at(0), sizes.at(1)};
    const auto values = [=](std::uint32_t seed) {
        return share(array_of<Matrix>(spread<float>(shape[0] * shape[1], -3.0f, 3.0f, seed), shape));
    };
    const auto in = values(31), forget = values(32), candidate = values(33), out = values(34), start = values(35);
    const auto cell = share(Cell{*start, *start});
    Job job;
    job.run = [=] {
        step(*cell, *in, *forget, *candidate, *out);
        keep(cell->output(0, 0));
    };
    job.result = [=] {
        Cell fresh{*start, *start};
        step(fresh, *in, *forget, *candidate, *out);
        return sampled(fresh.output);
    };
    return job;
}

inline void add(Cases& cases) { cases["b09"] = make; }

}  // namespace xlazy_bench::b09
