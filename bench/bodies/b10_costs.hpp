// SPDX-License-Identifier: BSD-3-Clause
// What xlazy alone does: recording without flushes, a flush of a known batch, planning of a batch that is new. The
// counts of operations, arrays and views of each are in the driver's catalog, which takes the costs of one thing apart.
#pragma once

#include "bodies/body.hpp"

#include <xlazy/runtime.hpp>

#include <chrono>
#include <string>

namespace xlazy_bench::b10 {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

using Small = xa::xtensor<double, 1>;

/// Seconds to record one statement. Statements write one array, so that nothing but recording is in the loop.
template <class F>
Job make_record(const F& statement) {
    constexpr std::size_t kStatements = 100;
    const auto a = share(Small({4}, 1.0)), b = share(Small({4}, 2.0)), c = share(Small({4}, 3.0));
    Job job;
    job.timed = [=] {
        xlazy::flush();
        const auto start = Clock::now();
        for (std::size_t i = 0; i < kStatements; ++i) statement(*c, *a, *b);
        const double seconds = seconds_since(start) / static_cast<double>(kStatements);
        xlazy::flush();
        return seconds;
    };
    return job;
}

/// Seconds of a flush of `sizes[0]` kernels with `sizes[1]` instructions each, all known from the flush before.
inline Job make_flush(const Sizes& sizes) {
    const std::size_t kernels = sizes.at(0), instructions = sizes.at(1);
    const auto targets = std::make_shared<std::vector<Small>>();
    const auto sources = std::make_shared<std::vector<Small>>();
    // Arrays of different lengths are not fused.
    for (std::size_t i = 0; i < kernels; ++i) {
        targets->push_back(Small({4 + i}, 0.0));
        sources->push_back(Small({4 + i}, 1.0));
    }
    Job job;
    job.timed = [=] {
        for (std::size_t i = 0; i < kernels; ++i)
            for (std::size_t j = 0; j < instructions; ++j) (*targets)[i] += (*sources)[i];
        const auto start = Clock::now();
        xlazy::flush();
        return seconds_since(start);
    };
    return job;
}

/// Seconds of planning a batch that writes every row of a matrix by a statement of its own. `mixed`: each batch adds to
/// some rows and multiplies others, so that it is new and nothing in it repeats.
inline Job make_rows(const Sizes& sizes, bool mixed) {
    const std::size_t rows = sizes.at(0);
    const auto a = share(xa::xtensor<double, 2>({rows, 4}, 1.0));
    const auto state = std::make_shared<std::uint32_t>(1);
    Job job;
    job.timed = [=] {
        xlazy::flush();
        const double before = xlazy::stats().seconds.at("plan");
        for (std::size_t i = 0; i < rows; ++i) {
            *state = *state * 1664525u + 1013904223u;
            if (mixed && *state >> 31 != 0)
                xa::view(*a, i, xa::all()) *= 1.0;
            else
                xa::view(*a, i, xa::all()) += 1.0;
        }
        xlazy::flush();
        return xlazy::stats().seconds.at("plan") - before;
    };
    return job;
}

inline void add_costs(Cases& cases) {
    const auto record = [&](const std::string& name, const auto& statement) {
        cases["b10.record." + name] = [=](const Sizes&) { return make_record(statement); };
    };
    record("0ops-1view", [](Small& c, Small& a, Small&) { c = xa::view(a, xa::range(0, 4)); });
    record("4ops-1array", [](Small& c, Small& a, Small&) { c = -xa::abs(-xa::abs(a)); });
    record("1op-1array-1number", [](Small& c, Small& a, Small&) { c = a + 1.0; });
    record("1op-2arrays", [](Small& c, Small& a, Small& b) { c = a + b; });
    record("4ops-1array-4numbers", [](Small& c, Small& a, Small&) { c = a + 1.0 + 2.0 + 3.0 + 4.0; });
    record("4ops-5arrays", [](Small& c, Small& a, Small& b) { c = a + b + a + b + a; });
    record("8ops-1array-8numbers",
           [](Small& c, Small& a, Small&) { c = a + 1.0 + 2.0 + 3.0 + 4.0 + 5.0 + 6.0 + 7.0 + 8.0; });
    record("8ops-9arrays", [](Small& c, Small& a, Small& b) { c = a + b + a + b + a + b + a + b + a; });
    record("1op-1view-1number", [](Small& c, Small& a, Small&) { c = xa::view(a, xa::range(0, 4)) + 1.0; });
    record("1op-2views",
           [](Small& c, Small& a, Small& b) { c = xa::view(a, xa::range(0, 4)) + xa::view(b, xa::range(0, 4)); });
    record("3ops-4views", [](Small& c, Small& a, Small& b) {
        c = xa::view(a, xa::range(0, 4)) + xa::view(b, xa::range(0, 4)) + xa::view(a, xa::range(0, 4)) +
            xa::view(b, xa::range(0, 4));
    });
    cases["b10.flush"] = make_flush;
    cases["b10.rows.same"] = [](const Sizes& sizes) { return make_rows(sizes, false); };
    cases["b10.rows.mixed"] = [](const Sizes& sizes) { return make_rows(sizes, true); };
}

}  // namespace xlazy_bench::b10
