// SPDX-License-Identifier: BSD-3-Clause
// Kernels that the back end runs piece by piece: what comes and goes between them has no memory of its own.
#include "runtime/array.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test;

TEST(Chain, WhatIsHandedOnNeedsNoMemory) {
    constexpr std::size_t rows = 1'000'000;
    std::vector<double> values(3 * rows);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 7);
    const Array<double> source({rows, 3}, values);
    const Array<double> result({rows});
    {
        const Array<double> sums({rows});
        {
            Statement s(here::current());
            s.store(sums.all(), s.reduce(Op::sum, s.load(source.all()), 0b10, false));
        }
        assign(result, Op::mul, sums, 2.0);
    }
    xlazy::be::pool_reset_peak();
    const std::uint64_t before = xlazy::be::pool_stats().bytes_in_use, kernels = xlazy::stats().kernels_run;
    xlazy::flush();
    EXPECT_EQ(xlazy::stats().kernels_run - kernels, 2u);
    EXPECT_LT(xlazy::be::pool_stats().bytes_in_use_peak - before, 12 * rows) << "the sums were held as a whole";
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const double sum = values[3 * i] + values[3 * i + 1] + values[3 * i + 2];
        wrong += result.read(i) != 2 * sum;
    }
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
