// SPDX-License-Identifier: BSD-3-Clause
// Programs of level C as both builds of the statements see them: C++17, no xtensor, nothing of xlazy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace xlazy::fuzz {

/// One statement of a program: an index of the statement table, and the seed of its random choices.
struct Call {
    std::size_t statement;
    std::uint64_t seed;
};

/// What a program showed once.
struct Observation {
    std::size_t call;  ///< number of the statement, or the number of calls for the end of the program
    std::string what;
    enum class Element : std::uint8_t { Bool, I32, I64, F32, F64, Text } element;
    bool exact;  ///< stock xtensor must show the same bits
    std::string bytes;
};
using Trace = std::vector<Observation>;

struct Setup {
    std::uint64_t data_seed;
    std::size_t rows, columns;
};

/// Runs the calls with the containers of one library.
using Runner = Trace (*)(const Setup& setup, const std::vector<Call>& calls);

namespace lazy {
const std::vector<std::string>& statement_names();
Trace run(const Setup& setup, const std::vector<Call>& calls);
}  // namespace lazy
namespace stock {
Trace run(const Setup& setup, const std::vector<Call>& calls);
}  // namespace stock

}  // namespace xlazy::fuzz
