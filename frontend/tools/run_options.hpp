// SPDX-License-Identifier: BSD-3-Clause
// What xlazy-run-bytecode is asked to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What is wrong with the file or the way of calling; ends the program.
struct Failure {
    int status;
    std::string text;
};

struct Options {
    std::string file, passes = "all", backend = "auto", explain;
    std::vector<std::string> in, out, numbers;  ///< of saved functions
    int threads = 0, rounds = 15;
    std::uint64_t seed = 1;
    bool plan = false, time = false, text = false, kernels = false, save_kernels = false;
};
