// SPDX-License-Identifier: BSD-3-Clause
// What becomes of a call, read off the statistics.
#pragma once

#include "registry.hpp"

#include <string>
#include <vector>

namespace coverage {

enum class State : unsigned char {
    Recorded,    ///< statements, and nothing ran for it
    ReadAtOnce,  ///< statements, and then a value of C++ or a count that the caller needs: recorded as well
    FallsBack,   ///< xtensor computes it, and the statistics say so
    Reads,       ///< the elements are read, as an iterator or a file does
    Nothing,     ///< there are no elements to compute
    Refused,     ///< it throws
};

struct Outcome {
    State state = State::Nothing;
    std::string detail;  ///< the names of what fell back, the reason of a read, or the message
    std::vector<programs::Result> results;
};

Outcome run_call(const Call& call);

/// The page: every function of `list`, a file of list_functions.py's. @throws std::runtime_error if it cannot be read
std::string page(const std::string& list);
/// Functions of the list that no call calls, and calls of functions that are not in the list.
std::vector<std::string> strays(const std::string& list);

}  // namespace coverage
