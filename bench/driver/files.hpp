// SPDX-License-Identifier: BSD-3-Clause
// The files that the options name: they are looked at before anything is measured.
#pragma once

#include "driver/options.hpp"

#include <string>

namespace xlazy_bench {

/// What is in the files; empty where the options name none.
struct Files {
    std::string from, others, baseline;
};

/// Reads and checks the files with results, and makes sure that those for results can be written. Changes none.
/// @throws std::invalid_argument with a line that names option, file and reason
Files look_at_files(const Options& options);

}  // namespace xlazy_bench
