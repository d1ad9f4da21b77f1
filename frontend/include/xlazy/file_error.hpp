// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a file. No xtensor here.
#pragma once

#include <stdexcept>

namespace xlazy {

/// A file could not be read or written, or holds no function that can run here. what() names the file and what is
/// wrong with it.
class file_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace xlazy
