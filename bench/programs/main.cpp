// SPDX-License-Identifier: BSD-3-Clause
// Runs one of the programs and prints what it computed, and the seconds it took after a first run.
#include "program.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    if (argc < 2) {
        for (const auto& [name, program] : programs::all()) std::printf("%s\n", name.c_str());
        return 0;
    }
    const auto found = programs::all().find(argv[1]);
    if (found == programs::all().end()) {
        std::fprintf(stderr, "there is no program %s\n", argv[1]);
        return 2;
    }
    const auto number = [&](int i, std::size_t standard) {
        return argc > i ? static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)) : standard;
    };
    const std::size_t size = number(2, 100), steps = number(3, 10), runs = number(4, 1);
    std::vector<double> values;
    double best = 1e300;
    for (std::size_t run = 0; run < runs; ++run) {
        const auto start = std::chrono::steady_clock::now();
        values = found->second(size, steps);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    for (const double value : values) std::printf("%.17g\n", value);
    std::fprintf(stderr, "%.6f s\n", best);
}
