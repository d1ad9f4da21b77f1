// SPDX-License-Identifier: BSD-3-Clause
// What a program of the comparison hands over, and the list of programs. No xtensor here: both builds of the programs
// and the test that compares them share it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace programs {

/// How close two values must be. NaNs agree with NaNs.
enum class Agreement : unsigned char {
    Bits,    ///< equal bits
    Ulps,    ///< at most `bound` units in the last place
    Within,  ///< at most `bound` apart
};

struct Result {
    std::string name;
    std::string type;  ///< of an element, as std::type_info names it
    std::vector<std::size_t> shape;
    std::vector<std::byte> bytes;  ///< row-major
    std::string text;              ///< instead of bytes, for what is not numbers
    Agreement agreement = Agreement::Bits;
    double bound = 0;
};

/// When a program's arrays are read: at once, or all at its end.
enum class Reading : unsigned char { AtOnce, AtEnd };

struct Program {
    std::string group, name;
    std::vector<Result> (*run)(Reading);
    bool may_fall_back;  ///< it uses functions that xtensor evaluates
};

/// The programs of this build.
inline std::vector<Program>& registry() {
    static std::vector<Program> all;
    return all;
}

struct Registration {
    explicit Registration(Program program) { registry().push_back(std::move(program)); }
};

/// The same programs compiled against xtensor alone, in a library of its own.
__attribute__((visibility("default"))) const std::vector<Program>& stock_registry();

}  // namespace programs
